"""Rows of small numbers as bytes, compressed by `lzma`, and back.

Piece ids stay 16-bit numbers, all of a side back to back with a 0 after each row. Codes of one byte
for the commonest pieces, and planes of high and low bytes, were longer once they were compressed:
ADR 42 has the figures.
"""

from __future__ import annotations

import lzma
from collections.abc import Mapping

import numpy as np

from dragoman.errors import CorpusError
from dragoman.models.data.batches import EOS, Ragged

# Each other byte is the low half of a number: lzma is to model the two apart.
PIECES = {"lp": 1, "pb": 1}
BYTES = {"lp": 0, "pb": 0}
LEAST, MOST = 1 << 16, 1 << 27  # bytes that lzma looks back: all that there are, within limits


def squeeze(content: bytes, kind: Mapping[str, int] = BYTES) -> bytes:
    """Compress bytes, or what `PIECES` are of."""
    back = min(MOST, max(LEAST, len(content)))
    chosen = {"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": back, **kind}
    return lzma.compress(content, format=lzma.FORMAT_XZ, filters=[chosen])


def expand(content: bytes) -> bytes:
    """Raises: CorpusError: it is no such stream, or is damaged."""
    try:
        return lzma.decompress(content, format=lzma.FORMAT_XZ)
    except lzma.LZMAError as error:
        raise CorpusError(f"a stream is damaged: {error}") from error


def rows_as_bytes(rows: Ragged) -> bytes:
    """Rows of pieces, none of them 0, with a 0 after each."""
    lengths = rows.lengths()
    everything = np.full(int(lengths.sum()) + len(lengths), EOS, dtype="<u2")
    inside = np.ones(len(everything), dtype=np.bool_)
    inside[np.cumsum(lengths + 1) - 1] = False
    everything[inside] = rows.flat
    return everything.tobytes()


def bytes_as_rows(content: bytes) -> Ragged:
    """What `rows_as_bytes` was given.

    Raises:
        ValueError: the bytes are damaged.
    """
    everything = np.frombuffer(content, dtype="<u2")
    if len(everything) and everything[-1] != EOS:
        raise ValueError("its last row has no end")
    places = np.flatnonzero(everything == EOS)
    ends = places - np.arange(len(places))
    offsets = np.concatenate((np.zeros(1, dtype=np.int64), ends))
    return Ragged(everything[everything != EOS].astype(np.uint16), offsets)


def links_as_bytes(links: Ragged) -> bytes:
    """Links of each pair by second piece, then first: a plane of counts, two of differences.

    Bytes of a plane are alike: most links go on by one on either side.
    """
    rows = np.asarray(links.flat, dtype=np.int64).reshape(-1, 2)
    counts = links.lengths() // 2
    owner = np.repeat(np.arange(len(counts)), counts)
    rows = rows[np.lexsort((rows[:, 0], rows[:, 1], owner))]
    before = np.vstack((np.zeros((1, 2), dtype=np.int64), rows[:-1]))[: len(rows)]
    starts = np.cumsum(counts) - counts
    before[starts[counts > 0]] = 0
    steps = ((rows - before) & 255).astype(np.uint8)
    head = np.array([len(counts)], dtype="<u8").tobytes()
    planes = (counts.astype("<u2"), steps[:, 1], steps[:, 0])
    return head + b"".join(plane.tobytes() for plane in planes)


def bytes_as_links(content: bytes) -> Ragged:
    """What `links_as_bytes` was given, but for the order of a pair's links.

    Raises:
        ValueError: the bytes are damaged.
    """
    rows = int(np.frombuffer(content[:8], dtype="<u8")[0])
    counts = np.frombuffer(content[8 : 8 + 2 * rows], dtype="<u2").astype(np.int64)
    steps = np.frombuffer(content[8 + 2 * rows :], dtype=np.uint8).astype(np.int64)
    second, first = steps.reshape(2, -1)
    if len(counts) != rows or int(counts.sum()) != len(first):
        raise ValueError("its links are not of its pairs")
    sums = np.stack((first, second), axis=1).cumsum(axis=0)
    starts = (np.cumsum(counts) - counts)[counts > 0]
    base = sums[starts] - np.stack((first, second), axis=1)[starts]
    flat = (sums - np.repeat(base, counts[counts > 0], axis=0)) & 255
    offsets = 2 * np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(counts)))
    return Ragged(flat.astype(np.uint8).ravel(), offsets)


def no_links(rows: int) -> Ragged:
    return Ragged(np.zeros(0, dtype=np.uint8), np.zeros(rows + 1, dtype=np.int64))
