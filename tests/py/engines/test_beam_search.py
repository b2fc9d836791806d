"""Beams in onnxruntime: the same search, over a graph that was taken apart."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from dragoman.engines.kernel import KernelEngine
from dragoman.engines.onnx_file import read_onnx
from dragoman.engines.onnxruntime import OnnxRuntimeEngine
from dragoman.types import Search
from tests.support.kernel.batches import GRAPH, batch, batch_of, row
from tests.support.kernel.searches import forced, n_best, reference, searched


@pytest.fixture(scope="module")
def engine() -> Iterator[OnnxRuntimeEngine]:
    made = OnnxRuntimeEngine(GRAPH.read_bytes(), threads=1)
    yield made
    asyncio.run(made.close())


def test_a_beam_of_one_is_the_graphs_own_search(engine: OnnxRuntimeEngine) -> None:
    asked = batch_of((5, 20))
    greedy = engine.run_now(asked, True)
    output = engine.run_now(searched(asked, Search(normalize=0.5)), True)
    assert output.ids == greedy.ids
    for number in range(5):
        first = number * greedy.steps
        length = [*greedy.ids[first : first + greedy.steps], 0].index(0)
        here = slice(first, first + length)
        assert list(output.log_probabilities[here]) == pytest.approx(
            list(greedy.log_probabilities[here]), abs=1e-5
        )
        cells = slice(first * 20, (first + length) * 20)
        assert list(output.attention[cells]) == pytest.approx(
            list(greedy.attention[cells]), abs=1e-5
        )


@pytest.mark.parametrize("beam", [2, 5])
def test_what_is_found_is_what_the_naive_search_finds(engine: OnnxRuntimeEngine, beam: int) -> None:
    sources, search = [row(3, 9), row(11, 4)], Search(beam, beam)
    output = engine.run_now(searched(batch(sources, 8), search), False)
    for beams, source in zip(n_best(output, search, [8, 8]), sources, strict=True):
        expected = reference(engine, source, 8, beam, 1.0)
        assert [one.pieces for one in beams] == [one.pieces for one in expected]
        assert [one.score for one in beams] == pytest.approx(
            [one.score for one in expected], abs=1e-4
        )


@pytest.mark.parametrize(
    "search", [Search(4, 4), Search(3, 1, normalize=0.6), Search(4, 4, branching=True)]
)
def test_the_kernel_finds_the_same(engine: OnnxRuntimeEngine, search: Search) -> None:
    """But for rounding, which turns some of these hypotheses: the sources are no sentences."""
    asked = searched(batch_of((7, 20)), search, [forced([100] * (n % 2)) for n in range(7)])
    kernel = KernelEngine(read_onnx(GRAPH.read_bytes()))
    limits = list(asked.limits)
    best = n_best(engine.run_now(asked, True), search, limits)
    expected = n_best(kernel.run_now(asked, True), search, limits)
    same = [one[0].pieces == other[0].pieces for one, other in zip(best, expected, strict=True)]
    assert sum(same) >= 4
    assert [len(one) for one in best] == [len(other) for other in expected]
