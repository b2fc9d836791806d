"""The route of streams: /v1/stream.

    body --JSON, whole-----------> text --.
        `--text/plain, as it comes--------+--> TranslationStream --> a line of JSON a sentence
    query --options of text/plain---------'

A client may still be sending the text when the first sentences come back.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable
from typing import Any, TypeVar

from fastapi import APIRouter, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from dragoman.config import Limits
from dragoman.errors import DragomanError, TextTooLongError
from dragoman.routing.stream import TranslationStream, stream_pieces
from dragoman.server.api import ready
from dragoman.server.arriving import MEDIA_TYPE, Arriving, is_arriving, media_type, too_large
from dragoman.server.clients import unless_gone
from dragoman.server.json_bodies import read_json
from dragoman.server.lines import LINES, end_line, error_line, line
from dragoman.server.metrics import Translations
from dragoman.server.openapi import errors
from dragoman.server.pool import ModelPool
from dragoman.server.problems import ProblemError, log_failure, status_of
from dragoman.server.schema import StreamBody, StreamOptions
from dragoman.server.settings import Settings
from dragoman.types import TranslationRequest
from dragoman.wire.responses import PieceWriter, RangeUnit, error_data

_EXAMPLE = (
    '{"piece":{"source":[0,13],"target":[0,13],"text":"Good morning!", ...}}\n'
    '{"piece":{"source":[13,30],"target":[13,26],"text":" How are you?", ...}}\n'
    '{"end":{"pieces":2}}\n'
)
_SCHEMAS = "#/components/schemas/{model}"

Body = TypeVar("Body", bound=BaseModel)


def stream_routes(settings: Settings, pool: ModelPool, counts: Translations) -> APIRouter:
    router = APIRouter(prefix="/v1", tags=["translation"])

    @router.post(
        "/stream",
        response_class=StreamingResponse,
        responses={
            200: {
                "description": "A JSON object a line: a `piece` is an answer of /v1/translate, and "
                "where it stands.",
                "content": {LINES: {"schema": {"type": "string"}, "example": _EXAMPLE}},
            },
            **errors(400, 404, 413, 415, 422, 500, 503),
        },
        openapi_extra=_described(),
        summary="Translate a text, sentence by sentence",
    )
    async def stream(request: Request) -> Response:
        """The sentences in order, each with the white space before it, as soon as it is translated.
        All ranges are in the whole texts. The last line is `end`, or the `error` that ended it. A
        client that closes the connection cancels the rest. With `text/plain` (UTF-8) the options
        are in the query, and sentences come back while the text is still being sent; it is read no
        faster than it is translated."""
        gone: Receive
        options: StreamOptions | StreamBody
        if is_arriving(request.scope):
            options = _read(
                StreamOptions.model_validate_strings, dict(request.query_params), "query"
            )
            _check_declared(request, settings.body_bytes)
            body = Arriving(request.receive, settings.body_bytes)
            texts, gone = body.texts(), body.disconnected
        else:
            whole = _read(StreamBody.model_validate, await _json(request), "body")
            _check_length(whole.text, settings.limits)
            options, texts, gone = whole, _once(whole.text), request.receive
        pair = await ready(pool, counts, options.source, options.target)
        options = options.model_copy(update=pair._asdict())
        pattern = options.request()  # whose errors have a status of their own
        return _Lines(_lines(settings, pool, counts, pattern, options.ranges, texts), gone)

    return router


def _described() -> dict[str, Any]:
    """What FastAPI would find in the parameters of a function that has all of its body."""
    options = StreamOptions.model_json_schema(ref_template=_SCHEMAS)
    query = [
        {
            "name": name,
            "in": "query",
            "required": False,
            "description": f"Of text/plain only. {data.get('description', '')}".strip(),
            "schema": {key: value for key, value in data.items() if key != "description"},
        }
        for name, data in options["properties"].items()
    ]
    text = {"schema": {"type": "string"}, "example": "Guten Morgen! Wie geht es dir?"}
    whole = StreamBody.model_json_schema(ref_template=_SCHEMAS)
    del whole["$defs"]  # enumerations, which other bodies have too
    content = {"application/json": {"schema": whole}, MEDIA_TYPE: text}
    return {"parameters": query, "requestBody": {"required": True, "content": content}}


async def _json(request: Request) -> object:
    if media_type(request.headers) != "application/json":
        raise RequestValidationError([])  # its handler looks at the type first
    try:
        return await read_json(await request.body())
    except (ValueError, RecursionError) as error:
        raise HTTPException(400) from error


def _read(validated: Callable[[Any], Body], data: object, place: str) -> Body:
    try:
        return validated(data)
    except ValidationError as error:
        errors = [{**one, "loc": (place, *one["loc"])} for one in error.errors(include_url=False)]
        raise RequestValidationError(errors) from error


def _check_length(text: str, limits: Limits) -> None:
    if len(text) > limits.text_characters:
        raise TextTooLongError(len(text), limits.text_characters)


def _check_declared(request: Request, allowed: int) -> None:
    """Refuse a body that says itself that it is too large."""
    declared = request.headers.get("content-length", "")
    if declared.isascii() and declared.isdigit() and int(declared) > allowed:
        raise ProblemError(too_large(int(declared), allowed))


class _Lines(StreamingResponse):
    """Ends when the client has left, which is not always for this response to hear first."""

    def __init__(self, lines: AsyncIterator[bytes], gone: Receive) -> None:
        super().__init__(lines, media_type=LINES)
        self._gone = gone

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        await unless_gone(self._gone, self.stream_response(send))


async def _lines(
    settings: Settings,
    pool: ModelPool,
    counts: Translations,
    pattern: TranslationRequest,
    ranges: RangeUnit,
    texts: AsyncIterable[str],
) -> AsyncIterator[bytes]:
    opened = TranslationStream(pool.router.translate, pattern, settings.limits)
    writer = PieceWriter(ranges)
    pieces = 0
    try:
        async for piece in stream_pieces(opened, texts):
            counts.done(piece.response)
            pieces += 1
            yield line({"piece": writer.data(piece.response)})
        yield end_line(pieces)
    except ProblemError as error:
        yield error_line(error.problem.data())
    except DragomanError as error:
        counts.failed(pattern, error)
        if status_of(error) == 500:
            log_failure(error)
        yield error_line(error_data(error))


async def _once(text: str) -> AsyncIterator[str]:
    yield text
