"""OpenDocument texts and presentations (odt, odp): paragraphs and headings, wherever they stand."""

from __future__ import annotations

import re
from functools import partial

from dragoman.config import DocumentLimits
from dragoman.documents.xml.archive import Archive
from dragoman.documents.xml.direction import turned
from dragoman.documents.xml.mixed import MixedReader, Role, Vocabulary
from dragoman.documents.xml.open_direction import directed
from dragoman.documents.xml.parts import ArchiveDocument, Part
from dragoman.documents.xml.tree import Node, XmlSource, read_xml, tree_of
from dragoman.errors import DocumentError

_BASE = "urn:oasis:names:tc:opendocument:xmlns:{}:1.0"
NAMESPACES = {
    _BASE.format(name): name.partition("-")[0] if name != "xsl-fo-compatible" else "fo"
    for name in (
        "office", "text", "style", "table", "drawing", "presentation", "manifest",
        "xsl-fo-compatible", "chart", "form",
    )
}  # fmt: skip
_PARTS = re.compile(r"(?:.*/)?(?:content|styles)\.xml")
_MANIFEST = "META-INF/manifest.xml"
_PARAGRAPHS = ("text:p", "text:h")
_SKIPPED_NAMES = """
    office:automatic-styles office:font-face-decls office:scripts office:styles text:deletion
    text:index-entry-template text:index-source-style text:index-title-template
    text:sequence-decls text:table-of-content-source text:alphabetical-index-source
    text:illustration-index-source text:bibliography-source text:user-index-source office:forms
    style:page-layout
"""
_SKIPPED = frozenset(_SKIPPED_NAMES.split())
_ATOMS = re.compile(
    r"text:(?:note|bookmark(?!-ref).*|reference-mark.*|change.*|soft-page-break|.*-index-mark.*|toc-mark.*"
    r"|s|tab|line-break|ruby-text|hidden-.*|script)|office:annotation.*|draw.*|(?:table|form|\?).*"
)
# The last is LibreOffice's own: a part of the text that a form asks for.
_INLINE = ("text:a", "text:meta", "text:ruby", "text:ruby-base", "?:content-control")
_FIELDS = re.compile(r"text:.*")
# Names of styles: "Source_20_Text", "Preformatted_20_Text", "Code".
_CODE = re.compile(r"^(?:source(?:_20_|_|\s)?text|preformatted.*|.*code.*|.*verbatim.*)$", re.I)
_PROPERTIES = re.compile(r"<style:text-properties\b[^>]*>")
_LANGUAGE = re.compile(r'(\bfo:language=")([A-Za-z]{2,3})(?=")')
_REGION = re.compile(r"[A-Z]{2}|\d{3}")
_COUNTRY = re.compile(r'(\bfo:country=")[^"]*(?=")')
_COMPLEX_LANGUAGE = re.compile(r'(\bstyle:language-complex=")[^"]*(?=")')
_COMPLEX_COUNTRY = re.compile(r'(\bstyle:country-complex=")[^"]*(?=")')


def read_opendocument(content: bytes, language: str, limits: DocumentLimits) -> ArchiveDocument:
    """An OpenDocument.

    Args:
        language: of its text, BCP 47.

    Raises:
        DocumentError, DocumentTooLargeError: see `Archive` and `read_xml`.
    """
    archive = Archive(content, limits)
    if _MANIFEST in archive.names and b"encryption-data" in archive.read(_MANIFEST):
        raise DocumentError("encrypted", "the document is encrypted: take the password off first")
    parts = []
    for name in sorted(archive.names):
        if _PARTS.fullmatch(name):
            source = read_xml(archive.read(name), name, NAMESPACES, limits)
            reader = MixedReader(_Styles(source).vocabulary())
            blocks = tuple(reader.blocks(source.root))
            relabelled = partial(_relabelled, language, limits)
            parts.append(Part(name, source, blocks, relabelled, is_of_all=True))
    return ArchiveDocument(archive, parts)


