"""What every request passes before it reaches a route; see the package for the order."""

from __future__ import annotations

import asyncio
import re
import secrets
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dragoman.server.arriving import is_arriving, too_large
from dragoman.server.bodies import UnfinishedBodies
from dragoman.server.problems import INTERNAL, Problem, ProblemError, log_failure
from dragoman.server.settings import ANY, Settings

_HEADERS: Final = {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    # No page shows the demo in a frame of its own, under somebody else's buttons.
    "Content-Security-Policy": "frame-ancestors 'none'",
}

TOKEN_HEADER: Final = "Dragoman-Token"  # noqa: S105 - the name of the header

# So long a body may be silent.
BODY_SECONDS = 30.0
_TOO_SLOW = Problem(
    408, "body-timeout", f"nothing more of the body came within {BODY_SECONDS:g} s",
    {"allowed": BODY_SECONDS}, {"Connection": "close"},
)  # fmt: skip
_MADE_ROOM = Problem(
    503, "server-busy", "too many bodies are on their way, and this is one of the oldest", {},
    {"Retry-After": "1", "Connection": "close"},
)  # fmt: skip
_HOST: Final = re.compile(r"(?:\[(?P<address>[0-9a-f:.]+)\]|(?P<name>[a-z0-9._-]+))(?::\d{1,5})?")

# A client that still sends would lose the answer; this much of its body is awaited and forgotten.
DRAINED_BODIES = 8


class HttpMiddleware:
    """Answers HTTP requests and hands on the server's start and end. There are no web sockets."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self.handle(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._app(scope, receive, send)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or have it answered further inside."""
        raise NotImplementedError


class Guard(HttpMiddleware):
    """Turns what no one foresaw into a typed error. Its message is not logged: it may hold text."""

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def watched(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except Exception as error:
            log_failure(error)
            if not started:
                await INTERNAL.response()(scope, receive, send)


class IsolationHeaders(HttpMiddleware):
    """Every response of the server is isolated from other origins (so it may use threads)."""

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def headed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, headed)


class HostCheck(HttpMiddleware):
    """Refuses requests that call this machine by another name (DNS rebinding)."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        super().__init__(app)
        self._settings = settings

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        hosts = Headers(scope=scope).getlist("host")
        if len(hosts) == 1 and self._settings.allows_host(host_name(hosts[0])):
            await self._app(scope, receive, send)
            return
        problem = Problem(
            403, "host-not-allowed", "the server does not go by this name; see --allow-host"
        )
        await problem.response()(scope, receive, send)


class TokenCheck(HttpMiddleware):
    """Refuses whoever does not know the server's secret, files of the page included."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        super().__init__(app)
        self._token = token.encode()

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        given = Headers(scope=scope).get(TOKEN_HEADER, "")
        if secrets.compare_digest(given.encode(), self._token):
            await self._app(scope, receive, send)
            return
        problem = Problem(403, "token-needed", "this server answers its own window only")
        await problem.response()(scope, receive, send)


