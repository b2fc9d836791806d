"""Answers that are too large to be made at once."""

import json
import tracemalloc

import httpx
from starlette.responses import StreamingResponse

from dragoman.server.api import json_answer
from dragoman.wire.slices import PART_BYTES


async def test_what_is_short_is_whole_and_what_is_long_is_streamed() -> None:
    short = await json_answer(iter([b"{}"]))
    assert (short.body, short.headers["content-length"]) == (b"{}", "2")
    tracemalloc.start()
    try:
        long = await json_answer(b"x" * 1_000 for _ in range(100_000))
        read = 0
        assert isinstance(long, StreamingResponse)
        async for part in long.body_iterator:
            read += len(part)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert read == 100_000_000
    assert peak < 20 * PART_BYTES


async def test_a_large_batch_comes_in_parts(capitals: httpx.AsyncClient) -> None:
    text = "Das ist ein Satz. " * 20
    options = {"source": "de", "target": "en", "alignment": "soft"}
    asked = capitals.stream("POST", "/v1/batch", json={"texts": [text] * 20, **options})
    async with asked as response:
        assert "content-length" not in response.headers
        outcomes = json.loads(await response.aread())["outcomes"]
    assert [outcome["response"]["text"] for outcome in outcomes] == [text.upper()] * 20
