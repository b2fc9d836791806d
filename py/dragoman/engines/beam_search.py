"""Beam search over an engine that takes one step at a time, as `kernel/src/beam.c` has it.

For graphs that the kernel does not know. A slot is a hypothesis that goes on; those of a row lie
side by side, the better first.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dragoman.types import (
    EOS_ID,
    NO_SCORE,
    EngineOutput,
    MiniBatch,
    PrefixStep,
    Search,
    prefix_rows,
)

Floats = NDArray[np.float32]
Memory = Mapping[str, Floats]
# The next piece of a row, of the logarithms of all pieces' probabilities [V].
Draw = Callable[[int, Floats], int]

ZERO = np.float32(0)
LEAST = np.float32(1e-38)  # a probability whose logarithm is still a number


@dataclass(frozen=True, slots=True)
class Stepped:
    """What a step gives, for A slots.

    Attributes:
        probabilities: [A, V].
        attention: [A, S], of the piece that is chosen now, or of the one before.
        states: [A, D] each.
    """

    probabilities: Floats
    attention: Floats
    states: tuple[Floats, ...]


class Steps(Protocol):
    """A model that is run step by step.

    Attributes:
        is_late: whether attention is that of the piece before.
    """

    is_late: bool

    def encode(self, batch: MiniBatch) -> Memory:
        """What the decoder reads of each row: arrays whose first axis is the row."""
        ...

    def start(self, rows: int) -> tuple[Floats, ...]:
        """The states before the first step."""
        ...

    def step(
        self, number: int, pieces: Sequence[int], states: tuple[Floats, ...], memory: Memory
    ) -> Stepped:
        """The step that follows `pieces`, which mean nothing before the first."""
        ...


@dataclass(frozen=True, slots=True)
class _Hypothesis:
    """`attention`: [S] each."""

    row: int
    slot: int
    pieces: tuple[int, ...] = ()
    log_probabilities: tuple[np.float32, ...] = ()
    attention: tuple[Floats, ...] = ()
    sum: np.float32 = ZERO
    is_bound: bool = False
    score: float = NO_SCORE


def search(
    steps: Steps, batch: MiniBatch, *, attention: bool, draw: Draw | None = None
) -> EngineOutput:
    """The hypotheses of a mini-batch.

    Args:
        draw: chooses in place of the search, where no prefix binds it; for a beam of one.
    """
    rows = _Rows(batch, draw)
    memory, live = steps.encode(batch), rows.start()
    states = tuple(state[[one.row for one in live]] for state in steps.start(batch.rows))
    number = 0
    while live:
        owners = [one.row for one in live]
        read = {name: values[owners] for name, values in memory.items()}
        pieces = [one.pieces[-1] if one.pieces else EOS_ID for one in live]
        stepped = steps.step(number, pieces, states, read)
        number += 1
        logarithms = np.log(np.maximum(stepped.probabilities, LEAST))
        live = [
            grown
            for row, slots in groupby(_numbered(live), lambda one: one.row)
            for grown in rows.extend(row, list(slots), logarithms, stepped.attention, steps.is_late)
        ]
        states = tuple(state[[one.slot for one in live]] for state in stepped.states)
    return _output(batch, rows.ended, number, attention)


def _numbered(live: Sequence[_Hypothesis]) -> Iterator[_Hypothesis]:
    for slot, one in enumerate(live):
        yield _changed(one, slot=slot)


def _changed(one: _Hypothesis, **changes: Any) -> _Hypothesis:
    fields = {name: getattr(one, name) for name in _Hypothesis.__slots__}
    return _Hypothesis(**(fields | changes))


class _Rows:
    """The rows of a mini-batch under way.

    Attributes:
        ended: of each row what has ended.
    """

    def __init__(self, batch: MiniBatch, draw: Draw | None) -> None:
        self._draw = draw
        self._search, self._limits = batch.search, batch.limits
        self._prefixes = prefix_rows(batch.prefixes) or [()] * batch.rows
        self._branched = [False] * batch.rows
        self.ended: list[list[_Hypothesis]] = [[] for _ in range(batch.rows)]

    def start(self) -> list[_Hypothesis]:
        return [
            _Hypothesis(row, row, is_bound=bool(self._prefixes[row]))
            for row, limit in enumerate(self._limits)
            if limit > 0
        ]

    def extend(
        self,
        row: int,
        slots: list[_Hypothesis],
        logarithms: Floats,
        attention: Floats,
        is_late: bool,
    ) -> Iterator[_Hypothesis]:
        """The hypotheses of a row, a piece longer; those that have ended go to `ended`."""
        room = self._search.beam - len(self.ended[row])
        alone = self._search.branching and self._branched[row]
        choices = [
            (one, piece, logarithms[one.slot, piece])
            for one in slots
            for piece in self._best(one, logarithms[one.slot], 1 if alone else room)
        ]
        if not alone:
            choices.sort(key=lambda choice: -(choice[0].sum + choice[2]))
        chosen = choices[:room]
        self._branched[row] = self._branched[row] or len(chosen) > 1
        for one, piece, logarithm in chosen:
            grown = self._grown(one, piece, logarithm, attention[one.slot], is_late)
            if piece == EOS_ID or len(grown.pieces) >= self._limits[row]:
                self.ended[row].append(_scored(grown, self._search))
            else:
                yield grown

    def _best(self, one: _Hypothesis, logarithms: Floats, count: int) -> list[int]:
        """The most probable pieces that may be next, the first of equals first."""
        allowed = self._step(one).allowed if one.is_bound else None
        if allowed is not None:
            pieces = np.array(allowed)
        elif self._draw is not None:
            return [self._draw(one.row, logarithms)]
        elif count < len(logarithms):
            pieces = np.sort(np.argpartition(-logarithms, count - 1)[:count])
        else:
            pieces = np.arange(len(logarithms))
        order = np.argsort(-logarithms[pieces], kind="stable")[:count]
        best: list[int] = pieces[order].tolist()
        return best

    def _step(self, one: _Hypothesis) -> PrefixStep:
        return self._prefixes[one.row][len(one.pieces)]

    def _grown(
        self, one: _Hypothesis, piece: int, logarithm: np.float32, weights: Floats, is_late: bool
    ) -> _Hypothesis:
        before = (*one.attention[:-1], weights) if is_late and one.attention else one.attention
        left = len(self._prefixes[one.row]) - len(one.pieces) - 1
        return _changed(
            one,
            pieces=(*one.pieces, piece),
            log_probabilities=(*one.log_probabilities, logarithm),
            attention=(*before, weights),
            sum=one.sum + logarithm,
            is_bound=one.is_bound and piece == self._step(one).piece and left > 0,
        )


def _scored(one: _Hypothesis, search_: Search) -> _Hypothesis:
    length = len(one.pieces)
    worth = float(one.sum) - search_.word_penalty * length
    return _changed(one, score=worth / length**search_.normalize)


def _output(
    batch: MiniBatch, ended: Sequence[list[_Hypothesis]], steps: int, attention: bool
) -> EngineOutput:
    shape = (batch.rows, batch.search.kept)
    ids, logarithms = np.zeros((*shape, steps), np.int32), np.zeros((*shape, steps), np.float32)
    weights = np.zeros((*shape, steps, batch.width if attention else 0), np.float32)
    scores = np.full(shape, NO_SCORE, np.float32)
    for row, hypotheses in enumerate(ended):
        hypotheses.sort(key=lambda one: -one.score)
        for number, one in enumerate(hypotheses[: batch.search.kept]):
            length = len(one.pieces)
            ids[row, number, :length] = one.pieces
            logarithms[row, number, :length] = one.log_probabilities
            scores[row, number] = one.score
            if attention:
                weights[row, number, :length] = one.attention
                weights[row, number, :, batch.lengths[row] :] = 0
    return EngineOutput(
        steps, flat("i", ids), flat("f", logarithms), flat("f", weights), flat("f", scores)
    )


def flat(code: str, values: NDArray[Any]) -> array[Any]:
    """The values of an array, row by row."""
    result: array[Any] = array(code)
    result.frombytes(np.ascontiguousarray(values).tobytes())
    return result