class OriginCheck(HttpMiddleware):
    """Refuses requests of pages of other origins, unless they were allowed; then answers CORS."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        super().__init__(app)
        self._settings = settings

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        origin = headers.get("origin")
        if origin is None or origin == f"{scope['scheme']}://{headers.get('host', '')}":
            await self._app(scope, receive, send)
            return
        if not self._settings.allows_origin(origin):
            problem = Problem(
                403, "origin-not-allowed", "pages of other origins may not ask; see --allow-origin"
            )
            await problem.response()(scope, receive, send)
            return
        if scope["method"] == "OPTIONS" and "access-control-request-method" in headers:
            preflight = Response(status_code=204, headers=self._preflight(origin, headers))
            await preflight(scope, receive, send)
            return

        async def allowed(message: Message) -> None:
            if message["type"] == "http.response.start":
                response_headers = MutableHeaders(scope=message)
                response_headers["Access-Control-Allow-Origin"] = self._allowed(origin)
                response_headers["Access-Control-Expose-Headers"] = "Content-Range, ETag"
                response_headers.add_vary_header("Origin")
            await send(message)

        await self._app(scope, receive, allowed)

    def _allowed(self, origin: str) -> str:
        return ANY if ANY in self._settings.allow_origins else origin

    def _preflight(self, origin: str, headers: Headers) -> dict[str, str]:
        answer = {
            "Access-Control-Allow-Origin": self._allowed(origin),
            "Access-Control-Allow-Methods": "GET, POST",
            "Access-Control-Allow-Headers": "Content-Type, If-Range, Range",
            "Access-Control-Max-Age": "600",
            "Vary": "Origin",
        }
        if "access-control-request-private-network" in headers:
            answer["Access-Control-Allow-Private-Network"] = "true"
        return answer


class RequestLimit(HttpMiddleware):
    """Refuses requests to translate while too many are open: each one holds its body.

    What is `arriving` may take as long as its client likes, and has a place of `BodyLimit`'s.
    """

    def __init__(self, app: ASGIApp, allowed: int) -> None:
        super().__init__(app)
        self._allowed = allowed
        self._open = 0

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST" or is_arriving(scope):
            await self._app(scope, receive, send)
            return
        if self._open >= self._allowed:
            await self._refusal().response()(scope, receive, send)
            return
        self._open += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._open -= 1

    def _refusal(self) -> Problem:
        requested = self._open + 1
        return Problem(
            503,
            "server-busy",
            f"too many requests at once: {requested:,} requested, {self._allowed:,} allowed",
            {"requested": requested, "allowed": self._allowed},
            {"Retry-After": "1", "Connection": "close"},
        )


class BodyLimit(HttpMiddleware):
    """Reads the body, up to a limit, before the routes do, but for what is `arriving`.

    One that is silent for `BODY_SECONDS` is refused. Of bodies that are not complete, and of texts
    that are arriving until they are answered, there are at most `open_bodies`; they are no open
    requests (`RequestLimit`).
    """

    def __init__(self, app: ASGIApp, allowed: int, open_bodies: int) -> None:
        super().__init__(app)
        self._allowed = allowed
        self._bodies = UnfinishedBodies(open_bodies)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        if is_arriving(scope):
            with self._bodies.place(_client(scope)) as lost:
                await self._app(scope, unless_lost(receive, lost), send)
            return
        try:
            body = await self._complete(scope, receive)
        except ProblemError as error:
            await error.problem.response()(scope, receive, send)
            return
        if body is None:
            return
        pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def replayed() -> Message:
            return pending.pop() if pending else await receive()

        await self._app(scope, replayed, send)

    async def _complete(self, scope: Scope, receive: Receive) -> bytes | None:
        """All of the body; None where the client has left.

        Raises:
            ProblemError: it is too large, comes too slowly, or had to make room.
        """
        loop = asyncio.get_running_loop()
        with self._bodies.place(_client(scope)) as lost:
            try:
                async with asyncio.timeout(BODY_SECONDS) as silence:
                    lost.add_done_callback(lambda _: silence.reschedule(loop.time()))
                    return await self._read(scope, receive, silence)
            except TimeoutError:
                raise ProblemError(_MADE_ROOM if lost.done() else _TOO_SLOW) from None

    async def _read(self, scope: Scope, receive: Receive, silence: asyncio.Timeout) -> bytes | None:
        body = bytearray()
        size = 0
        more = True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            silence.reschedule(asyncio.get_running_loop().time() + BODY_SECONDS)
            chunk: bytes = message.get("body", b"")
            size += len(chunk)
            if size <= self._allowed:
                body += chunk
            more = message.get("more_body", False)
            if size > self._allowed * DRAINED_BODIES:
                break
        if size > self._allowed:
            raise ProblemError(self._refusal(scope, size))
        return bytes(body)

    def _refusal(self, scope: Scope, size: int) -> Problem:
        declared = Headers(scope=scope).get("content-length", "")
        requested = int(declared) if declared.isascii() and declared.isdigit() else size
        return too_large(requested, self._allowed)


def unless_lost(receive: Receive, lost: asyncio.Future[None]) -> Receive:
    """A body's messages, until it has to make room for others."""

    async def received() -> Message:
        message = asyncio.ensure_future(receive())
        try:
            await asyncio.wait((message, lost), return_when=asyncio.FIRST_COMPLETED)
            if message.done():
                return message.result()
            raise ProblemError(_MADE_ROOM)
        finally:
            message.cancel()

    return received


def _client(scope: Scope) -> str:
    client = scope.get("client") or ("",)
    return str(client[0])


def host_name(host: str) -> str:
    """The name in a Host header, without the port: "localhost:8765", "[::1]:80"; nothing of what is
    no name and no port."""
    match = _HOST.fullmatch(host.strip().lower())
    return (match["address"] or match["name"].removesuffix(".")) if match else ""
