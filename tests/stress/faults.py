"""An engine that copies, and that throws, hangs, or gives nonsense now and then."""

from __future__ import annotations

import asyncio
import math
import random
from array import array
from collections import Counter

from dragoman.engines.fake import echo
from dragoman.types import EngineOutput, MiniBatch

HANGS = "hangs until it is taken back"


class FaultyEngine:
    """Copies a mini-batch, or has one of its faults.

    Attributes:
        met: how often each fault was met.
        overlaps: calls that began before the last had ended, or after closing; there must be none.
    """

    def __init__(self, chance: random.Random, faults: float) -> None:
        self._chance, self._faults = chance, faults
        self._running = self._closed = False
        self.met: Counter[str] = Counter()
        self.overlaps = 0

    async def run(self, batch: MiniBatch, *, attention: bool) -> EngineOutput:
        self.overlaps += self._running or self._closed
        self._running = True
        try:
            return await self._answer(batch, attention)
        finally:
            try:
                if self._chance.random() < 0.1:
                    await asyncio.sleep(0)  # it needs a moment to let go
            finally:
                self._running = False  # also when it is taken back in that moment

    async def close(self) -> None:
        self.overlaps += self._running
        self._closed = True

    async def _answer(self, batch: MiniBatch, attention: bool) -> EngineOutput:
        fault = self._fault()
        self.met[fault] += 1
        await asyncio.sleep(self._chance.choice([0, 0, 0.0005]))
        good = echo(batch, attention)
        match fault:
            case "throws":
                raise RuntimeError("out of memory")
            case "is cancelled from inside":
                raise asyncio.CancelledError
            case "hangs until it is taken back":
                await asyncio.get_running_loop().create_future()
            case "gives NaN":
                nan = array("f", [math.nan] * len(good.ids))
                return EngineOutput(good.steps, good.ids, nan, good.attention)
            case "gives too little":
                return EngineOutput(good.steps, good.ids[:-1], good.log_probabilities, array("f"))
            case "gives unknown pieces":
                return echo(batch, attention, lambda _: 2**31 - 1)
        return good

    def _fault(self) -> str:
        if self._chance.random() >= self._faults:
            return "none"
        if self._chance.random() < 0.1:
            return HANGS  # each costs up to `engine_seconds`
        return self._chance.choice(
            [
                "throws",
                "is cancelled from inside",
                "gives NaN",
                "gives too little",
                "gives unknown pieces",
            ]
        )
