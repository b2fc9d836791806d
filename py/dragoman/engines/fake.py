"""Engines for tests, which make visible what the service did. They need no model."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Callable

from dragoman.errors import EngineError
from dragoman.types import EOS_ID, NO_SCORE, EngineOutput, MiniBatch, prefix_rows


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
    """The output of a model that copies: ids translated one by one, certain of each.

    Behind a prefix, if the row has one. However many hypotheses are asked for, it finds one.
    """
    prefixes = prefix_rows(batch.prefixes) or [()] * batch.rows
    steps = batch.width + max(map(len, prefixes))
    ids, matrix = array("i"), array("f")
    for row, prefix in enumerate(prefixes):
        source = batch.ids[row * batch.width : (row + 1) * batch.width]
        said = [step.piece for step in prefix] + [translate(i) if i else EOS_ID for i in source]
        ids.extend([*said, *[EOS_ID] * (steps - len(said))])
        ids.extend([EOS_ID] * (steps * (batch.search.kept - 1)))
        if attention:
            for step in range(steps * batch.search.kept):
                column = min(max(0, step - len(prefix)), batch.lengths[row] - 1)
                matrix.extend(float(place == column) for place in range(batch.width))
    scores = array("f")
    if not batch.is_greedy:
        scores.extend([0.0, *[NO_SCORE] * (batch.search.kept - 1)] * batch.rows)
    return EngineOutput(steps, ids, array("f", [0.0]) * len(ids), matrix, scores)
