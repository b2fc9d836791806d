"""Beam searches as an engine does them, and as they are defined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from dragoman.types import NO_SCORE, EngineOutput, MiniBatch, PrefixStep, Search, flat_prefixes
from tests.support.kernel.batches import EOS, batch

F = np.float32


@dataclass(frozen=True)
class Found:
    """A hypothesis: its pieces, EOS among them if it came, and what they were worth."""

    pieces: tuple[int, ...]
    log_probabilities: tuple[float, ...]
    score: float


def searched(
    asked: MiniBatch, search: Search, prefixes: Sequence[Sequence[PrefixStep]] = ()
) -> MiniBatch:
    return replace(asked, search=search, prefixes=flat_prefixes(map(tuple, prefixes)))


def forced(pieces: Sequence[int]) -> list[PrefixStep]:
    return [PrefixStep(piece, (piece,)) for piece in pieces]


def n_best(output: EngineOutput, search: Search, limits: Sequence[int]) -> list[list[Found]]:
    """Of each row, best first."""
    rows = []
    for number, limit in enumerate(limits):
        seen = []
        for place in range(number * search.kept, (number + 1) * search.kept):
            if output.scores[place] <= NO_SCORE:
                continue
            first = place * output.steps
            ids = list(output.ids[first : first + min(limit, output.steps)])
            length = ids.index(EOS) + 1 if EOS in ids else len(ids)
            scores = tuple(output.log_probabilities[first : first + length])
            seen.append(Found(tuple(ids[:length]), scores, output.scores[place]))
        rows.append(seen)
    return rows


class RunsNow(Protocol):
    """An engine, with the search under test."""

    def run_now(self, batch: MiniBatch, attention: bool, /) -> EngineOutput: ...


def next_pieces(
    engine: RunsNow, source: list[int], said: Sequence[int], count: int
) -> list[tuple[int, float]]:
    """The most probable pieces after some others, with their log-probabilities."""
    search, limit = Search(count, count), len(said) + 1
    asked = searched(batch([source], limit), search, [forced(said)])
    (best,) = n_best(engine.run_now(asked, False), search, [limit])
    return [(one.pieces[-1], one.log_probabilities[-1]) for one in best]


def reference(
    engine: RunsNow, source: list[int], limit: int, beam: int, normalize: float
) -> list[Found]:
    """Beam search as marian-dev describes it, with float32 sums."""
    live = [Found((), (), 0.0)]
    ended: list[Found] = []
    for length in range(1, limit + 1):
        candidates = [
            Found(
                (*one.pieces, piece),
                (*one.log_probabilities, worth),
                float(F(one.score) + F(worth)),
            )
            for one in live
            for piece, worth in next_pieces(engine, source, one.pieces, beam)
        ]
        candidates.sort(key=lambda one: -one.score)
        candidates = candidates[: beam - len(ended)]
        over = [one for one in candidates if one.pieces[-1] == EOS or length == limit]
        live = [one for one in candidates if one not in over]
        ended += [replace(one, score=one.score / length**normalize) for one in over]
        if not live:
            break
    return sorted(ended, key=lambda one: -one.score)
