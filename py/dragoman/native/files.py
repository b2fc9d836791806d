"""Files for the command line: bytes become text, text becomes passages to translate.

    bytes --decode--> text --cut--> Passage, ...      memory is bounded, whatever the file's size

Invariant: the texts and endings of all passages, in order, are the decoded file (without its BOM).
"""

from __future__ import annotations

import codecs
import gzip
import io
import lzma
import os
import re
import stat
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, BinaryIO, Protocol, cast

from dragoman.config import Limits
from dragoman.documents.charset import (
    AUTO,
    BY_MARK,
    marked_encoding,
    may_be_marked,
    page_encoding,
    written_in,
)
from dragoman.errors import InvalidRequestError
from dragoman.graphemes import joins
from dragoman.text.lines.parts import lines_end
from dragoman.text.split import split_sentences

READ_BYTES = 32_768

# Characters of a passage of a text: enough to fill mini-batches; the first output comes soon.
TEXT_CHARACTERS = 16_000

# A line is cut only when it is longer than this, so the limit of a request is never met.
LONGEST_PASSAGE = 100_000

# Of a page more is not read, however much there is of it, unpacked: it is refused then.
PAGE_CHARACTERS = Limits().page_characters
PAGE_BYTES = 4 * PAGE_CHARACTERS

# Code points that a cut may go back so that no mark is parted from its letter.
_LONGEST_CLUSTER = 64
_LAST_SPACE = re.compile(r"\s(?=\S*$)")
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
STANDARD = "-"
# Of a file's name, in that of one which is to take it.
PART_CHARACTERS = 40

# Files of these suffixes are decompressed as they are read.
COMPRESSED = (".gz", ".xz")


if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


@dataclass(frozen=True, slots=True)
class Passage:
    """What is translated in one request.

    Attributes:
        text: to translate.
        ending: what follows it and is copied: a line break of `line_passages`, or nothing.
        line: number of the line that it begins in, from 1.
    """

    text: str
    ending: str
    line: int


# --- reading ---------------------------------------------------------------------------------


class Digest(Protocol):
    """What `hashlib` makes."""

    def update(self, content: bytes, /) -> None: ...

    def hexdigest(self) -> str: ...


