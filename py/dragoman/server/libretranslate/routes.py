"""/translate and /detect: bodies are JSON or forms of either kind, confidences go from 0 to 100.
Nobody asks for a key."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Request
from pydantic import BaseModel, BeforeValidator, Field, ValidationError, field_validator
from pydantic_core import PydanticCustomError
from starlette.responses import Response

from dragoman.detection.detector import UNKNOWN
from dragoman.detection.shipped import detect
from dragoman.errors import InvalidRequestError
from dragoman.native.sources import AUTO, sure_source
from dragoman.pipeline.choices import whole_texts
from dragoman.routing.variables import together
from dragoman.server.api import ready, translation
from dragoman.server.arriving import media_type
from dragoman.server.clients import unless_gone
from dragoman.server.json_bodies import read_json
from dragoman.server.libretranslate.paths import DETECT, TRANSLATE
from dragoman.server.libretranslate.upload import is_in_parts, read_fields
from dragoman.server.loop.patient import unquoted
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
# Of a form: far more than there are.
_MOST_FIELDS = 100

Fields = TypeVar("Fields", bound=BaseModel)


def _texts(q: Any) -> Any:
    """Ends at the first that is none, which pydantic does not in a union."""
    if isinstance(q, list) and not all(isinstance(text, str) for text in q):
        raise PydanticCustomError("texts", "it must be a string or strings")
    return q


class _Question(BaseModel):
    q: Annotated[str | list[str], BeforeValidator(_texts)]


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
        fields = await _fields(request)
        _check_length(fields.get("q"), settings.batch_texts)
        wanted = _read(_Wanted, fields)
        answer = await unless_gone(request.receive, _answer(pool, counts, wanted))
        return json_response(answer) if answer is not None else Response(status_code=CLIENT_GONE)

    @router.post(DETECT)
    async def detect_language(request: Request) -> Response:
        asked = _read(_Question, await _fields(request))
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


def _check_length(q: object, allowed: int) -> None:
    """Refuse too many texts before any is looked at."""
    if isinstance(q, list) and len(q) > allowed:
        raise InvalidRequestError(f"q: more than {allowed:,} texts")


def _read(model: type[Fields], fields: Mapping[str, Any]) -> Fields:
    """The fields of a body, checked.

    Raises:
        InvalidRequestError: they are missing or wrong.
    """
    try:
        return model.model_validate(fields)
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
    kind = request.headers.get("content-type", "")
    try:
        if media_type(request.headers) == "application/json":
            fields = await read_json(body)
        elif is_in_parts(kind):
            form = await asyncio.to_thread(read_fields, body, kind)
            fields = dict(request.query_params) | form
        else:
            form = await asyncio.to_thread(_form, body.decode())
            fields = dict(request.query_params) | form
    except (ValueError, RecursionError) as error:
        raise InvalidRequestError("the body is neither JSON nor a form") from error
    if not isinstance(fields, dict):
        raise InvalidRequestError("the body is not an object")
    return fields


def _form(text: str) -> dict[str, str]:
    """
    Raises:
        InvalidRequestError: it has too many fields.
    """
    fields = text.split("&", _MOST_FIELDS)
    if len(fields) > _MOST_FIELDS:
        raise InvalidRequestError(f"the form has more than {_MOST_FIELDS} fields")
    pairs = (field.partition("=") for field in fields if field)
    return {unquoted(name): unquoted(value) for name, _, value in pairs}


async def _answer(pool: ModelPool, counts: Translations, wanted: _Wanted) -> dict[str, Any]:
    texts: Sequence[str] = [wanted.q] if isinstance(wanted.q, str) else wanted.q
    source = wanted.source
    answer: dict[str, list[Any]] = {}
    if source.lower() == AUTO:
        candidate = await asyncio.to_thread(sure_source, "\n".join(texts), wanted.format)
        source = candidate.language
        answer["detectedLanguage"] = [_detection(source, candidate.confidence)] * len(texts)
    pair = await ready(pool, counts, source, wanted.target)
    responses = await together(_text(pool, counts, text, pair, wanted) for text in texts)
    answer["translatedText"] = [response.text for response in responses]
    if wanted.alternatives:
        answer["alternatives"] = [list(whole_texts(response))[1:] for response in responses]
    if isinstance(wanted.q, str):
        return {name: values[0] for name, values in answer.items()}
    return answer


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


def _detection(language: str, confidence: float) -> dict[str, Any]:
    return {"confidence": round(confidence * _PERCENT, 1), "language": language}
