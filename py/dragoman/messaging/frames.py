"""Messages on standard streams, as browsers want them.

    frame = length (32 bits, in the machine's order of bytes), then so many bytes of JSON in UTF-8

A browser ends a host that writes a frame of more than 1 MiB. A message that is longer goes out in
parts, one after another, nothing between them; put together, their texts are the message as JSON:

    {"type": "part", "text": "…", "last": false} … {"type": "part", "text": "…", "last": true}

https://developer.chrome.com/docs/extensions/develop/concepts/native-messaging
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from typing import BinaryIO

from dragoman.errors import InvalidRequestError

_HEAD = struct.Struct("=I")

LONGEST_READ = 16_000_000  # bytes; the longest text with the most elements has a third of it
LONGEST_WRITTEN = 1_048_576  # bytes, as the browsers have it
# Characters of ASCII: each may need a backslash, and there must be room for what is around them.
_PART = 500_000


def read_message(stream: BinaryIO) -> object | None:
    """The next message, or None where the stream ends between two.

    Raises:
        InvalidRequestError: it is too long, cut off, or no JSON. What follows cannot be told apart.
    """
    head = _read(stream, _HEAD.size)
    if not head:
        return None
    length: int = _HEAD.unpack(_whole(head, _HEAD.size))[0]
    if length > LONGEST_READ:
        raise InvalidRequestError(
            f"the message has {length:,} bytes, {LONGEST_READ:,} are allowed",
            requested=length,
            allowed=LONGEST_READ,
        )
    content = _whole(_read(stream, length), length)
    try:
        message: object = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InvalidRequestError("the message is not JSON in UTF-8") from error
    return message


def _read(stream: BinaryIO, count: int) -> bytes:
    """So many bytes, or all that come before the end; a bare pipe gives them bit by bit."""
    content = bytearray()
    while len(content) < count and (more := stream.read(count - len(content))):
        content += more
    return bytes(content)


def _whole(content: bytes, length: int) -> bytes:
    if len(content) < length:
        raise InvalidRequestError(
            f"the message is cut off: {len(content):,} of {length:,} bytes came",
            requested=length,
            allowed=len(content),
        )
    return content


def frames_of(message: object) -> Iterator[bytes]:
    """A message as frames: one, or its parts. It is ASCII: a lone surrogate comes through too."""
    content = _encoded(message)
    if len(content) <= LONGEST_WRITTEN:
        yield _frame(content)
        return
    text = content.decode()
    for start in range(0, len(text), _PART):
        part = {"type": "part", "text": text[start : start + _PART]}
        yield _frame(_encoded(part | {"last": start + _PART >= len(text)}))


def _encoded(message: object) -> bytes:
    return json.dumps(message, separators=(",", ":"), allow_nan=False).encode()


def _frame(content: bytes) -> bytes:
    return _HEAD.pack(len(content)) + content
