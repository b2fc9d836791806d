"""What `dragoman translate` does with each file: passages in, text or JSON lines out.

InputFile --cut--> Passage --translate_many--> TranslationResponse --Writer--> output
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import BinaryIO, NamedTuple

from dragoman.cli.console import echo
from dragoman.cli.progress import Bar, NoBar, share
from dragoman.errors import DragomanError
from dragoman.native.files import InputFile, Passage, line_passages, text_passages, whole_passages
from dragoman.native.options import RequestOptions
from dragoman.native.translator import Translator
from dragoman.service.service import ProgressListener
from dragoman.types import (
    AlignmentKind,
    Glossary,
    OverlongPolicy,
    TextFormat,
    TranslationMemory,
    TranslationResponse,
)
from dragoman.wire.responses import RangeUnit, json_bytes, length, response_data


class FileOptions(NamedTuple):
    """What `translate` was asked to do with each file."""

    lines: bool
    html: bool
    json: bool
    alignment: AlignmentKind
    ranges: RangeUnit
    overlong: OverlongPolicy
    glossary: Glossary | None = None
    memory: TranslationMemory | None = None
    beam: int | None = None
    alternatives: int = 0
    prefix: str | None = None


class _Shown:
    """Progress of one file on the bar of all files."""

    def __init__(self, bar: Bar, before: int) -> None:
        self.bar, self.before = bar, before

    def at(self, read: float) -> None:
        self.bar.advance(self.before + read)

    def between(self, start: int, end: int) -> ProgressListener:
        """Progress of the bytes from `start` to `end`."""
        return lambda progress: self.at(start + (end - start) * share(progress))


def translate_files(
    files: Sequence[InputFile],
    options: FileOptions,
    translator: Translator,
    sink: BinaryIO,
    bar: Bar,
    screen: bool,
) -> Counter[str]:
    """Translate files one after the other; returns how often each warning was given.

    Args:
        screen: whether the output may go where the bar is, which then gives way to it. It is UTF-8
            there, elsewhere in the encoding of the first file, where that is Unicode.
    """
    warnings = Counter[str]()
    encoded = _utf8 if screen else _AsRead()
    before = 0
    for file in files:
        writer = _Writer(file, options, sink, bar if screen else NoBar(), encoded)
        _translate_file(file, options, translator, writer, _Shown(bar, before))
        before += file.read
        warnings += writer.warnings
    return warnings


def _translate_file(
    file: InputFile, options: FileOptions, translator: Translator, writer: _Writer, shown: _Shown
) -> None:
    translated = 0
    for passages in _passages(file, options, translator.source):
        reached = file.read
        texts, progress = [passage.text for passage in passages], shown.between(translated, reached)
        responses = _responses(texts, options, translator, progress)
        with closing(responses):
            for passage in passages:
                with _placed(file, passage):
                    response = next(responses)
                writer.write(passage, response)
        writer.flush()
        translated = reached
        shown.at(translated)


def _responses(
    texts: Sequence[str], options: FileOptions, translator: Translator, progress: ProgressListener
) -> Generator[TranslationResponse]:
    chosen: RequestOptions = {
        "alignment": options.alignment,
        "overlong": options.overlong,
        "text_format": TextFormat.HTML if options.html else TextFormat.TEXT,
        "glossary": options.glossary,
        "memory": options.memory,
        "beam": options.beam,
        "alternatives": options.alternatives,
    }
    if options.prefix is None:
        return translator.translate_many(texts, on_progress=progress, **chosen)
    chosen["prefix"] = options.prefix
    return (translator.translate(text, on_progress=progress, **chosen) for text in texts)


def _passages(file: InputFile, options: FileOptions, language: str) -> Iterator[list[Passage]]:
    if options.html or options.prefix is not None:
        return whole_passages(file.texts())
    cut = line_passages if options.lines else text_passages
    return cut(file.texts(), language)


@contextmanager
def _placed(file: InputFile, passage: Passage) -> Iterator[None]:
    """Say in which file, and from which line on, a request went wrong."""
    try:
        yield
    except DragomanError as error:
        error.message = f"{file.name}, from line {passage.line}: {error.message}"
        raise


def _utf8(text: str, _: InputFile) -> bytes:
    return text.encode("utf-8", "replace")


class _AsRead:
    """Encodes an output as the first of its files is, with the byte order mark of that."""

    def __init__(self) -> None:
        self._encoding = ""

    def __call__(self, text: str, file: InputFile) -> bytes:
        mark = b""
        if not self._encoding:
            self._encoding, mark = file.written_in
        return mark + text.encode(self._encoding, "replace")


class _Writer:
    """Writes the responses of one file, as text or as JSON lines."""

    def __init__(
        self,
        file: InputFile,
        options: FileOptions,
        sink: BinaryIO,
        bar: Bar,
        encoded: Callable[[str, InputFile], bytes],
    ) -> None:
        self._file, self._options, self._sink, self._bar = file, options, sink, bar
        self._encoded = encoded
        self._offset = 0
        self.warnings = Counter[str]()

    def write(self, passage: Passage, response: TranslationResponse) -> None:
        self.warnings.update(warning.code for warning in response.warnings)
        content = (
            self._json(passage, response) if self._options.json else self._text(passage, response)
        )
        with self._bar.hidden():
            self._sink.write(content)
            if self._options.lines and self._file.is_terminal:
                self._sink.flush()

    def flush(self) -> None:
        with self._bar.hidden():
            self._sink.flush()

    def _text(self, passage: Passage, response: TranslationResponse) -> bytes:
        # A line stays one line, whatever the model makes of it.
        text = response.text.replace("\n", " ") if self._options.lines else response.text
        return self._encoded(text + passage.ending, self._file)

    def _json(self, passage: Passage, response: TranslationResponse) -> bytes:
        place = {
            "file": self._file.path,
            "line": passage.line,
            "offset": self._offset,
            "source": passage.text,
        }
        self._offset += length(passage.text + passage.ending, self._options.ranges)
        return json_bytes(place | response_data(response, self._options.ranges)) + b"\n"


_WARNINGS = {
    "sentence-copied": "copied unchanged: no letters of the source language",
    "sentence-wrapped": "over-long and cut into parts",
    "markup-kept": "left as it was: too short for its links and styles when translated",
    "sentence-kept": "left as it was: the model gave no word for it",
    "loop-cut": "cut where the translation repeated itself",
    "term-missed": "without a term of the glossary",
    "translation-cut": "translated only in part: the length limit was reached",
}


def tell_route(translator: Translator) -> None:
    """A translation over a pivot is not what was asked for word by word: say so."""
    if len(translator.legs) > 1:
        legs = ", then ".join(f"{leg.source} to {leg.target}" for leg in translator.legs)
        echo(
            f"dragoman: no model from {translator.source} to {translator.target}: "
            f"translating {legs}",
            err=True,
        )


def tell(warnings: Counter[str]) -> None:
    """Say on standard error what was not translated as it should be."""
    for code, count in sorted(warnings.items()):
        noun = "sentence" if count == 1 else "sentences"
        echo(f"dragoman: warning: {count} {noun} {_WARNINGS.get(code, code)}", err=True)
