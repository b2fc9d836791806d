"""Bodies of JSON, read so that nobody else waits for it.

    few values     json.loads: some milliseconds, whatever the length of its strings
    many values    counted first, and refused over `JSON_VALUES`; read in a thread by a scanner in
                   Python, which lets others have their turn: the one in C does not

Objects, lists and commas are counted, as a value comes with one of them. What is in strings is not.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Coroutine
from json import scanner
from typing import Any

from fastapi import Request
from fastapi.routing import APIRoute
from starlette.responses import Response

from dragoman.config import Limits
from dragoman.server.arriving import media_type
from dragoman.server.problems import Problem, ProblemError

# An element of a text has six at most: the most elements, and a little for the rest.
JSON_VALUES = 6 * Limits().elements + 50_000
FEW_VALUES = 20_000

_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[,\[{]', re.DOTALL)


async def read_json(body: bytes) -> Any:
    """What a body says.

    Raises:
        ProblemError: it has too many values.
        ValueError: it is not JSON.
        RecursionError: it is nested too deep.
    """
    if _most(body) <= FEW_VALUES:
        return json.loads(body)
    return await asyncio.to_thread(_read_many, body)


def _most(body: bytes) -> int:
    """At least as many as there are, at a glance."""
    return sum(body.count(mark) for mark in (b",", b"[", b"{"))


def has_many_values(body: bytes) -> bool:
    """Whether a body of JSON may have more values than are allowed."""
    return _most(body) > JSON_VALUES


def _read_many(body: bytes) -> Any:
    values = 0
    for token in _TOKEN.finditer(body):
        values += body[token.start()] != ord('"')
        if values > JSON_VALUES:
            raise ProblemError(
                Problem(
                    413, "too-many-values", f"the body has more than {JSON_VALUES:,} values",
                    {"allowed": JSON_VALUES},
                )
            )  # fmt: skip
    return _PatientDecoder().decode(body.decode(json.detect_encoding(body), "surrogatepass"))


class _PatientDecoder(json.JSONDecoder):
    """Lets other threads have their turn between two values."""

    def __init__(self) -> None:
        super().__init__()
        self.scan_once = scanner.py_make_scanner(self)  # type: ignore[attr-defined]


class _Read(Request):
    """A request whose body was read."""

    def __init__(self, request: Request, body: bytes, data: Any) -> None:
        super().__init__(request.scope, request.receive)
        self._read, self._data = body, data

    async def body(self) -> bytes:
        return self._read

    async def json(self) -> Any:
        return self._data


class JsonRoute(APIRoute):
    """A route whose body of JSON is read by `read_json`."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def read_before(request: Request) -> Response:
            if media_type(request.headers) != "application/json":
                return await handle(request)
            body = await request.body()
            if _most(body) <= FEW_VALUES:
                return await handle(request)
            try:
                content = await read_json(body)
            except (ValueError, RecursionError):
                return await handle(request)  # says what is wrong with it
            return await handle(_Read(request, body, content))

        return read_before
