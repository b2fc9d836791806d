"""Pieces drawn from a model's distribution, for a search that goes step by step.

A row's random numbers come from its seed and its own source pieces. So a sentence is drawn alike in
any mini-batch, but where a number falls on the very edge between two pieces: what a graph computes
may differ in its last bits with the companions.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from dragoman.engines.beam_search import LEAST, Floats
from dragoman.types import MiniBatch, Sampling

# At or below this a probability counts as none: the unknown piece is never drawn, however hot.
NEVER = float(np.log(LEAST))
BITS = 53  # of a float64's fraction


class Draws:
    """The random choices of a mini-batch."""

    def __init__(self, sampling: Sampling, batch: MiniBatch) -> None:
        self._sampling = sampling
        self._numbers = [
            np.random.PCG64(_seed(sampling.seed, batch.ids[first : first + length]))
            for first, length in zip(
                range(0, batch.rows * batch.width, batch.width), batch.lengths, strict=True
            )
        ]

    def __call__(self, row: int, logarithms: Floats) -> int:
        """The next piece of a row, of the logarithms of its pieces' probabilities [V]."""
        pieces = self._candidates(logarithms)
        worth = logarithms[pieces].astype(np.float64)
        weights = np.exp((worth - worth.max()) / self._sampling.temperature)
        weights[worth <= NEVER] = 0
        sums = np.cumsum(weights)
        place = np.searchsorted(sums, self._uniform(row) * sums[-1], side="right")
        return int(pieces[min(int(place), int(np.flatnonzero(weights)[-1]))])

    def _candidates(self, logarithms: Floats) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
        count = self._sampling.top_k
        if not 0 < count < len(logarithms):
            return np.arange(len(logarithms))
        return np.argsort(-logarithms, kind="stable")[:count]

    def _uniform(self, row: int) -> float:
        """In [0, 1), of raw bits: their order is promised to stay from release to release."""
        bits = int(self._numbers[row].random_raw())
        return (bits >> (64 - BITS)) / (1 << BITS)


def _seed(seed: int, pieces: Sequence[int]) -> int:
    text = f"{seed}:{','.join(map(str, pieces))}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest(), "little")
