"""Texts in one language, a sentence a line, as pieces."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from zlib import crc32

import numpy as np
import sentencepiece

from dragoman.models.data.batches import Ragged
from dragoman.models.data.corpus import read_lines

LEAST, MOST = 4, 72  # pieces of a sentence that is taken
LINES = 100_000  # encoded at a time


def read_texts(files: Sequence[Path], vocabulary: sentencepiece.SentencePieceProcessor) -> Ragged:
    """The sentences of some files, plain or packed; a file that is named twice counts twice.

    Raises:
        CorpusError: a file cannot be read.
    """
    lines = [line for file in files for line in read_lines(file) if line.strip()]
    rows: list[list[int]] = []
    for start in range(0, len(lines), LINES):
        encoded = vocabulary.encode(lines[start : start + LINES], num_threads=-1)
        rows += [row for row in encoded if LEAST <= len(row) <= MOST]
    lengths = np.fromiter(map(len, rows), dtype=np.int64, count=len(rows))
    offsets = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths)))
    flat = np.fromiter(chain.from_iterable(rows), dtype=np.uint16, count=int(offsets[-1]))
    return Ragged(flat, offsets)


def checksum(rows: Ragged) -> int:
    return crc32(rows.flat.tobytes(), crc32(rows.offsets.tobytes()))
