"""The routes of translation: /v1/translate, /v1/batch, /v1/documents, /v1/models."""

from __future__ import annotations

import asyncio
import codecs
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Query, Request
from starlette.responses import Response, StreamingResponse

from dragoman.documents.kinds import MEDIA_TYPES, WRITTEN_AS, DocumentKind, kind_of
from dragoman.documents.passage import Document, translated_name
from dragoman.documents.translate import TranslatedDocument, finished, translated_passages
from dragoman.errors import DragomanError, LanguagePairError
from dragoman.native.bundles import FoundBundle, find_bundles
from dragoman.native.documents import opened_document
from dragoman.native.sources import AUTO, sure_source
from dragoman.server.clients import unless_gone
from dragoman.server.json_bodies import JsonRoute, read_json
from dragoman.server.languages.schema import Models
from dragoman.server.metrics import CLIENT_GONE, Translations
from dragoman.server.openapi import errors
from dragoman.server.pool import ModelPool
from dragoman.server.problems import Problem, ProblemError
from dragoman.server.schema import (
    BatchAnswer,
    BatchBody,
    Language,
    TranslateAnswer,
    TranslateBody,
)
from dragoman.server.settings import Settings
from dragoman.service.ticket import Ticket
from dragoman.types import LanguagePair, TranslationRequest, TranslationResponse
from dragoman.wire.responses import json_bytes, response_data
from dragoman.wire.slices import Outcome, batch_slices, json_slices, parts

_JSON = "application/json"
_BODY_ERRORS = (400, 404, 413, 415, 422, 500, 503, 504)
_DOCUMENT_ERRORS = (404, 413, 415, 422, 500, 503, 504)
_FILE = {"schema": {"type": "string", "format": "binary"}}
_DOCUMENT_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "The document.",
        "content": {"application/octet-stream": _FILE},
    }
}
_DOCUMENT: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The translated document, of the same kind; of a PDF its text, as HTML.",
        "content": dict.fromkeys(MEDIA_TYPES.values(), _FILE),
    }
}
# What `kind_of` looks at of a text that is no JSON.
_HEAD_BYTES = 4_096


def translation_routes(settings: Settings, pool: ModelPool, counts: Translations) -> APIRouter:
    router = APIRouter(prefix="/v1", tags=["translation"], route_class=JsonRoute)

    @router.post(
        "/translate",
        response_model=TranslateAnswer,
        responses=errors(*_BODY_ERRORS),
        summary="Translate a text",
    )
    async def translate(body: TranslateBody, request: Request) -> Response:
        """Sentences and the gaps between them cover both texts exactly. A client that closes the
        connection cancels its request."""
        detected = None
        if body.source.lower() == AUTO:
            detected = await asyncio.to_thread(sure_source, body.text, body.format)
            body = body.model_copy(update={"source": detected.language})
        response = await unless_gone(request.receive, _translated(pool, counts, body))
        if response is None:
            return Response(status_code=CLIENT_GONE)
        data = await asyncio.to_thread(response_data, response, body.ranges)
        fields = {"detected": asdict(detected)} if detected else {}
        return await json_answer(json_slices(data | fields))

    @router.post(
        "/batch",
        response_model=BatchAnswer,
        responses=errors(*_BODY_ERRORS),
        summary="Translate many texts",
    )
    async def batch(body: BatchBody, request: Request) -> Response:
        """Each text has an outcome of its own, in the order of the texts: one that cannot be
        translated does not fail the others. A client that closes the connection cancels all."""
        if len(body.texts) > settings.batch_texts:
            raise ProblemError(_too_many(len(body.texts), settings.batch_texts))
        outcomes = await unless_gone(request.receive, _outcomes(settings, pool, counts, body))
        if outcomes is None:
            return Response(status_code=CLIENT_GONE)
        return await json_answer(batch_slices(outcomes, body.ranges))

    @router.post(
        "/documents",
        response_class=Response,
        responses=_DOCUMENT | errors(*_DOCUMENT_ERRORS),
        openapi_extra=_DOCUMENT_BODY,
        summary="Translate a document",
    )
    async def documents(
        request: Request,
        source: Language,
        target: Language,
        name: Annotated[str, Query(max_length=255, description="Of the file.")] = "",
        kind: Annotated[
            DocumentKind | None,
            Query(alias="format", description="Else its name says, or its content."),
        ] = None,
        columns: Annotated[
            str, Query(max_length=1_000, description="Of a table: names or numbers; all.")
        ] = "",
    ) -> Response:
        """Its layout stays, and all that is no text; of a PDF you get the text, as HTML. The source
        `auto` is found out. A client that closes the connection cancels it."""
        content = await request.body()
        kind = kind or await _kind(name, content)
        pattern, document = await asyncio.to_thread(
            opened_document,
            content,
            pool.pairs,
            {
                "source": source,
                "target": target,
                "kind": kind,
                "columns": tuple(part.strip() for part in columns.split(",") if part.strip()),
            },
        )
        await ready(pool, counts, pattern.source, pattern.target)
        done = await unless_gone(
            request.receive, _translated_document(pool, counts, document, pattern)
        )
        if done is None:
            return Response(status_code=CLIENT_GONE)
        ending = WRITTEN_AS.get(kind, "")
        told = quote(translated_name(name or f"document.{kind}", source, target, ending), safe="")
        headers = {
            "Content-Disposition": f"attachment; filename*=UTF-8''{told}",
            "Dragoman-Kind": kind,
            "Dragoman-Sentences": str(done.sentences),
            "Dragoman-Doubtful": str(done.doubtful),
        }
        return Response(done.content, 200, headers, MEDIA_TYPES[WRITTEN_AS.get(kind, kind)])

    @router.get("/models", response_model=Models, responses=errors(500), summary="List the models")
    def models() -> Response:
        """The models on this machine. Their files are checked when one is used first."""
        bundles = [b for b in find_bundles(settings.models) if isinstance(b, FoundBundle)]
        return _json(json_bytes({"models": [_model_data(bundle) for bundle in bundles]}))

    return router


