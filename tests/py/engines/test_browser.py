"""`engines.browser`, with Python in the place of JavaScript."""

from __future__ import annotations

import asyncio
from array import array
from types import SimpleNamespace

import pytest

from dragoman.engines.browser import BrowserEngine, RunResult
from dragoman.errors import EngineError
from dragoman.types import MiniBatch, Piece, Segment, Span

BATCH = MiniBatch(
    segments=(Segment(1, 0, Span(0, 1), (Piece(5, Span(0, 1)),), 4),),
    ids=array("i", [5, 0]),
    lengths=array("i", [2]),
    limits=array("i", [4]),
    width=2,
)


class Bytes:
    """A typed array as Pyodide shows it."""

    def __init__(self, values: array[int] | array[float]) -> None:
        self._values = values

    def to_bytes(self) -> bytes:
        return self._values.tobytes()


class Run:
    """The JavaScript function: its promise is the test's."""

    def __init__(self) -> None:
        self.promise: asyncio.Future[RunResult] = asyncio.get_running_loop().create_future()
        self.arguments: tuple[object, ...] = ()
        self.stops = 0

    def __call__(
        self,
        ids: object,
        lengths: object,
        limits: object,
        rows: int,
        width: int,
        attention: bool,
        *beams: object,
    ) -> asyncio.Future[RunResult]:
        self.arguments = (ids, lengths, limits, rows, width, attention, *beams)
        return self.promise

    def stop(self) -> None:
        self.stops += 1

    def close(self) -> None:
        raise AssertionError("nothing here closes its engine")


async def test_output_becomes_arrays_and_is_given_back() -> None:
    run = Run()
    given_back: list[bool] = []
    run.promise.set_result(
        SimpleNamespace(
            steps=2,
            ids=Bytes(array("i", [7, 0])),
            logProbabilities=Bytes(array("f", [-0.5, -0.25])),
            attention=Bytes(array("f", [1, 0, 0, 1])),
            release=lambda: given_back.append(True),
        )
    )
    output = await BrowserEngine(run).run(BATCH, attention=True)
    assert run.arguments == (BATCH.ids, BATCH.lengths, BATCH.limits, 1, 2, True)
    assert (output.steps, output.ids) == (2, array("i", [7, 0]))
    assert output.log_probabilities == array("f", [-0.5, -0.25])
    assert output.attention == array("f", [1, 0, 0, 1])
    assert given_back == [True]


async def test_a_rejection_is_an_engine_error() -> None:
    run = Run()
    run.promise.set_exception(RuntimeError("out of memory"))
    with pytest.raises(EngineError, match="the browser's engine failed: out of memory"):
        await BrowserEngine(run).run(BATCH, attention=False)
    assert run.stops == 0


async def test_cancelling_stops_the_run_and_leaves_the_promise_alone() -> None:
    run = Run()
    task = asyncio.create_task(BrowserEngine(run).run(BATCH, attention=False))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert run.stops == 1
    assert not run.promise.cancelled()
    run.promise.set_exception(RuntimeError("the run was stopped"))  # Nobody has to hear it.
    await asyncio.sleep(0)
