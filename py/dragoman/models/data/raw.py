"""Training straight from a file of text, without `prepare`: for a quick trial.

The file is read part by part, encoded and forgotten again, each epoch anew; memory is bounded by
one part. There are no links of words, so guided alignment learns but where a sentence ends, and
nothing is cleaned but what cannot be trained on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import numpy as np
import sentencepiece

from dragoman.errors import CorpusError
from dragoman.models.data.batches import NO_TAG, BatchPlan, Place, PreparedData, Ragged, batches_of
from dragoman.models.data.corpus import read_lines

PART_PAIRS = 100_000
MAX_PIECES = 96


@dataclass(frozen=True)
class RawData:
    """A TSV, plain or compressed, whose header row names languages.

    Attributes:
        dropped: lines of the epochs so far that were left out, by reason.

    Raises:
        CorpusError: the file cannot be read, or lacks a language.
    """

    path: Path
    source: str
    target: str
    vocabulary: sentencepiece.SentencePieceProcessor
    max_pieces: int = MAX_PIECES
    part_pairs: int = PART_PAIRS
    dropped: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        for language in (self.source, self.target):
            if language not in self._header():
                raise CorpusError(
                    f"{self.path}: no column {language!r}; it has {', '.join(self._header())}"
                )

    @property
    def vocabulary_size(self) -> int:
        return int(self.vocabulary.get_piece_size())

    def fingerprint(self) -> dict[str, int | float]:
        return {"bytes": self.path.stat().st_size, "part": self.part_pairs}

    def batches(self, plan: BatchPlan, epoch: int, position: int) -> Iterator[Place]:
        return batches_of(lambda _: self._parts(), plan, epoch, position)

    def _header(self) -> list[str]:
        return next(read_lines(self.path), "").split("\t")

    def _parts(self) -> Iterator[PreparedData]:
        lines = read_lines(self.path)
        header = next(lines, "").split("\t")
        columns = header.index(self.source), header.index(self.target)
        while chunk := list(islice(lines, self.part_pairs)):
            yield self._part([line.split("\t") for line in chunk], columns)

    def _part(self, rows: list[list[str]], columns: tuple[int, int]) -> PreparedData:
        whole = [row for row in rows if len(row) > max(columns)]
        self.dropped["too few columns"] += len(rows) - len(whole)
        sides = [self.vocabulary.encode([row[column] for row in whole]) for column in columns]
        fits = range(1, self.max_pieces + 1)
        pairs = [(a, b) for a, b in zip(*sides, strict=True) if len(a) in fits and len(b) in fits]
        self.dropped["empty or too many pieces"] += len(whole) - len(pairs)
        return PreparedData(
            source=Ragged.of([a for a, _ in pairs], np.uint16),
            target=Ragged.of([b for _, b in pairs], np.uint16),
            links=Ragged.of([()] * len(pairs), np.uint8),
            links_swapped=False,
            source_of=np.zeros(len(pairs), dtype=np.uint8),
            weights=np.ones(1),
            tags=np.array([NO_TAG]),
            vocabulary_size=self.vocabulary_size,
        )
