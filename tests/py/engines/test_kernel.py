"""The kernel as a native engine, with the embedded model."""

from __future__ import annotations

import asyncio
import ctypes
import hashlib
import platform
import threading
from array import array
from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any

import pytest

from dragoman.engines import kernel_library
from dragoman.engines.kernel import Decoded, KernelEngine
from dragoman.engines.kernel_library import choose_path, kernels
from dragoman.engines.onnx_file import OnnxFile, read_onnx
from dragoman.errors import EngineError
from dragoman.types import MiniBatch
from tests.support.kernel.batches import EOS, GRAPH, SHAPES, batch, batch_of, content, row, rows_of
from tests.support.waiting import until


@pytest.fixture(scope="module")
def graph() -> OnnxFile:
    return read_onnx(GRAPH.read_bytes())


@pytest.fixture(scope="module")
def engine(graph: OnnxFile) -> Iterator[KernelEngine]:
    made = KernelEngine(graph)
    yield made
    asyncio.run(made.close())


def test_there_is_a_library_for_this_machine() -> None:
    assert kernel_library.library_path() is not None
    assert choose_path() == next(iter(kernels()))


@pytest.mark.parametrize("path", kernels())
def test_every_path_gives_the_same_bytes(graph: OnnxFile, engine: KernelEngine, path: str) -> None:
    other = KernelEngine(graph, path=path)
    assert other.path == path
    for shape in SHAPES:
        expected = content(engine.run_now(batch_of(shape), True))
        assert content(other.run_now(batch_of(shape), True)) == expected, shape


def test_the_bytes_stay_what_they_are(engine: KernelEngine) -> None:
    """On every machine; tests/parity says that they are those of WebAssembly."""
    digest = hashlib.sha256()
    for shape in SHAPES:
        for part in content(engine.run_now(batch_of(shape), True)):
            digest.update(part)
    assert digest.hexdigest() == "20bf6aa48be0f72fc6113b0d3fb0d43927ee33e3e593f2ad8d934507c5918672"


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_threads_change_nothing(graph: OnnxFile, engine: KernelEngine, threads: int) -> None:
    other = KernelEngine(graph, threads)
    for shape in SHAPES:
        expected = content(engine.run_now(batch_of(shape), True))
        assert content(other.run_now(batch_of(shape), True)) == expected, shape


def test_companions_change_nothing(engine: KernelEngine) -> None:
    rows = [row(number, 5 + number) for number in range(9)]
    together = engine.run_now(batch(rows, limit=30), False)
    whole = [
        (together.ids, rows_of(together, together.ids, 9)),
        (together.log_probabilities, rows_of(together, together.log_probabilities, 9)),
    ]
    for number, alone in enumerate(rows):
        output = engine.run_now(batch([alone], limit=30), False)
        assert rows_of(output, output.ids, 1) == [whole[0][1][number]]
        assert rows_of(output, output.log_probabilities, 1) == [whole[1][1][number]]


def test_attention_is_there_when_it_is_asked_for(engine: KernelEngine) -> None:
    asked = batch([row(1, 6), row(2, 4)])
    with_it, without = engine.run_now(asked, True), engine.run_now(asked, False)
    assert with_it.ids == without.ids
    assert with_it.log_probabilities == without.log_probabilities
    assert without.attention == array("f")
    assert len(with_it.attention) == 2 * with_it.steps * 6
    first = with_it.attention[:6]
    assert sum(first) == pytest.approx(1, abs=1e-5)
    # The second row is shorter: nothing looks behind its end.
    start = with_it.steps * 6
    assert list(with_it.attention[start + 4 : start + 6]) == [0, 0]


def test_a_limit_is_kept_to(engine: KernelEngine) -> None:
    output = engine.run_now(batch([row(1, 30), row(2, 9)], limit=3), False)
    assert output.steps == 3
    assert len(output.ids) == 6


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (batch([[20] * 2_000]), "a row of 4000 pieces: the model takes"),
        (batch([[8_000, EOS]]), "a piece that is none of the model's 8000"),
        (batch([[-1, EOS]]), "a piece that is none of the model's 8000"),
        (MiniBatch((), array("i"), array("i"), array("i"), 1), "a mini-batch without rows"),
    ],
)
def test_what_the_model_does_not_take_is_a_typed_error(
    engine: KernelEngine, asked: MiniBatch, why: str
) -> None:
    with pytest.raises(EngineError, match=why):
        engine.run_now(asked, False)


@pytest.mark.parametrize("threads", [1, 2])
async def test_a_cancelled_run_ends_and_the_engine_goes_on(graph: OnnxFile, threads: int) -> None:
    engine = KernelEngine(graph, threads)
    long = batch([row(number, 80) for number in range(256)], limit=170)
    began, ended = threading.Event(), threading.Event()
    run_now = engine.run_now

    def noted(*arguments: Any) -> Any:
        began.set()
        try:
            return run_now(*arguments)
        finally:
            ended.set()

    engine.run_now = noted  # type: ignore[assignment]
    task = asyncio.create_task(engine.run(long, attention=False))
    await asyncio.to_thread(began.wait)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    output = await asyncio.wait_for(engine.run(batch([row(1, 9)]), attention=True), 30)
    assert ended.is_set()
    assert len(output.attention) == output.steps * 9
    await engine.close()
    assert engine._thread._shutdown
    assert engine._helpers._shutdown


def test_a_stopped_run_gives_nothing(engine: KernelEngine) -> None:
    stop = ctypes.c_int32(1)
    with pytest.raises(EngineError, match="the run was stopped"):
        engine.run_now(batch([row(1, 9)]), False, stop)


def test_a_helper_that_cannot_begin_leaves_nobody_at_work(
    graph: OnnxFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next mini-batch was put into buffers in which helpers still worked."""
    engine, helped = KernelEngine(graph, 3), Future[Decoded]()
    places = set(engine._workplaces)
    stops: list[ctypes.c_int32] = []
    ended: list[BaseException] = []

    def submit(_run: object, _part: object, _attention: bool, stop: ctypes.c_int32) -> Any:
        if stops:
            raise RuntimeError("can't start new thread")
        stops.append(stop)
        return helped

    def run() -> None:
        try:
            engine.run_now(batch_of((5, 20)), False)
        except RuntimeError as error:
            ended.append(error)

    monkeypatch.setattr(engine._helpers, "submit", submit)
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    until(lambda: stops and stops[0].value == 1)
    assert (thread.is_alive(), ended) == (True, [])
    helped.set_exception(EngineError("the run was stopped"))
    thread.join(20)
    assert list(map(str, ended)) == ["can't start new thread"]
    # What could not begin is in the helpers' queue: nobody else works in its buffer.
    assert not places & set(engine._workplaces)


def test_a_path_can_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    last = list(kernels())[-1]
    monkeypatch.setenv("DRAGOMAN_KERNEL", last)
    assert choose_path() == last
    monkeypatch.setenv("DRAGOMAN_KERNEL", "abacus")
    with pytest.raises(EngineError, match="DRAGOMAN_KERNEL is 'abacus'; this processor can take: "):
        choose_path()


def test_a_platform_without_a_library_has_no_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    assert kernel_library.library_path() is None
    assert kernels.__wrapped__() == {}
