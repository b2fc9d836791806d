"""Office Open XML: text documents (docx) and presentations (pptx). Which parts have text, what its
paragraphs are made of, and what they say of their language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from dragoman.config import DocumentLimits
from dragoman.documents.passage import Marked, Passage, is_said
from dragoman.documents.xml.archive import Archive
from dragoman.documents.xml.direction import turned
from dragoman.documents.xml.office_direction import directed
from dragoman.documents.xml.parts import ArchiveDocument, Block, Part
from dragoman.documents.xml.runs import Dialect, ParagraphReader
from dragoman.documents.xml.tree import XmlSource, escaped, read_flat_xml, read_xml, tree_of

_TRANSITIONAL = "http://schemas.openxmlformats.org/"
_STRICT = "http://purl.oclc.org/ooxml/"
_NAMES = {
    "wordprocessingml/{}main": "w",
    "drawingml/{}main": "a",
    "presentationml/{}main": "p",
    "officeDocument/{}math": "m",
    "package/2006/content-types": "types",
}
NAMESPACES = {
    **{_TRANSITIONAL + path.format("2006/"): prefix for path, prefix in _NAMES.items()},
    **{_STRICT + path.format(""): prefix for path, prefix in _NAMES.items()},
    "http://schemas.openxmlformats.org/markup-compatibility/2006": "mc",
}

WORDS = Dialect(
    paragraph="w:p",
    paragraph_properties="w:pPr",
    run="w:r",
    properties="w:rPr",
    text="w:t",
    skipped=frozenset(["w:proofErr", "w:lastRenderedPageBreak"]),
    wrappers={
        "w:hyperlink": "", "w:smartTag": "", "w:ins": "", "w:moveTo": "", "w:customXml": "",
        "w:dir": "", "w:bdo": "", "w:sdt": "w:sdtContent", "w:ruby": "w:rubyBase",
    },
    held=frozenset(["w:fldSimple", "m:oMath", "m:oMathPara"]),
    characters={"w:noBreakHyphen": "\u2011", "w:softHyphen": "\xad"},
    spaces={"w:tab": "\t", "w:ptab": "\t", "w:br": "\n", "w:cr": "\n"},
    pairs={"w:bookmarkStart": "w:bookmarkEnd", "w:commentRangeStart": "w:commentRangeEnd"},
    same_look=frozenset(["w:lang", "w:noProof"]),
    field="w:fldChar",
    style="w:rStyle",
    paragraph_style="w:pStyle",
)  # fmt: skip
SLIDES = Dialect(
    paragraph="a:p",
    paragraph_properties="a:pPr",
    run="a:r",
    properties="a:rPr",
    text="a:t",
    skipped=frozenset(),
    wrappers={},
    held=frozenset(["a:fld", "m:oMath", "m:oMathPara"]),
    characters={},
    spaces={"a:br": "\n"},
    pairs={},
    same_look=frozenset(["lang", "altLang", "dirty", "err", "smtClean", "noProof"]),
)

# What the types of the parts with text end in, and the paragraphs that they have.
_TYPES = {
    "wordprocessingml.document.main+xml": WORDS,
    "wordprocessingml.template.main+xml": WORDS,
    "ms-word.document.macroEnabled.main+xml": WORDS,
    "ms-word.template.macroEnabledTemplate.main+xml": WORDS,
    "wordprocessingml.header+xml": WORDS,
    "wordprocessingml.footer+xml": WORDS,
    "wordprocessingml.footnotes+xml": WORDS,
    "wordprocessingml.endnotes+xml": WORDS,
    "wordprocessingml.comments+xml": WORDS,
    "presentationml.slide+xml": SLIDES,
    "presentationml.notesSlide+xml": SLIDES,
    "presentationml.comments+xml": SLIDES,
    "ms-powerpoint.comments+xml": SLIDES,
    "drawingml.chart+xml": SLIDES,
    "drawingml.diagramData+xml": SLIDES,
    "drawingml.diagramDrawing+xml": SLIDES,
}
_STYLES = "wordprocessingml.styles+xml"
_CONTENT_TYPES = "[Content_Types].xml"
_NUMBER = re.compile(r"(\d+)")
# Tags of properties, and what they say of the language: <w:lang w:val="de-DE"/>, lang="de-DE".
_PROPERTIES = re.compile(r"<(?:\w+:)?(?:lang|rPr|endParaRPr|defRPr|themeFontLang)\s[^>]*>")
_LANGUAGE = re.compile(r"(\b(?:lang|val)=[\"'])([A-Za-z]{2,3}(?:-[A-Za-z0-9-]+)?)(?=[\"'])")

_COMPLEX = re.compile(r"(\bbidi=[\"'])[A-Za-z][A-Za-z0-9-]*(?=[\"'])")


def read_office(content: bytes, language: str, limits: DocumentLimits) -> ArchiveDocument:
    """A docx or a pptx.

    Args:
        language: of its text, BCP 47.

    Raises:
        DocumentError, DocumentTooLargeError: see `Archive` and `read_xml`.
    """
    archive = Archive(content, limits)
    types = _types(archive, limits)
    parts = []
    for name in sorted(types, key=_natural):
        dialect = next((d for end, d in _TYPES.items() if types[name].endswith(end)), None)
        blocks: tuple[Block, ...] = ()
        relabelled = partial(_relabelled, language)
        if dialect:
            source = read_xml(archive.read(name), name, NAMESPACES, limits)
            blocks = tuple(_blocks(source, dialect))
            relabelled = partial(_rewritten, language, limits)
        elif types[name].endswith(_STYLES):
            source = read_flat_xml(archive.read(name), name)
        else:
            continue
        parts.append(Part(name, source, blocks, relabelled))
    return ArchiveDocument(archive, parts)


def _types(archive: Archive, limits: DocumentLimits) -> dict[str, str]:
    """The type of each part: its own, or that of its ending; "" without."""
    root = read_xml(archive.read(_CONTENT_TYPES), _CONTENT_TYPES, NAMESPACES, limits).root
    own, endings = {}, {}
    for node in root.elements():
        if node.name == "types:Override":
            own[node.get("PartName").lstrip("/").lower()] = node.get("ContentType")
        elif node.name == "types:Default":
            endings[node.get("Extension").lower()] = node.get("ContentType")
    return {
        name: own.get(name.lower()) or endings.get(name.rpartition(".")[2].lower(), "")
        for name in archive.names
    }


def _natural(name: str) -> list[tuple[int, str]]:
    """Of a path, so that slide2 comes before slide10."""
    return [(int(part) if part.isdigit() else 0, part) for part in _NUMBER.split(name)]


def _blocks(source: XmlSource, dialect: Dialect) -> Iterator[Block]:
    yield from ParagraphReader(source, dialect).blocks()
    if dialect is WORDS:  # charts and shapes of DrawingML have paragraphs of their own kind
        yield from ParagraphReader(source, SLIDES).blocks()
    else:
        yield from _comments(source)


def _comments(source: XmlSource) -> Iterator[Block]:
    """Of PowerPoint before 2021: texts without paragraphs."""
    for node in source.root.walk():
        around = node.parent
        if node.name == "p:text" and around is not None and around.name == "p:cm":
            marked: Marked[None] = Marked(Passage(node.words()))
            if is_said(marked.passage.text):
                yield Block(marked, node.inside, node.outside, lambda done, _: escaped(done.text))


def _rewritten(source: str, limits: DocumentLimits, text: str, language: str) -> str:
    """A part with text that says another language, and the direction of that."""
    text = _relabelled(source, text, language)
    leftwards = turned(source, language)
    return (
        text if leftwards is None else directed(text, tree_of(text, NAMESPACES, limits), leftwards)
    )


def _relabelled(source: str, text: str, language: str) -> str:
    """A part that says another language wherever it says that of the source."""
    primary = source.partition("-")[0].lower()
    leftwards = turned(source, language)

    def said(match: re.Match[str]) -> str:
        same = match[2].partition("-")[0].lower() == primary
        return match[1] + (language if same else match[2])

    def changed(match: re.Match[str]) -> str:
        tag = _LANGUAGE.sub(said, match.group())
        # Of letters that run from right to left, Word looks the language up elsewhere.
        return _COMPLEX.sub(rf"\g<1>{language}", tag) if leftwards else tag

    return _PROPERTIES.sub(changed, text)
