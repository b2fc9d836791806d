"""Pieces that are drawn: the distribution, and that a sentence is drawn alike anywhere."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest

from dragoman.engines.onnxruntime import StepwiseEngine
from dragoman.engines.sampling import NEVER, Draws
from dragoman.errors import InvalidRequestError
from dragoman.types import EngineOutput, Sampling, Search
from tests.support.kernel.batches import GRAPH, batch, batch_of, row, rows_of

Make = Callable[[Sampling | None], StepwiseEngine]


@pytest.fixture(scope="module")
def make() -> Iterator[Make]:
    made: list[StepwiseEngine] = []

    def engine(sampling: Sampling | None) -> StepwiseEngine:
        made.append(StepwiseEngine([GRAPH.read_bytes()], 1, sampling))
        return made[-1]

    yield engine
    for one in made:
        asyncio.run(one.close())


def drawn(sampling: Sampling, probabilities: Sequence[float], count: int) -> Counter[int]:
    """How often each piece is drawn, of one distribution."""
    draws = Draws(sampling, batch([row(1, 5)]))
    with np.errstate(divide="ignore"):
        logarithms = np.maximum(np.log(np.array(probabilities, np.float32)), np.float32(NEVER))
    return Counter(draws(0, logarithms) for _ in range(count))


def test_pieces_are_drawn_by_their_probability() -> None:
    counts = drawn(Sampling(), [0.5, 0.0, 0.3, 0.2], 20_000)
    assert sorted(counts) == [0, 2, 3]
    assert counts[0] / 20_000 == pytest.approx(0.5, abs=0.02)
    assert counts[2] / 20_000 == pytest.approx(0.3, abs=0.02)


def test_a_low_temperature_prefers_the_probable() -> None:
    counts = drawn(Sampling(temperature=0.5), [0.5, 0.0, 0.3, 0.2], 20_000)
    assert counts[0] / 20_000 == pytest.approx(0.25 / 0.38, abs=0.02)
    # However hot, what the model rules out is not drawn.
    assert 1 not in drawn(Sampling(temperature=4.0), [0.5, 0.0, 0.3, 0.2], 5_000)


def test_only_the_most_probable_pieces_are_drawn() -> None:
    assert sorted(drawn(Sampling(top_k=2), [0.1, 0.4, 0.2, 0.3], 1_000)) == [1, 3]
    assert sorted(drawn(Sampling(top_k=1), [0.1, 0.4, 0.2, 0.3], 100)) == [1]


@pytest.mark.parametrize(
    ("figures", "message"),
    [
        ({"temperature": 0.0}, "the temperature is 0, not above 0 and up to 4"),
        ({"temperature": 9.5}, "the temperature is 9.5, not above 0 and up to 4"),
        ({"seed": -1}, "seed is -1, not 0 or more"),
        ({"top_k": -2}, "top_k is -2, not 0 or more"),
    ],
)
def test_figures_out_of_their_range(figures: dict[str, float], message: str) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        Sampling(**figures)  # type: ignore[arg-type]
    assert caught.value.message == message


def pieces(output: EngineOutput, rows: int) -> list[bytes]:
    return rows_of(output, output.ids, rows)


def test_a_sentence_is_drawn_alike_in_any_mini_batch(make: Make) -> None:
    sources = [row(number, 6 + number % 4) for number in range(5)]
    sampling = Sampling(seed=3, top_k=10)
    together = pieces(make(sampling).run_now(batch(sources, 12), False), 5)
    alone = [pieces(make(sampling).run_now(batch([source], 12), False), 1)[0] for source in sources]
    assert together == alone
    assert len(set(together)) == 5
    other = pieces(make(Sampling(seed=4, top_k=10)).run_now(batch(sources, 12), False), 5)
    assert all(one != another for one, another in zip(together, other, strict=True))


def test_the_one_most_probable_piece_is_greedy_search(make: Make) -> None:
    asked = batch_of((5, 12))
    greedy = make(None).run_now(asked, True)
    sampled = make(Sampling(top_k=1)).run_now(asked, True)
    assert sampled == greedy
    assert len(greedy.scores) == 0


def test_sampling_goes_with_no_beam(make: Make) -> None:
    asked = replace(batch_of((2, 8)), search=Search(4))
    with pytest.raises(InvalidRequestError, match="the beam is 4; sampling follows one hypothesis"):
        make(Sampling()).run_now(asked, False)
