"""The routes of what is built on requests: /v1/graph, /v1/stream."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from fastapi import APIRouter, Request
from starlette.responses import Response, StreamingResponse

from dragoman.errors import DragomanError, TextTooLongError
from dragoman.server.api import ready, translated
from dragoman.server.clients import unless_gone
from dragoman.server.metrics import CLIENT_GONE, Translations
from dragoman.server.openapi import errors
from dragoman.server.pool import ModelPool
from dragoman.server.problems import log_failure, status_of
from dragoman.server.schema import GraphAnswer, GraphBody, StreamBody
from dragoman.server.settings import Settings
from dragoman.session import run_graph
from dragoman.stream import TranslationStream, stream_pieces
from dragoman.types import TranslationRequest, TranslationResponse
from dragoman.wire import PieceWriter, RangeUnit, error_data, json_bytes, outcome_data

_ERRORS = (400, 413, 415, 422, 500, 503)
_LINES = "application/x-ndjson"

Outcomes = dict[str, TranslationResponse | DragomanError]


def graph_routes(settings: Settings, pool: ModelPool, counts: Translations) -> APIRouter:
    router = APIRouter(prefix="/v1", tags=["translation"])

    @router.post(
        "/graph",
        response_model=GraphAnswer,
        responses=errors(*_ERRORS),
        summary="Translate with requests that depend on each other",
    )
    async def graph(body: GraphBody, request: Request) -> Response:
        """An output of one request is an input of others. All are checked before any starts: a
        cycle, a name without a value and a variable with two are errors that name them. Each output
        has an outcome of its own; a failure reaches those that depend on it. A client that closes
        the connection cancels all."""
        work = _outputs(settings, pool, counts, body)
        outputs = await unless_gone(request.receive, work)
        if outputs is None:
            return Response(status_code=CLIENT_GONE)
        content = await asyncio.to_thread(_content, outputs, body.ranges)
        return Response(content, media_type="application/json")

    @router.post(
        "/stream",
        response_class=StreamingResponse,
        responses={
            200: {
                "description": "A JSON object a line: a `piece` is an answer of /v1/translate, and "
                "where it stands.",
                "content": {_LINES: {"schema": {"type": "string"}, "example": _EXAMPLE}},
            },
            **errors(404, *_ERRORS),
        },
        summary="Translate a text, sentence by sentence",
    )
    async def stream(body: StreamBody) -> Response:
        """The sentences in order, each with the white space before it, as soon as it is translated.
        All ranges are in the whole texts. The last line is `end`, or the `error` that ended it. A
        client that closes the connection cancels the rest."""
        allowed = settings.limits.text_characters
        if len(body.text) > allowed:
            raise TextTooLongError(len(body.text), allowed)
        await ready(pool, counts, body.source, body.target)
        return StreamingResponse(_lines(settings, pool, counts, body), media_type=_LINES)

    return router


_EXAMPLE = (
    '{"piece":{"source":[0,13],"target":[0,13],"text":"Good morning!", ...}}\n'
    '{"piece":{"source":[13,30],"target":[13,26],"text":" How are you?", ...}}\n'
    '{"end":{"pieces":2}}\n'
)


async def _outputs(
    settings: Settings, pool: ModelPool, counts: Translations, body: GraphBody
) -> Outcomes:
    async def translate(request: TranslationRequest) -> TranslationResponse:
        outcome = await translated(pool, counts, request)
        if isinstance(outcome, DragomanError):
            raise outcome
        return outcome

    requests = [request.dependent() for request in body.requests]
    return await run_graph(translate, settings.limits, body.variables, requests)


def _content(outputs: Outcomes, unit: RangeUnit) -> bytes:
    data = {name: outcome_data(outcome, unit) for name, outcome in outputs.items()}
    return json_bytes({"outputs": data})


async def _lines(
    settings: Settings, pool: ModelPool, counts: Translations, body: StreamBody
) -> AsyncIterator[bytes]:
    options = body.request()
    opened = TranslationStream(pool.router.translate, options, settings.limits)
    writer = PieceWriter(body.ranges)
    pieces = 0
    try:
        async for piece in stream_pieces(opened, _whole(body.text)):
            counts.done(piece.response)
            pieces += 1
            yield _line({"piece": writer.data(piece.response)})
        yield _line({"end": {"pieces": pieces}})
    except DragomanError as error:
        counts.failed(options, error)
        if status_of(error) == 500:
            log_failure(error)
        yield _line({"error": error_data(error)})


async def _whole(text: str) -> AsyncIterator[str]:
    yield text


def _line(data: dict[str, object]) -> bytes:
    return json_bytes(data) + b"\n"
