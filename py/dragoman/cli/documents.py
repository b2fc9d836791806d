"""What `dragoman translate` does with documents: each gets a translation beside it.

brief.docx --translate_document--> brief.en.docx       --output: another name, or a folder
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import typer

from dragoman.cli.console import echo, echo_json
from dragoman.cli.detect import one_source
from dragoman.cli.progress import Bar, share
from dragoman.config import DocumentLimits
from dragoman.documents.kinds import ENDINGS, WRITTEN_AS, DocumentKind, kind_of, named_kind
from dragoman.documents.passage import translated_name
from dragoman.documents.translate import TranslatedDocument
from dragoman.errors import DocumentError, DragomanError, InvalidRequestError
from dragoman.native.documents import read_bytes, read_document
from dragoman.native.files import COMPRESSED, STANDARD, open_output, reason
from dragoman.native.sources import AUTO
from dragoman.native.translator import Translator
from dragoman.service.service import ProgressListener
from dragoman.types import Glossary, OverlongPolicy, TranslationMemory

# So much tells what a file is that is named by nothing, but for archives and JSON.
_HEAD = 4_096
_TABLES = (DocumentKind.CSV, DocumentKind.TSV)
# Kinds that no text is a document of, whatever it is called.
_NOT_TEXT = (
    DocumentKind.DOCX, DocumentKind.ODT, DocumentKind.PPTX, DocumentKind.EPUB, DocumentKind.PDF,
)  # fmt: skip
# What stands behind the name of a folder.
_SEPARATORS = tuple(filter(None, (os.sep, os.altsep)))


class DocumentFile(NamedTuple):
    """A document, and where its translation goes (None: standard output).

    Attributes:
        folder: of the output, made when it is not there; None: it must be there.
    """

    path: Path
    kind: DocumentKind
    output: Path | None
    folder: Path | None = None

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


def columns_of(names: str, files: Sequence[DocumentFile]) -> tuple[str, ...]:
    """Columns of tables, from "Title, 3".

    Raises:
        BadParameter: no file is a table, and they would be left aside.
    """
    columns = tuple(name.strip() for name in names.split(",") if name.strip())
    if columns and not any(file.kind in _TABLES for file in files):
        raise typer.BadParameter("--columns is for files of csv or tsv, and there is none")
    return columns


def check_given(
    files: Sequence[str] | None, text: str | None, kind_name: str | None
) -> Sequence[str]:
    """The files that are read: standard input where none is named, none with a text.

    Raises:
        BadParameter: a text has no files and no format beside it, which would be left aside.
        InvalidRequestError: there is no such kind.
    """
    if text is None:
        return files or [STANDARD]
    if files:
        raise typer.BadParameter("--text and files do not go together")
    if named_kind(kind_name) not in (None, DocumentKind.TXT):
        raise typer.BadParameter(f"--text is plain text, not {kind_name}")
    return []


def stream_output(output: str | None) -> Path | None:
    """Where a stream is written to, None for standard output.

    Raises:
        InvalidRequestError: it is named as a folder, which has no name for it, or as a document.
    """
    if output is not None and output.endswith(_SEPARATORS):
        raise InvalidRequestError(f"{output} is a folder: name a file")
    if output is None:
        return None
    _check_ending(Path(output), DocumentKind.TXT)
    return Path(output)


def documents_of(
    files: Sequence[str],
    kind_name: str | None,
    output: str | None,
    target: str,
    source: str,
    streamed: bool,
) -> list[DocumentFile]:
    """The files as documents; none if all of them are plain text that is written as a stream.

    Args:
        streamed: plain text is one stream in any case; else a folder gets a file for each.

    Raises:
        UnsupportedFormatError: a file is structured, and nothing here reads it.
        InvalidRequestError: there is no such kind, or an output is there already.
        DocumentError: an output is the document itself.
    """
    forced = named_kind(kind_name)
    kinds = [_kind(name, forced) for name in files]
    if all(kind is None or kind is DocumentKind.TXT for kind in kinds) and (
        streamed or not _is_folder(output) or any(_only_streamed(name) for name in files)
    ):
        return []
    several = len(files) > 1
    folder = _folder(output, several)
    named = Path(output) if output is not None and folder is None else None
    documents = []
    for name, kind in zip(files, kinds, strict=True):
        if kind is None and name != STANDARD and not Path(name).exists():
            raise InvalidRequestError(f"{name}: there is no such file")
        if name == STANDARD or kind is None:
            raise InvalidRequestError(
                f"{_shown(name)} cannot be translated together with documents, or as one"
            )
        path = Path(name)
        place = None
        if output != STANDARD:
            own = translated_name(path.name, source, target, WRITTEN_AS.get(kind, ""))
            place = named or (folder or path.parent) / own
            _check_place(place, path, kind, named is not None, several)
        documents.append(DocumentFile(path, kind, place, folder))
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
        if file.folder is not None:
            file.folder.mkdir(parents=True, exist_ok=True)
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
        echo_json(data)
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
    if path.suffix.lower() in COMPRESSED:
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


def _only_streamed(name: str) -> bool:
    """Whether it is no file that can be read as a document."""
    path = Path(name)
    return name == STANDARD or path.suffix.lower() in COMPRESSED or not path.is_file()


def _is_folder(output: str | None) -> bool:
    """Whether a folder was named: one that is there, or is to be by the separator behind it."""
    if output is None or output == STANDARD:
        return False
    return output.endswith(_SEPARATORS) or Path(output).is_dir()


def _folder(output: str | None, several: bool) -> Path | None:
    """The folder that documents are written to; None where none is named.

    Raises:
        InvalidRequestError: what is named is a file, or was meant to be one.
    """
    if output is None or output == STANDARD or not (several or _is_folder(output)):
        return None
    path = Path(output)
    like_a_file = path.suffix.lower().removeprefix(".") in ENDINGS
    if (like_a_file and not _is_folder(output)) or (path.exists() and not path.is_dir()):
        why = "several documents need a folder to be written to" if several else "it is no folder"
        raise InvalidRequestError(f"{output}: {why}")
    return path


def _check_place(
    place: Path, path: Path, kind: DocumentKind, is_named: bool, several: bool
) -> None:
    """Whether the translation of a document may be written there.

    Raises:
        InvalidRequestError: it would be of another kind, or another file is there already.
        DocumentError: it is the document itself.
    """
    if is_named:
        _check_ending(place, WRITTEN_AS.get(kind, kind))
    if place.exists() and place.samefile(path):
        raise DocumentError(
            "source", f"{path}: its translation would be written over it: name another --output"
        )
    if place.exists() and not is_named:
        how = "move it away" if several else "name it as --output to have it written over"
        raise InvalidRequestError(f"{place} is there already; {how}")


def _check_ending(place: Path, written: DocumentKind) -> None:
    """Whether a file of that name can be opened by what opens files of its ending.

    Raises:
        InvalidRequestError: it could not: a text in a .docx is no document.
    """
    named = ENDINGS.get(place.suffix.lower().removeprefix("."))
    if named in _NOT_TEXT and named is not written:
        text = "text" if written is DocumentKind.TXT else written
        raise InvalidRequestError(f"{place}: what is written is {text}, not {named}")


def _shown(name: str) -> str:
    return "standard input" if name == STANDARD else name
