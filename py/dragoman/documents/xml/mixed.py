"""Mixed content: text with elements in it, as XHTML, OpenDocument and XLIFF have it.

    <p>Ja <b>gut</b><note>Nein</note></p>       "Ja gut" with a style and a place, and "Nein"

A `Vocabulary` says what each element is. A run of inline content is a passage; what is in an atom
may hold passages of its own, which are written inside of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial

from dragoman.documents.passage import (
    EventKind,
    Marked,
    PassageBuilder,
    Translated,
    is_said,
)
from dragoman.documents.xml.intervals import Interval, nested
from dragoman.documents.xml.parts import Block
from dragoman.documents.xml.tree import Node, Text, escaped
from dragoman.edits import Stretch
from dragoman.types import ElementKind

_WHITE_SPACE = re.compile(r"[ \t\r\n]+")


class Role(StrEnum):
    """What an element is in a run of text."""

    BLOCK = "block"  # it divides the text, and may hold runs
    INLINE = "inline"
    STYLE = "style"
    CLEAR = "clear"  # it changes nothing that can be seen, and may go
    OPAQUE = "opaque"  # not translated
    ATOM = "atom"  # a place in the text; what is in it may have runs of its own
    SKIPPED = "skipped"  # with all that is in it


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What the elements of a kind of document are.

    Attributes:
        role: of an element.
        holds: whether runs of text may be directly in a block.
        space: the white space that an element stands for, "" if none.
        pairs: elements that begin something, and those that end it.
        pair_key: what both have in common.
        collapses: whether white space of any length is one space.
    """

    role: Callable[[Node], Role]
    holds: Callable[[Node], bool]
    space: Callable[[Node], str] = lambda _: ""
    pairs: dict[str, str] = field(default_factory=dict)
    pair_key: Callable[[Node], str] = lambda node: node.get("id") or node.get("name")
    collapses: Callable[[Node], bool] = lambda _: True


@dataclass(frozen=True, slots=True)
class MixedMark:
    """What an element is: the stretches around what is in it; of an atom `opening` is all of it."""

    opening: tuple[int, int]
    closing: tuple[int, int] = (0, 0)


