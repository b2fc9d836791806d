"""The markup of one sentence as a tree, with what may be moved in it.

An element may begin before the sentence's run of tokens (it is `open_left`: the sentence begins
inside it) or end after it (`open_right`). So the first words of a translation are always in the
elements that are open on the left, the last ones in those that are open on the right, and elements
of several sentences stay whole.

What has no words moves as one `Unit`: a void element, elements around nothing or around white
space, several of these side by side, or an opaque element.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

from dragoman.types import Token, TokenKind

ROOT = 0


@dataclass(eq=False, slots=True)
class Unit:
    """Something without words of its own.

    Attributes:
        tokens: of the source, balanced.
        opaque: whether it is an opaque element with text: then it is a single atom.
        at: offset in the source text where it begins; `end` where it ends.
        pinned: -1 it comes before everything in its parent, 1 after everything, 0 in between.
    """

    tokens: list[Token]
    opaque: bool
    pinned: int = 0

    @property
    def at(self) -> int:
        return self.tokens[0].span.start

    @property
    def end(self) -> int:
        return self.tokens[-1].span.end


@dataclass(eq=False, slots=True)
class Node:
    """An element with words or opaque text in it; the first node is the sentence itself.

    Attributes:
        index: in the tree's list, parents before children.
        parent: index of the node around it; the root's is itself.
        opens, closes: its tags; None where they are outside the run.
        items: children and units, in source order.
        words: whether it has words of its own, outside its children.
        start, end: from its first word or opaque text to its last, in the source text.
    """

    index: int
    parent: int
    opens: Token | None = None
    closes: Token | None = None
    items: list[Node | Unit] = field(default_factory=list)
    words: bool = False
    start: int = sys.maxsize
    end: int = -1

    def reaches(self, start: int, end: int) -> None:
        """There is something in it from `start` to `end`."""
        self.start, self.end = min(self.start, start), max(self.end, end)

    @property
    def open_left(self) -> bool:
        return self.opens is None

    @property
    def open_right(self) -> bool:
        return self.closes is None

    @property
    def needs_word(self) -> bool:
        """Whether it must get a word of its own, because nothing else in it will be there."""
        return self.words and not any(
            isinstance(item, Node) or (isinstance(item, Unit) and item.opaque)
            for item in self.items
        )


@dataclass(frozen=True, slots=True)
class Tree:
    """Nodes, and which text belongs to which.

    Attributes:
        nodes: parents before children.
        texts: (start, node) of each stretch of text, ascending; it reaches to the next.
    """

    nodes: list[Node]
    texts: list[tuple[int, int]]


def tree(run: Sequence[Token], text: str) -> Tree:
    """The tree of a sentence's run; `text` is what the spans of the tokens are of."""
    matches = _matches(run)
    filled = _filled(run, matches, text)
    nodes = [Node(ROOT, ROOT)]
    stack = [nodes[ROOT]]

    def push(node: Node) -> None:
        nodes.append(node)
        stack[-1].items.append(node)
        stack.append(node)

    for place in reversed([i for i, match in enumerate(matches) if match == _BEFORE]):
        push(Node(len(nodes), stack[-1].index, None, run[place]))
    texts: list[tuple[int, int]] = []
    place = 0
    while place < len(run):
        token, match = run[place], matches[place]
        here = stack[-1]
        if token.kind is TokenKind.TEXT:
            texts.append((token.span.start, here.index))
            _add_words(here, token, text)
        elif token.kind is TokenKind.ATOM:
            texts.append((token.span.start, here.index))
            opaque = bool(token.span.of(text).strip())
            _add_unit(here, [token], opaque, run, place)
            if opaque:
                here.reaches(token.span.start, token.span.end)
        elif token.kind is TokenKind.OPEN and not filled[place]:
            _add_unit(here, list(run[place : match + 1]), False, run, place)
            place = match
        elif token.kind is TokenKind.OPEN:
            push(Node(len(nodes), here.index, token, run[match] if match != _AFTER else None))
        else:
            stack.pop()
        place += 1
    for node in reversed(nodes):
        nodes[node.parent].reaches(node.start, node.end)
        _pin(node)
    return Tree(nodes, texts)


_BEFORE, _AFTER = -1, -2  # where the other tag of a pair is, when it is not in the run


def _matches(run: Sequence[Token]) -> list[int]:
    """Place of the other tag for each tag of the run."""
    matches = [0] * len(run)
    opened: list[int] = []
    for place, token in enumerate(run):
        if token.kind is TokenKind.OPEN:
            matches[place] = _AFTER
            opened.append(place)
        elif token.kind is TokenKind.CLOSE:
            matches[place] = opened.pop() if opened else _BEFORE
            if matches[place] != _BEFORE:
                matches[matches[place]] = place
    return matches


def _filled(run: Sequence[Token], matches: Sequence[int], text: str) -> list[bool]:
    """Whether there are words or opaque text in the element that opens at each place."""
    words = 0
    before = []
    for token in run:
        before.append(words)
        words += bool(token.span.of(text).strip())
    return [match == _AFTER or before[match] > before[place] for place, match in enumerate(matches)]


def _add_words(node: Node, token: Token, text: str) -> None:
    words = token.span.of(text)
    if words.strip():
        node.words = True
        start = token.span.end - len(words.lstrip())
        node.reaches(start, token.span.start + len(words.rstrip()))


def _add_unit(
    node: Node, tokens: list[Token], opaque: bool, run: Sequence[Token], place: int
) -> None:
    """Units side by side become one, unless one is opaque."""
    last = node.items[-1] if node.items else None
    beside = isinstance(last, Unit) and place > 0 and run[place - 1] is last.tokens[-1]
    if isinstance(last, Unit) and beside and not opaque and not last.opaque:
        last.tokens.extend(tokens)
        return
    node.items.append(Unit(tokens, opaque))


def _pin(node: Node) -> None:
    """Units at the edges of an element stay there."""
    for item in node.items:
        if isinstance(item, Unit) and not item.opaque:
            item.pinned = (item.at >= node.end) - (item.end <= node.start)
