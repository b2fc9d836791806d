"""The reader of each kind of document."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dragoman.config import DocumentLimits
from dragoman.documents.kinds import DocumentKind
from dragoman.documents.office import read_office
from dragoman.documents.passage import Document
from dragoman.errors import DocumentTooLargeError


@dataclass(frozen=True, slots=True)
class DocumentOptions:
    """How a document is read.

    Attributes:
        kind: what it is.
        language: of its text, BCP 47.
        encoding: of a document that does not say it itself.
        columns: of a table: names in its first row, or numbers from 1; "all" for all with text.
        limits: what is accepted.
    """

    kind: DocumentKind
    language: str
    encoding: str = "utf-8"
    columns: tuple[str, ...] = ()
    limits: DocumentLimits = DocumentLimits()


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


_READERS: dict[DocumentKind, Callable[[bytes, DocumentOptions], Document]] = {
    DocumentKind.DOCX: _office,
    DocumentKind.PPTX: _office,
}
