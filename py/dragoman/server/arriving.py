"""Bodies that are read while the answer is sent: a text that is still arriving.

Whoever reads the body is the one who hears of a client that leaves; when nobody reads it any more,
whoever waits for that (`clients.unless_gone`) hears of it himself.
"""

from __future__ import annotations

import asyncio
import codecs
from collections.abc import AsyncIterator

from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope

from dragoman.errors import InvalidRequestError
from dragoman.server.problems import Problem, ProblemError

PATH = "/v1/stream"
MEDIA_TYPE = "text/plain"


def media_type(headers: Headers) -> str:
    """What the body is declared as, without parameters."""
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def is_arriving(scope: Scope) -> bool:
    """Whether the body of a request is to be read while the answer is sent."""
    asked = scope["method"], scope["path"], media_type(Headers(scope=scope))
    return asked == ("POST", PATH, MEDIA_TYPE)


class Arriving:
    """A body under way.

    Args:
        allowed: most bytes of it.
    """

    def __init__(self, receive: Receive, allowed: int) -> None:
        self._receive, self._allowed = receive, allowed
        self._size = 0
        self._over = asyncio.Event()  # nobody reads the body any more
        self._last: Message = {}

    async def parts(self) -> AsyncIterator[bytes]:
        """The body as it comes; ends where the client leaves, too.

        Raises:
            ProblemError: with the last part it has become too large.
        """
        try:
            while True:
                self._last = await self._receive()
                if self._last["type"] == "http.disconnect":
                    return
                part: bytes = self._last.get("body", b"")
                self._size += len(part)
                yield part
                if self._size > self._allowed:
                    raise ProblemError(too_large(self._size, self._allowed))
                if not self._last.get("more_body", False):
                    return
        finally:
            self._over.set()

    async def texts(self) -> AsyncIterator[str]:
        """The body as text; parts may be cut inside a character.

        Raises:
            InvalidRequestError: it is not UTF-8.
            ProblemError: it is too large.
        """
        decoder = codecs.getincrementaldecoder("utf-8")()
        at = 0  # bytes that the decoder has done with
        try:
            async for part in self.parts():
                yield decoder.decode(part)
                at = self._size - len(decoder.getstate()[0])
            yield decoder.decode(b"", final=True)
        except UnicodeDecodeError as error:
            at += error.start
            message = f"the body is not UTF-8: byte 0x{error.object[error.start]:02X} at {at:,}"
            raise InvalidRequestError(message, at=at) from error

    async def disconnected(self) -> Message:
        """The next message when nobody reads the body any more, for `unless_gone`."""
        await self._over.wait()
        if self._last.get("type") == "http.disconnect":
            return self._last
        return await self._receive()


def too_large(requested: int, allowed: int) -> Problem:
    return Problem(
        413,
        "body-too-large",
        f"the body is too large: {requested:,} bytes requested, {allowed:,} allowed",
        {"requested": requested, "allowed": allowed},
        {"Connection": "close"},
    )