class _Styles:
    """The styles that a part defines: whether they can be seen, and what they come from."""

    def __init__(self, source: XmlSource) -> None:
        self._parents: dict[str, str] = {}
        self._clear: set[str] = set()
        for node in source.root.walk():
            if node.name == "style:style":
                name = node.get("name")
                self._parents[name] = node.get("parent-style-name")
                if node.get("family") == "text" and _unseen(node):
                    self._clear.add(name)

    def vocabulary(self) -> Vocabulary:
        return Vocabulary(
            self._role,
            holds=lambda node: node.name in _PARAGRAPHS,
            space=_space,
            pairs={
                "text:bookmark-start": "text:bookmark-end",
                "text:reference-mark-start": "text:reference-mark-end",
                "office:annotation": "office:annotation-end",
            },
            pair_key=lambda node: node.get("name"),
        )

    def _role(self, node: Node) -> Role:
        name = node.name
        if name in _SKIPPED:
            return Role.SKIPPED
        if name in _PARAGRAPHS:
            return Role.SKIPPED if self._is_code(node.get("style-name")) else Role.BLOCK
        if name == "text:span":
            style = node.get("style-name")
            if self._is_code(style):
                return Role.OPAQUE
            return Role.CLEAR if style in self._clear else Role.STYLE
        if name in _INLINE:
            return Role.INLINE
        if name == "drawing:frame" and node.get("class") and _in_master(node):
            return Role.SKIPPED  # what a slide shows where nothing is written yet
        if _ATOMS.fullmatch(name):
            return Role.ATOM
        in_text = node.parent is not None and self._in_paragraph(node)
        return Role.OPAQUE if in_text and _FIELDS.fullmatch(name) else Role.BLOCK

    def _in_paragraph(self, node: Node) -> bool:
        """Whether it is directly in a line of text, and no list or section in a frame."""
        around = node.parent
        while around is not None and (around.name == "text:span" or around.name in _INLINE):
            around = around.parent
        return around is not None and around.name in _PARAGRAPHS

    def _is_code(self, style: str) -> bool:
        for _ in range(10):  # styles of a damaged document may go round in a circle
            if not style or _CODE.match(style):
                break
            style = self._parents.get(style, "")
        return bool(style and _CODE.match(style))


def _in_master(node: Node) -> bool:
    return node.parent is not None and node.parent.name == "style:master-page"


def _unseen(style: Node) -> bool:
    """Whether a style only notes who wrote when: nothing can be seen of it."""
    named = [name for node in style.elements() for name in node.attributes]
    seen = [name for name in named if not name.startswith(("officeooo:", "loext:"))]
    return not seen and not style.get("parent-style-name")


def _space(node: Node) -> str:
    if node.name == "text:s":
        count = node.get("c")
        return " " * min(int(count) if count.isdecimal() else 1, 100)
    return {"text:tab": "\t", "text:line-break": "\n"}.get(node.name, "")


def _relabelled(source: str, limits: DocumentLimits, text: str, language: str) -> str:
    """A part that says another language wherever it says that of the source, and its direction."""
    primary, _, region = language.partition("-")
    if not _REGION.fullmatch(region):  # a script, such as Hans, is none
        region = ""
    leftwards = turned(source, language)
    said = f'fo:language="{source.partition("-")[0].lower()}"'

    def changed(match: re.Match[str]) -> str:
        if said not in match.group():
            return match.group()
        tag = _LANGUAGE.sub(rf"\g<1>{primary}", match.group())
        tag = _COUNTRY.sub(rf"\g<1>{region or 'none'}", tag)
        return _complex(tag, primary, region) if leftwards else tag

    text = _PROPERTIES.sub(changed, text)
    if leftwards is None:
        return text
    return directed(text, tree_of(text, NAMESPACES, limits), leftwards, _CODE)


def _complex(tag: str, primary: str, region: str) -> str:
    """Of letters that run from right to left, LibreOffice looks the language up elsewhere."""
    tag = _COMPLEX_LANGUAGE.sub(rf"\g<1>{primary}", tag)
    return _COMPLEX_COUNTRY.sub(rf"\g<1>{region or 'none'}", tag)
