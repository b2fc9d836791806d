"""What a client gets of a worker that is lost before, in the middle of, and behind its answer."""

from __future__ import annotations

import pytest
from starlette.types import Message

from dragoman.server.processes.answer import Answer
from dragoman.server.processes.frames import body_message

_LOST = (
    b'{"error":{"code":"worker-gone","message":"the process that translated this went away",'
    b'"details":{}}}\n'
)


def _head(media_type: bytes) -> Message:
    headers = [(b"content-type", media_type)]
    return {"type": "http.response.start", "status": 200, "headers": headers}


STREAM, JSON = _head(b"application/x-ndjson"), _head(b"application/json")


class Client:
    """Keeps what it is sent."""

    def __init__(self) -> None:
        self.sent: list[Message] = []

    async def take(self, message: Message) -> None:
        self.sent.append(message)


@pytest.mark.parametrize(
    ("lines", "last"),
    [
        ([], _LOST),
        ([b'{"piece":{"text":"A."}}\n'], _LOST),
        ([b'{"piece":{"text":"A."}}\n', b'{"end":{"pieces":1}}\n'], b""),
        ([b'{"piece":{"text":"A."}}\n', b'{"error":{"code":"engine"}}\n'], b""),
        ([b'{"piece":{"text":"{\\"end\\":"}}\n'], _LOST),
    ],
)
async def test_a_stream_has_one_last_line(lines: list[bytes], last: bytes) -> None:
    client = Client()
    answer = Answer(client.take)
    await answer.take(STREAM)
    assert client.sent == [STREAM]  # it is known at once that it was not refused
    for line in lines:
        await answer.take(body_message(line, more=True))
    await answer.end()
    assert client.sent[1:] == [
        *(body_message(line, more=True) for line in lines),
        body_message(last, more=False),
    ]


async def test_a_head_without_a_body_is_not_sent() -> None:
    """So another worker can answer."""
    client = Client()
    answer = Answer(client.take)
    await answer.take(JSON)
    assert (client.sent, answer.begun) == ([], False)
    await answer.take(body_message(b'{"text":"A."}', more=True))
    await answer.take(body_message(b"", more=False))
    assert client.sent == [
        JSON,
        body_message(b'{"text":"A."}', more=True),
        body_message(b"", more=False),
    ]
    assert answer.begun


async def test_the_head_of_an_answer_without_a_body_is_sent_at_its_end() -> None:
    client = Client()
    answer = Answer(client.take)
    await answer.take(JSON)
    await answer.take(body_message(b"", more=False))
    assert client.sent == [JSON, body_message(b"", more=False)]


@pytest.mark.parametrize(
    ("length", "parts", "whole"),
    [
        (b"4", [b"abcd"], True),
        (b"4", [b"ab", b"cd"], True),
        (b"4", [b"ab"], False),
        (None, [b"abcd"], False),
    ],
)
async def test_what_is_whole_needs_no_worker_any_more(
    length: bytes | None, parts: list[bytes], whole: bool
) -> None:
    client = Client()
    answer = Answer(client.take)
    headers = [*JSON["headers"], *([(b"content-length", length)] if length else [])]
    await answer.take({**JSON, "headers": headers})
    for part in parts:
        await answer.take(body_message(part, more=True))
    assert (answer.begun, answer.whole) == (True, whole)
    if whole:
        await answer.end()
        assert client.sent[-1] == body_message(b"", more=False)
