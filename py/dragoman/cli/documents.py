"""What `dragoman translate` does with documents: each gets a translation beside it.

brief.docx --translate_document--> brief.en.docx       --output: another name, or a folder
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import typer

from dragoman.cli.console import echo
from dragoman.cli.detect import one_source
from dragoman.cli.progress import Bar, share
from dragoman.config import DocumentLimits
from dragoman.documents.kinds import WRITTEN_AS, DocumentKind, kind_of, named_kind
from dragoman.documents.passage import translated_name
from dragoman.documents.translate import TranslatedDocument
from dragoman.errors import DocumentError, DragomanError, InvalidRequestError
from dragoman.native.documents import read_bytes, read_document
from dragoman.native.files import COMPRESSED, STANDARD, open_output, reason
from dragoman.native.sources import AUTO
from dragoman.native.translator import Translator
from dragoman.service.service import ProgressListener
from dragoman.types import Glossary, OverlongPolicy, TranslationMemory
from dragoman.wire.responses import json_bytes

# So much tells what a file is that is named by nothing, but for archives and JSON.
_HEAD = 4_096


class DocumentFile(NamedTuple):
    """A document, and where its translation goes (None: standard output)."""

    path: Path
    kind: DocumentKind
    output: Path | None

    @property
    def size(self) -> int:
        """Bytes."""
        return self.path.stat().st_size


class DocumentSettings(NamedTuple):
    """What the command was asked to do with documents."""

    encoding: str
    columns: tuple[str, ...]
    overlong: OverlongPolicy
    json: bool
    quiet: bool
    glossary: Glossary | None = None
    memory: TranslationMemory | None = None
    beam: int | None = None


def columns_of(names: str) -> tuple[str, ...]:
    """Columns of a table, from "Title, 3"."""
    return tuple(name.strip() for name in names.split(",") if name.strip())


def documents_of(
    files: Sequence[str], kind_name: str | None, output: Path | None, target: str, source: str
) -> list[DocumentFile]:
    """The files as documents; none if all of them are plain text.

    Raises:
        UnsupportedFormatError: a file is structured, and nothing here reads it.
        InvalidRequestError: there is no such kind, or an output is there already.
        DocumentError: an output is the document itself.
    """
    forced = named_kind(kind_name)
    kinds = [_kind(name, forced) for name in files]
    if all(kind is None or kind is DocumentKind.TXT for kind in kinds):
        return []
    documents = []
    for name, kind in zip(files, kinds, strict=True):
        if kind is None and name != STANDARD and not Path(name).exists():
            raise InvalidRequestError(f"{name}: there is no such file")
        if name == STANDARD or kind is None:
            raise InvalidRequestError(
                f"{_shown(name)} cannot be translated together with documents, or as one"
            )
        path = Path(name)
        place = _output(path, kind, output, len(files) > 1, target, source)
        documents.append(DocumentFile(path, kind, place))
    places = Counter(file.output for file in documents)
    twice = next((place for place, count in places.items() if place and count > 1), None)
    if twice:
        raise InvalidRequestError(f"two documents would be written to {twice}")
    return documents


def found_document_source(
    files: Sequence[DocumentFile], settings: DocumentSettings, target: str
) -> str:
    """The language that all documents are in.

    Raises:
        LanguageNotSureError: that of a document cannot be told.
        InvalidRequestError: they differ, or are in the target's language already.
    """
    files_by_language: dict[str, str] = {}
    for file in files:
        with _named(file):
            language, _ = read_document(
                file.path,
                {
                    "source": AUTO,
                    "kind": file.kind,
                    "encoding": settings.encoding,
                    "columns": settings.columns,
                },
            )
        files_by_language[language] = str(file.path)
    return one_source(files_by_language, target, settings.quiet)


def translate_documents(
    files: Sequence[DocumentFile], settings: DocumentSettings, translator: Translator, bar: Bar
) -> Counter[str]:
    """Translate documents one after the other; returns how often each warning was given."""
    warnings = Counter[str]()
    before = 0
    for file in files:
        size = file.size
        done = _translated(file, settings, translator, _shown_on(bar, before, size))
        with open_output(file.output) as sink, bar.hidden():
            sink.write(done.content)
        before += size
        bar.advance(before)
        with bar.hidden():
            _tell(file, done, settings)
        warnings.update(done.warnings)
    return warnings


def _translated(
    file: DocumentFile,
    settings: DocumentSettings,
    translator: Translator,
    listener: ProgressListener,
) -> TranslatedDocument:
    with _named(file):
        return translator.translate_document(
            file.path,
            kind=file.kind,
            encoding=settings.encoding,
            columns=settings.columns,
            overlong=settings.overlong,
            glossary=settings.glossary,
            memory=settings.memory,
            beam=settings.beam,
            on_progress=listener,
        )


@contextmanager
def _named(file: DocumentFile) -> Iterator[None]:
    """Say which document went wrong."""
    try:
        yield
    except DragomanError as error:
        if not error.message.startswith(f"{file.path}:"):
            error.message = f"{file.path}: {error.message}"
        raise


def _shown_on(bar: Bar, before: int, size: int) -> ProgressListener:
    return lambda progress: bar.advance(before + size * share(progress))


def _tell(file: DocumentFile, done: TranslatedDocument, settings: DocumentSettings) -> None:
    if settings.json and file.output is not None:
        data = {
            "file": str(file.path),
            "output": str(file.output),
            "format": str(file.kind),
            "sentences": done.sentences,
            "doubtful": done.doubtful,
            "warnings": done.warnings,
        }
        typer.echo(json_bytes(data).decode())
    elif file.output is not None and not settings.quiet:
        about = " (its text: a PDF does not keep its layout)" if file.kind in WRITTEN_AS else ""
        if not done.sentences:
            about = " (nothing in it is to be translated)"
        echo(f"dragoman: {file.path} -> {file.output}{about}", err=True)


# --- what a file is, and where its translation goes ------------------------------------------


def _kind(name: str, forced: DocumentKind | None) -> DocumentKind | None:
    """None for what is read as a stream of plain text."""
    path = Path(name)
    if forced is not None:
        return forced
    if name == STANDARD or not path.is_file():
        return None
    if path.suffix in COMPRESSED:
        inner = kind_of(path.stem, b"")
        if inner is not DocumentKind.TXT:
            raise InvalidRequestError(
                f"{name}: unpack it first; --format txt takes it as plain text"
            )
        return None
    try:
        return kind_of(path.name, _beginning(path))
    except DragomanError as error:
        error.message = f"{name}: {error.message}"
        raise


def _beginning(path: Path) -> bytes:
    """Of a file; all of an archive, and of what may be JSON, as only that tells what it is."""
    try:
        with path.open("rb") as stream:
            head = stream.read(_HEAD)
    except OSError as error:
        raise InvalidRequestError(reason(error)) from error
    if head.startswith(b"PK") or head.lstrip()[:1] in (b"{", b"["):
        return read_bytes(path, DocumentLimits())
    return head


def _output(
    path: Path, kind: DocumentKind, output: Path | None, several: bool, target: str, source: str
) -> Path | None:
    if output is not None and str(output) == STANDARD:
        return None
    written = WRITTEN_AS.get(kind, "")
    name = translated_name(path.name, source, target, written)
    if output is None:
        place = path.with_name(name)
    elif output.is_dir():
        place = output / name
    elif several:
        raise InvalidRequestError(f"{output}: several documents need a folder to be written to")
    else:
        place = output
    if written and place.suffix.lower() == f".{kind}":
        raise InvalidRequestError(f"{place}: of a {kind} the text is written, as {written}")
    if place.exists() and place.samefile(path):
        raise DocumentError(
            "source", f"{path}: its translation would be written over it: name another --output"
        )
    if place.exists() and place != output:
        how = "move it away" if several else "name it as --output to have it written over"
        raise InvalidRequestError(f"{place} is there already; {how}")
    return place


def _shown(name: str) -> str:
    return "standard input" if name == STANDARD else name
