"""Engines for tests, which make visible what the service did. They need no model."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Callable

from dragoman.errors import EngineError
from dragoman.types import EngineOutput, MiniBatch


class EchoEngine:
    """Gives back each row's source ids with a diagonal attention; keeps the batches it saw."""

    def __init__(self, translate: Callable[[int], int] = int) -> None:
        self._translate = translate
        self.batches: list[MiniBatch] = []
        self.closed = False

    async def run(self, batch: MiniBatch, *, attention: bool) -> EngineOutput:
        self.batches.append(batch)
        await asyncio.sleep(0)
        return echo(batch, attention, self._translate)

    async def close(self) -> None:
        self.closed = True


class HeldEngine:
    """Runs nothing until the test says so: each call waits for `release` or `fail`."""

    def __init__(self) -> None:
        self.calls: list[tuple[MiniBatch, asyncio.Future[EngineOutput], bool]] = []

    async def run(self, batch: MiniBatch, *, attention: bool) -> EngineOutput:
        future: asyncio.Future[EngineOutput] = asyncio.get_running_loop().create_future()
        self.calls.append((batch, future, attention))
        return await future

    def release(self, call: int = -1) -> None:
        batch, future, attention = self.calls[call]
        future.set_result(echo(batch, attention))

    def fail(self, message: str, call: int = -1) -> None:
        self.calls[call][1].set_exception(EngineError(message))

    async def close(self) -> None:
        for _, future, _ in self.calls:
            if not future.done():
                future.set_exception(EngineError("the engine was closed"))


def echo(batch: MiniBatch, attention: bool, translate: Callable[[int], int] = int) -> EngineOutput:
    """The output of a model that copies: ids translated one by one, certain of each."""
    cells = batch.rows * batch.width
    ids = array("i", [translate(i) if i else 0 for i in batch.ids])
    matrix = array("f", [0.0]) * (cells * batch.width if attention else 0)
    if attention:
        for cell in range(cells):
            row_length = batch.lengths[cell // batch.width]
            matrix[cell * batch.width + min(cell % batch.width, row_length - 1)] = 1.0
    return EngineOutput(batch.width, ids, array("f", [0.0]) * cells, matrix)
