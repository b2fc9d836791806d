"""Words and their translations as they lie in a file, looked up where they are.

A list of a hundred thousand words takes a tenth of a second to read in a browser, and some twenty
megabytes once each is an object; of these a page needs a few hundred words.

    entries   uint32, how many
    firsts    uint32, how many words begin an entry of several
    bits      uint32, of the number of a word's bucket: those of its CRC-32 (zlib) on the right
    starts    uint32 [2^bits + 1], where each bucket begins in the lines, and the last one ends
    lines     "\\n" word "\\t" translation, bucket by bucket, and "\\n"; UTF-8

All little endian. A key that ends in a space has a full stop for each word of the longest entry
with this first word, if it has several.
"""

from __future__ import annotations

import zlib
from codecs import getincrementaldecoder
from collections.abc import Iterator, Mapping
from functools import lru_cache
from struct import calcsize, pack, unpack_from

_HEAD = "<III"
_NUMBER = 4  # bytes
_BUCKET = 8  # entries, about
MOST_BITS = 20
_CHECKED = 1 << 16  # bytes at a time
_KNOWN_WORDS = 8_192
_BREAKS = frozenset("\t\n")


class WordTable(Mapping[str, str]):
    """Looks words up.

    Attributes:
        translation: as `get`, which has to raise and to catch an error for each word that is not
            there.

    Args:
        content: as above; it is kept.

    Raises:
        ValueError: it is no such table.
    """

    def __init__(self, content: bytes) -> None:
        start = calcsize(_HEAD)
        if len(content) < start:
            raise ValueError(f"{len(content)} bytes are no word table")
        self._count, self._firsts, bits = unpack_from(_HEAD, content)
        if bits > MOST_BITS:
            raise ValueError(f"a word table has at most {MOST_BITS} bits, not {bits}")
        self._mask = (1 << bits) - 1
        lines = start + _NUMBER * ((1 << bits) + 1)
        self._starts = content[start:lines]
        self._lines = content[lines:]
        if len(self._starts) != lines - start or not self._lines.endswith(b"\n"):
            raise ValueError("a word table is cut short")
        check = getincrementaldecoder("utf-8")()  # so that no lookup can fail
        for at in range(0, len(self._lines), _CHECKED):
            check.decode(self._lines[at : at + _CHECKED])
        self.translation = lru_cache(_KNOWN_WORDS)(self._translation)

    @staticmethod
    def of(entries: Mapping[str, str]) -> WordTable:
        """A table of entries: a word or several with a space between, and a translation."""
        return WordTable(packed(entries))

    def __getitem__(self, word: str) -> str:
        found = self.translation(word)
        if found is None:
            raise KeyError(word)
        return found

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.translation(word) is not None

    def __iter__(self) -> Iterator[str]:
        for line in self._lines.decode().split("\n"):
            word = line.partition("\t")[0]
            if word and not word.endswith(" "):
                yield word

    def __len__(self) -> int:
        return int(self._count)

    def longest(self, first: str) -> int:
        """Words of the longest entry that begins with one, in small letters; at least 1."""
        return len((self._firsts and self.translation(first + " ")) or ".")

    def _translation(self, word: str) -> str | None:
        key = word.encode("utf-8", "replace")
        at = _NUMBER * (zlib.crc32(key) & self._mask)
        start, end = unpack_from("<II", self._starts, at)
        line = b"\n%b\t" % key
        found = self._lines.find(line, start, end)
        if found < 0:
            return None
        begin = found + len(line)
        return self._lines[begin : self._lines.index(b"\n", begin)].decode()


def packed(entries: Mapping[str, str]) -> bytes:
    """The content of a table; equal entries give equal bytes.

    Raises:
        ValueError: an entry is empty, has a tabulator or the end of a line in it, or its word ends
            in a space.
    """
    for word, translation in entries.items():
        if not word or not translation or word.endswith(" ") or _BREAKS & {*word, *translation}:
            raise ValueError(f"{word!r} and {translation!r} are no entry of a word table")
    firsts = _longest(entries)
    rows = {**entries, **firsts}
    bits = max(0, (len(rows) // _BUCKET).bit_length() - 1)
    buckets: list[list[bytes]] = [[] for _ in range(1 << bits)]
    for word, translation in sorted(rows.items()):
        key = word.encode()
        line = b"\n%b\t%b" % (key, translation.encode())
        buckets[zlib.crc32(key) & (len(buckets) - 1)].append(line)
    starts, lines = [0], bytearray()
    for bucket in buckets:
        lines += b"".join(bucket)
        starts.append(len(lines))
    head = pack(_HEAD, len(entries), len(firsts), bits)
    return head + pack(f"<{len(starts)}I", *starts) + bytes(lines) + b"\n"


def _longest(entries: Mapping[str, str]) -> dict[str, str]:
    most: dict[str, int] = {}
    for words in (entry.split(" ") for entry in entries if " " in entry):
        key = words[0].lower() + " "
        most[key] = max(len(words), most.get(key, 0))
    return {key: "." * count for key, count in most.items()}


NO_WORDS = WordTable.of({})
