"""What kind of document a file is: by its name, else by what is in it."""

from __future__ import annotations

import io
import json
import re
import zipfile
from enum import StrEnum

from dragoman.documents.xml.archive import BROKEN, read_part
from dragoman.errors import InvalidRequestError, UnsupportedFormatError


class DocumentKind(StrEnum):
    """Documents that can be translated; the values are what `--format` takes."""

    TXT = "txt"
    MARKDOWN = "md"
    HTML = "html"
    DOCX = "docx"
    ODT = "odt"
    PPTX = "pptx"
    EPUB = "epub"
    SRT = "srt"
    VTT = "vtt"
    PO = "po"
    XLIFF = "xliff"
    JSON = "json"
    CSV = "csv"
    TSV = "tsv"
    PDF = "pdf"


MEDIA_TYPES = {
    DocumentKind.TXT: "text/plain",
    DocumentKind.MARKDOWN: "text/markdown",
    DocumentKind.HTML: "text/html",
    DocumentKind.DOCX: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    DocumentKind.ODT: "application/vnd.oasis.opendocument.text",
    DocumentKind.PPTX: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    DocumentKind.EPUB: "application/epub+zip",
    DocumentKind.SRT: "application/x-subrip",
    DocumentKind.VTT: "text/vtt",
    DocumentKind.PO: "text/x-gettext-translation",
    DocumentKind.XLIFF: "application/xliff+xml",
    DocumentKind.JSON: "application/json",
    DocumentKind.CSV: "text/csv",
    DocumentKind.TSV: "text/tab-separated-values",
    DocumentKind.PDF: "application/pdf",
}
# What a translation is written as, where that is not what it was: of these only the text is kept.
WRITTEN_AS = {DocumentKind.PDF: DocumentKind.HTML}
# By the ending of a name.
ENDINGS = {
    "txt": DocumentKind.TXT, "text": DocumentKind.TXT, "md": DocumentKind.MARKDOWN,
    "markdown": DocumentKind.MARKDOWN, "mkd": DocumentKind.MARKDOWN, "html": DocumentKind.HTML,
    "htm": DocumentKind.HTML, "docx": DocumentKind.DOCX, "docm": DocumentKind.DOCX,
    "dotx": DocumentKind.DOCX, "odt": DocumentKind.ODT, "ott": DocumentKind.ODT,
    "odp": DocumentKind.ODT,
    "otp": DocumentKind.ODT, "pptx": DocumentKind.PPTX, "pptm": DocumentKind.PPTX,
    "epub": DocumentKind.EPUB, "srt": DocumentKind.SRT, "vtt": DocumentKind.VTT,
    "po": DocumentKind.PO, "pot": DocumentKind.PO, "xlf": DocumentKind.XLIFF,
    "xliff": DocumentKind.XLIFF, "json": DocumentKind.JSON, "csv": DocumentKind.CSV,
    "tsv": DocumentKind.TSV, "tab": DocumentKind.TSV,
    "pdf": DocumentKind.PDF,
}  # fmt: skip
# What has more in it than text, and no reader here: as plain text it would be destroyed.
_STRUCTURED_NAMES = """
    7z adoc asc asciidoc asp bib bz2 c cfg class conf cpp cs css db dll doc dot exe go gz h ini
    ipynb jar java js jsonl jsx key kt less log mdx mo mobi numbers odg ods org pages php pl
    png ppt properties ps py rar rb resx rs rst rtf scss sh sql sqlite strings svg swift sxw tar
    tex tgz toml ts tsx vue wasm wiki xhtml xls xlsx xml xz yaml yml zip zst
"""
_STRUCTURED = frozenset(_STRUCTURED_NAMES.split())
_INSTEAD = {
    "doc": "save it as docx or odt first",
    "dot": "save it as docx or odt first",
    "ppt": "save it as pptx first",
    "rtf": "save it as docx or odt first",
    "xls": "save it as csv first",
    "xlsx": "save it as csv first",
    "ods": "save it as csv first",
    "zip": "unpack it first",
    "jsonl": "dragoman corpus translates lines",
}
_PACKED_NAMES = {
    "application/vnd.oasis.opendocument.text": DocumentKind.ODT,
    "application/vnd.oasis.opendocument.text-template": DocumentKind.ODT,
    "application/vnd.oasis.opendocument.presentation": DocumentKind.ODT,
    "application/epub+zip": DocumentKind.EPUB,
}
_HEAD = 4_096
_MARKUP = re.compile(
    r"\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--.*?-->\s*)*"
    r"(?:(?P<html><(?:!doctype\s+html|html|head|body)\b)|(?P<xliff><(?:\w+:)?xliff\b)|(?P<xml><[?!\w]))",
    re.IGNORECASE | re.DOTALL,
)
_CUE = re.compile(r"\s*\d+\r?\n\d\d:\d\d:\d\d[,.]\d{3} --> ")


