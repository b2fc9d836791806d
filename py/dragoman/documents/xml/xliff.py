"""XLIFF 1.2 and 2: units that have no translation yet get one; all others stay."""

from __future__ import annotations

import re
from collections.abc import Iterator
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
_VOCABULARY = Vocabulary(
    role=lambda node: Role.INLINE if node.name in _AROUND else Role.ATOM,
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
        marked = reader.marked(said)
        target = unit.child("target")
        words = "".join(event.text for event in marked.source_events())
        if not has_words(words) or not is_translatable(said.words()):
            continue
        if target is None:
            gap = source.text[unit.inside : said.start]
            write = partial(_new_target, marked, said, gap if gap.isspace() else "")
            end = (unit.child("seg-source") or said).end
            yield Block(marked, end, end, write, always=True)
        elif not target.words().strip() or target.get("state") in _UNTRANSLATED:
            write = partial(_target, marked, source.text[target.start : target.inside], target)
            yield Block(marked, target.start, target.end, write, always=True)


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
