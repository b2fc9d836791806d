"""Tables (csv, tsv): cells of the columns that were named; all others stay, quotes and all."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from dragoman.documents.passage import Marked, Translated, has_words
from dragoman.documents.text.source import TextBlock, TextDocument, TextSource
from dragoman.documents.text.tagged import TagMark, tagged, untagged
from dragoman.errors import DocumentError

ALL = "all"
_SEPARATORS = ",;\t|"
_SHOWN = 20
# A first line that tells Excel the separator.
_HINT = re.compile(r"\ufeff?sep=(.)[ \t]*(?:\r\n?|\n)", re.IGNORECASE)
# =SUM(A1:A9), =A1*B1: spreadsheets compute it.
_FORMULA = re.compile(r"\s*=[+-]?\(*(?:[A-Za-z][\w.]*\(|\$?[A-Za-z]{1,3}\$?\d)")


@dataclass(frozen=True, slots=True)
class _Cell:
    """A cell at [start, end) of the source, with its quotes if it is `quoted`."""

    text: str
    quoted: bool
    start: int
    end: int
    column: int
    row: int


def read_table(source: TextSource, separator: str, columns: Sequence[str]) -> TextDocument:
    """A table as a document.

    Args:
        separator: of cells; "" for the one that its first row has most of.
        columns: names in the first row, numbers from 1, or "all". Where none is a name, the first
            row is one like all others: of a table without names, numbers are the only way to it.

    Raises:
        DocumentError: no column is named, or one that is not there; the message has their names.
    """
    hint = _HINT.match(source.text)
    if hint:
        separator = hint[1]
    separator = separator or _found_separator(source.text)
    cells = list(_cells(source.text, separator, hint.end() if hint else 0))
    names = [cell.text.strip() for cell in cells if cell.row == 0]
    if list(columns) == [ALL]:
        wanted, named = {cell.column for cell in cells}, False
    else:
        wanted, named = _wanted(columns, names)
    blocks = []
    for cell in cells:
        if cell.column in wanted and _is_text(cell.text) and not (named and cell.row == 0):
            marked = tagged(cell.text)
            write = partial(_written, marked, separator, cell.quoted)
            blocks.append(TextBlock(marked, cell.start, cell.end, write))
    return TextDocument(source, blocks)


def _wanted(columns: Sequence[str], names: Sequence[str]) -> tuple[set[int], bool]:
    """The columns' places, and whether the first row has their names."""
    shown = ", ".join(names[:_SHOWN]) or "none"
    if not columns:
        raise DocumentError(
            "columns",
            f"name the columns to translate (--columns): there are {shown}; or all",
            columns=json.dumps(list(names[: _SHOWN + 1])),
        )
    numbers = {str(place + 1): place for place in range(len(names))}
    wanted: set[int] = set()
    named = False
    for column in columns:
        if column in names:
            named = True
            wanted |= {place for place, name in enumerate(names) if name == column}
        elif column in numbers:
            wanted.add(numbers[column])
        else:
            raise DocumentError("columns", f"there is no column {column!r}; there are {shown}")
    return wanted, named


def _is_text(text: str) -> bool:
    return has_words(text) and _FORMULA.match(text) is None


def _found_separator(text: str) -> str:
    first = re.sub(r'"[^"]*"', "", text.partition("\n")[0])
    return max(_SEPARATORS, key=first.count)


def _cells(text: str, separator: str, at: int) -> Iterator[_Cell]:
    end = rf"{re.escape(separator)}|\r\n?|\n|\Z"
    # A quotation mark that is not closed at a cell's end is one of its text.
    cell = re.compile(
        rf'(?P<quoted>"(?:[^"]|"")*"(?=[ ]*(?:{end})))?(?P<bare>[^{re.escape(separator)}\r\n]*)'
        rf"(?P<end>{end})"
    )
    row = column = 0
    while at < len(text):
        match = cell.match(text, at)
        if match is None:  # no text is without an end
            return
        quoted, stop = match["quoted"], match.start("end")
        said = quoted[1:-1].replace('""', '"') if quoted else text[at:stop]
        yield _Cell(said, bool(quoted), at, stop, column, row)
        at = match.end()
        row, column = (row, column + 1) if match["end"] == separator else (row + 1, 0)


def _written(marked: Marked[TagMark], separator: str, quoted: bool, translated: Translated) -> str:
    text = untagged(marked, translated)
    if separator == "\t" and not quoted:
        return re.sub(r"[\t\r\n]", " ", text)
    if quoted or any(character in text for character in (separator, '"', "\n", "\r")):
        return '"' + text.replace('"', '""') + '"'
    return text
