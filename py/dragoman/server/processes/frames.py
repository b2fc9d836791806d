"""What crosses the two pipes between the front and a worker process: HTTP, cut into frames.

    frame = number of the request (u32), kind (u8), length (u32), then so many bytes; big-endian

    front -> worker   SETTINGS once; REQUEST: head as JSON, a line feed, the body; GONE; where the
                      body is `arriving`, it is MORE ... MORE, the last one empty; PING
    both ways         TOOK: so many bytes of BODY, or of MORE, were taken (u32): see `window`
    worker -> front   READY once; START: status and headers as JSON; BODY ...; END; FIGURES: what
                      was counted (`figures`); PONG

A worker answers each REQUEST with frames up to END, in order, mixed with those of others. After
GONE (the client left) an END is all that is still sure to come.
"""

from __future__ import annotations

import asyncio
import json
import struct
from collections.abc import Mapping
from enum import IntEnum
from typing import Any, BinaryIO, NamedTuple

from starlette.types import Message, Scope

_HEAD = struct.Struct(">IBI")
_COUNT = struct.Struct(">I")


class Kind(IntEnum):
    SETTINGS = 1
    REQUEST = 2
    GONE = 3
    READY = 4
    START = 5
    BODY = 6
    END = 7
    MORE = 8
    PING = 9
    PONG = 10
    FIGURES = 11
    TOOK = 12


class Frame(NamedTuple):
    """A frame; `number` is 0 where it is of no request."""

    number: int
    kind: Kind
    content: bytes = b""

    def encoded(self) -> bytes:
        return _HEAD.pack(self.number, self.kind, len(self.content)) + self.content


async def receive_frame(stream: asyncio.StreamReader) -> Frame | None:
    """The next frame, or None at the end of the stream, in the middle of a frame too."""
    try:
        number, kind, length = _HEAD.unpack(await stream.readexactly(_HEAD.size))
        return Frame(number, Kind(kind), await stream.readexactly(length))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


def read_frame(stream: BinaryIO) -> Frame | None:
    """The same from a blocking stream."""
    head = stream.read(_HEAD.size)
    if len(head) < _HEAD.size:
        return None
    number, kind, length = _HEAD.unpack(head)
    content = stream.read(length)
    return Frame(number, Kind(kind), content) if len(content) == length else None


def took(number: int, count: int) -> Frame:
    return Frame(number, Kind.TOOK, _COUNT.pack(count))


def taken(frame: Frame) -> int:
    """Of a TOOK: bytes."""
    count: int = _COUNT.unpack(frame.content)[0]
    return count


# --- HTTP ------------------------------------------------------------------------------------


def request_content(scope: Scope, body: bytes) -> bytes:
    """Of a REQUEST."""
    head = {
        "method": scope["method"],
        "path": scope["path"],
        "query": scope["query_string"].decode("latin-1"),
        "scheme": scope["scheme"],
        "headers": _texts(scope["headers"]),
    }
    return json.dumps(head).encode() + b"\n" + body


def request_of(content: bytes) -> tuple[Scope, bytes]:
    """The scope and the body of a REQUEST."""
    line, _, body = content.partition(b"\n")
    head = json.loads(line)
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": head["method"],
        "scheme": head["scheme"],
        "path": head["path"],
        "raw_path": head["path"].encode(),
        "query_string": head["query"].encode("latin-1"),
        "root_path": "",
        "headers": _bytes(head["headers"]),
        "client": None,
        "server": None,
    }
    return scope, body


def start_content(message: Message) -> bytes:
    """Of a START."""
    return json.dumps([message["status"], _texts(message["headers"])]).encode()


def start_message(content: bytes) -> Message:
    status, headers = json.loads(content)
    return {"type": "http.response.start", "status": status, "headers": _bytes(headers)}


def body_message(content: bytes, more: bool) -> Message:
    return {"type": "http.response.body", "body": content, "more_body": more}


def _texts(headers: list[tuple[bytes, bytes]]) -> list[list[str]]:
    return [[name.decode("latin-1"), value.decode("latin-1")] for name, value in headers]


def _bytes(headers: list[list[str]]) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]


def settings_content(data: Mapping[str, Any]) -> bytes:
    """Of SETTINGS; paths become text."""
    return json.dumps(data, default=str).encode()
