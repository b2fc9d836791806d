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
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from dragoman.service.sentence_line import read_line, write_line
from dragoman.types import AlignedSegment, Segment

CacheKey = tuple[str, str, str]

# Measured with tracemalloc on CPython 3.11, rounded up; under Pyodide objects are smaller.
_ENTRY_BYTES, _PIECE_BYTES, _WORD_BYTES, _FLOAT_BYTES = 1_600, 200, 110, 4
_LINE_BYTES = 500


@dataclass(slots=True)
class _Entry:
    """`value` is a line (`sentence_line`) until it is wanted; `is_stored` by the host."""

    value: AlignedSegment | str
    bytes: int
    owner: Hashable | None
    is_stored: bool = False


@dataclass(frozen=True, slots=True)
class News:
    """What a host that keeps sentences should do: keep a new line, or drop what it has.

    Without either the sentence was used again.
    """

    key: CacheKey
    line: str | None = None
    dropped: bool = False


class Journal:
    """What there is to tell to a host that keeps sentences.

    Attributes:
        hits: sentences that were found because a host had kept them.
    """

    def __init__(self) -> None:
        self.hits = 0
        self.changed: dict[CacheKey, None] = {}
        self.dropped: dict[CacheKey, None] = {}

    def drop(self, key: CacheKey) -> None:
        self.changed.pop(key, None)
        self.dropped[key] = None

    def forget(self) -> None:
        self.changed.clear()
        self.dropped.clear()


class SentenceCache:
    """Several services of one event loop may share one.

    Args:
        limit: bytes; a sentence over it by itself is not kept.
        journal: of a host that keeps sentences.
    """

    def __init__(self, limit: int, journal: Journal | None = None) -> None:
        self._limit, self._journal = limit, journal
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
        value = None if entry is None else self._read(key, entry)
        if entry is None or value is None:
            return None
        known = value.hypothesis
        placed = replace(
            known.segment, request=segment.request, index=segment.index, span=segment.span
        )
        if placed != segment:
            if entry.is_stored:  # by another vocabulary's rules: it would be in the way for good
                self._drop(key)
            return None
        self._disown(key, entry)
        self._entries.move_to_end(key)
        if self._journal is not None and entry.is_stored:
            self._journal.hits += 1
            self._journal.changed[key] = None
        return replace(value, hypothesis=replace(known, segment=segment))

    def put(self, key: CacheKey, value: AlignedSegment, owner: Hashable) -> None:
        """Remember a translation that `owner` brought; of two for one key the first stays."""
        size = _size(key, value)
        if key in self._entries or size > self._limit:
            return
        self._entries[key] = _Entry(value, size, owner)
        self._owned.setdefault(owner, set()).add(key)
        self._bytes += size
        if self._journal is not None:
            self._journal.changed[key] = None
        self._shrink()

    def restore(self, stored: Iterable[tuple[CacheKey, str]]) -> None:
        """Take back lines that a host has kept, the one used last first; they are read when wanted.

        They count as used before all that is here, and take what room there is.
        """
        for key, line in stored:
            size = _line_size(key, line)
            if key in self._entries:
                continue
            if self._bytes + size > self._limit:
                return
            self._entries[key] = _Entry(line, size, None, is_stored=True)
            self._entries.move_to_end(key, last=False)
            self._bytes += size

    def news(self, most: int) -> list[News]:
        """What a host has not been told, up to so much of it; nothing without a journal.

        What open requests brought waits for their end.
        """
        journal = self._journal
        if journal is None:
            return []
        told = [News(key, dropped=True) for key in islice(journal.dropped, most)]
        told += islice(self._changed(journal), most - len(told))
        for news in told:
            (journal.dropped if news.dropped else journal.changed).pop(news.key)
            if news.line is not None:
                self._entries[news.key].is_stored = True
        return told

    def _changed(self, journal: Journal) -> Iterator[News]:
        for key in journal.changed:
            entry = self._entries[key]
            if entry.is_stored:
                yield News(key)
            elif entry.owner is None and not isinstance(entry.value, str):
                yield News(key, write_line(key, entry.value))

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
        if self._journal is not None:
            self._journal.forget()

    def _read(self, key: CacheKey, entry: _Entry) -> AlignedSegment | None:
        """The value of an entry; one that was kept, and cannot be read, goes."""
        if not isinstance(entry.value, str):
            return entry.value
        value = read_line(key, entry.value)
        size = 0 if value is None else _size(key, value)
        if value is None or size > self._limit:
            self._drop(key)
            return None
        self._bytes += size - entry.bytes
        entry.value, entry.bytes = value, size
        self._entries.move_to_end(key)
        self._shrink()
        return value

    def _drop(self, key: CacheKey) -> None:
        """Forget an entry that its host has kept in vain."""
        self._remove(key)
        if self._journal is not None:
            self._journal.drop(key)

    def _shrink(self) -> None:
        while self._bytes > self._limit:
            self._remove(next(iter(self._entries)))

    def _remove(self, key: CacheKey) -> None:
        entry = self._entries.pop(key)
        self._bytes -= entry.bytes
        self._disown(key, entry)
        if self._journal is not None:
            self._journal.changed.pop(key, None)

    def _disown(self, key: CacheKey, entry: _Entry) -> None:
        if entry.owner is None:
            return
        keys = self._owned[entry.owner]
        keys.remove(key)
        if not keys:
            del self._owned[entry.owner]
        entry.owner = None


def _line_size(key: CacheKey, line: str) -> int:
    return _LINE_BYTES + 4 * sum(map(len, key[1:])) + len(line)


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
        + sum(_size(key, other) for other in value.alternatives)
    )
