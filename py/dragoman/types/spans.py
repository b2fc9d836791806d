"""Where something stands in a text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """``text[start:end]``, in code points."""

    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start

    def shifted(self, by: int) -> Span:
        # Most are shifted by nothing: all words of a text of one sentence.
        return Span(self.start + by, self.end + by) if by else self

    def of(self, text: str) -> str:
        return text[self.start : self.end]

    def within(self, other: Span) -> Span:
        """What of it is in `other`, which it overlaps."""
        return Span(max(self.start, other.start), min(self.end, other.end))

    def overlaps(self, other: Span) -> bool:
        return self.start < other.end and other.start < self.end


_MOST_KNOWN = 4_096

# A frozen dataclass takes its time to be made, and a sentence has a hundred spans, nearly all of
# some characters among the first two hundred.
span_of = lru_cache(_MOST_KNOWN)(Span)
"""The span from one place up to another, made once: it is a value, and sentences share most."""