async def ready(pool: ModelPool, counts: Translations, source: str, target: str) -> LanguagePair:
    """Load what a pair needs; the pair as the models name it.

    Raises what `ModelPool.ready` does.
    """
    try:
        return await pool.ready(source, target)
    except LanguagePairError as error:
        counts.refused(error)
        raise


async def _translated(
    pool: ModelPool, counts: Translations, body: TranslateBody
) -> TranslationResponse:
    # Loading the models is not done before: the time that a text has is for that, too.
    pair = pool.pair(body.source, body.target)
    # Many elements and terms take a while to read.
    request = await asyncio.to_thread(body.model_copy(update=pair._asdict()).request)
    return await translation(pool, counts, request)


async def _kind(name: str, content: bytes) -> DocumentKind:
    """What `kind_of` says, but that nobody waits for it: JSON is read as bodies of it are.

    Raises:
        UnsupportedFormatError: it is structured, and nothing here reads it.
    """
    head = content[:_HEAD_BYTES]
    if head.removeprefix(codecs.BOM_UTF8).lstrip()[:1] not in (b"{", b"["):
        return await asyncio.to_thread(kind_of, name, content)
    otherwise = kind_of(name, head + b"!")  # no JSON ends so
    if kind_of(name, b"{}") is otherwise:
        return otherwise  # its name says it
    return DocumentKind.JSON if await _is_json(content) else otherwise


async def _is_json(content: bytes) -> bool:
    try:
        await read_json(content)
    except (ValueError, RecursionError):
        return False
    except ProblemError:  # it has too many values to look at: who reads it as JSON says what it is
        return True
    return True


async def _translated_document(
    pool: ModelPool, counts: Translations, document: Document, pattern: TranslationRequest
) -> TranslatedDocument:
    responses = await translated_passages(document, partial(translation, pool, counts), pattern)
    # Writing takes a while, in which others are to be served.
    return await asyncio.to_thread(finished, document, responses, pattern.target)


async def _outcomes(
    settings: Settings, pool: ModelPool, counts: Translations, body: BatchBody
) -> list[Outcome]:
    """In the order of the texts, whose time begins now: loading the model is some of it.

    Raises:
        DragomanError: the model cannot be used, for any of them.
    """
    pair = pool.pair(body.source, body.target)
    requests = await asyncio.to_thread(body.model_copy(update=pair._asdict()).requests)
    asked = [(request, Ticket.of(request, settings.limits)) for request in requests]
    with suppress(TimeoutError):  # then each text ends with it
        async with asyncio.timeout(body.deadline):
            await ready(pool, counts, *pair)
    return await asyncio.gather(*(translated(pool, counts, *one) for one in asked))


async def translation(
    pool: ModelPool, counts: Translations, request: TranslationRequest
) -> TranslationResponse:
    """The response to a request, counted.

    Raises:
        DragomanError: the request failed.
    """
    outcome = await translated(pool, counts, request)
    if isinstance(outcome, DragomanError):
        raise outcome
    return outcome


async def translated(
    pool: ModelPool,
    counts: Translations,
    request: TranslationRequest,
    ticket: Ticket | None = None,
) -> Outcome:
    """How a request ends, counted; `ticket` as in `Router.translate`."""
    try:
        response = await pool.router.translate(request, ticket)
    except asyncio.CancelledError:
        counts.left(request)
        raise
    except LanguagePairError as error:
        counts.refused(error)
        return error
    except DragomanError as error:
        counts.failed(request, error)
        return error
    counts.done(response)
    return response


async def json_answer(slices: Iterator[bytes]) -> Response:
    """A response of some JSON: whole where it is short, else streamed, a part sent before the next
    one is made."""
    waiting = parts(slices)
    first = await asyncio.to_thread(next, waiting, b"")
    second = await asyncio.to_thread(next, waiting, None)
    if second is None:
        return Response(first, media_type=_JSON)
    return StreamingResponse(_streamed(first, second, waiting), media_type=_JSON)


async def _streamed(first: bytes, second: bytes, rest: Iterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    part: bytes | None = second
    while part is not None:
        yield part
        part = await asyncio.to_thread(next, rest, None)


def _too_many(requested: int, allowed: int) -> Problem:
    return Problem(
        413,
        "batch-too-large",
        f"the batch has too many texts: {requested:,} requested, {allowed:,} allowed",
        {"requested": requested, "allowed": allowed},
    )


def _json(content: bytes) -> Response:
    return Response(content, media_type=_JSON)


def _model_data(bundle: FoundBundle) -> dict[str, object]:
    manifest = bundle.manifest
    return {
        "name": manifest.name,
        "version": manifest.version,
        "source": manifest.source,
        "target": manifest.target,
        "bytes": bundle.bytes,
        "licence": manifest.data.get("licence"),
        "scores": manifest.data.get("scores") or {},
    }
