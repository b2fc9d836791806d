"""Translated sentences that are kept, least recently used out, bounded by bytes.

    key: (model files, alignment kind, text of the sentence)      exact: never a hash of the text
    value: the aligned segment, as the last stage but one made it

A hit is the same sentence for the same model: the key must be equal, and so must the segment that
was translated (its pieces, its limit) but for where it stands. What a hit gives is therefore what
the engine would have given, up to what companions in a mini-batch make of the last digits.

An entry belongs to the request that brought it until that request has ended, or another one used
it. When the request is cancelled, what still belongs to it goes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, replace

from dragoman.types import AlignedSegment, Segment

CacheKey = tuple[str, str, str]

# Measured with tracemalloc on CPython 3.11, rounded up; under Pyodide objects are smaller.
_ENTRY_BYTES, _PIECE_BYTES, _WORD_BYTES, _FLOAT_BYTES = 1_600, 200, 110, 4


@dataclass(slots=True)
class _Entry:
    value: AlignedSegment
    bytes: int
    owner: Hashable | None


class SentenceCache:
    """Several services of one event loop may share one.

    Args:
        limit: bytes; a sentence over it by itself is not kept.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._entries: OrderedDict[CacheKey, _Entry] = OrderedDict()
        self._owned: dict[Hashable, set[CacheKey]] = {}
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def bytes(self) -> int:
        """Estimate of what is kept."""
        return self._bytes

    @property
    def owners(self) -> int:
        """Requests under way that have entries of their own."""
        return len(self._owned)

    def find(self, key: CacheKey, segment: Segment) -> AlignedSegment | None:
        """The translation of a segment, as if it had been made for it."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        known = entry.value.hypothesis
        placed = replace(
            known.segment, request=segment.request, index=segment.index, span=segment.span
        )
        if placed != segment:
            return None
        self._disown(key, entry)
        self._entries.move_to_end(key)
        return replace(entry.value, hypothesis=replace(known, segment=segment))

    def keep(self, key: CacheKey, value: AlignedSegment, owner: Hashable) -> None:
        """Remember a translation that `owner` brought; of two for one key the first stays."""
        size = _size(key, value)
        if key in self._entries or size > self._limit:
            return
        self._entries[key] = _Entry(value, size, owner)
        self._owned.setdefault(owner, set()).add(key)
        self._bytes += size
        while self._bytes > self._limit:
            self._remove(next(iter(self._entries)))

    def release(self, owner: Hashable) -> None:
        """A request has ended: what it brought stays, and belongs to nobody."""
        for key in self._owned.pop(owner, ()):
            self._entries[key].owner = None

    def forget(self, owner: Hashable) -> None:
        """A request was taken back: what it brought, and nobody else has used, goes."""
        for key in list(self._owned.get(owner, ())):
            self._remove(key)

    def clear(self) -> None:
        self._entries.clear()
        self._owned.clear()
        self._bytes = 0

    def _remove(self, key: CacheKey) -> None:
        entry = self._entries.pop(key)
        self._bytes -= entry.bytes
        self._disown(key, entry)

    def _disown(self, key: CacheKey, entry: _Entry) -> None:
        if entry.owner is None:
            return
        keys = self._owned[entry.owner]
        keys.remove(key)
        if not keys:
            del self._owned[entry.owner]
        entry.owner = None


def _size(key: CacheKey, value: AlignedSegment) -> int:
    hypothesis = value.hypothesis
    characters = len(key[-1]) + len(value.target.text)
    pieces = len(hypothesis.segment.pieces) + len(hypothesis.ids)
    words = len(value.source_words) + len(value.target_words)
    return (
        _ENTRY_BYTES
        + 4 * characters
        + _PIECE_BYTES * pieces
        + _WORD_BYTES * words
        + _FLOAT_BYTES * len(hypothesis.attention)
    )