def kind_of(name: str, content: bytes) -> DocumentKind:
    """The kind of a document.

    Args:
        name: of the file; may be empty.
        content: of the file, or its beginning.

    Raises:
        UnsupportedFormatError: it is structured, and nothing here reads it.
    """
    ending = name.rpartition(".")[2].lower() if "." in name else ""
    if ending in ENDINGS:
        return ENDINGS[ending]
    if ending in _STRUCTURED:
        raise _unsupported(ending)
    return _by_content(content, ending)


def named_kind(name: DocumentKind | str | None) -> DocumentKind | None:
    """A kind by its name, None for None.

    Raises:
        InvalidRequestError: there is none of that name.
    """
    try:
        return None if name is None else DocumentKind(name)
    except ValueError as error:
        known = ", ".join(DocumentKind)
        raise InvalidRequestError(
            f"there is no format {name!r}; there are {known}", format=str(name)
        ) from error


def _by_content(content: bytes, ending: str) -> DocumentKind:
    if content.startswith(b"PK\x03\x04"):
        return _packed(content)
    if content.startswith(b"%PDF-"):
        return DocumentKind.PDF
    if content.startswith(b"\xd0\xcf\x11\xe0"):
        raise _unsupported("doc")
    if content.startswith(b"{\\rtf"):
        raise _unsupported("rtf")
    utf16 = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    if b"\x00" in content[:_HEAD] and not utf16:
        raise _unsupported(ending or "binary")
    return _by_text(content)


def _by_text(content: bytes) -> DocumentKind:
    head = content[:_HEAD].decode("utf-8", "replace").removeprefix("\ufeff")
    markup = _MARKUP.match(head)
    if markup and markup["html"]:
        return DocumentKind.HTML
    if markup and markup["xliff"]:
        return DocumentKind.XLIFF
    if markup and head.lstrip().startswith("<?xml"):
        raise _unsupported("xml")
    if head.startswith("WEBVTT"):
        return DocumentKind.VTT
    if _CUE.match(head):
        return DocumentKind.SRT
    if head.lstrip()[:1] in ("{", "[") and _is_json(content):
        return DocumentKind.JSON
    if head.startswith(("msgid ", "#, fuzzy\nmsgid ")):
        return DocumentKind.PO
    return DocumentKind.TXT


def _packed(content: bytes) -> DocumentKind:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = set(archive.namelist())
            info = archive.getinfo("mimetype") if "mimetype" in names else None
            said = read_part(archive, info) if info and info.file_size < 100 else b""
    except BROKEN as error:
        raise _unsupported("zip") from error
    declared = said.decode("ascii", "replace").strip()
    if declared in _PACKED_NAMES:
        return _PACKED_NAMES[declared]
    if "word/document.xml" in names:
        return DocumentKind.DOCX
    if "ppt/presentation.xml" in names:
        return DocumentKind.PPTX
    raise _unsupported("zip")


def _is_json(content: bytes) -> bool:
    try:
        json.loads(content, parse_int=str)  # of any length
    except (ValueError, RecursionError):
        return False
    return True


def _unsupported(name: str) -> UnsupportedFormatError:
    known = ", ".join(DocumentKind)
    advice = _INSTEAD.get(name, "its structure would be lost")
    return UnsupportedFormatError(
        name, f"{advice}. To take it as another format nevertheless, name that (--format): {known}"
    )