class MixedReader:
    """Reads the runs of a part."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._blocks: dict[Node, bool] = {}

    def blocks(self, root: Node) -> Iterator[Block]:
        """Those with words, in document order."""
        waiting = [root]
        self._find_blocks(root)
        while waiting:
            node = waiting.pop()
            role = self._vocabulary.role(node)
            if role in (Role.SKIPPED, Role.OPAQUE):
                continue
            divides = role is Role.BLOCK or self._blocks.get(node, False)
            if divides and self._vocabulary.holds(node):
                for run in self._runs(node):
                    yield from self._block(node, run)
            waiting += reversed(list(node.elements()))

    def marked(self, node: Node) -> Marked[MixedMark]:
        """All that is in an element, as one passage."""
        builder = PassageBuilder[MixedMark]()
        self._add(builder, node.children, self._vocabulary.collapses(node))
        return builder.built()

    def _find_blocks(self, root: Node) -> None:
        """Of the inline elements, those that hold a block divide the text, too."""
        for node in reversed(list(root.walk())):
            role = self._vocabulary.role(node)
            inline = role in (Role.INLINE, Role.STYLE, Role.CLEAR)
            divides = role is Role.BLOCK or (inline and self._blocks.get(node, False))
            if divides and node.parent is not None:
                self._blocks[node.parent] = True

    def _divides(self, node: Node | Text) -> bool:
        if isinstance(node, Text):
            return False
        role = self._vocabulary.role(node)
        inline = role in (Role.INLINE, Role.STYLE, Role.CLEAR)
        return role in (Role.BLOCK, Role.SKIPPED) or (inline and self._blocks.get(node, False))

    def _runs(self, node: Node) -> Iterator[list[Node | Text]]:
        run: list[Node | Text] = []
        for child in node.children:
            if self._divides(child):
                yield run
                run = []
            else:
                run.append(child)
        yield run

    def _block(self, parent: Node, run: list[Node | Text]) -> Iterator[Block]:
        """The passage of a run, without what stands before its first word and after its last."""
        texts = [index for index, child in enumerate(run) if self._has_text(child)]
        if not texts:
            return
        # What is not translated, such as a field or code, is a word of the sentence at an end too.
        words = [*texts, *(index for index, child in enumerate(run) if self._is_said(child))]
        used = run[min(words) : max(words) + 1]
        (first,) = used if len(used) == 1 else (None,)
        if isinstance(first, Node):  # all of it looks alike, or is one link
            yield from self._block(parent, first.children)
            return
        builder = PassageBuilder[MixedMark]()
        base = self._base(used)
        self._add(builder, used, self._vocabulary.collapses(parent), base)
        marked = builder.built()
        said = "".join(event.text for event in marked.source_events())
        if is_said(said):
            around = _tags(base) if base else None
            write = partial(written, marked, around=around)
            yield Block(marked, used[0].start, used[-1].end, write)

    def _base(self, children: Sequence[Node | Text]) -> Node | None:
        """What most of the text of a run looks like, where none of it is without a look."""
        looks = Counter[str]()
        nodes: dict[str, Node] = {}
        for child in children:
            if isinstance(child, Text):
                if child.data.strip():
                    return None
            elif self._vocabulary.role(child) is Role.CLEAR and child.words().strip():
                return None
            elif self._is_look(child):
                looks[_look(child)] += len(child.words())
                nodes[_look(child)] = child
        return nodes[looks.most_common(1)[0][0]] if looks else None

    def _is_look(self, node: Node) -> bool:
        """Whether an element only says what the text in it looks like."""
        plain = all(isinstance(child, Text) for child in node.children)
        return plain and self._vocabulary.role(node) is Role.STYLE

    def _is_said(self, child: Node | Text) -> bool:
        if isinstance(child, Text) or self._vocabulary.role(child) is not Role.OPAQUE:
            return False
        return bool(child.words().strip())

    def _has_text(self, child: Node | Text) -> bool:
        if isinstance(child, Text):
            return bool(child.data.strip())
        if self._vocabulary.role(child) not in (Role.INLINE, Role.STYLE, Role.CLEAR):
            return False
        return any(map(self._has_text, child.children))

    def _add(
        self,
        builder: PassageBuilder[MixedMark],
        children: Sequence[Node | Text],
        collapse: bool,
        base: Node | None = None,
    ) -> None:
        ends = nested(self._intervals(children))
        closing = {last: index for index, (_, last) in ends.items()}
        for index, child in enumerate(children):
            if isinstance(child, Text):
                builder.text(_WHITE_SPACE.sub(" ", child.data) if collapse else child.data)
            elif index in ends:
                end = children[ends[index][1]]
                builder.open(MixedMark((child.start, child.end), (end.start, end.end)))
            elif index in closing:
                builder.close()
            elif base is not None and self._is_look(child) and _look(child) == _look(base):
                self._add(builder, child.children, collapse)
            else:
                self._add_element(builder, child, collapse)

    def _add_element(self, builder: PassageBuilder[MixedMark], node: Node, collapse: bool) -> None:
        role = self._vocabulary.role(node)
        whole = MixedMark((node.start, node.end))
        if role is Role.CLEAR:
            self._add(builder, node.children, collapse)
        elif role in (Role.INLINE, Role.STYLE) and (node.children or node.outside < node.end):
            mark = _tags(node)
            kind = ElementKind.STYLE if role is Role.STYLE else ElementKind.INLINE
            builder.open(mark, kind)
            self._add(builder, node.children, collapse)
            builder.close()
        elif role is Role.OPAQUE:
            builder.atom(whole, _WHITE_SPACE.sub(" ", node.words()))
        else:
            builder.atom(whole, self._vocabulary.space(node))

    def _intervals(self, children: Sequence[Node | Text]) -> Iterator[Interval]:
        pairs, key = self._vocabulary.pairs, self._vocabulary.pair_key
        begun: dict[tuple[str, str], int] = {}
        for index, child in enumerate(children):
            if isinstance(child, Text):
                continue
            if child.name in pairs:
                begun[pairs[child.name], key(child)] = index
            else:
                start = begun.pop((child.name, key(child)), None)
                between = children[start + 1 : index] if start is not None else ()
                if start is not None and any(map(self._has_text, between)):
                    yield start, start, index


def _look(node: Node) -> str:
    return f"{node.name} {sorted(node.attributes.items())}"


def _tags(node: Node) -> MixedMark:
    return MixedMark((node.start, node.inside), (node.outside, node.end))


def written(
    marked: Marked[MixedMark],
    translated: Translated,
    stretch: Stretch,
    around: MixedMark | None = None,
) -> str:
    """The content of a translation.

    Args:
        around: text that is in no element.
    """
    parts: list[str] = []
    depth = 0
    for kind, text, mark in marked.events(translated):
        if mark is None:
            bare = around is not None and not depth and text.strip()
            tags = (around.opening, around.closing) if around and bare else ((0, 0), (0, 0))
            parts += [stretch(*tags[0]), escaped(text), stretch(*tags[1])]
        else:
            depth += {EventKind.OPEN: 1, EventKind.CLOSE: -1}.get(kind, 0)
            parts.append(stretch(*(mark.closing if kind is EventKind.CLOSE else mark.opening)))
    return "".join(parts)
