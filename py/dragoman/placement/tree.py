"""The markup of one sentence as a tree, with what may be moved in it.

An element may begin before the sentence's run of tags (it is `open_left`: the sentence begins
inside it) or end after it (`open_right`). So the first words of a translation are always in the
elements that are open on the left, the last ones in those that are open on the right, and elements
of several sentences stay whole.

What has no words moves as one `Inset`: a void element, elements around nothing or around white
space, several of these side by side, or an opaque element.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

from dragoman.placement.atoms import says
from dragoman.types import Tag, TagKind

ROOT = 0


@dataclass(eq=False, slots=True)
class Inset:
    """Something without words of its own, set between words. Each is equal to itself only.

    Attributes:
        tags: of the source, balanced.
        opaque: whether it is an opaque element with text: then it is a single atom.
        at: offset in the source text where it begins; `end` where it ends.
        pinned: -1 it comes before everything in its parent, 1 after everything, 0 in between.
    """

    tags: list[Tag]
    opaque: bool
    pinned: int = 0

    @property
    def at(self) -> int:
        return self.tags[0].span.start

    @property
    def end(self) -> int:
        return self.tags[-1].span.end


@dataclass(eq=False, slots=True)
class Node:
    """An element with words or opaque text in it; the first node is the sentence itself.

    Attributes:
        index: in the tree's list, parents before children.
        parent: index of the node around it; the root's is itself.
        opens, closes: its tags; None where they are outside the run.
        items: children and insets, in source order.
        words: whether it has words of its own, outside its children.
        says_at: where its own text first has more than punctuation, in the source; -1: nowhere.
        says: whether there is more than punctuation, or opaque text, anywhere in it.
        start, end: from its first word or opaque text to its last, in the source text.
    """

    index: int
    parent: int
    opens: Tag | None = None
    closes: Tag | None = None
    items: list[Node | Inset] = field(default_factory=list)
    words: bool = False
    says_at: int = -1
    says: bool = False
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
            isinstance(item, Node) or (isinstance(item, Inset) and item.opaque)
            for item in self.items
        )

    @property
    def needs_to_say(self) -> bool:
        """Whether a word of its own must say something, because nothing else in it will."""
        return self.says_at >= 0 and not any(
            item.says if isinstance(item, Node) else item.opaque for item in self.items
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


def tree(run: Sequence[Tag], text: str) -> Tree:
    """The tree of a sentence's run; `text` is what the spans of the tags are of."""
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
        tag, match = run[place], matches[place]
        here = stack[-1]
        if tag.kind is TagKind.TEXT:
            texts.append((tag.span.start, here.index))
            _add_words(here, tag, text)
        elif tag.kind is TagKind.ATOM:
            texts.append((tag.span.start, here.index))
            opaque = bool(tag.span.of(text).strip())
            _add_inset(here, [tag], opaque, run, place)
            if opaque:
                here.reaches(tag.span.start, tag.span.end)
                here.says = True
        elif tag.kind is TagKind.OPEN and not filled[place]:
            _add_inset(here, list(run[place : match + 1]), False, run, place)
            place = match
        elif tag.kind is TagKind.OPEN:
            push(Node(len(nodes), here.index, tag, run[match] if match != _AFTER else None))
        else:
            stack.pop()
        place += 1
    for node in reversed(nodes):
        nodes[node.parent].reaches(node.start, node.end)
        nodes[node.parent].says |= node.says
        _pin(node)
    return Tree(nodes, texts)


_BEFORE, _AFTER = -1, -2  # where the other tag of a pair is, when it is not in the run


def _matches(run: Sequence[Tag]) -> list[int]:
    """Place of the other tag for each tag of the run."""
    matches = [0] * len(run)
    opened: list[int] = []
    for place, tag in enumerate(run):
        if tag.kind is TagKind.OPEN:
            matches[place] = _AFTER
            opened.append(place)
        elif tag.kind is TagKind.CLOSE:
            matches[place] = opened.pop() if opened else _BEFORE
            if matches[place] != _BEFORE:
                matches[matches[place]] = place
    return matches


def _filled(run: Sequence[Tag], matches: Sequence[int], text: str) -> list[bool]:
    """Whether there are words or opaque text in the element that opens at each place."""
    words = 0
    before = []
    for tag in run:
        before.append(words)
        words += bool(tag.span.of(text).strip())
    return [match == _AFTER or before[match] > before[place] for place, match in enumerate(matches)]


def _add_words(node: Node, tag: Tag, text: str) -> None:
    words = tag.span.of(text)
    if words.strip():
        node.words = True
        start = tag.span.end - len(words.lstrip())
        node.reaches(start, tag.span.start + len(words.rstrip()))
        at = next((at for at, char in enumerate(words) if says(char)), -1)
        if at >= 0 and not node.says:
            node.says_at, node.says = tag.span.start + at, True


def _add_inset(node: Node, tags: list[Tag], opaque: bool, run: Sequence[Tag], place: int) -> None:
    """Insets side by side become one, unless one is opaque."""
    last = node.items[-1] if node.items else None
    beside = isinstance(last, Inset) and place > 0 and run[place - 1] == last.tags[-1]
    if isinstance(last, Inset) and beside and not opaque and not last.opaque:
        last.tags.extend(tags)
        return
    node.items.append(Inset(tags, opaque))


def _pin(node: Node) -> None:
    """Insets at the edges of an element stay there."""
    for item in node.items:
        if isinstance(item, Inset) and not item.opaque:
            item.pinned = (item.at >= node.end) - (item.end <= node.start)
