"""EPUB: the chapters of a book, and its tables of contents."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from functools import partial

from dragoman.config import DocumentLimits
from dragoman.documents.passage import Marked, Passage, Translated, has_words
from dragoman.documents.xml.archive import Archive
from dragoman.documents.xml.direction import turned
from dragoman.documents.xml.mixed import MixedMark, MixedReader, Role, Vocabulary, written
from dragoman.documents.xml.parts import ArchiveDocument, Block, Part
from dragoman.documents.xml.tree import Node, Text, XmlSource, escaped, read_xml
from dragoman.edits import Stretch
from dragoman.errors import DocumentError
from dragoman.markup import html_names

NAMESPACES = {
    "http://www.w3.org/1999/xhtml": "",
    "http://www.idpf.org/2007/opf": "opf",
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://www.daisy.org/z3986/2005/ncx/": "ncx",
    "urn:oasis:names:tc:opendocument:xmlns:container": "container",
}
_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_CHAPTER = "application/xhtml+xml"
_CONTENTS = "application/x-dtbncx+xml"
_START = re.compile(r"<[A-Za-z][^<>]*>")
_LANGUAGE = re.compile(r"(\s(?:xml:)?lang=[\"'])([A-Za-z]{2,3}(?:-[A-Za-z0-9-]+)?)(?=[\"'])")
_BOOK_LANGUAGE = re.compile(r"(<dc:language[^>]*>\s*)([A-Za-z-]+)(?=\s*</dc:language>)")
_DIRECTED = re.compile(r"<(?:\w+:)?(?P<name>html|body|spine)(?=[\s>])[^<>]*>")
_ATTRIBUTE = re.compile(r"([^\s=]+)\s*=\s*(\"[^\"]*\"|'[^']*')", re.DOTALL)
_QUOTED = re.compile(rb"%([0-9A-Fa-f]{2})")
_WHITE_SPACE = re.compile(r"\s+")


def read_epub(content: bytes, language: str, limits: DocumentLimits) -> ArchiveDocument:
    """A book.

    Args:
        language: of its text, BCP 47.

    Raises:
        DocumentError, DocumentTooLargeError: see `Archive` and `read_xml`.
    """
    archive = Archive(content, limits)
    vocabulary = _vocabulary(language)
    parts = []
    for path, kind in _items(archive, limits):
        source = read_xml(archive.read(path), path, NAMESPACES, limits)
        blocks: tuple[Block, ...] = ()
        if kind == _CHAPTER:
            blocks = (
                *MixedReader(vocabulary).blocks(source.root),
                *_attributes(source, vocabulary),
            )
        elif kind == _CONTENTS:
            blocks = tuple(_labels(source))
        parts.append(Part(path, source, blocks, partial(_relabelled, language)))
    return ArchiveDocument(archive, parts)


def _items(archive: Archive, limits: DocumentLimits) -> Iterator[tuple[str, str]]:
    """The package document, chapters and tables of contents: path and type."""
    container = read_xml(archive.read(_CONTAINER), _CONTAINER, NAMESPACES, limits)
    hidden = (
        archive.read(_ENCRYPTION).decode("utf-8", "replace") if _ENCRYPTION in archive.names else ""
    )
    for file in container.root.walk():
        if file.name != "container:rootfile":
            continue
        path = file.get("full-path")
        package = read_xml(archive.read(path), path, NAMESPACES, limits)
        yield path, ""
        for node in package.root.walk():
            kind = node.get("media-type")
            if node.name != "opf:item" or kind not in (_CHAPTER, _CONTENTS):
                continue
            item = posixpath.normpath(
                posixpath.join(posixpath.dirname(path), _unquoted(node.get("href")))
            )
            if f'"{item}"' in hidden:
                raise DocumentError("encrypted", f"the chapter {item!r} is encrypted")
            if item in archive.names:
                yield item, kind


def _unquoted(reference: str) -> str:
    """A path as the archive says it: "a%20b.xhtml" is "a b.xhtml"."""
    raw = _QUOTED.sub(lambda match: bytes.fromhex(match[1].decode()), reference.encode())
    return raw.decode("utf-8", "replace")


def _vocabulary(language: str) -> Vocabulary:
    primary = language.partition("-")[0].lower()

    def role(node: Node) -> Role:
        name = node.name
        if name not in html_names.INLINE and "-" not in name and ":" not in name:
            skipped = name in ("head", "script", "style") or _untouched(node, primary)
            return Role.SKIPPED if skipped else Role.BLOCK
        if name in html_names.OPAQUE or _untouched(node, primary):
            return Role.OPAQUE
        if name == "a" and not has_words(node.words()):  # the number of a note
            return Role.ATOM
        if name == "br" or name in html_names.HELD or name in html_names.ISLANDS or ":" in name:
            return Role.ATOM
        return Role.STYLE if name in html_names.STYLE and not node.get("id") else Role.INLINE

    return Vocabulary(
        role,
        holds=lambda _: True,
        space=lambda node: "\n" if node.name == "br" else "",
        collapses=lambda node: not _is_preformatted(node),
    )


def _untouched(node: Node, primary: str) -> bool:
    said = node.get("lang").partition("-")[0].lower()
    other = bool(said and primary) and said != primary and node.name not in ("html", "body")
    return node.get("translate") == "no" or "notranslate" in node.get("class").split() or other


def _is_preformatted(node: Node | None) -> bool:
    while node is not None:
        if node.name in html_names.PREFORMATTED:
            return True
        node = node.parent
    return False


def _attributes(source: XmlSource, vocabulary: Vocabulary) -> Iterator[Block]:
    """Attributes that people read."""
    waiting = [source.root]
    while waiting:
        node = waiting.pop()
        if vocabulary.role(node) in (Role.SKIPPED, Role.OPAQUE):
            continue
        waiting += reversed(list(node.elements()))
        for match in _ATTRIBUTE.finditer(source.text, node.start, node.inside):
            holders = html_names.ATTRIBUTES.get(match[1])
            value = node.attributes.get(match[1], "")
            if holders is not None and (not holders or node.name in holders) and has_words(value):
                marked: Marked[MixedMark] = Marked(Passage(_WHITE_SPACE.sub(" ", value)))
                yield Block(marked, match.start(2), match.end(2), _quoted)


def _quoted(translated: Translated, _: Stretch) -> str:
    return '"' + escaped(translated.text).replace('"', "&quot;") + '"'


def _labels(source: XmlSource) -> Iterator[Block]:
    """Of a table of contents of EPUB 2."""
    for node in source.root.walk():
        around = node.parent
        if node.name == "ncx:text" and around is not None and around.name == "ncx:navLabel":
            texts = [child for child in node.children if isinstance(child, Text)]
            said = _WHITE_SPACE.sub(" ", node.words())
            if has_words(said) and len(texts) == len(node.children):
                marked: Marked[MixedMark] = Marked(Passage(said))
                yield Block(marked, node.inside, node.outside, partial(written, marked))


def _relabelled(source: str, text: str, language: str) -> str:
    """A chapter, or the package, that says another language where it says that of the source."""
    primary = source.partition("-")[0].lower()

    def said(match: re.Match[str]) -> str:
        same = match[2].partition("-")[0].lower() == primary
        return match[1] + (language if same else match[2])

    text = _START.sub(lambda match: _LANGUAGE.sub(said, match.group()), text)
    text = _BOOK_LANGUAGE.sub(said, text)
    leftwards = turned(source, language)
    if leftwards is None:
        return text
    return _DIRECTED.sub(partial(_turned, "rtl" if leftwards else "ltr"), text)


def _turned(direction: str, match: re.Match[str]) -> str:
    """A tag that says in which direction its text, or the book's pages, run."""
    name = "page-progression-direction" if match["name"] == "spine" else "dir"
    tag, count = re.subn(rf"(\s{name}=[\"'])[a-z-]*", rf"\g<1>{direction}", match.group())
    if count or direction == "ltr" or match["name"] == "body":  # the body has that of the root
        return tag
    end = match.end("name") - match.start()
    return f'{tag[:end]} {name}="{direction}"{tag[end:]}'
