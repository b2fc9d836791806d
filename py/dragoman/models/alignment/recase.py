"""Pairs in lower case, links and all: as people type in a hurry, and as old corpora have it.

"▁Der ▁Hund"  -->  "▁der ▁h und": other pieces, the same characters; so a link goes to all new
pieces that have characters of its old ones.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import sentencepiece

from dragoman.models.data.batches import NO_TAG, Batch, PreparedData, Ragged, make_batch

BOUNDARY = "▁"

Link = tuple[int, int]


@dataclass(frozen=True)
class Recased:
    """A sentence in lower case.

    Attributes:
        ids: the new pieces.
        successors: of each old piece the new ones that share a character with it.
    """

    ids: list[int]
    successors: list[list[int]]


def lowered(vocabulary: sentencepiece.SentencePieceProcessor, ids: Sequence[int]) -> Recased | None:
    """The same text in lower case; None where characters cannot be followed (bytes, unknown pieces,
    letters whose lower case is longer)."""
    if any(vocabulary.is_byte(piece) or vocabulary.is_unknown(piece) for piece in ids):
        return None
    old = [vocabulary.id_to_piece(piece) for piece in ids]
    text = "".join(old).lower()
    new = vocabulary.encode(text.replace(BOUNDARY, " "), out_type=str)
    if "".join(new) != text or len(text) != sum(map(len, old)):
        return None
    made = [vocabulary.piece_to_id(piece) for piece in new]
    if any(map(vocabulary.is_unknown, made)):
        return None
    owners = [number for number, piece in enumerate(new) for _ in piece]
    successors, start = [], 0
    for piece in old:
        successors.append(sorted(set(owners[start : start + len(piece)])))
        start += len(piece)
    return Recased(made, successors)


def partly_lowered(
    batch: Batch,
    vocabulary: sentencepiece.SentencePieceProcessor,
    share: float,
    rng: random.Random,
) -> Batch:
    """The batch with about `share` of its pairs in lower case."""
    rows = [_row(batch, number) for number in range(len(batch.source))]
    rows = [_lowered(row, vocabulary) if rng.random() < share else row for row in rows]
    data = PreparedData(
        source=Ragged.of([row.source for row in rows], np.int32),
        target=Ragged.of([row.target for row in rows], np.int32),
        links=Ragged.of([[end for link in row.links for end in link] for row in rows], np.int32),
        links_swapped=False,
        source_of=np.zeros(len(rows), dtype=np.int64),
        weights=np.ones(1),
        tags=np.array([NO_TAG]),
        vocabulary_size=vocabulary.get_piece_size(),
    )
    return make_batch(data, np.arange(len(rows)))


@dataclass(frozen=True)
class _Row:
    """A pair without EOS and padding; links are (source piece, target piece)."""

    source: list[int]
    target: list[int]
    links: list[Link]


def _row(batch: Batch, number: int) -> _Row:
    source = batch.source[number, : int(batch.source_mask[number].sum()) - 1].tolist()
    target = batch.target[number, : int(batch.target_mask[number].sum()) - 1].tolist()
    guide = batch.guide[number, : len(target), : len(source)]
    links = [(int(s), int(t)) for t, s in np.argwhere(guide > 0)]
    return _Row(source, target, links)


def _lowered(row: _Row, vocabulary: sentencepiece.SentencePieceProcessor) -> _Row:
    source, target = lowered(vocabulary, row.source), lowered(vocabulary, row.target)
    if source is None or target is None:
        return row
    links = {
        (first, second)
        for s, t in row.links
        for first in source.successors[s]
        for second in target.successors[t]
    }
    return _Row(source.ids, target.ids, sorted(links))
