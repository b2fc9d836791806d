"""Several models that are searched as one."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from dragoman.engines.beam_search import Floats, Memory, Stepped, search
from dragoman.engines.ensemble import Ensemble
from dragoman.engines.onnxruntime import StepwiseEngine
from dragoman.errors import BundleMismatchError
from dragoman.types import MiniBatch
from tests.support.kernel.batches import GRAPH, batch, batch_of


class Says:
    """A model of four pieces that gives the same distributions whatever the source.

    Its state counts its steps.
    """

    def __init__(self, steps: Sequence[Sequence[float]], weights: Sequence[float] = ()) -> None:
        self.is_late = False
        self._steps, self._weights = steps, weights
        self.states: list[float] = []

    def encode(self, batch: MiniBatch) -> Memory:
        return {"keys": np.zeros((batch.rows, batch.width), np.float32)}

    def start(self, rows: int) -> tuple[Floats, ...]:
        return (np.zeros((rows, 1), np.float32),)

    def step(
        self,
        number: int,
        pieces: Sequence[int],
        states: tuple[Floats, ...],
        memory: Mapping[str, Floats],
    ) -> Stepped:
        (state,) = states
        self.states.append(float(state[0, 0]))
        assert list(memory) == ["keys"]
        rows = len(pieces)
        weights = np.tile(np.array(self._weights, np.float32), (rows, 1))
        probabilities = np.tile(np.array(self._steps[number], np.float32), (rows, 1))
        return Stepped(probabilities, weights, (state + 1,))


def test_probabilities_and_attention_are_averaged() -> None:
    one = Says([[0, 0, 0.6, 0.4], [1, 0, 0, 0]], [1, 0])
    two = Says([[0, 0.5, 0, 0.5], [0.8, 0.2, 0, 0]], [0.5, 0.5])
    asked = batch([[20, 0]], 4)
    output = search(Ensemble([one, two]), asked, attention=True)
    # The mean of 0.4 and 0.5 is the most, though it is the first choice of neither by itself.
    assert list(output.ids[:2]) == [3, 0]
    assert list(np.exp(output.log_probabilities[:2])) == pytest.approx([0.45, 0.9])
    assert list(output.attention[:2]) == pytest.approx([0.75, 0.25])
    assert one.states == two.states == [0.0, 1.0]


def test_alignment_heads_are_of_all_or_of_none() -> None:
    late = Says([])
    late.is_late = True
    with pytest.raises(BundleMismatchError, match="have an alignment head, not all"):
        Ensemble([Says([]), late])


def test_a_model_twice_is_that_model() -> None:
    asked = batch_of((4, 10))
    graph = GRAPH.read_bytes()
    alone, twice = StepwiseEngine([graph], 1), StepwiseEngine([graph, graph], 1)
    assert twice.run_now(asked, True) == alone.run_now(asked, True)
    for engine in (alone, twice):
        asyncio.run(engine.close())
