"""Sentences that somebody has translated before, to be used again."""

from __future__ import annotations

import re
from dataclasses import dataclass

from dragoman.errors import InvalidTranslationMemoryError

# What no sentence has: tabulators and line breaks too, which would part it.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class MemoryEntry:
    """A sentence and its translation."""

    source: str
    target: str


@dataclass(frozen=True, slots=True)
class TranslationMemory:
    """Translated sentences of a pair of languages; of two of the same source the later one counts.

    Attributes:
        entries: in no order that matters but that.
        near: most entries that are offered for a sentence which is like theirs, where
            alternatives are asked for; 0 for none.
        similarity: that such an entry has at least, above 0, up to 1 (`memory_index`).

    Raises:
        InvalidTranslationMemoryError: a side is empty, has a line break or another control, or
            white space around it; `near` is below 0, or `similarity` out of its range.
    """

    entries: tuple[MemoryEntry, ...] = ()
    near: int = 5
    similarity: float = 0.75

    def __post_init__(self) -> None:
        if self.near < 0 or not 0 < self.similarity <= 1:
            raise InvalidTranslationMemoryError(
                f"near is {self.near}, not from 0 on, or similarity is {self.similarity:g}, "
                "not above 0 and up to 1"
            )
        for index, entry in enumerate(self.entries):
            for side, text in (("source", entry.source), ("target", entry.target)):
                if not text or text != text.strip():
                    message = f"the {side} is empty, or has white space around it"
                    raise InvalidTranslationMemoryError(message, index)
                if _CONTROL.search(text):
                    message = f"the {side} has a line break or another control character"
                    raise InvalidTranslationMemoryError(message, index)

    def __or__(self, other: TranslationMemory) -> TranslationMemory:
        """The entries of both; those of `other` count where both have one, and its other fields."""
        return TranslationMemory((*self.entries, *other.entries), other.near, other.similarity)


@dataclass(frozen=True, slots=True)
class MemoryMatch:
    """An entry that is like a sentence.

    Attributes:
        similarity: above 0, up to 1.
    """

    entry: MemoryEntry
    similarity: float
