"""The n-grams of a text, as the table of `dragoman.detection` counts them.

A word is a run of letters (apostrophes before a letter belong to it), in lower case, in UTF-8. Its
n-grams are four bytes long and begin every third byte; the first has a space before it, the last
one behind it. A word of up to four bytes is one n-gram. Worked:

    "Guten Tag!"   " gute"  "en "... of guten: " gute", "uten "; of tag: " tag "

This is how ELD, which the table's figures come from, cuts words (https://github.com/nitotm).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

BYTES = 4
STRIDE = 3
# The beginning of a longer "word" says enough; scripts without spaces have no other words.
WORD_BYTES = 70
# Bytes of the longest n-gram: four, and a space at either side.
WIDEST = BYTES + 2


def word_pattern(letters: str) -> re.Pattern[str]:
    """What lies between words, for letters as the inside of a character class."""
    return re.compile(f"[^{letters}]+(?<!['`\u2019])")


def word_ngrams(word: str) -> Iterator[int]:
    """N-grams of a word in lower case: their bytes as numbers, see `number`."""
    data = word.encode("utf-8", "replace")[:WORD_BYTES]
    start = 0
    while start + BYTES < len(data):
        yield number((b"" if start else b" ") + data[start : start + BYTES])
        start += STRIDE
    yield number((b"" if start else b" ") + data[max(0, len(data) - BYTES) :] + b" ")


def number(ngram: bytes) -> int:
    """The bytes of an n-gram, of six at most, as a number whose order is theirs.

    " a "  0x206120000000
    """
    return int.from_bytes(ngram.ljust(WIDEST, b"\0"), "big")
