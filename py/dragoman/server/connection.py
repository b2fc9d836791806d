"""HTTP connections that end when nothing moves: a head that does not come, an answer nobody reads.

    waits for a head      HEAD_SECONDS, from the connection or from the end of the last answer
    body comes            `BodyLimit` watches it
    answer not taken      READER_SECONDS without a byte taken
    the other end is gone the system asks it, KEEP_ALIVE, and then ends the connection

uvicorn ends idle connections between two requests; of these it knows nothing.
"""

from __future__ import annotations

import asyncio
import socket
import struct
import time

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 20.0
READER_SECONDS = 60.0
CHECK_SECONDS = 5.0
# Of the system: seconds of silence, seconds between questions, questions.
KEEP_ALIVE = {"TCP_KEEPIDLE": 60, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 3}


class Connection(H11Protocol):
    """uvicorn's, watched."""

    _timer: asyncio.TimerHandle | None = None
    _buffered = 0  # bytes of an answer that were not taken at the last look
    _moved = 0.0  # when something last did

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        _ask_now_and_then(transport.get_extra_info("socket"))
        self._moved = time.monotonic()
        self._look_later()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        # A look every few seconds may find all of many short requests answered, and none under way.
        self._moved = time.monotonic()
        super().on_response_complete()

    def _look_later(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(CHECK_SECONDS, self._look)

    def _look(self) -> None:
        now, buffered = time.monotonic(), self.transport.get_write_buffer_size()
        answering = self.cycle is not None and not self.cycle.response_complete
        if buffered != self._buffered or (answering and not buffered):
            self._moved = now
        self._buffered = buffered
        if now - self._moved >= (READER_SECONDS if buffered else HEAD_SECONDS):
            self._end()
        else:
            self._look_later()

    def _end(self) -> None:
        """At once: to close it would wait for what is not taken, here and in the system."""
        sock = self.transport.get_extra_info("socket")
        if sock is not None:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()


def _ask_now_and_then(sock: socket.socket | None) -> None:
    """Have the system find out when the other end is no more."""
    if sock is None or sock.family not in (socket.AF_INET, socket.AF_INET6):
        return
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in KEEP_ALIVE.items():
        if hasattr(socket, name):
            sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