class InputFile:
    """A file, maybe compressed, or standard input for "-".

    Attributes:
        name: for messages.
        encoding: `AUTO` and `BY_MARK` become what they turn out to be when the text is read.
        size: in bytes on the disk, None where that is not known beforehand.
        read: of those, read so far.

    Args:
        digest: sees every byte of the file as it is on the disk.

    Raises:
        InvalidRequestError: it is not there, is a folder, or may not be read (of a pipe, `texts`
            says so).
    """

    def __init__(self, path: str, encoding: str, digest: Digest | None = None) -> None:
        self.path, self.encoding = path, encoding
        self.name = "standard input" if path == STANDARD else path
        self.size: int | None = None
        self.read = 0
        self._digest = digest
        self._decoded_bytes = 0
        self._beginning = b""
        self._ahead: Iterator[str] | None = None
        # A pipe is opened once, to be read: who writes into it takes the first closing for the end.
        if path != STANDARD and not _is_stream(path):
            with self._open() as stream:
                self.size = os.fstat(stream.fileno()).st_size

    @property
    def is_terminal(self) -> bool:
        return self.path == STANDARD and sys.stdin is not None and sys.stdin.isatty()

    @property
    def written_in(self) -> tuple[str, bytes]:
        """What its translation is written in, once it is read: see `charset.written_in`."""
        return written_in(self._beginning, self.encoding)

    def peek(self, characters: int) -> str:
        """The beginning of the text, which `texts` will give again: all that came until there were
        so many characters.

        Raises:
            InvalidRequestError: see `texts`.
        """
        source, begun, count = self.texts(), [], 0
        while count < characters and (text := next(source, None)) is not None:
            begun.append(text)
            count += len(text)
        self._ahead = chain(begun, source)
        return "".join(begun)

    def texts(self) -> Iterator[str]:
        """The decoded text, as it arrives, without a byte order mark.

        Raises:
            InvalidRequestError: the bytes are not of the encoding; says which is not, and where.
        """
        ahead, self._ahead = self._ahead, None
        return self._texts() if ahead is None else ahead

    def _texts(self) -> Iterator[str]:
        if self.encoding == AUTO:
            yield self._page()
            return
        started = False
        with self._open() as stream, self._opened(stream) as content_stream:
            content = self._begun(content_stream)
            decoder = codecs.getincrementaldecoder(self.encoding)("strict")
            while True:
                text = self._decoded(decoder, content)
                if text and not started:
                    started, text = True, text.removeprefix("\ufeff")
                if text:
                    yield text
                if not content:
                    return
                content = self._read(content_stream)

    def _begun(self, stream: BinaryIO) -> bytes:
        """The first bytes: with all of a mark, where one begins, but not more than came."""
        content = self._read(stream)
        while content and may_be_marked(content) and (more := self._read(stream)):
            content += more
        self._beginning = content[:4]
        if self.encoding == BY_MARK:
            self.encoding = (marked_encoding(content) or "utf-8").removesuffix("-sig")
        return content

    def _page(self) -> str:
        """All of a page, in the encoding that it says or that is found.

        Raises:
            InvalidRequestError: it is larger than a page may be, or not of its encoding.
        """
        parts: list[bytes] = []
        with self._open() as stream, self._opened(stream) as content_stream:
            while part := self._read(content_stream):
                parts.append(part)
                if self._decoded_bytes > PAGE_BYTES:
                    raise InvalidRequestError(
                        f"{self.name} is no page: it has more than {PAGE_BYTES:,} bytes",
                        allowed=PAGE_BYTES,
                    )
        content = b"".join(parts)
        encoding = page_encoding(content)
        self._beginning, self.encoding = content[:4], encoding
        try:
            return content.decode(encoding).removeprefix("\ufeff")
        except UnicodeError as error:
            place = getattr(error, "start", 0)
            raise InvalidRequestError(
                f"{self.name} is not {encoding}, as it says: offset {place:,}; "
                "name its encoding with --encoding",
                offset=place,
            ) from error

    @contextmanager
    def _open(self) -> Iterator[BinaryIO]:
        if self.path == STANDARD:
            if sys.stdin is None:
                raise InvalidRequestError("standard input is closed")
            yield sys.stdin.buffer
            return
        try:
            stream = Path(self.path).open("rb")  # noqa: SIM115 (closed below)
        except (OSError, ValueError) as error:
            raise InvalidRequestError(f"{self.name}: {reason(error)}") from error
        with stream:
            yield stream

    def _opened(self, stream: BinaryIO) -> BinaryIO:
        """The stream, counted, and decompressed if the name says so."""
        counted = io.BufferedReader(_Counted(stream, self._count), READ_BYTES)
        match Path(self.path).suffix.lower():
            case ".gz":
                return cast(BinaryIO, gzip.GzipFile(fileobj=counted))
            case ".xz":
                return cast(BinaryIO, lzma.LZMAFile(counted))
        return counted

    def _count(self, content: bytes) -> None:
        self.read += len(content)
        if self._digest is not None:
            self._digest.update(content)

    def _read(self, stream: BinaryIO) -> bytes:
        # read1 gives what is there, so lines of a slow pipe are not held back; a file is read in
        # equal blocks, so that a long line is cut at the same places each time.
        read = stream.read if self.size is not None else cast(io.BufferedReader, stream).read1
        try:
            content = read(READ_BYTES)
        except (EOFError, lzma.LZMAError, zlib.error, gzip.BadGzipFile) as error:
            raise InvalidRequestError(f"{self.name} is damaged: {error}") from error
        except OSError as error:
            raise InvalidRequestError(f"{self.name}: {reason(error)}") from error
        self._decoded_bytes += len(content)
        return content

    def _decoded(self, decoder: codecs.IncrementalDecoder, content: bytes) -> str:
        kept = decoder.getstate()[0]
        try:
            return decoder.decode(content, final=not content)
        except UnicodeDecodeError as error:
            offset = self._decoded_bytes - len(content) - len(kept) + error.start
            raise self._undecodable(kept + content, error.start, offset) from error
        except UnicodeError as error:  # some encodings have errors without a place
            raise InvalidRequestError(f"{self.name}: {error}") from error

    def _undecodable(self, content: bytes, place: int, offset: int) -> InvalidRequestError:
        culprit = f"byte 0x{content[place]:02X}" if place < len(content) else "the end of the file"
        hint = "name its encoding with --encoding"
        if offset < 2 and content.startswith(_UTF16_MARKS):
            hint = "it looks like UTF-16: try --encoding utf-16"
        return InvalidRequestError(
            f"{self.name} is not {self.encoding}: {culprit} at offset {offset:,}; {hint}",
            offset=offset,
        )


class GivenText(InputFile):
    """A text of the command line, in the place of a file.

    Args:
        ending: what a shell's user expects behind it.
    """

    def __init__(self, text: str, ending: str = "") -> None:
        super().__init__(STANDARD, "utf-8")
        self.name, self._text = "the text", text + ending

    @property
    def is_terminal(self) -> bool:
        return False

    def _texts(self) -> Iterator[str]:
        """In parts as those of a file, or a passage of a long one would be over the limit."""
        for start in range(0, len(self._text), READ_BYTES):
            yield self._text[start : start + READ_BYTES]


def _is_stream(path: str) -> bool:
    """Whether it is a pipe or a device."""
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError):  # opening it says why
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


class _Counted(io.RawIOBase):
    """Reads another stream and shows each piece to `seen`; the other one stays open."""

    def __init__(self, stream: BinaryIO, seen: Callable[[bytes], None]) -> None:
        self._read1: Callable[[int], bytes] = getattr(stream, "read1", stream.read)
        self._seen = seen

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer)
        content = self._read1(len(view))
        view[: len(content)] = content
        self._seen(content)
        return len(content)


def check_encoding(name: str) -> str:
    """The name of a text encoding that Python knows.

    Raises:
        ValueError: there is none of that name.
    """
    try:
        io.TextIOWrapper(io.BytesIO(), name)  # refuses codecs that are not of text
        codecs.getincrementaldecoder(name)
    except (LookupError, UnicodeError, ValueError) as error:
        raise ValueError(f"{name!r} is not the name of a text encoding") from error
    return codecs.lookup(name).name


