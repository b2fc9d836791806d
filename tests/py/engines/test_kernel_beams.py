"""Beam search in the kernel, against a search of a few lines that begins anew for every piece."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Iterator

import pytest

from dragoman.engines.kernel import KernelEngine
from dragoman.engines.kernel_library import kernels
from dragoman.engines.onnx_file import OnnxFile, read_onnx
from dragoman.errors import EngineError
from dragoman.types import (
    PrefixStep,
    Search,
)
from tests.support.kernel.batches import EOS, GRAPH, SHAPES, batch, batch_of, content, row
from tests.support.kernel.searches import (
    forced,
    n_best,
    next_pieces,
    reference,
    searched,
)


@pytest.fixture(scope="module")
def graph() -> OnnxFile:
    return read_onnx(GRAPH.read_bytes())


@pytest.fixture(scope="module")
def engine(graph: OnnxFile) -> Iterator[KernelEngine]:
    made = KernelEngine(graph)
    yield made
    asyncio.run(made.close())


@pytest.mark.parametrize("beam", [2, 4, 7])
@pytest.mark.parametrize("normalize", [1.0, 0.0, 0.6])
def test_what_is_found_is_what_the_naive_search_finds(
    engine: KernelEngine, beam: int, normalize: float
) -> None:
    sources = [row(3, 9), row(11, 4), row(5, 14)]
    search = Search(beam, beam, normalize=normalize)
    output = engine.run_now(searched(batch(sources, 11), search), False)
    for beams, source in zip(n_best(output, search, [11] * 3), sources, strict=True):
        expected = reference(engine, source, 11, beam, normalize)
        assert [(one.pieces, one.log_probabilities) for one in beams] == [
            (one.pieces, one.log_probabilities) for one in expected
        ]
        assert [one.score for one in beams] == pytest.approx(
            [one.score for one in expected], rel=1e-6
        )


@pytest.mark.parametrize("shape", SHAPES)
def test_a_beam_of_one_is_greedy_search_to_the_bit(
    engine: KernelEngine, shape: tuple[int, int]
) -> None:
    asked = batch_of(shape)
    greedy = engine.run_now(asked, True)
    beam = engine.run_now(searched(asked, Search(normalize=0.5)), True)
    assert content(beam) == content(greedy)
    assert len(beam.scores) == shape[0]
    assert greedy.scores == array("f")


@pytest.mark.parametrize("beam", [2, 5, 16])
def test_hypotheses_are_distinct_and_the_best_comes_first(engine: KernelEngine, beam: int) -> None:
    search, asked = Search(beam, beam), batch_of((5, 20))
    output = engine.run_now(searched(asked, search), True)
    for hypotheses in n_best(output, search, list(asked.limits)):
        scores = [one.score for one in hypotheses]
        assert len(hypotheses) == beam
        assert scores == sorted(scores, reverse=True)
        assert len({one.pieces for one in hypotheses}) == beam
        for one in hypotheses:
            mean = sum(one.log_probabilities) / len(one.pieces)
            assert one.score == pytest.approx(mean, rel=1e-5)


def test_the_best_alone_is_the_first_of_all(engine: KernelEngine) -> None:
    asked, limits = batch_of((7, 33)), list(batch_of((7, 33)).limits)
    alone, all_ = Search(6, 1), Search(6, 6)
    best = n_best(engine.run_now(searched(asked, alone), False), alone, limits)
    whole = n_best(engine.run_now(searched(asked, all_), False), all_, limits)
    assert [one[0] for one in best] == [one[0] for one in whole]


def test_the_attention_of_a_hypothesis_is_that_of_its_own_pieces(engine: KernelEngine) -> None:
    """Said again as a prefix, by itself, it has the same."""
    search, source = Search(4, 4), row(3, 12)
    output = engine.run_now(searched(batch([source], 20), search), True)
    (best,) = n_best(output, search, [20])
    for number, one in enumerate(best):
        said = one.pieces[:-1] if one.pieces[-1] == EOS else one.pieces
        again = engine.run_now(searched(batch([source], 20), Search(), [forced(said)]), True)
        first, size = number * output.steps * 12, len(said) * 12
        assert output.attention[first : first + size] == again.attention[:size]


@pytest.mark.parametrize("path", kernels())
def test_every_path_gives_the_same_bytes(graph: OnnxFile, engine: KernelEngine, path: str) -> None:
    other = KernelEngine(graph, path=path)
    for shape in SHAPES:
        asked = searched(batch_of(shape), Search(3, 2, normalize=0.7))
        expected, others = engine.run_now(asked, True), other.run_now(asked, True)
        assert (*content(others), others.scores) == (*content(expected), expected.scores), shape


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_and_companions_change_nothing(
    graph: OnnxFile, engine: KernelEngine, threads: int
) -> None:
    search, sources = Search(3, 3), [row(number, 5 + number) for number in range(7)]
    starts = [forced([30 + number] * (number % 3)) for number in range(7)]
    together = searched(batch(sources, 12), search, starts)
    whole = n_best(engine.run_now(together, False), search, [12] * 7)
    dealt = KernelEngine(graph, threads).run_now(together, False)
    assert n_best(dealt, search, [12] * 7) == whole
    for source, start, expected in zip(sources, starts, whole, strict=True):
        alone = engine.run_now(searched(batch([source], 12), search, [start]), False)
        assert n_best(alone, search, [12]) == [expected]


def test_a_prefix_is_said_and_the_search_goes_on(engine: KernelEngine) -> None:
    source, search = row(3, 9), Search(3, 3)
    (free,) = n_best(
        engine.run_now(searched(batch([source], 14), Search(3, 3)), False), search, [14]
    )
    start = forced([100, 200, 300])
    (begun,) = n_best(
        engine.run_now(searched(batch([source], 14), search, [start]), False), search, [14]
    )
    assert all(one.pieces[:3] == (100, 200, 300) for one in begun)
    assert [one.pieces for one in begun] != [one.pieces for one in free]
    # What the search says by itself is what it goes on with.
    own = forced(free[0].pieces[:2])
    (again,) = n_best(
        engine.run_now(searched(batch([source], 14), search, [own]), False), search, [14]
    )
    assert free[0].pieces in [one.pieces for one in again]


def test_a_piece_that_covers_the_rest_of_a_prefix_ends_it(engine: KernelEngine) -> None:
    source, search = row(3, 9), Search(8, 8)
    start = [PrefixStep(100, (100, 555, 777)), PrefixStep(200, (200, 888))]
    (best,) = n_best(
        engine.run_now(searched(batch([source], 6), search, [start]), False), search, [6]
    )
    assert {one.pieces[0] for one in best} <= {100, 555, 777}
    assert all(one.pieces[1] in (200, 888) for one in best if one.pieces[0] == 100)
    assert any(one.pieces[0] != 100 and one.pieces[1] not in (200, 888) for one in best)


def test_branches_begin_with_different_pieces_and_go_on_by_themselves(engine: KernelEngine) -> None:
    source, search = row(3, 9), Search(4, 4, branching=True)
    said = n_best(engine.run_now(searched(batch([source], 9), search), False), search, [9])[0]
    firsts = [piece for piece, _ in next_pieces(engine, source, (), 4)]
    assert {one.pieces[0] for one in said} == set(firsts)
    for one in said:
        start = forced(one.pieces[:1])
        alone = engine.run_now(searched(batch([source], 9), Search(), [start]), False)
        assert n_best(alone, Search(), [9])[0][0].pieces == one.pieces


def test_a_prefix_with_an_unknown_piece_is_a_typed_error(engine: KernelEngine) -> None:
    with pytest.raises(EngineError, match="cannot say"):
        engine.run_now(searched(batch([row(3, 9)]), Search(), [forced([1_000_000])]), False)


async def test_a_cancelled_run_ends_and_the_engine_goes_on(graph: OnnxFile) -> None:
    made = KernelEngine(graph)
    search = Search(16, 16)
    rows = [row(number, 60) for number in range(16)]
    task = asyncio.ensure_future(made.run(searched(batch(rows), search), attention=True))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    asked = searched(batch([row(1, 6)], 8), Search(2, 2))
    output = await made.run(asked, attention=False)
    assert len(n_best(output, Search(2, 2), [8])[0]) == 2
    await made.close()
