"""Tables that people keep by hand: UTF-8, a row a line, columns parted by tabulators."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import BinaryIO

from dragoman.errors import DragomanError


def numbered_lines(
    file: BinaryIO, invalid: Callable[[str], DragomanError]
) -> Iterator[tuple[int, str]]:
    """The lines that say something, with their numbers from 1; without a BOM.

    Args:
        invalid: the error of a table, by what is wrong.

    Raises:
        DragomanError: what `invalid` gives, for a line that is not UTF-8.
    """
    for number, line in enumerate(file, 1):
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise invalid(f"line {number} is not UTF-8") from error
        if text.strip():
            yield number, text
