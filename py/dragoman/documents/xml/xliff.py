"""XLIFF 1.2 and 2: units that have no translation yet get one; all others stay."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial

from dragoman.config import DocumentLimits
from dragoman.documents.passage import Marked, Translated, has_words
from dragoman.documents.text.tagged import is_translatable
from dragoman.documents.xml.mixed import MixedMark, MixedReader, Role, Vocabulary, written
from dragoman.documents.xml.parts import Block, Part, XmlDocument
from dragoman.documents.xml.tree import Node, XmlSource, read_xml
from dragoman.edits import Stretch

NAMESPACES = {
    "": "",  # files of 1.0, and of those who leave it out
    "urn:oasis:names:tc:xliff:document:1.1": "",
    "urn:oasis:names:tc:xliff:document:1.2": "",
    **{f"urn:oasis:names:tc:xliff:document:2.{minor}": "" for minor in range(3)},
}
_UNITS = ("trans-unit", "segment")
_AROUND = frozenset(["g", "mrk", "pc"])
_UNTRANSLATED = frozenset(["new", "initial", "needs-translation", "needs-l10n"])
_STATE = re.compile(r"\sstate=(?:\"[^\"]*\"|'[^']*')")
_FILE = re.compile(r"<(?:\w+:)?(?:file|xliff)\b[^>]*>")


def _role(node: Node) -> Role:
    if node.name not in _AROUND:
        return Role.ATOM
    stays = node.get("translate") == "no" or node.get("mtype") == "protected"
    return Role.OPAQUE if stays else Role.INLINE


_VOCABULARY = Vocabulary(
    _role,
    holds=lambda _: False,
    pairs={"bpt": "ept", "bx": "ex", "sc": "ec"},
    pair_key=lambda node: node.get("startRef") or node.get("rid") or node.get("id"),
    collapses=lambda node: not _preserves(node),
)


def read_xliff(content: bytes, limits: DocumentLimits) -> XmlDocument:
    """XLIFF as a document.

    Raises:
        DocumentError, DocumentTooLargeError: see `read_xml`.
    """
    source = read_xml(content, "the document", NAMESPACES, limits)
    blocks = tuple(_blocks(source))
    return XmlDocument(content, Part("", source, blocks, _relabelled))


def _blocks(source: XmlSource) -> Iterator[Block]:
    reader = MixedReader(_VOCABULARY)
    for unit in source.root.walk():
        said = unit.child("source") if unit.name in _UNITS else None
        if said is None or not _is_open(unit):
            continue
        target, segmented = unit.child("target"), unit.child("seg-source")
        segments = _segments(reader, segmented) if segmented else []
        if segmented and segments and target is None:
            yield from _new_segments(source, said, segmented, segments)
            continue
        copies = target is not None and _state(unit, target) in _UNTRANSLATED
        if target is not None and segments and not copies and any(map(_is_segment, target.walk())):
            yield from _missing_segments(source, target, segments)
            continue
        marked = reader.marked(said)
        if not _is_text(said, marked):
            continue
        if target is None:
            write = partial(_new_target, marked, said, _gap(source, said))
            end = (segmented or said).end
            yield Block(marked, end, end, write, always=True)
        elif copies or not target.words().strip():
            write = partial(_target, marked, source.text[target.start : target.inside], target)
            yield Block(marked, target.start, target.end, write, always=True)


def _is_text(node: Node, marked: Marked[MixedMark]) -> bool:
    words = "".join(event.text for event in marked.source_events())
    return has_words(words) and is_translatable(node.words())


def _state(unit: Node, target: Node) -> str:
    """Of a translation: in version 2 the segment has it."""
    return target.get("state") or (unit.get("state") if unit.name == "segment" else "")


def _gap(source: XmlSource, said: Node) -> str:
    """The white space before a source: its target begins in the same column."""
    before = source.text[said.parent.inside : said.start] if said.parent else ""
    return before if before.isspace() else ""


# --- segments of version 1.2: each is translated by itself, and a target has all of them ----------

_Segment = tuple[Node, Marked[MixedMark]]


def _is_segment(node: Node) -> bool:
    return node.name == "mrk" and node.get("mtype") == "seg"


def _segments(reader: MixedReader, segmented: Node) -> list[_Segment]:
    """Those with words."""
    found = ((node, reader.marked(node)) for node in segmented.walk() if _is_segment(node))
    return [(node, marked) for node, marked in found if _is_text(node, marked)]


def _new_segments(
    source: XmlSource, said: Node, segmented: Node, segments: Sequence[_Segment]
) -> Iterator[Block]:
    """A target, piece by piece: what is between the segments is as in the source."""
    name = said.written.removesuffix("source") + "target"
    at, opening = segmented.inside, f"{_gap(source, said)}<{name}>"
    for index, (node, marked) in enumerate(segments):
        before = opening + source.text[at : node.inside]
        at, opening = node.outside, ""
        last = index == len(segments) - 1
        after = source.text[at : segmented.outside] + f"</{name}>" if last else ""
        write = partial(_surrounded, marked, before, after)
        yield Block(marked, segmented.end, segmented.end, write, always=True)


def _missing_segments(
    source: XmlSource, target: Node, segments: Sequence[_Segment]
) -> Iterator[Block]:
    by_name = {node.get("mid"): marked for node, marked in segments}
    for node in target.walk():
        marked = by_name.get(node.get("mid")) if _is_segment(node) else None
        if marked is not None and not node.words().strip():
            write = partial(_target, marked, source.text[node.start : node.inside], node)
            yield Block(marked, node.start, node.end, write, always=True)


def _surrounded(
    marked: Marked[MixedMark], before: str, after: str, translated: Translated, stretch: Stretch
) -> str:
    return before + written(marked, translated, stretch) + after


def _is_open(unit: Node) -> bool:
    """Whether a unit is to be translated."""
    around: Node | None = unit
    if unit.get("approved") == "yes":
        return False
    while around is not None:
        if around.get("translate") in ("yes", "no"):
            return around.get("translate") == "yes"
        around = around.parent
    return True


def _preserves(node: Node) -> bool:
    """Whether white space counts: so says `xml:space` of an element, or of one around it."""
    around: Node | None = node
    while around is not None:
        if said := around.get("space"):
            return said == "preserve"
        around = around.parent
    return False


def _new_target(
    marked: Marked[MixedMark], source: Node, gap: str, translated: Translated, stretch: Stretch
) -> str:
    name = source.written.removesuffix("source") + "target"
    return f"{gap}<{name}>{written(marked, translated, stretch)}</{name}>"


def _target(
    marked: Marked[MixedMark], tag: str, target: Node, translated: Translated, stretch: Stretch
) -> str:
    """In the place of an empty one, or of a copy: it says that somebody should look at it."""
    tag = _STATE.sub(' state="needs-review-translation"', tag).rstrip("/> ") + ">"
    return f"{tag}{written(marked, translated, stretch)}</{target.written}>"


def _relabelled(text: str, language: str) -> str:
    """A document that does not say the language of its targets yet says it."""

    def said(match: re.Match[str]) -> str:
        tag = match.group()
        for asks, answers in (("source-language=", "target-language"), ("srcLang=", "trgLang")):
            if asks in tag and f"{answers}=" not in tag:
                head = tag[:-1].rstrip("/ ")
                return f'{head} {answers}="{language}"{tag[len(head) :]}'
        return tag

    return _FILE.sub(said, text)
