"""The reader of each kind of document."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from dragoman.config import DocumentLimits
from dragoman.documents.kinds import DocumentKind
from dragoman.documents.passage import Document
from dragoman.documents.text.json_values import read_json
from dragoman.documents.text.plain import HtmlDocument, read_plain
from dragoman.documents.text.po import catalogue_encoding, read_po
from dragoman.documents.text.source import TextSource, read_text
from dragoman.documents.text.subtitles import read_subtitles
from dragoman.documents.text.tables import read_table
from dragoman.documents.xml.epub import read_epub
from dragoman.documents.xml.office import read_office
from dragoman.documents.xml.opendocument import read_opendocument
from dragoman.documents.xml.xliff import read_xliff
from dragoman.errors import DocumentTooLargeError


@dataclass(frozen=True, slots=True)
class DocumentOptions:
    """How a document is read.

    Attributes:
        kind: what it is.
        language: of its text, BCP 47.
        encoding: of a document that does not say it itself.
        columns: of a table: names in its first row, or numbers from 1; "all" for all with text.
            The first row stays where one of them is a name.
        limits: what is accepted.
    """

    kind: DocumentKind
    language: str
    encoding: str = "utf-8"
    columns: tuple[str, ...] = ()
    limits: DocumentLimits = field(default_factory=DocumentLimits)


def read_document(content: bytes, options: DocumentOptions) -> Document:
    """Read a document.

    Raises:
        DocumentError: it is damaged, encrypted, or made to do harm.
        DocumentTooLargeError: it is over a limit.
    """
    if len(content) > options.limits.bytes:
        raise DocumentTooLargeError(len(content), options.limits.bytes, counted="bytes")
    return _READERS[options.kind](content, options)


def _office(content: bytes, options: DocumentOptions) -> Document:
    return read_office(content, options.language, options.limits)


def _opendocument(content: bytes, options: DocumentOptions) -> Document:
    return read_opendocument(content, options.language, options.limits)


def _epub(content: bytes, options: DocumentOptions) -> Document:
    return read_epub(content, options.language, options.limits)


def _text(content: bytes, options: DocumentOptions) -> TextSource:
    return read_text(content, options.encoding)


def _markdown(content: bytes, options: DocumentOptions) -> Document:
    # The parser is imported for Markdown only: a host may be without it.
    from dragoman.documents.text.markdown import read_markdown

    return read_markdown(_text(content, options))


def _pdf(content: bytes, options: DocumentOptions) -> Document:
    # So is its library.
    from dragoman.documents.pdf.document import read_pdf

    return read_pdf(content, options.limits)


def _json(content: bytes, options: DocumentOptions) -> Document:
    return read_json(_text(content, options), options.limits)


def _po(content: bytes, _: DocumentOptions) -> Document:
    return read_po(read_text(content, catalogue_encoding(content)))


def _table(separator: str, content: bytes, options: DocumentOptions) -> Document:
    return read_table(_text(content, options), separator, options.columns)


_READERS: dict[DocumentKind, Callable[[bytes, DocumentOptions], Document]] = {
    DocumentKind.TXT: lambda content, options: read_plain(_text(content, options)),
    DocumentKind.HTML: lambda content, options: HtmlDocument(_text(content, options)),
    DocumentKind.MARKDOWN: _markdown,
    DocumentKind.DOCX: _office,
    DocumentKind.PPTX: _office,
    DocumentKind.ODT: _opendocument,
    DocumentKind.EPUB: _epub,
    DocumentKind.XLIFF: lambda content, options: read_xliff(content, options.limits),
    DocumentKind.JSON: _json,
    DocumentKind.PO: _po,
    DocumentKind.SRT: lambda content, options: read_subtitles(_text(content, options)),
    DocumentKind.VTT: lambda content, options: read_subtitles(_text(content, options)),
    DocumentKind.PDF: _pdf,
    DocumentKind.CSV: partial(_table, ""),
    DocumentKind.TSV: partial(_table, "\t"),
}
