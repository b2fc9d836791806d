"""Paragraphs of Office Open XML: runs of text, each with properties, and what stands between them.

    <w:r>Ein </w:r><w:hyperlink><w:r>Ha</w:r><w:r>us</w:r></w:hyperlink><w:r><w:b/>!</w:r>
    "Ein Haus!"     [4, 8) the link, [8, 9) style: the properties of its run

Runs that look alike are one text: word processors cut them anywhere. What most of a paragraph (or
a link) looks like is no element: new words of the translation look like that. Fields, bookmarks and
comments begin and end between runs: with both ends in one place they enclose, else they are places.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from dragoman.documents.passage import (
    Event,
    EventKind,
    Marked,
    PassageBuilder,
    Translated,
    is_said,
)
from dragoman.documents.xml.intervals import nested
from dragoman.documents.xml.parts import Block
from dragoman.documents.xml.tree import Node, Text, XmlSource, escaped
from dragoman.edits import Stretch
from dragoman.types import ElementKind

# Names of styles: "HTMLCode", "VerbatimChar", "SourceCode", "HTML Preformatted".
_CODE = re.compile(r"code|verbatim|preformatted|source_?text", re.IGNORECASE)
_LINE_BREAK = re.compile(r"\s*\n\s*")


@dataclass(frozen=True, slots=True)
class Dialect:
    """The names of a kind of paragraph.

    Attributes:
        skipped: what is left out where a paragraph is written anew: it says nothing.
        wrappers: elements that hold runs, and the element in them that does, "" for themselves.
        held: elements with text that is not translated: fields that are computed, formulas.
        characters: elements that stand for a character.
        spaces: the same, of white space: they stay what they are.
        pairs: elements that begin something, and those that end it; both have the same id.
        same_look: properties, and attributes of them, that nobody sees.
        field: an element of a run that begins, parts or ends a field.
        style, paragraph_style: the property that names the style of a run, and of a paragraph;
            what looks like code by its name stays as it is.
    """

    paragraph: str
    paragraph_properties: str
    run: str
    properties: str
    text: str
    skipped: frozenset[str]
    wrappers: dict[str, str]
    held: frozenset[str]
    characters: dict[str, str]
    spaces: dict[str, str]
    pairs: dict[str, str]
    same_look: frozenset[str]
    field: str = ""
    style: str = ""
    paragraph_style: str = ""


@dataclass(frozen=True, slots=True)
class RunMark:
    """What an element of a paragraph is.

    Attributes:
        style: whether it is the look of its text, said by `properties`.
        properties: of text that is directly inside, as the source says them.
        opening, closing: stretches of the source around what is inside; of an atom `opening` is it.
        whole: whether an atom is a run of its own, or more; if not it is put into one.
    """

    style: bool
    properties: str
    opening: tuple[int, int] = (0, 0)
    closing: tuple[int, int] = (0, 0)
    whole: bool = True


@dataclass(frozen=True, slots=True)
class _Piece:
    """Text of one look, an atom, or a wrapper with pieces of its own."""

    text: str = ""
    properties: str = ""
    look: str = ""
    atom: RunMark | None = None
    wrapper: tuple[tuple[int, int], tuple[int, int]] | None = None
    inside: tuple[_Piece, ...] = ()

    @property
    def is_text(self) -> bool:
        return self.atom is None and self.wrapper is None

    @property
    def has_text(self) -> bool:
        return self.is_text or any(piece.has_text for piece in self.inside)


class ParagraphReader:
    """Reads the paragraphs of a part."""

    def __init__(self, source: XmlSource, dialect: Dialect) -> None:
        self._source, self._dialect = source, dialect

    def blocks(self) -> Iterator[Block]:
        """Those with words, in document order."""
        for node in self._source.root.walk():
            if node.name == self._dialect.paragraph and not self._is_code(node):
                yield from self._block(node)

    def _is_code(self, paragraph: Node) -> bool:
        properties = paragraph.child(self._dialect.paragraph_properties)
        style = properties.child(self._dialect.paragraph_style) if properties else None
        return bool(style and _CODE.search(style.get("val")))

    def _block(self, paragraph: Node) -> Iterator[Block]:
        children = [
            child
            for child in paragraph.elements()
            if child.name not in self._dialect.skipped
            and child.name != self._dialect.paragraph_properties
        ]
        grouped = list(self._grouped(children))
        texts = [index for index, (_, _, piece) in enumerate(grouped) if _any_text(piece)]
        if not texts:
            return
        # A field or code at an end is a word of the sentence: "«Name» hat bestellt."
        said = [index for index, (_, _, piece) in enumerate(grouped) if _readable(piece).strip()]
        first, last = min([texts[0], *said]), max([texts[-1], *said])
        used = grouped[first : last + 1]
        pieces = [piece for _, _, inside in used for piece in inside]
        builder = PassageBuilder[RunMark]()
        base = _add(builder, pieces)
        marked = builder.built()
        if is_said("".join(event.text for event in marked.source_events())):
            prefix = paragraph.written.rpartition(":")[0]
            write = partial(_written, self._dialect, marked, base, prefix and prefix + ":")
            yield Block(marked, used[0][0], used[-1][1], write)

    # --- what stands beside each other ---------------------------------------------------------

    def _grouped(self, siblings: Sequence[Node]) -> Iterator[tuple[int, int, list[_Piece]]]:
        """Start, end and pieces of each sibling, or of several that belong together."""
        ends = nested(self._intervals(siblings))
        index = 0
        while index < len(siblings):
            node = siblings[index]
            if index in ends:
                opened, last = ends[index]
                yield (
                    node.start,
                    siblings[last].end,
                    [self._enclosing(siblings, index, opened, last)],
                )
                index = last + 1
            else:
                yield node.start, node.end, list(self._pieces(node))
                index += 1

    def _intervals(self, siblings: Sequence[Node]) -> Iterator[tuple[int, int, int]]:
        """First, last of what opens, and last of all, of what begins and ends among siblings."""
        yield from self._fields(siblings)
        begun: dict[tuple[str, str], int] = {}
        for index, node in enumerate(siblings):
            if node.name in self._dialect.pairs:
                begun[self._dialect.pairs[node.name], node.get("id")] = index
            elif (start := begun.pop((node.name, node.get("id")), None)) is not None:
                yield start, start, index

    def _fields(self, siblings: Sequence[Node]) -> Iterator[tuple[int, int, int]]:
        begun: list[list[int]] = []
        for index, node in enumerate(siblings):
            if not self._dialect.field or node.name != self._dialect.run:
                continue
            kinds = [
                child.get("fldCharType")
                for child in node.elements()
                if child.name == self._dialect.field
            ]
            for kind in kinds:
                if kind == "begin":
                    begun.append([index, index])
                elif kind == "separate" and begun:
                    begun[-1][1] = index
                elif kind == "end" and begun:
                    first, opened = begun.pop()
                    yield first, opened, index

    def _enclosing(self, siblings: Sequence[Node], first: int, opened: int, last: int) -> _Piece:
        start, end = siblings[first].start, siblings[last].end
        whole = (start, end)
        inner = siblings[opened + 1 : last]
        inside = tuple(piece for _, _, pieces in self._grouped(inner) for piece in pieces)
        if siblings[first].name == self._dialect.run:  # a field
            says = "".join(node.words() for node in siblings[first : opened + 1]).split()
            if not says or says[0].upper() != "HYPERLINK" or not _any_text(inside):
                return _Piece(_readable(inside), atom=RunMark(False, "", whole))
        elif not _any_text(inside):
            return _Piece("", atom=RunMark(False, "", whole))
        closing = siblings[last].start, end
        return _Piece(wrapper=((start, siblings[opened].end), closing), inside=inside)

    # --- one of them ---------------------------------------------------------------------------

    def _pieces(self, node: Node) -> Iterator[_Piece]:
        dialect = self._dialect
        if node.name == dialect.run:
            yield from self._run(node)
        elif node.name in dialect.wrappers:
            yield self._wrapper(node)
        else:
            text = node.words() if node.name in dialect.held else ""
            text = dialect.spaces.get(node.name, text)
            yield _Piece(text, atom=RunMark(False, "", (node.start, node.end)))

    def _wrapper(self, node: Node, run: Node | None = None) -> _Piece:
        """What holds runs; `run` is the one that it is in."""
        name = self._dialect.wrappers[node.name]
        holder = node.child(name) if name else node
        whole = (run or node).start, (run or node).end
        if holder is None:
            return _Piece("", atom=RunMark(False, "", whole))
        inner = [child for child in holder.elements() if child.name not in self._dialect.skipped]
        inside = tuple(piece for _, _, pieces in self._grouped(inner) for piece in pieces)
        if not _any_text(inside):
            return _Piece(_readable(inside), atom=RunMark(False, "", whole))
        return _Piece(
            wrapper=((whole[0], holder.inside), (holder.outside, whole[1])), inside=inside
        )

    def _run(self, run: Node) -> Iterator[_Piece]:
        dialect = self._dialect
        properties_element = run.child(dialect.properties)
        properties = self._source.of(properties_element) if properties_element else ""
        look = self._look(properties_element) if properties_element else ""
        inside = [
            child
            for child in run.elements()
            if child is not properties_element and child.name not in dialect.skipped
        ]
        single = len(inside) == 1
        style = properties_element.child(dialect.style) if properties_element else None
        if style and _CODE.search(style.get("val")) and run.child(dialect.text):
            yield _Piece(run.words(), atom=RunMark(False, "", (run.start, run.end)))
            return
        for child in inside:
            if child.name == dialect.text:
                yield _Piece(_run_text(child), properties, look)
            elif child.name in dialect.characters:
                yield _Piece(dialect.characters[child.name], properties, look)
            elif single and child.name in dialect.wrappers:
                yield self._wrapper(child, run)
            else:
                place = (run.start, run.end) if single else (child.start, child.end)
                mark = RunMark(False, properties, place, whole=single)
                yield _Piece(dialect.spaces.get(child.name, ""), properties, atom=mark)

    def _look(self, properties: Node) -> str:
        """What can be seen of properties."""
        same = self._dialect.same_look
        attributes = [item for item in sorted(properties.attributes.items()) if item[0] not in same]
        inside = [
            self._source.of(child) for child in properties.elements() if child.name not in same
        ]
        return "".join([*(f"{name}={value};" for name, value in attributes), *inside])


def _any_text(pieces: Sequence[_Piece]) -> bool:
    return any(piece.has_text for piece in pieces)


def _readable(pieces: Sequence[_Piece]) -> str:
    return "".join(piece.text + _readable(piece.inside) for piece in pieces)


def _run_text(node: Node) -> str:
    text = "".join(child.data for child in node.children if isinstance(child, Text))
    if node.name == "w:t" and node.attributes.get("xml:space") != "preserve":
        text = text.strip(" \t\r\n")  # what XML calls white space; no others
    return _LINE_BREAK.sub(" ", text)


# --- a passage of pieces -------------------------------------------------------------------------


def _add(builder: PassageBuilder[RunMark], pieces: Sequence[_Piece]) -> str:
    """Add pieces; returns the properties that most of their text has."""
    pieces = _joined(pieces)
    base = _base(pieces)
    for piece in pieces:
        if piece.atom is not None:
            builder.atom(piece.atom, piece.text)
        elif piece.wrapper is not None:
            own = _base(_joined(piece.inside))
            builder.open(RunMark(False, own.properties, *piece.wrapper))
            _add(builder, piece.inside)
            builder.close()
        elif piece.look == base.look:
            builder.text(piece.text)
        else:
            link = "hlink" in piece.look
            kind = ElementKind.INLINE if link else ElementKind.STYLE
            builder.open(RunMark(True, piece.properties), kind)
            builder.text(piece.text)
            builder.close()
    return base.properties


def _base(pieces: Sequence[_Piece]) -> _Piece:
    """A piece that looks like most of the text."""
    looks = Counter[str]()
    for piece in pieces:
        if piece.is_text:
            looks[piece.look] += len(piece.text.strip())
    if not looks:
        return _Piece()
    ((look, _),) = looks.most_common(1)
    return next(piece for piece in pieces if piece.is_text and piece.look == look)


def _joined(pieces: Sequence[_Piece]) -> list[_Piece]:
    """Texts of one look beside each other as one; white space that parts two looks has none."""
    base = _base(pieces)
    joined: list[_Piece] = []
    for index, piece in enumerate(pieces):
        if piece.is_text and not piece.text.strip():
            look = _look_around(pieces, index) or base
            piece = replace(piece, properties=look.properties, look=look.look)
        last = joined[-1] if joined else None
        if piece.is_text and last and last.is_text and last.look == piece.look:
            joined[-1] = replace(last, text=last.text + piece.text)
        elif piece.text or not piece.is_text:
            joined.append(piece)
    return joined


def _look_around(pieces: Sequence[_Piece], index: int) -> _Piece | None:
    """What stands on both sides, where that looks alike."""
    before = pieces[index - 1] if index else None
    after = pieces[index + 1] if index + 1 < len(pieces) else None
    if before and after and before.is_text and after.is_text and before.look == after.look:
        return before
    return None


# --- writing -------------------------------------------------------------------------------------


def _written(
    dialect: Dialect,
    marked: Marked[RunMark],
    base: str,
    prefix: str,
    translated: Translated,
    stretch: Stretch,
) -> str:
    """The runs of a translation."""
    run = prefix + dialect.run.partition(":")[2]
    properties = [base]
    parts: list[str] = []
    for event in marked.events(translated):
        mark = event.mark
        if mark is None:
            parts.append(f"<{run}>{properties[-1]}{_texts(dialect, prefix, event.text)}</{run}>")
        elif event.kind is EventKind.ATOM:
            inside = stretch(*mark.opening)
            parts.append(inside if mark.whole else f"<{run}>{mark.properties}{inside}</{run}>")
        else:
            parts.append(_edge(event, mark, properties, stretch))
    return "".join(parts)


def _edge(event: Event[RunMark], mark: RunMark, properties: list[str], stretch: Stretch) -> str:
    if event.kind is EventKind.OPEN:
        properties.append(mark.properties)
        return "" if mark.style else stretch(*mark.opening)
    properties.pop()
    return "" if mark.style else stretch(*mark.closing)


def _texts(dialect: Dialect, prefix: str, text: str) -> str:
    """Text as elements of a run: the characters that are elements there, and the rest."""
    names = {character: name for name, character in dialect.characters.items()}
    text = text.replace("\n", " ")
    parts: list[str] = []
    for part in re.split("([" + re.escape("".join(names)) + "])", text) if names else [text]:
        if part in names:
            parts.append(f"<{prefix}{names[part].partition(':')[2]}/>")
        elif part:
            keep = ' xml:space="preserve"' if dialect.run == "w:r" else ""
            name = prefix + dialect.text.partition(":")[2]
            parts.append(f"<{name}{keep}>{escaped(part)}</{name}>")
    return "".join(parts)
