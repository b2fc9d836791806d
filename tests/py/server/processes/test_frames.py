"""Frames between front and worker: they come out as they went in, or not at all."""

from __future__ import annotations

import asyncio
import io

from hypothesis import given
from hypothesis import strategies as st

from dragoman.server.processes.frames import (
    Frame,
    Kind,
    read_frame,
    receive_frame,
    request_content,
    request_of,
    start_content,
    start_message,
)

frames = st.builds(Frame, st.integers(0, 2**32 - 1), st.sampled_from(Kind), st.binary(max_size=99))
headers = st.lists(st.tuples(st.binary(max_size=9), st.binary(max_size=9)), max_size=4)


def test_a_frame_is_number_kind_length_content() -> None:
    assert Frame(258, Kind.BODY, b"ab").encoded() == b"\x00\x00\x01\x02\x06\x00\x00\x00\x02ab"
    assert Frame(1, Kind.END).encoded() == b"\x00\x00\x00\x01\x07\x00\x00\x00\x00"


@given(st.lists(frames), st.integers(0, 20))
def test_frames_come_out_as_they_went_in_and_half_ones_are_the_end(
    sent: list[Frame], missing: int
) -> None:
    content = b"".join(frame.encoded() for frame in sent)
    content = content[: max(0, len(content) - missing)]
    stream, received = io.BytesIO(content), []
    while (frame := read_frame(stream)) is not None:
        received.append(frame)
    assert received == sent[: len(received)]
    assert len(received) == len(sent) or missing
    assert asyncio.run(_received(content)) == received


async def _received(content: bytes) -> list[Frame]:
    stream = asyncio.StreamReader()
    stream.feed_data(content)
    stream.feed_eof()
    received = []
    while (frame := await receive_frame(stream)) is not None:
        received.append(frame)
    return received


@given(st.text(), st.binary(max_size=9), headers, st.binary())
def test_requests_come_out_as_they_went_in(
    path: str, query: bytes, given_headers: list[tuple[bytes, bytes]], body: bytes
) -> None:
    path = path.encode("utf-8", "replace").decode()
    scope = {
        "method": "POST", "path": path, "query_string": query, "scheme": "http",
        "headers": given_headers,
    }  # fmt: skip
    decoded, content = request_of(request_content(scope, body))
    assert content == body
    assert {name: decoded[name] for name in scope} == scope
    assert decoded["type"] == "http"


@given(st.integers(100, 599), headers)
def test_starts_come_out_as_they_went_in(
    status: int, given_headers: list[tuple[bytes, bytes]]
) -> None:
    message = {"type": "http.response.start", "status": status, "headers": given_headers}
    assert start_message(start_content(message)) == message
