"""Connections over which nothing moves are ended; real sockets but for one, which has a clock."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import suppress
from types import SimpleNamespace

import httpx
import pytest
import uvicorn
from starlette.responses import PlainTextResponse
from uvicorn.server import ServerState

from dragoman.server import Settings, connection, create_app
from tests.support.hosts import capital_parts
from tests.support.serving import PAIR, serving
from tests.support.waiting import until

TCP_CLOSE = 7  # linux/tcp_states.h


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, int]]:
    monkeypatch.setattr(connection, "CHECK_SECONDS", 0.05)
    monkeypatch.setattr(connection, "HEAD_SECONDS", 0.3)
    monkeypatch.setattr(connection, "READER_SECONDS", 0.3)
    with serving(create_app(Settings(), lambda *_: capital_parts())) as url:
        yield "127.0.0.1", httpx.URL(url).port or 0


@pytest.mark.parametrize("head", [b"", b"POST /v1/translate HTTP/1.1\r\nHost: 127.0.0"])
def test_a_head_that_does_not_come(address: tuple[str, int], head: bytes) -> None:
    with socket.create_connection(address, timeout=20) as client:
        client.sendall(head)
        with suppress(ConnectionResetError):
            assert client.recv(1) == b""


@pytest.mark.skipif(not hasattr(socket, "TCP_INFO"), reason="nothing tells the state of a socket")
def test_an_answer_that_nobody_reads(address: tuple[str, int]) -> None:
    text = "Guten Tag. " * 20_000
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        client.settimeout(30)
        client.connect(address)
        body = httpx.Request("POST", "http://x", json={**PAIR, "text": text}).content
        head = (
            "POST /v1/translate HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        client.sendall(head.encode() + body)
        until(lambda: is_reset(client))


class Transport(asyncio.Transport):
    """Takes all that is written."""

    def __init__(self) -> None:
        super().__init__({"sockname": ("127.0.0.1", 80), "peername": ("127.0.0.1", 4_000)})
        self.written = b""
        self.is_aborted = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written += data

    def get_write_buffer_size(self) -> int:
        return 0

    def is_closing(self) -> bool:
        return self.is_aborted

    def abort(self) -> None:
        self.is_aborted = True

    def close(self) -> None: ...

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...


async def test_short_requests_keep_a_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(connection, "time", SimpleNamespace(monotonic=lambda: clock.now))
    config = uvicorn.Config(PlainTextResponse("yes"), lifespan="off", log_config=None)
    config.load()
    watched, transport = connection.Connection(config, ServerState(), {}), Transport()
    watched.connection_made(transport)
    for answered in (1, 2, 3):
        clock.now += 15
        watched.data_received(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        while transport.written.count(b"yes") < answered:
            await asyncio.sleep(0)
        clock.now += 15
        watched._look()
        assert not transport.is_aborted
    clock.now += 5
    watched._look()
    assert transport.is_aborted
    watched.connection_lost(None)


def is_reset(client: socket.socket) -> bool:
    """Nothing was read: yet the other end has given it up."""
    return client.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] == TCP_CLOSE
