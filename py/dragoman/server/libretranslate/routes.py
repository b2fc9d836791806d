"""/translate and /detect: bodies are JSON or forms, confidences go from 0 to 100. Nobody asks for
a key."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import parse_qsl

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field, ValidationError, field_validator
from starlette.responses import Response

from dragoman.detection.detector import UNKNOWN
from dragoman.detection.shipped import detect
from dragoman.errors import InvalidRequestError
from dragoman.native.sources import AUTO, sure_source
from dragoman.pipeline.choices import whole_texts
from dragoman.server.api import ready, translation
from dragoman.server.clients import unless_gone
from dragoman.server.json_bodies import read_json
from dragoman.server.libretranslate.paths import DETECT, TRANSLATE
from dragoman.server.metrics import CLIENT_GONE, Translations
from dragoman.server.pool import ModelPool
from dragoman.server.schema.bodies import Alternatives
from dragoman.server.settings import Settings
from dragoman.types import (
    AlignmentKind,
    LanguagePair,
    TextFormat,
    TranslationRequest,
    TranslationResponse,
)
from dragoman.wire.responses import json_bytes

_PERCENT = 100

Fields = TypeVar("Fields", bound=BaseModel)


class _Question(BaseModel):
    q: str | list[str]


class _Wanted(_Question):
    source: str = Field(min_length=1, max_length=35)
    target: str = Field(min_length=1, max_length=35)
    format: TextFormat = TextFormat.TEXT
    alternatives: Alternatives = 0

    @field_validator("format", mode="before")
    @classmethod
    def _default(cls, value: object) -> object:
        return value or TextFormat.TEXT


def libre_routes(settings: Settings, pool: ModelPool, counts: Translations) -> APIRouter:
    """They are not in our API's description: they have their own (`about`)."""
    router = APIRouter(include_in_schema=False)

    @router.post(TRANSLATE)
    async def translate(request: Request) -> Response:
        wanted = await _read(_Wanted, request)
        if _length(wanted.q) > settings.batch_texts:
            raise InvalidRequestError(f"q: more than {settings.batch_texts:,} texts")
        answer = await unless_gone(request.receive, _answer(pool, counts, wanted))
        return json_response(answer) if answer is not None else Response(status_code=CLIENT_GONE)

    @router.post(DETECT)
    async def detect_language(request: Request) -> Response:
        asked = await _read(_Question, request)
        text = asked.q if isinstance(asked.q, str) else "\n".join(asked.q)
        detection = await asyncio.to_thread(detect, text)
        return json_response([
            _detection(one.language, one.confidence)
            for one in detection.candidates
            if one.language != UNKNOWN
        ])  # fmt: skip

    return router


def json_response(data: object, status: int = 200) -> Response:
    return Response(json_bytes(data), status, media_type="application/json")


async def _read(model: type[Fields], request: Request) -> Fields:
    """The fields of a body.

    Raises:
        InvalidRequestError: they are missing or wrong.
    """
    try:
        return model.model_validate(await _fields(request))
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part)[:40] for part in first["loc"])
        raise InvalidRequestError(f"{name}: {first['msg']}", field=name) from error


async def _fields(request: Request) -> Mapping[str, Any]:
    """Of a body in JSON, or of a form and the query.

    Raises:
        InvalidRequestError: it is neither.
    """
    body = await request.body()
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    try:
        if kind == "application/json":
            fields = await read_json(body)
        else:
            form = parse_qsl(body.decode(), keep_blank_values=True)
            fields = dict(request.query_params) | dict(form)
    except (ValueError, RecursionError) as error:
        raise InvalidRequestError("the body is neither JSON nor a form") from error
    if not isinstance(fields, dict):
        raise InvalidRequestError("the body is not an object")
    return fields


async def _answer(pool: ModelPool, counts: Translations, wanted: _Wanted) -> dict[str, Any]:
    texts: Sequence[str] = [wanted.q] if isinstance(wanted.q, str) else wanted.q
    source, detected = wanted.source, {}
    if source.lower() == AUTO:
        candidate = await asyncio.to_thread(sure_source, "\n".join(texts), wanted.format)
        source = candidate.language
        detected = {"detectedLanguage": _detection(source, candidate.confidence)}
    pair = await ready(pool, counts, source, wanted.target)
    responses = await asyncio.gather(*(_text(pool, counts, text, pair, wanted) for text in texts))
    answer: dict[str, Any] = {"translatedText": [response.text for response in responses]}
    if wanted.alternatives:
        answer["alternatives"] = [list(whole_texts(response))[1:] for response in responses]
    if isinstance(wanted.q, str):
        answer = {name: values[0] for name, values in answer.items()}
    return answer | detected


async def _text(
    pool: ModelPool, counts: Translations, text: str, pair: LanguagePair, wanted: _Wanted
) -> TranslationResponse:
    request = TranslationRequest(
        text,
        *pair,
        alignment=AlignmentKind.NONE,
        format=wanted.format,
        alternatives=wanted.alternatives,
    )
    return await translation(pool, counts, request)


def _length(q: str | list[str]) -> int:
    return 1 if isinstance(q, str) else len(q)


def _detection(language: str, confidence: float) -> dict[str, Any]:
    return {"confidence": round(confidence * _PERCENT, 1), "language": language}
