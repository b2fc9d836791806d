"""Frames on streams: whole, cut off, too long, in parts."""

from __future__ import annotations

import io
import json
import struct
from typing import Any

import pytest

from dragoman.errors import InvalidRequestError
from dragoman.messaging.frames import LONGEST_READ, LONGEST_WRITTEN, frames_of, read_message


def frame(content: bytes, length: int | None = None) -> bytes:
    return struct.pack("=I", len(content) if length is None else length) + content


class Dripping(io.BytesIO):
    """A pipe that gives a byte at a time."""

    def read(self, count: int | None = -1) -> bytes:
        return super().read(min(count or 0, 1))


@pytest.mark.parametrize("kind", [io.BytesIO, Dripping])
def test_messages_come_one_after_the_other_until_the_end(kind: type[io.BytesIO]) -> None:
    stream = kind(frame(b'{"id": 1}') + frame('["ü"]'.encode()))
    assert read_message(stream) == {"id": 1}
    assert read_message(stream) == ["ü"]
    assert read_message(stream) is None


def test_a_lone_surrogate_comes_through_both_ways() -> None:
    assert read_message(io.BytesIO(frame(rb'"a\ud800"'))) == "a\ud800"
    (sent,) = frames_of({"text": "a\ud800"})
    assert sent == frame(rb'{"text":"a\ud800"}')


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\x05\x00", "the message is cut off: 2 of 4 bytes came"),
        (frame(b"{}", 10), "the message is cut off: 2 of 10 bytes came"),
        (
            frame(b"", LONGEST_READ + 1),
            "the message has 16,000,001 bytes, 16,000,000 are allowed",
        ),
        (frame(b"{"), "the message is not JSON in UTF-8"),
        (frame(b'"\xff"'), "the message is not JSON in UTF-8"),
        (frame(b"[" * 200_000), "the message is not JSON in UTF-8"),
        (frame(b""), "the message is not JSON in UTF-8"),
    ],
)
def test_what_is_no_message_says_why(content: bytes, message: str) -> None:
    with pytest.raises(InvalidRequestError) as raised:
        read_message(io.BytesIO(content))
    assert raised.value.message == message


def test_a_long_message_goes_out_in_parts_that_browsers_take() -> None:
    text = '"\\' * 400_000 + "ü" * 100_000
    frames = list(frames_of({"type": "settled", "text": text}))
    assert len(frames) > 1
    parts: list[Any] = [read_message(io.BytesIO(one)) for one in frames]
    assert max(len(one) - 4 for one in frames) <= LONGEST_WRITTEN
    assert [part["type"] for part in parts] == ["part"] * len(parts)
    assert [part["last"] for part in parts] == [False] * (len(parts) - 1) + [True]
    whole = json.loads("".join(part["text"] for part in parts))
    assert whole == {"type": "settled", "text": text}


def test_what_just_fits_is_one_frame() -> None:
    (sent,) = frames_of("a" * (LONGEST_WRITTEN - 2))
    assert len(sent) == 4 + LONGEST_WRITTEN
    assert len(list(frames_of("a" * (LONGEST_WRITTEN - 1)))) == 3
