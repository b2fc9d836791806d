"""Line breaks that are there only because a line was full: in a mail, in what is copied from a PDF.

    Die Verhandlungen sollen am        one paragraph: two soft breaks
    kommenden Montag in Genf fort-
    gesetzt werden.
    Einkaufen:                         what had fitted on the line before is a line of its own
    Brot

To the reader such a break is a space (RFC 3676 calls it soft), or nothing, behind a hyphen. Nothing
marks it, so it takes two signs. A line is **full**: the first word of the next would have been too
much, in view of the longest line around it; a page in columns is set less evenly than a mail, hence
some slack. And a sentence **runs on**: no stop, and a small letter behind. Of lines that are full,
one break in eight must run on; where a text has shown its width so, further full lines count.

What has no small letters (Arabic, Chinese, Hindi) has no soft breaks. Nor do lists, tables, quotes
of different depth, verses with capitals, and lines that are short, or longer than any page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dragoman.markup.bits import BIT, Work
from dragoman.pipeline.markers import marker_at
from dragoman.routing.edited import Edit
from dragoman.text.lines.hyphens import HYPHENS, joint
from dragoman.text.marks import CLOSERS, STOPS
from dragoman.types import Span

_BREAK = r"(?:\r\n?|\n)"
# What could be one.
_MAY_RUN_ON = re.compile(rf"\S[ \t]{{0,9}}{_BREAK}[ \t>]*[^\W\d_]")
_LINE = re.compile(rf"([^\r\n]*)(?:{_BREAK}|\Z)")
_PREFIX = re.compile(r"[ \t]*(?:>[ \t]*)*")
# Cells, dots that lead to a page number, rules, and the breaks that nothing wraps at.
_NO_PROSE = re.compile(r"\S(?: {3}|[ ]*\t)|\.{4}|_{3}|={3}|-{3}|[\v\f\x85\u2028\u2029]")
_LETTERS = re.compile(r"[^\W\d_]+")
_WIDTHS = range(30, 131)  # of the longest line, in code points
_SLACK = 8  # a line may be short by one in so many
_RUNNING = 8  # one break in so many, at least
_LONGEST = 200  # lines of a paragraph: one that has more is looked at in parts


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Lines that belong together.

    Attributes:
        span: from the words of the first to the end of the last.
        indent: code points before the words of the first.
        width: of the longest, in code points.
        line_break: what stands between two: "\\n", and the quote or indentation behind it.
        joints: what makes one line of them.
    """

    span: Span
    indent: int
    width: int
    line_break: str
    joints: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of prose.

    Attributes:
        prefix: quote marks and white space before its words.
        span: of its words.
        begins: that of an item, or of what else does not belong to the line before.
    """

    prefix: str
    span: Span
    begins: bool

    @property
    def width(self) -> int:
        return len(self.prefix) + len(self.span)

    @property
    def quotes(self) -> int:
        return self.prefix.count(">")


def may_have_soft_breaks(text: str) -> bool:
    """Whether a text is worth a look."""
    return _MAY_RUN_ON.search(text) is not None


def paragraphs_bit_by_bit(text: str) -> Work[tuple[Paragraph, ...]]:
    """The paragraphs of several lines, in order."""
    blocks: list[_Block] = [_Block(text)]
    for count, line in enumerate(_lines(text), 1):
        if not blocks[-1].is_empty and (line is None or not blocks[-1].takes(line)):
            blocks.append(_Block(text))
        if line is not None:
            blocks[-1].add(line)
        if not count % BIT:
            yield
    blocks = [block for block in blocks if block.width in _WIDTHS]
    runs: list[tuple[_Block, range]] = []
    looked_at = 0
    for block in blocks:
        runs += [(block, run) for run in block.runs(block.width) if block.runs_on(run)]
        looked_at += len(block.breaks) + 1
        if looked_at > BIT:
            looked_at = 0
            yield
    if not runs:
        return ()
    width = max(block.width for block, _ in runs)
    shown = {(id(block), at) for block, run in runs for at in run}
    found: list[Paragraph] = []
    for block in blocks:
        fills = [(id(block), at) in shown or block.fills(at, width) for at in block.breaks]
        found += [block.paragraph(run) for run in _runs(fills)]
        looked_at += len(block.breaks) + 1
        if looked_at > BIT:
            looked_at = 0
            yield
    return tuple(found)


def _lines(text: str) -> Iterator[_Line | None]:
    """Its lines; None: one that is no prose, or empty."""
    numbered = runs_on = False
    for match in _LINE.finditer(text):
        prefix = _PREFIX.match(text, *match.span(1))
        start = prefix.end() if prefix else match.start()
        words = match[1][start - match.start() :].rstrip()
        span = Span(start, start + len(words))
        if not _LETTERS.search(words) or _NO_PROSE.search(words):
            runs_on = False
            yield None
            continue
        marker = marker_at(text, span) or ""
        number = marker.strip("().")
        numbered = numbered or (number == "1" and not runs_on)
        runs_on = not _is_finished(words, ":")
        begins = bool(marker)
        if number.isdecimal():  # "am / 12. Mai" begins nothing
            begins = numbered
        elif marker in ("–", "—") and words.lstrip("–— ")[:1].islower():
            begins = False
        yield _Line(text[match.start() : start], span, begins)


class _Block:
    """Lines under one another that may belong together.

    The break `at` is the one behind line `at`.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines: list[_Line] = []
        self.width = 0

    @property
    def is_empty(self) -> bool:
        return not self._lines

    @property
    def breaks(self) -> range:
        return range(len(self._lines) - 1)

    def takes(self, line: _Line) -> bool:
        """Whether a line may go on with it: as it is indented, the third line is as the second."""
        if self.is_empty:
            return True
        if len(self._lines) == _LONGEST:
            return False
        if line.begins or line.quotes != self._lines[0].quotes:
            return False
        return len(self._lines) == 1 or line.prefix == self._lines[1].prefix

    def add(self, line: _Line) -> None:
        self._lines.append(line)
        words = self._words(line)
        if " " in words:  # an address is as long as it is
            self.width = max(self.width, line.width)

    def runs(self, width: int) -> Iterator[range]:
        """Breaks one after the other at which lines are full."""
        return _runs([self._is_full(at, width) for at in self.breaks])

    def runs_on(self, run: range) -> bool:
        """Whether sentences run on at enough of some breaks."""
        running = sum(self._is_unfinished(at) and self._next(at)[0].islower() for at in run)
        return running * _RUNNING >= len(run)

    def fills(self, at: int, width: int) -> bool:
        """Whether a break is one more of a text that is so wide."""
        is_as_wide = self.width <= width + width // _SLACK
        return is_as_wide and self._is_full(at, width) and self._is_unfinished(at)

    def paragraph(self, run: range) -> Paragraph:
        """The lines that some breaks are between."""
        lines = self._lines[run.start : run.stop + 1]
        first_break = Span(lines[0].span.end, lines[1].span.start).of(self._text)
        return Paragraph(
            Span(lines[0].span.start, lines[-1].span.end),
            len(lines[0].prefix),
            self.width,
            first_break.lstrip(" \t"),
            tuple(map(self._joint, run)),
        )

    def _words(self, line: _Line) -> str:
        return line.span.of(self._text)

    def _next(self, at: int) -> str:
        """What the next line begins with."""
        return self._words(self._lines[at + 1]).split(maxsplit=1)[0]

    def _is_full(self, at: int, width: int) -> bool:
        line = self._lines[at]
        return (
            self._words(line).endswith(tuple(HYPHENS))
            or line.width + 1 + len(self._next(at)) > width - width // _SLACK
        )

    def _is_unfinished(self, at: int) -> bool:
        return not _is_finished(self._words(self._lines[at]))

    def _joint(self, at: int) -> Edit:
        """What makes one line of two."""
        before, behind = self._lines[at], self._lines[at + 1]
        cut, between = joint(self._words(before), self._words(behind))
        return Edit(Span(before.span.end - cut, behind.span.start), between)


def _is_finished(words: str, or_by: str = "") -> bool:
    return words.rstrip(CLOSERS).endswith(tuple(STOPS + or_by))


def _runs(flags: Sequence[bool]) -> Iterator[range]:
    start = None
    for at, flag in enumerate([*flags, False]):
        if flag and start is None:
            start = at
        elif not flag and start is not None:
            yield range(start, at)
            start = None
