"""The lexical shortlist: for each source piece, the target pieces that are worth a row of the
output layer. Read, written and checked in the binary format of the published models.

    u64 magic, u64 checksum, u64 first, u64 best, u64 a = source pieces + 1, u64 b
    a u64: where the list of each source piece begins, and an end
    b u32: target pieces, sorted within each list

A sentence may say the ids below `first` (the most frequent ones), the list of EOS, which every
sentence has, and as many ids from `first` on as make a multiple of 8 that is large enough: its own
lists alone leave a short sentence too little to choose among. These are common to all sentences.
Besides, it may say the lists of its source pieces, and the source pieces themselves (names are
copied). ``kernel/src/shortlist.c`` does it.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import ModelFileError

MAGIC = 0xF11A48D5013417F5
MULTIPLE = 8
EOS_ID = 0
HEADER_BYTES = 48
CHECKED_FROM = 16  # the checksum leaves itself and the magic number out
WORD = (1 << 64) - 1


@dataclass(frozen=True)
class Shortlist:
    """Lists of target pieces.

    Attributes:
        first: ids below it are always chosen.
        best: longest list, as the maker asked for.
        offsets: uint64 [source pieces + 1], rising from 0 to the number of ids.
        targets: uint32, the lists one after another.
    """

    first: int
    best: int
    offsets: NDArray[np.uint64]
    targets: NDArray[np.uint32]

    @property
    def sources(self) -> int:
        """Number of source pieces."""
        return len(self.offsets) - 1

    def of(self, source: int) -> NDArray[np.uint32]:
        """The list of a source piece; empty for an id that the file does not have."""
        if not 0 <= source < self.sources:
            return self.targets[:0]
        return self.targets[int(self.offsets[source]) : int(self.offsets[source + 1])]

    def common(self, vocabulary_size: int, least: int = 0) -> NDArray[np.uint32]:
        """Sorted target pieces that every sentence may say: a multiple of 8, or all.

        Args:
            least: at least so many, by frequent ones.
        """
        pieces = set(range(min(max(self.first, 1), vocabulary_size)))
        pieces.update(map(int, self.of(EOS_ID)))
        frequent = chain(range(self.first, vocabulary_size), range(vocabulary_size))
        while (len(pieces) < least or len(pieces) % MULTIPLE) and len(pieces) < vocabulary_size:
            pieces.add(next(frequent))
        return np.array(sorted(pieces), dtype=np.uint32)

    def chosen(
        self,
        source_ids: Iterable[int],
        vocabulary_size: int,
        *,
        least: int = 0,
        copies: Sequence[int] | None = None,
    ) -> NDArray[np.uint32]:
        """Target pieces that a sentence may say: what is `common`, then its own, both sorted.

        Args:
            least: as of `common`.
            copies: of each source piece the target piece with its text, or -1; None: the same.
        """
        common, ids = self.common(vocabulary_size, least), {*source_ids}
        own = {int(target) for source in ids for target in self.of(source)}
        own.update(ids if copies is None else (copies[source] for source in ids))
        own = {target for target in own if 0 <= target < vocabulary_size}
        rest = np.array(sorted(own.difference(common.tolist())), dtype=np.uint32)
        return np.concatenate((common, rest))


def read_shortlist(content: bytes, *, verified: bool = False) -> Shortlist:
    """Read the binary format.

    Args:
        verified: the bytes are known to be the right ones; the checksum, which takes a tenth of a
            second a megabyte, is not looked at.

    Raises:
        ModelFileError: it is no shortlist, is cut off, too long, or damaged.
    """
    if len(content) < HEADER_BYTES:
        raise ModelFileError(f"this is no shortlist: {len(content)} bytes")
    magic, stored, first, best, offset_count, count = struct.unpack_from("<6Q", content)
    if magic != MAGIC:
        raise ModelFileError(f"this is no binary shortlist: it begins with {magic:#x}")
    expected = HEADER_BYTES + 8 * offset_count + 4 * count
    if expected != len(content):
        raise ModelFileError(
            f"the shortlist is cut off or damaged: {expected:,} bytes are named, "
            f"{len(content):,} are there",
            requested=expected,
            allowed=len(content),
        )
    if not verified and (computed := checksum(content)) != stored:
        raise ModelFileError(
            f"the shortlist is damaged: its checksum is {computed:#x}, not {stored:#x}"
        )
    offsets = np.frombuffer(content, "<u8", offset_count, HEADER_BYTES)
    targets = np.frombuffer(content, "<u4", count, HEADER_BYTES + 8 * offset_count)
    if offset_count < 1 or offsets[0] != 0 or int(offsets[-1]) != count:
        raise ModelFileError("the shortlist is damaged: its lists do not cover it")
    if np.any(offsets[1:] < offsets[:-1]):
        raise ModelFileError("the shortlist is damaged: a list ends before it begins")
    return Shortlist(first, best, offsets.astype(np.uint64), targets.astype(np.uint32))


def write_shortlist(shortlist: Shortlist) -> bytes:
    """The binary format."""
    body = struct.pack(
        "<4Q", shortlist.first, shortlist.best, len(shortlist.offsets), len(shortlist.targets)
    )
    body += shortlist.offsets.astype("<u8").tobytes() + shortlist.targets.astype("<u4").tobytes()
    content = struct.pack("<QQ", MAGIC, 0) + body
    return content[:8] + struct.pack("<Q", checksum(content)) + body


def checksum(content: bytes) -> int:
    """Of the whole 64-bit words after the first two; a half word at the end is not looked at."""
    words = np.frombuffer(content, "<u8", (len(content) - CHECKED_FROM) // 8, CHECKED_FROM)
    total = 0
    for word in words.tolist():
        total ^= (word + 0x9E3779B9 + (total << 6) + (total >> 2)) & WORD
    return total
