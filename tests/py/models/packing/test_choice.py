from __future__ import annotations

import numpy as np
import pytest

from dragoman.models.data.batches import Ragged
from dragoman.models.packing.choice import Pairs, coverage, epochs_for, piece_bits, ranked

Row = tuple[list[int], list[int], list[int], int]


def _pairs(rows: list[Row]) -> Pairs:
    first, second, links, sources = zip(*rows, strict=True)
    return Pairs(
        Ragged.of(first, np.uint16),
        Ragged.of(second, np.uint16),
        Ragged.of(links, np.uint8),
        np.array(sources),
    )


def test_quality_is_the_share_of_linked_pieces() -> None:
    pairs = _pairs([
        ([5, 6], [7, 8], [0, 0, 1, 1], 0),
        ([5, 6], [7, 8], [0, 0, 0, 0], 0),
        ([5, 6, 7], [8], [], 0),
    ])  # fmt: skip
    assert coverage(pairs).tolist() == [1.0, 0.5, 0.0]


def test_bits_are_those_of_the_frequencies() -> None:
    pairs = _pairs([([5, 5], [9], [], 0), ([5, 6], [9, 9], [], 0)])
    rare = 2.0
    often = -np.log2(3 / 4)
    assert piece_bits(pairs) == pytest.approx([2 * often, often + rare])


def test_heavy_sources_go_in_whole_and_of_light_ones_the_best() -> None:
    good = ([5], [7], [0, 0], 1)
    bad: Row = ([5], [7], [], 1)
    pairs = _pairs([([5], [7], [], 0), bad, good, bad, good])
    ranking = ranked(pairs, 3)
    weights = np.array([1.0, 0.5, 0.0])
    counts = ranking.taken(weights, epochs=1.0)
    assert counts.tolist() == [1, 2, 0]
    assert ranking.chosen(counts).tolist() == [0, 2, 4]


def test_each_octave_of_lengths_gives_its_part() -> None:
    short = [([5], [7], [0, 0], 0)] * 4
    long: list[Row] = [([5] * 8, [7] * 8, [], 0)] * 8
    ranking = ranked(_pairs([*short, *long]), 1)
    chosen = ranking.chosen(np.array([6]))
    assert sum(index < 4 for index in chosen) == 2


def test_as_many_epochs_as_the_limit_allows() -> None:
    heavy: list[Row] = [([5, 6], [7], [], 0)] * 4
    light: list[Row] = [([5, 6], [7], [], 1)] * 8
    pairs = _pairs([*heavy, *light])
    ranking = ranked(pairs, 2)
    weights = np.array([1.0, 0.25])
    cost = ranking.bits[0]  # 2 bits: of the first side's two pieces
    assert ranking.taken(weights, epochs_for(ranking, weights, 6.5 * cost)).tolist() == [4, 2]
    assert ranking.taken(weights, epochs_for(ranking, weights, 99 * cost)).tolist() == [4, 8]
