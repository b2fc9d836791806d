"""The lines of a PDF, as pypdf tells what its pages draw.

    bytes --PdfReader--> page --extract_text--> fragments --Lines--> Line, Line, ...

A PDF is a program: a small one can draw for hours. What it may take is bounded for each stream by
pypdf's configuration (bytes unpacked, operands), for the whole by a number of pages, a number of
characters, and seconds, which are looked at before each thing that is drawn.
"""

from __future__ import annotations

import io
import logging
import math
import struct
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pypdf
from pypdf.errors import DependencyError, DeprecationError, LimitReachedError, PyPdfError

from dragoman.config import DocumentLimits
from dragoman.documents.pdf.line import Line, cleaned
from dragoman.errors import DocumentError, DocumentTooLargeError

Clock = Callable[[], float]
# pypdf lets through what its own code meets in a file that is not as it should be.
_DAMAGED = (
    PyPdfError, DependencyError, DeprecationError, ArithmeticError, AssertionError, AttributeError,
    EOFError, LookupError, RuntimeError, TypeError, ValueError, struct.error, zlib.error,
)  # fmt: skip
# Operands of one stream: more than any page for people has, in memory about 400 MB.
_OPERANDS = 1_000_000
_NOTHING = (0, 0.0, 0.0)
# It warns about what it mended, with what stands there.
logging.getLogger("pypdf").setLevel(logging.CRITICAL + 1)


def read_lines(content: bytes, limits: DocumentLimits, clock: Clock = time.monotonic) -> list[Line]:
    """The lines of a PDF, page after page, as they were drawn.

    Args:
        clock: seconds.

    Raises:
        DocumentError: it is damaged, encrypted, or over a limit of one stream.
        DocumentTooLargeError: it has more than `limits` has of pages or bytes of text, or took
            more seconds.
    """
    most = limits.stream_bytes
    with (
        _typed(limits),
        pypdf.apply_configuration(
            maximum_declared_stream_length=limits.bytes,
            array_based_stream_maximum_output_length=most,
            lzw_maximum_output_length=most,
            run_length_maximum_output_length=most,
            zlib_maximum_output_length=most,
            stream_parsing_work_maximum_count=_OPERANDS,
            jbig2dec_binary=None,
        ),
    ):
        reader = pypdf.PdfReader(io.BytesIO(content))
        if reader.is_encrypted:
            raise DocumentError(
                "encrypted",
                "it is encrypted or protected: save it without a password and without protection",
            )
        return _lines(reader, limits, clock)


def _lines(reader: pypdf.PdfReader, limits: DocumentLimits, clock: Clock) -> list[Line]:
    collected = _Lines(limits, clock)
    count = len(reader.pages)
    if count > limits.pages:
        raise DocumentTooLargeError(count, limits.pages, "pages")
    for number, page in enumerate(reader.pages):
        collected.page = number
        page.extract_text(
            visitor_text=collected.hear, visitor_operand_before=collected.before_drawing
        )
        collected.end_page()
    return collected.lines


class _Lines:
    """Puts fragments together to lines, and minds the limits.

    What it raises inside of a form, pypdf takes for damage of the form: it is raised again at what
    is drawn next, and at the end of the page.
    """

    def __init__(self, limits: DocumentLimits, clock: Clock) -> None:
        self.lines: list[Line] = []
        self.page = 0
        self._limits = limits
        self._clock = clock
        self._began = clock()
        self._characters = 0
        self._fragments: list[str] = []
        self._left: float | None = None
        self._longest: tuple[int, float, float] = _NOTHING
        self._over: DocumentTooLargeError | None = None

    def before_drawing(self, *_: object) -> None:
        """Called before each operator."""
        seconds = self._clock() - self._began
        if self._over is None and seconds > self._limits.reading_seconds:
            self._over = DocumentTooLargeError(
                math.ceil(seconds), self._limits.reading_seconds, "seconds of reading"
            )
        if self._over is not None:
            raise self._over

    def hear(
        self, text: str, matrix: list[float], text_matrix: list[float], _: Any, size: float
    ) -> None:
        """A fragment; a line break at its end ends the line."""
        self._characters += len(text)
        if self._over is None and self._characters > self._limits.part_bytes:
            self._over = DocumentTooLargeError(
                self._characters, self._limits.part_bytes, "bytes of text"
            )
        if self._over is not None:
            raise self._over
        if length := len(text.strip()):
            x, y, height = _placed(matrix, text_matrix, size)
            self._left = x if self._left is None else self._left
            # A sign of a list or a note may be of another size than what it stands beside.
            self._longest = max(self._longest, (length, y, height))
        self._fragments.append(text)
        if text.endswith("\n"):
            self._end_line()

    def end_page(self) -> None:
        self._end_line()
        if self._over is not None:
            raise self._over

    def _end_line(self) -> None:
        text = cleaned("".join(self._fragments))
        if text and self._left is not None:
            _, y, size = self._longest
            self.lines.append(Line(text, self.page, self._left, y, size))
        self._fragments.clear()
        self._left, self._longest = None, _NOTHING


def _placed(
    matrix: list[float], text_matrix: list[float], size: float
) -> tuple[float, float, float]:
    """Where a fragment begins and how large its letters are: x, y, size in points.

    PDF 32000-1, 9.4.4: the text's matrix comes before that of the page.
    """
    a, b, c, d, e, f = matrix
    _, _, tc, td, te, tf = text_matrix
    height = math.hypot(tc * a + td * c, tc * b + td * d)
    return te * a + tf * c + e, te * b + tf * d + f, abs(size * height)


@contextmanager
def _typed(limits: DocumentLimits) -> Iterator[None]:
    """Tell in our errors what pypdf met."""
    try:
        yield
    except LimitReachedError as error:
        raise DocumentError(
            "limit",
            f"it is too large or too intricate: each part may have {limits.stream_bytes:,} bytes "
            f"unpacked and {_OPERANDS:,} operands",
        ) from error
    except _DAMAGED as error:
        raise DocumentError("damaged", "it is damaged, or no PDF") from error
