"""A host on two streams, from the first message to the end of the input."""

from __future__ import annotations

import io
from typing import Any

import pytest

from dragoman.errors import InvalidRequestError
from dragoman.messaging.frames import frames_of, read_message
from dragoman.messaging.serve import serve
from tests.support.helpers import DE_EN, FakeSource

REQUEST = {"text": "Hallo.", "source": "de", "target": "en"}


def stream(*messages: object) -> bytes:
    return b"".join(frame for message in messages for frame in frames_of(message))


def heard(sink: io.BytesIO) -> list[Any]:
    sink.seek(0)
    return list(iter(lambda: read_message(sink), None))


async def test_the_end_of_the_input_ends_what_is_under_way() -> None:
    models = FakeSource({DE_EN: 1})
    models.hold()
    sink = io.BytesIO()
    source = stream({"type": "hello"}, {"type": "translate", "id": 1, "request": REQUEST})
    await serve(io.BytesIO(source), sink, models, "1.2.3")
    ready, settled = heard(sink)
    assert ready["type"] == "ready"
    assert settled["outcome"]["error"]["code"] == "cancelled"
    assert models.alive == []


async def test_an_unknown_message_is_answered_and_the_next_one_too() -> None:
    sink = io.BytesIO()
    await serve(
        io.BytesIO(stream({"type": "what"}, {"type": "hello"})), sink, FakeSource({}), "1.2.3"
    )
    failed, ready = heard(sink)
    assert failed["error"]["code"] == "invalid-request"
    assert ready == {"type": "ready", "release": "1.2.3", "directions": []}


async def test_an_input_that_is_cut_off_is_told_and_ends_it() -> None:
    sink = io.BytesIO()
    cut = stream({"type": "hello"})[:-1]
    with pytest.raises(InvalidRequestError, match="cut off: 15 of 16 bytes"):
        await serve(io.BytesIO(cut), sink, FakeSource({}), "1.2.3")
    (failed,) = heard(sink)
    assert failed["error"]["message"] == "the message is cut off: 15 of 16 bytes came"


async def test_a_browser_that_no_longer_reads_is_no_error() -> None:
    class Closed(io.BytesIO):
        def write(self, _content: Any) -> int:
            raise BrokenPipeError

    await serve(
        io.BytesIO(stream({"type": "hello"}, {"type": "hello"})), Closed(), FakeSource({}), "1.2.3"
    )
