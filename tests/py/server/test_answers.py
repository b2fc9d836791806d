"""Answers in slices: the same JSON, a little at a time."""

import json
import tracemalloc

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.responses import StreamingResponse

from dragoman.errors import LanguagePairError
from dragoman.server.answers import PART_BYTES, batch_slices, json_answer, json_slices, parts
from dragoman.wire.responses import RangeUnit, json_bytes
from tests.support.hosts import capital_parts
from tests.support.serving import client

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(st.text(max_size=3), inside),
    max_leaves=20,
)


@given(_JSON)
def test_slices_are_the_json(data):
    assert json.loads(b"".join(json_slices(data))) == data


@given(_JSON, st.integers(0, 8))
def test_whatever_is_looked_into(data, levels):
    assert b"".join(json_slices(data, levels)) == json_bytes(data)


def test_a_long_list_is_many_slices():
    slices = list(json_slices({"matrix": [0.5] * 10_000}))
    assert json.loads(b"".join(slices)) == {"matrix": [0.5] * 10_000}
    assert max(map(len, slices)) < 5_000


def test_parts_are_of_a_size():
    made = list(parts(b"x" * 1_000 for _ in range(200)))
    assert [len(part) for part in made] == [66_000, 66_000, 66_000, 2_000]


def test_a_batch_is_made_outcome_by_outcome():
    made = []

    def outcomes():
        for number in range(3):
            made.append(number)
            yield LanguagePairError("de", "fr", str(number))

    slices = batch_slices(outcomes(), RangeUnit.UTF16)
    begun = next(slices) + next(slices)
    assert made == [0]
    data = json.loads(begun + b"".join(slices))
    assert [outcome["ok"] for outcome in data["outcomes"]] == [False, False, False]
    assert made == [0, 1, 2]
    assert b"".join(batch_slices([], RangeUnit.UTF16)) == b'{"outcomes":[]}'


async def test_what_is_short_is_whole_and_what_is_long_is_streamed():
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


@pytest.fixture
async def capitals():
    async with client(lambda *_: capital_parts()) as made:
        yield made


async def test_a_large_batch_comes_in_parts(capitals: httpx.AsyncClient):
    text = "Das ist ein Satz. " * 20
    options = {"source": "de", "target": "en", "alignment": "soft"}
    asked = capitals.stream("POST", "/v1/batch", json={"texts": [text] * 20, **options})
    async with asked as response:
        assert "content-length" not in response.headers
        outcomes = json.loads(await response.aread())["outcomes"]
    assert [outcome["response"]["text"] for outcome in outcomes] == [text.upper()] * 20
