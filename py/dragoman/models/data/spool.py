"""Good pairs on disk between reading and encoding, scattered so that each part fits in memory.

A pair goes to the spool that a checksum of its text says: the choice is random as to source and
place, and the same pair of two sources always meets in one spool, where it is kept once.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TextIO

from dragoman.models.data.corpus import Pair

SPOOLS = 64


class Spools:
    """Files of lines "source number, tab, first, tab, second" in a folder.

    Attributes:
        counts: pairs in each spool, duplicates included.
    """

    def __init__(self, folder: Path, sources: Sequence[str], number: int = SPOOLS) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.sources = list(sources)
        self.paths = [folder / f"spool-{index:02}.tsv" for index in range(number)]
        self.counts = [0] * number
        self._numbers = {name: index for index, name in enumerate(sources)}
        self._files: list[TextIO] = []
        self._stack = ExitStack()

    def __enter__(self) -> Spools:
        self._files = [
            self._stack.enter_context(path.open("w", encoding="utf-8", newline="\n"))
            for path in self.paths
        ]
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def add(self, pair: Pair) -> None:
        text = f"{pair.first}\t{pair.second}"
        spool = zlib.crc32(text.encode()) % len(self.paths)
        self._files[spool].write(f"{self._numbers[pair.source]}\t{text}\n")
        self.counts[spool] += 1

    def read(self, spool: int, dropped: Mapping[str, Counter[str]]) -> Iterator[Pair]:
        """The different pairs of a spool, in the order of the sources; duplicates are counted."""
        seen: set[tuple[str, str]] = set()
        with self.paths[spool].open(encoding="utf-8", newline="\n") as lines:
            for line in lines:
                number, first, second = line.rstrip("\n").split("\t")
                source = self.sources[int(number)]
                if (first, second) in seen:
                    dropped[source]["duplicate"] += 1
                    continue
                seen.add((first, second))
                yield Pair(first, second, source)

    def shards(self, pairs: int) -> list[list[int]]:
        """Spools of each shard: at most `pairs` together where a spool is not larger by itself."""
        shards: list[list[int]] = []
        room = 0
        for spool, count in enumerate(self.counts):
            if not shards or count > room:
                shards.append([])
                room = pairs
            shards[-1].append(spool)
            room -= count
        return shards
