"""Documents as ordinary code holds them: a path or bytes, and how to translate them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypedDict

from dragoman.catalogue.languages import closest_pair
from dragoman.config import DocumentLimits
from dragoman.detection.shipped import sure_language
from dragoman.documents import read
from dragoman.documents.charset import AUTO, encoding_of
from dragoman.documents.kinds import DocumentKind, kind_of, named_kind
from dragoman.documents.passage import Document
from dragoman.documents.translate import DocumentListener
from dragoman.errors import DocumentTooLargeError, InvalidRequestError
from dragoman.native.options import check_kinds
from dragoman.native.sources import AUTO as AUTO_LANGUAGE
from dragoman.native.sources import page_text
from dragoman.service.progress import Progress, ProgressListener, RequestState
from dragoman.types import (
    AlignmentKind,
    Glossary,
    LanguagePair,
    OverlongPolicy,
    Priority,
    TextFormat,
    TranslationMemory,
    TranslationRequest,
    WhenFull,
)

# Of a document, enough to be sure of its language.
_ENOUGH_CHARACTERS = 2_000


class DocumentOptions(TypedDict, total=False):
    """How a document is translated.

    Attributes:
        source, target: other languages than the translator's own, which None stands for; the source
            "auto" is found out.
        name: of the document, where only its content is given.
        kind: what it is, "docx" for instance; else its name says, or its content.
        encoding: of text that does not say it itself; "auto" (default) finds it.
        columns: of a table: names in its first row, or numbers from 1; "all" for all with text. One
            may stand without a list around it.
        overlong, priority, cache, glossary, memory, beam: see `TranslationRequest`.
        limits: what is accepted.
    """

    source: str | None
    target: str | None
    name: str
    kind: DocumentKind | str | None
    encoding: str
    columns: str | Sequence[str]
    overlong: OverlongPolicy | str
    priority: Priority | str
    cache: bool
    glossary: Glossary | None
    memory: TranslationMemory | None
    beam: int | None
    limits: DocumentLimits


def opened_document(
    document: str | Path | bytes, pairs: Sequence[LanguagePair], options: DocumentOptions
) -> tuple[TranslationRequest, Document]:
    """The request that each passage of a document becomes, and the document.

    Args:
        pairs: what there are models for.
        options: with `source` and `target`.

    Raises:
        LanguageNotSureError: its language was to be found out, and cannot be told.
        InvalidRequestError: the file cannot be read, or there is no such kind.
        UnsupportedFormatError, DocumentError, DocumentTooLargeError: see `read_document`.
    """
    unknown = [name for name in options if name not in DocumentOptions.__annotations__]
    if unknown:
        raise TypeError(f"a document has no option {', '.join(map(repr, unknown))}")
    check_kinds(**{name: options.get(name) for name in ("glossary", "memory", "beam")})
    language, opened = read_document(document, options)
    pattern = TranslationRequest(
        "",
        *closest_pair(language, options.get("target") or "", pairs),
        AlignmentKind.NONE,
        OverlongPolicy(options.get("overlong", OverlongPolicy.WRAP)),
        priority=Priority(options.get("priority", Priority.BACKGROUND)),
        when_full=WhenFull.WAIT,
        cache=options.get("cache", True),
        glossary=options.get("glossary"),
        memory=options.get("memory"),
        beam=options.get("beam"),
    )
    return pattern, opened


def read_document(document: str | Path | bytes, options: DocumentOptions) -> tuple[str, Document]:
    """The language of a document, and the document; raises what `opened_document` does."""
    limits = options.get("limits") or DocumentLimits()
    name = options.get("name", "")
    if isinstance(document, bytes):
        content = document
    else:
        content, name = read_bytes(Path(document), limits), name or Path(document).name
    kind = named_kind(options.get("kind")) or kind_of(name, content)
    said = options.get("source") or ""
    is_auto = said.lower() == AUTO_LANGUAGE
    encoding, columns = options.get("encoding", AUTO), options.get("columns", ())
    reading = read.DocumentOptions(
        kind,
        "" if is_auto else said,
        encoding_of(content, kind) if encoding == AUTO else encoding,
        (columns,) if isinstance(columns, str) else tuple(columns),
        limits,
    )
    opened = read.read_document(content, reading)
    if is_auto:  # which then says what in it is of another one
        reading = replace(reading, language=language_of(opened))
        opened = read.read_document(content, reading)
    return reading.language, opened


def language_of(document: Document) -> str:
    """The language that a document is in, by the beginnings of its passages.

    Raises:
        LanguageNotSureError: it cannot be told.
    """
    texts: list[str] = []
    for passage in document.passages:
        page = passage.format is TextFormat.HTML
        texts.append(page_text(passage.text) if page else passage.text)
        if sum(map(len, texts)) > _ENOUGH_CHARACTERS:
            break
    return sure_language(" ".join(texts)[:_ENOUGH_CHARACTERS]).language


def read_bytes(path: Path, limits: DocumentLimits) -> bytes:
    """A file that is no larger than a document may be.

    Raises:
        InvalidRequestError: it cannot be read.
        DocumentTooLargeError: of bytes.
    """
    try:
        size = path.stat().st_size
        if size <= limits.bytes:
            with path.open("rb") as file:  # a pipe has no size: no more than allowed is read of it
                content = file.read(limits.bytes + 1)
            size = len(content)
        if size > limits.bytes:
            raise DocumentTooLargeError(size, limits.bytes, counted="bytes")
        return content
    except (OSError, ValueError) as error:
        message = (isinstance(error, OSError) and error.strerror) or str(error)
        raise InvalidRequestError(f"{path}: {message}") from error


def characters(listener: ProgressListener) -> DocumentListener:
    """Tells a listener of requests what has become of a document."""
    return lambda done, total: listener(Progress(RequestState.RUNNING, done, total))
