"""What a service has done since it was made, and what it holds."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from dragoman.service.progress import RequestState


@dataclass(frozen=True, slots=True)
class Statistics:
    """Figures of a service.

    Attributes:
        submitted, done, failed, cancelled: requests. Those under way are the rest: `open_requests`.
        queued_sentences, queued_characters: what waits for the engine.
        running_sentences: rows of the mini-batch in the engine.
        mini_batches, rows: that the engine has run, whatever came of them.
        padded_pieces: of those mini-batches, rows times width.
        engine_seconds: that they took.
        cache_hits, cache_misses: sentences that came from the cache, and those that might have.
        cache_entries, cache_bytes: what it keeps.
        restarts: times that the service failed as a whole and began anew.
    """

    submitted: int
    done: int
    failed: int
    cancelled: int
    open_requests: int
    queued_sentences: int
    queued_characters: int
    running_sentences: int
    mini_batches: int
    rows: int
    padded_pieces: int
    engine_seconds: float
    cache_hits: int
    cache_misses: int
    cache_entries: int
    cache_bytes: int
    restarts: int

    @property
    def cache_hit_rate(self) -> float:
        """Hits of all look-ups, 0 to 1; 0 when there were none."""
        return self.cache_hits / max(1, self.cache_hits + self.cache_misses)


@dataclass(slots=True)
class Counters:
    """The part of it that only grows."""

    submitted: int = 0
    ended: Counter[RequestState] = field(default_factory=Counter)
    mini_batches: int = 0
    rows: int = 0
    padded_pieces: int = 0
    engine_seconds: float = 0.0
    cache_hits: int = 0
    cache_misses: int = 0
    restarts: int = 0
