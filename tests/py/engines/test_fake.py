import asyncio
from array import array

import pytest

from dragoman.engines.fake import EchoEngine, HeldEngine, echo
from dragoman.errors import EngineError
from dragoman.pipeline.hypotheses import hypotheses
from dragoman.service.batching import mini_batch
from tests.support.helpers import segment

BATCH = mini_batch([segment([5, 6]), segment([7])])


def test_echo() -> None:
    output = echo(BATCH, attention=True)
    assert output.steps == 3
    assert output.ids == array("i", [5, 6, 0, 7, 0, 0])
    assert list(output.attention) == [
        1, 0, 0, 0, 1, 0, 0, 0, 1,
        1, 0, 0, 0, 1, 0, 0, 1, 0,
    ]  # fmt: skip
    assert [h.ids for h in hypotheses(BATCH, output, attention=True)] == [(5, 6), (7,)]


async def test_echo_engine_translates_and_keeps_batches() -> None:
    engine = EchoEngine(lambda id_: id_ + 10)
    output = await engine.run(BATCH, attention=False)
    assert output.ids == array("i", [15, 16, 0, 17, 0, 0])
    assert len(output.attention) == 0
    assert engine.batches == [BATCH]
    await engine.close()
    assert engine.closed


async def test_held_engine() -> None:
    engine = HeldEngine()
    runs = [asyncio.ensure_future(engine.run(BATCH, attention=False)) for _ in range(3)]
    await asyncio.sleep(0)
    engine.release(0)
    engine.fail("no more", 1)
    assert (await runs[0]).ids == BATCH.ids
    with pytest.raises(EngineError, match="no more"):
        await runs[1]
    assert not runs[2].done()
    await engine.close()
    with pytest.raises(EngineError, match="closed"):
        await runs[2]
