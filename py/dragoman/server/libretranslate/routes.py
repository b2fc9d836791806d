"""The routes that LibreTranslate's clients know, beside our own: /translate, /detect, /languages.

Bodies are JSON or forms, errors `{"error": "a sentence"}`, confidences from 0 to 100, as its own
API has them (https://docs.libretranslate.com). A key is not asked for, `alternatives` are none yet.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field, ValidationError, field_validator
from starlette.responses import Response

from dragoman.catalogue.languages import name_of
from dragoman.detection.detector import UNKNOWN
from dragoman.detection.shipped import detect
from dragoman.errors import DragomanError, InvalidRequestError
from dragoman.native.bundles import FoundBundle, find_bundles
from dragoman.native.sources import AUTO, sure_source
from dragoman.server.api import ready, translation
from dragoman.server.clients import unless_gone
from dragoman.server.json_bodies import read_json
from dragoman.server.metrics import CLIENT_GONE, Translations
from dragoman.server.pool import ModelPool
from dragoman.server.problems import status_of
from dragoman.server.settings import Settings
from dragoman.types import AlignmentKind, LanguagePair, TextFormat, TranslationRequest
from dragoman.wire.responses import json_bytes

TRANSLATE, DETECT, LANGUAGES = "/translate", "/detect", "/languages"
PATHS = frozenset({TRANSLATE, DETECT})
_PERCENT = 100


class _Question(BaseModel):
    q: str | list[str]


class _Wanted(_Question):
    source: str = Field(min_length=1, max_length=35)
    target: str = Field(min_length=1, max_length=35)
    format: TextFormat = TextFormat.TEXT

    @field_validator("format", mode="before")
    @classmethod
    def _default(cls, value: object) -> object:
        return value or TextFormat.TEXT


def libre_routes(settings: Settings, pool: ModelPool, counts: Translations) -> APIRouter:
    """They are not in our API's description: they have their own."""
    router = APIRouter(include_in_schema=False)

    @router.post(TRANSLATE)
    async def translate(request: Request) -> Response:
        try:
            wanted = _Wanted.model_validate(await _fields(request))
            if _length(wanted.q) > settings.batch_texts:
                raise InvalidRequestError(f"q: more than {settings.batch_texts:,} texts")
            answer = await unless_gone(request.receive, _answer(pool, counts, wanted))
        except (DragomanError, ValidationError) as error:
            return _refused(error)
        return _json(answer) if answer is not None else Response(status_code=CLIENT_GONE)

    @router.post(DETECT)
    async def detect_language(request: Request) -> Response:
        try:
            asked = _Question.model_validate(await _fields(request))
        except (DragomanError, ValidationError) as error:
            return _refused(error)
        text = asked.q if isinstance(asked.q, str) else "\n".join(asked.q)
        found = await asyncio.to_thread(detect, text)
        return _json([
            _found(c.language, c.confidence) for c in found.candidates if c.language != UNKNOWN
        ])  # fmt: skip

    @router.get(LANGUAGES)
    def languages() -> Response:
        targets: dict[str, set[str]] = defaultdict(set)
        for bundle in find_bundles(settings.models):
            if isinstance(bundle, FoundBundle):
                targets[bundle.manifest.source].add(bundle.manifest.target)
        return _json([
            {"code": source, "name": name_of(source, "en"), "targets": sorted(known)}
            for source, known in sorted(targets.items())
        ])  # fmt: skip

    return router


async def _fields(request: Request) -> Mapping[str, Any]:
    """Of a body in JSON or of a form.

    Raises:
        InvalidRequestError: it is neither.
    """
    body = await request.body()
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    try:
        if kind == "application/json":
            fields = await read_json(body)
        else:
            fields = dict(parse_qsl(body.decode(), keep_blank_values=True))
    except (ValueError, RecursionError) as error:
        raise InvalidRequestError("the body is neither JSON nor a form") from error
    if not isinstance(fields, dict):
        raise InvalidRequestError("the body is not an object")
    return fields


async def _answer(pool: ModelPool, counts: Translations, wanted: _Wanted) -> dict[str, Any]:
    texts: Sequence[str] = [wanted.q] if isinstance(wanted.q, str) else wanted.q
    source, detected = wanted.source, {}
    if source.lower() == AUTO:
        found = await asyncio.to_thread(sure_source, "\n".join(texts), wanted.format)
        source = found.language
        detected = {"detectedLanguage": _found(source, found.confidence)}
    pair = await ready(pool, counts, source, wanted.target)
    outcomes = await asyncio.gather(*(_text(pool, counts, text, pair, wanted) for text in texts))
    whole = isinstance(wanted.q, str)
    return {"translatedText": outcomes[0] if whole else outcomes, **detected}


async def _text(
    pool: ModelPool, counts: Translations, text: str, pair: LanguagePair, wanted: _Wanted
) -> str:
    request = TranslationRequest(
        text, *pair, alignment=AlignmentKind.NONE, format=wanted.format
    )  # fmt: skip
    return (await translation(pool, counts, request)).text


def _length(q: str | list[str]) -> int:
    return 1 if isinstance(q, str) else len(q)


def _found(language: str, confidence: float) -> dict[str, Any]:
    return {"confidence": round(confidence * _PERCENT, 1), "language": language}


def _json(data: object, status: int = 200) -> Response:
    return Response(json_bytes(data), status, media_type="application/json")


def _refused(error: DragomanError | ValidationError) -> Response:
    if isinstance(error, DragomanError):
        # Its clients know 400 for whatever is wrong with a request.
        status = status_of(error)
        return _json({"error": error.message}, 400 if status in (404, 413, 422) else status)
    first = error.errors()[0]
    name = ".".join(str(part)[:40] for part in first["loc"])
    return _json({"error": f"{name}: {first['msg']}"}, 400)
