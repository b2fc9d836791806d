"""What a client gets of a worker that may be lost meanwhile.

head of a stream    at once: whatever becomes of the worker, there is a last line
any other head      with the first of the body: till then another worker can answer instead
"""

from __future__ import annotations

from starlette.types import Message, Send

from dragoman.server.lines import LINES, error_line, is_last
from dragoman.server.problems import Problem
from dragoman.server.processes.frames import body_message

LOST = Problem(503, "worker-gone", "the process that translated this went away", {})


class Answer:
    """Of one worker.

    Attributes:
        begun: something has been sent.
        in_lines: it is a stream, which has a last line whatever becomes of the worker.
        whole: all of it has been sent, and only the frame behind it is missing. The client knows,
            and its next request may be on its way on the same connection.
    """

    def __init__(self, send: Send) -> None:
        self._send = send
        self._head: Message | None = None
        self._missing = -1  # bytes, where the head says how many there are
        self.begun = self.in_lines = self.whole = False

    async def take(self, message: Message) -> None:
        """The next message."""
        if message["type"] == "http.response.start":
            self.in_lines = (b"content-type", LINES.encode()) in message["headers"]
            if not self.in_lines:
                self._head = message
                self._missing = int(dict(message["headers"]).get(b"content-length", -1))
                return
        body: bytes = message.get("body", b"")
        self._missing -= len(body)
        self.whole = self.whole or (is_last(body) if self.in_lines else self._missing == 0)
        self.begun = True
        if self._head is not None:
            await self._send(self._head)
            self._head = None
        await self._send(message)

    async def end(self) -> None:
        """The end of a stream, or of what is whole, whose worker is lost."""
        last = b"" if self.whole else error_line(LOST.data())
        await self._send(body_message(last, more=False))
