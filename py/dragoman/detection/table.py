"""The table of n-grams: which languages know an n-gram, and how much it speaks for each of them.

    zlib of:  a line of JSON  | numbers of the n-grams, sorted, byte by byte: [6][n] u8
                              | how many languages know each: [n] u8
                              | the languages: [entries] u8      | weights: [entries] u8

The JSON: {"languages": […], "letters": "A-Za-z…" (the inside of a character class; the same in all
hosts, whatever Unicode they know), "simplified": "…", "traditional": "…" (characters that only one
of the two uses), "ngrams": n, "unit", "temperature", "unknown", "relatives": {"de": […], …}}. A
weight is the logarithm of how often an n-gram is met over how often one is that the language
never has, in `unit`ths of a nat.
"""

from __future__ import annotations

import json
import sys
import zlib
from array import array
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from itertools import accumulate

from dragoman.detection.ngrams import WIDEST


@dataclass(frozen=True, slots=True)
class NgramTable:
    """Attributes:
    languages: BCP 47.
    letters: the inside of a character class.
    numbers: of the n-grams, in order; [n].
    starts: where the entries of each begin; [n + 1].
    entries: indexes of languages; weights: of the same entries; [entries].
    unit: weights to a nat.
    temperature: what sums are divided by, in nats, before they become probabilities.
    unknown: the sum of a text in no language of the table, for each of its n-grams.
    relatives: words, in lower case, of languages that are in no table and like the one named.
    """

    languages: tuple[str, ...]
    letters: str
    simplified: frozenset[str]
    traditional: frozenset[str]
    numbers: array[int]
    starts: array[int]
    entries: bytes
    weights: bytes
    unit: int
    temperature: float
    unknown: int
    relatives: Mapping[str, frozenset[str]]

    def add(self, number: int, sums: list[int]) -> None:
        """Add the weights of an n-gram to the sums of the languages; [languages]."""
        at = bisect_left(self.numbers, number)
        if at < len(self.numbers) and self.numbers[at] == number:
            for entry in range(self.starts[at], self.starts[at + 1]):
                sums[self.entries[entry]] += self.weights[entry]

    def knows(self, language: int, number: int) -> bool:
        """Whether a language has an n-gram; by the language's index."""
        at = bisect_left(self.numbers, number)
        if at == len(self.numbers) or self.numbers[at] != number:
            return False
        return language in self.entries[self.starts[at] : self.starts[at + 1]]


def read_table(packed: bytes) -> NgramTable:
    """The table of its file's content."""
    head, _, body = zlib.decompress(packed).partition(b"\n")
    said = json.loads(head)
    n = said["ngrams"]
    planes, counts = body[: WIDEST * n], body[WIDEST * n : (WIDEST + 1) * n]
    entries = sum(counts)
    rest = body[(WIDEST + 1) * n :]
    return NgramTable(
        tuple(said["languages"]), said["letters"],
        frozenset(said["simplified"]), frozenset(said["traditional"]),
        _numbers(planes, n), array("I", accumulate(counts, initial=0)),
        rest[:entries], rest[entries:], said["unit"], said["temperature"], said["unknown"],
        {language: frozenset(words) for language, words in said["relatives"].items()},
    )  # fmt: skip


def _numbers(planes: bytes, n: int) -> array[int]:
    wide = bytearray(8 * n)
    for plane in range(WIDEST):
        wide[8 - WIDEST + plane :: 8] = planes[plane * n : (plane + 1) * n]
    numbers = array("Q", bytes(wide))
    if sys.byteorder == "little":
        numbers.byteswap()
    return numbers


def shipped_table() -> NgramTable:
    """The table of this version of the program."""
    return read_table(files(__package__).joinpath("ngrams.bin").read_bytes())
