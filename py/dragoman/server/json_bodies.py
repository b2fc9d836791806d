"""Bodies of JSON, read so that nobody else waits for it.

    short          json.loads: some milliseconds
    long           in a thread, in slices (`loop.patient`)
    many values    refused over `JSON_VALUES`, which is counted before any is read

Objects, lists and commas are counted, as a value comes with one of them. What is in strings is not.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import HTTPException, Request
from fastapi.routing import APIRoute
from starlette.responses import Response

from dragoman.config import Limits
from dragoman.server.arriving import media_type
from dragoman.server.loop.patient import PatientDecoder, marks
from dragoman.server.problems import Problem, ProblemError

# An element of a text has six at most: the most elements, and a little for the rest.
JSON_VALUES = 6 * Limits().elements + 50_000
# Of a body that is short.
FEW_VALUES = 20_000
FEW_BYTES = 500_000


async def read_json(body: bytes) -> Any:
    """What a body says.

    Raises:
        ProblemError: it has too many values.
        ValueError: it is not JSON.
        RecursionError: it is nested too deep.
    """
    return json.loads(body) if _is_short(body) else await asyncio.to_thread(read_patiently, body)


def _is_short(body: bytes) -> bool:
    if len(body) > FEW_BYTES:
        return False
    return sum(body.count(mark) for mark in (b",", b"[", b"{")) <= FEW_VALUES


def read_patiently(body: bytes) -> Any:
    """The same, where it is asked for: in a thread."""
    text = body.decode(json.detect_encoding(body), "surrogatepass")
    for values, _ in enumerate(marks(text), 1):
        if values > JSON_VALUES:
            raise ProblemError(
                Problem(
                    413, "too-many-values", f"the body has more than {JSON_VALUES:,} values",
                    {"allowed": JSON_VALUES},
                )
            )  # fmt: skip
    return PatientDecoder().decode(text)


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
            if _is_short(body):
                return await handle(request)
            try:
                content = await read_json(body)
            except (ValueError, RecursionError) as error:
                raise HTTPException(400) from error
            return await handle(_Read(request, body, content))

        return read_before
