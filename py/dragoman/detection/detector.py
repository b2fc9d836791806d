"""Texts in, languages with confidence out; what is short, mixed or in none known is "not sure".

    windows      sentences, put together until there is enough to go by
    sums         of each window, and of the whole text:  language -> sum of weights
    shares       the whole text's sums as probabilities, beside a language that is in no table; less
                 what windows say that are as good as sure to be in another language, and what
                 strange words say: those of a relative that is in no table

Worked, with the shipped table:

    "Ich habe leider keine Zeit."                     de, 1.0
    "Hotel"                                           not sure
    "Das ist ein Haus. This is a house of mine."      not sure: half and half
    "qwrtz plkjh"                                     not sure
    "Mir gönd hüt go poschte."                        not sure: Swiss German is not in the table
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from dragoman.detection.ngrams import word_ngrams, word_pattern
from dragoman.detection.table import NgramTable

UNKNOWN = "und"
# From this confidence on a language is named; below it the answer is "not sure" (ADR 22).
SURE = 0.8
# Characters that are looked at: so many from the beginning on.
SAMPLE = 4_000
# A window ends with its sentence when it has so many n-grams, and in any case at that many.
ENOUGH, PLENTY = 6, 60
# A window speaks against the rest if it is so sure.
CONTRADICTS = 0.99
# Fewer n-grams are one short word, which several languages may have.
LEAST = 2
# Words that a language does not know speak for a relative that is in no table, from a share of the
# small words on. One may be a slip; what is listed as a relative's counts for three (ADR 44).
STRANGE, STRANGE_SHARE, LISTED = 2, 0.25, 3
DECIMALS = 3
# Less likely languages are not worth a line.
WORTH = 0.01
_SENTENCE_END = re.compile(r"[.!?\u2026\u3002\uff01\uff1f\u0964\u061f\n]+\s*")


@dataclass(frozen=True, slots=True)
class Candidate:
    """Attributes:
    language: BCP 47; "und" stands for all that the table does not know.
    confidence: 0 to 1.
    """

    language: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Detection:
    """Attributes:
    language: BCP 47; None when not sure.
    confidence: 0 to 1, of the best candidate.
    candidates: those of 0.01 and more, best first, "und" among them.
    """

    language: str | None
    confidence: float
    candidates: tuple[Candidate, ...]


class Detector:
    """Says which language a text is in.

    Args:
        table: `dragoman.detection.table.shipped_table()`.
    """

    def __init__(self, table: NgramTable) -> None:
        self._table = table
        self._between = word_pattern(table.letters)

    @property
    def languages(self) -> tuple[str, ...]:
        """Tags that `detect` may name; Chinese as zh-Hans, zh-Hant or, undecided, zh."""
        chinese = ("zh-Hans", "zh-Hant")
        return tuple(sorted((*self._table.languages, *chinese)))

    def detect(self, text: str) -> Detection:
        """The language of a text; of a long one, of its first 4,000 characters."""
        sample = text[:SAMPLE]
        windows = list(self._windows(sample))
        shares = self._less_strange(self._shares(windows), sample)
        ranked = sorted(((share, -at) for at, share in enumerate(shares)), reverse=True)
        names = (*self._table.languages, UNKNOWN)
        candidates = tuple(
            Candidate(self._written(names[-at], sample), round(share, DECIMALS))
            for share, at in ranked
            if share >= WORTH
        )
        best = candidates[0]
        few = sum(map(len, windows)) < LEAST
        sure = best.confidence >= SURE and best.language != UNKNOWN and not few
        return Detection(best.language if sure else None, best.confidence, candidates)

    def _windows(self, text: str) -> Iterator[list[int]]:
        window: list[int] = []
        for sentence in _SENTENCE_END.split(text):
            for word in self._between.sub(" ", sentence).lower().split():
                if len(window) >= PLENTY:
                    yield window
                    window = []
                window += word_ngrams(word)
            if len(window) >= ENOUGH:
                yield window
                window = []
        if window:
            yield window

    def _shares(self, windows: Sequence[list[int]]) -> list[float]:
        """Probabilities of the table's languages, and of none of them; [languages + 1]."""
        sums = [self._sums(window) for window in windows]
        whole = self._probabilities([sum(column) for column in zip(*sums, strict=True)])
        best = max(range(len(whole)), key=whole.__getitem__)
        total = sum(map(len, windows))
        against = [0.0] * len(whole)
        for window, column in zip(windows, sums, strict=True):
            shares = self._probabilities(column)
            other = max(range(len(shares)), key=shares.__getitem__)
            if other != best and shares[other] >= CONTRADICTS:
                against[other] += len(window) / total
        left = 1 - math.fsum(against)
        return [share * left + other for share, other in zip(whole, against, strict=True)]

    def _less_strange(self, shares: list[float], text: str) -> list[float]:
        """Of the likeliest language goes to none of them what the text's strange words are of its
        small ones. Words with a capital are not looked at, as any name is strange."""
        best = max(range(len(shares)), key=shares.__getitem__)
        own = self._table.relatives.get([*self._table.languages, UNKNOWN][best])
        if own is None or shares[best] < SURE:
            return shares
        words = strange = 0
        for word in self._between.sub(" ", text).split():
            small = word.lower()
            if small in own:
                words, strange = words + 1, strange + LISTED
            elif small[0] == word[0]:
                unknown = not all(self._table.knows(best, ngram) for ngram in word_ngrams(small))
                words, strange = words + 1, strange + unknown
        if strange < STRANGE or strange <= STRANGE_SHARE * words:
            return shares
        moved = shares[best] * min(1, strange / words)
        return [
            share + (-moved if at == best else moved if at == len(shares) - 1 else 0)
            for at, share in enumerate(shares)
        ]

    def _sums(self, ngrams: Iterable[int]) -> list[int]:
        """Of a window; [languages + 1]."""
        distinct = set(ngrams)
        sums = [0] * (len(self._table.languages) + 1)
        for ngram in distinct:
            self._table.add(ngram, sums)
        sums[-1] = self._table.unknown * len(distinct)
        return sums

    def _probabilities(self, sums: Sequence[int]) -> list[float]:
        if not any(sums):
            return [0.0] * len(self._table.languages) + [1.0]
        scale = self._table.unit * self._table.temperature
        top = max(sums)
        powers = [math.exp((value - top) / scale) for value in sums]
        total = math.fsum(powers)
        return [power / total for power in powers]

    def _written(self, language: str, text: str) -> str:
        """Chinese with its script, where characters tell."""
        if language != "zh":
            return language
        simplified = sum(char in self._table.simplified for char in text)
        traditional = sum(char in self._table.traditional for char in text)
        if simplified == traditional:
            return language
        return "zh-Hans" if simplified > traditional else "zh-Hant"