def reason(error: Exception) -> str:
    """What is wrong, without number and path."""
    return (isinstance(error, OSError) and error.strerror) or str(error)


# --- cutting ---------------------------------------------------------------------------------


def line_passages(texts: Iterator[str], language: str) -> Iterator[list[Passage]]:
    """A passage a line, as soon as the line is complete; grouped as they came.

    A line of more than `LONGEST_PASSAGE` is several passages, all but the last without ending.
    """
    rest, number = "", 1
    for text in texts:
        *lines, rest = (rest + text).split("\n")
        passages = []
        for line in lines:
            body = line.removesuffix("\r")
            passages.append(Passage(body, line[len(body) :] + "\n", number))
            number += 1
        if len(rest) > LONGEST_PASSAGE:
            cut = cut_position(rest, language)
            passages.append(Passage(rest[:cut], "", number))
            rest = rest[cut:]
        if passages:
            yield passages
    if rest:
        yield [Passage(rest, "", number)]


def text_passages(texts: Iterator[str], language: str) -> Iterator[list[Passage]]:
    """Units of whole lines, or of whole sentences where a line has no end; one at a time."""
    rest, number = "", 1
    for text in texts:
        rest += text
        if len(rest) < TEXT_CHARACTERS or ("\n" not in rest and len(rest) <= LONGEST_PASSAGE):
            continue
        cut = cut_position(rest, language)
        passage = Passage(rest[:cut], "", number)
        number += passage.text.count("\n")
        rest = rest[cut:]
        yield [passage]
    if rest:
        yield [Passage(rest, "", number)]


def whole_passages(texts: Iterator[str]) -> Iterator[list[Passage]]:
    """The file as one passage; the limit of a request is met where it is too long, and what comes
    then is not read: a small file may be unpacked to any size."""
    parts: list[str] = []
    count = 0
    for text in texts:
        parts.append(text)
        count += len(text)
        if count > PAGE_CHARACTERS:
            break
    yield [Passage("".join(parts), "", 1)]


def cut_position(text: str, language: str) -> int:
    """Where to cut a text that goes on: the latest of the best kind of place that it has.

    After a paragraph or a line, before a sentence, after white space, else between two clusters of
    marks.
    """
    lines = lines_end(text, 0, len(text))
    if lines:
        return lines
    sentences = split_sentences(text, language)
    if len(sentences) > 1:
        return sentences[-1].start
    space = _LAST_SPACE.search(text, len(text) // 2)
    if space and space.end() < len(text):
        return space.end()
    for cut in range(len(text) - 1, max(0, len(text) - _LONGEST_CLUSTER), -1):
        if not joins(text[cut - 1], text[cut]):
            return cut
    return len(text)


# --- writing ---------------------------------------------------------------------------------


@contextmanager
def open_output(path: Path | None) -> Iterator[BinaryIO]:
    """Standard output (None, "-"), or a file that takes its name when all went well.

    So it may be the input, and it is never half written.

    Raises:
        InvalidRequestError: it cannot be written.
    """
    if path is None or str(path) == STANDARD:
        if sys.stdout is None:
            raise InvalidRequestError("standard output is closed")
        yield sys.stdout.buffer
        return
    try:
        with _replaced(path) if _is_plain(path) else path.open("wb") as stream:
            yield stream
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InvalidRequestError(f"{path}: {reason(error)}") from error


def _is_plain(path: Path) -> bool:
    """Whether another file may take its name: not where it stands for a stream, as /dev/stdout, nor
    where links lead in a circle, which opening it says."""
    if Path(os.path.realpath(path)).is_symlink():
        return False
    if path.is_relative_to("/dev") or path.is_relative_to("/proc"):
        return False
    return path.is_file() or not path.exists()


@contextmanager
def _replaced(path: Path) -> Iterator[BinaryIO]:
    target = Path(os.path.realpath(path))
    # A name of its own: another may write the same file, or have left one, even of this process's
    # number in a container; and short enough, whatever the file is called.
    part = target.with_name(f".{target.name[:PART_CHARACTERS]}.{token_hex(8)}.part")
    try:
        with part.open("xb") as stream:
            yield stream
        if target.exists():
            part.chmod(target.stat().st_mode & 0o7777)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def write_durably(path: Path, blocks: Iterable[bytes]) -> None:
    """Write a file that is whole under its name or not there, whatever happens to this process.

    Only one process may write under `path` at a time: what another left half written is replaced.
    """
    part = path.with_name(part_name(path.name))
    with part.open("wb") as stream:
        for block in blocks:
            stream.write(block)
        stream.flush()
        os.fsync(stream.fileno())
    part.replace(path)
    _sync_folder(path.parent)


def part_name(name: str) -> str:
    """What `write_durably` calls a file until it is whole."""
    return f".{name}.part"


def _sync_folder(folder: Path) -> None:
    """Make a new name in a folder last; some systems have no way to ask for it, nor need it."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
