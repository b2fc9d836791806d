"""Documents as ordinary code holds them: a path or bytes, and how to translate them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

from dragoman.config import DocumentLimits
from dragoman.documents import read
from dragoman.documents.kinds import DocumentKind, kind_of
from dragoman.documents.passage import Document
from dragoman.documents.translate import DocumentListener
from dragoman.errors import DocumentTooLargeError, InvalidRequestError
from dragoman.native.charset import AUTO, page_encoding
from dragoman.service.service import Progress, ProgressListener, RequestState
from dragoman.types import AlignmentKind, OverlongPolicy, Priority, TranslationRequest, WhenFull

# What says its encoding itself, by the rules of its kind.
_SAYS_ENCODING = frozenset(
    [DocumentKind.DOCX, DocumentKind.ODT, DocumentKind.PPTX, DocumentKind.EPUB, DocumentKind.XLIFF]
)


class DocumentOptions(TypedDict, total=False):
    """How a document is translated.

    Attributes:
        source, target: other languages than the translator's own.
        name: of the document, where only its content is given.
        kind: what it is, "docx" for instance; else its name says, or its content.
        encoding: of text that does not say it itself; "auto" (default) finds it.
        columns: of a table: names in its first row, or numbers from 1; "all" for all with text.
        overlong, priority, cache: see `TranslationRequest`.
        limits: what is accepted.
    """

    source: str | None
    target: str | None
    name: str
    kind: DocumentKind | str | None
    encoding: str
    columns: Sequence[str]
    overlong: OverlongPolicy | str
    priority: Priority | str
    cache: bool
    limits: DocumentLimits


def opened_document(
    document: str | Path | bytes, source: str, target: str, options: DocumentOptions
) -> tuple[TranslationRequest, Document]:
    """The request that each passage of a document becomes, and the document.

    Raises:
        InvalidRequestError: the file cannot be read, or there is no such kind.
        UnsupportedFormatError, DocumentError, DocumentTooLargeError: see `read_document`.
    """
    limits = options.get("limits") or DocumentLimits()
    pattern = TranslationRequest(
        "",
        options.get("source") or source,
        options.get("target") or target,
        AlignmentKind.NONE,
        OverlongPolicy(options.get("overlong", OverlongPolicy.WRAP)),
        priority=Priority(options.get("priority", Priority.BACKGROUND)),
        when_full=WhenFull.WAIT,
        cache=options.get("cache", True),
    )
    name = options.get("name", "")
    if isinstance(document, bytes):
        content = document
    else:
        content, name = read_bytes(Path(document), limits), name or Path(document).name
    kind = named_kind(options.get("kind")) or kind_of(name, content)
    reading = read.DocumentOptions(
        kind,
        pattern.source,
        _encoding(content, kind, options.get("encoding", AUTO)),
        tuple(options.get("columns", ())),
        limits,
    )
    return pattern, read.read_document(content, reading)


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


def read_bytes(path: Path, limits: DocumentLimits) -> bytes:
    """A file that is no larger than a document may be.

    Raises:
        InvalidRequestError: it cannot be read.
        DocumentTooLargeError: of bytes.
    """
    try:
        size = path.stat().st_size
        if size > limits.bytes:
            raise DocumentTooLargeError(size, limits.bytes, counted="bytes")
        return path.read_bytes()
    except (OSError, ValueError) as error:
        message = (isinstance(error, OSError) and error.strerror) or str(error)
        raise InvalidRequestError(f"{path}: {message}") from error


def _encoding(content: bytes, kind: DocumentKind, said: str) -> str:
    if said != AUTO or kind in _SAYS_ENCODING:
        return said
    return page_encoding(content)


def characters(listener: ProgressListener) -> DocumentListener:
    """Tells a listener of requests what has become of a document."""
    return lambda done, total: listener(Progress(RequestState.RUNNING, done, total))
