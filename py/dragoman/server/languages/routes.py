"""The route /v1/detect."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter
from starlette.responses import Response

from dragoman.detection.shipped import detect
from dragoman.server.json_bodies import JsonRoute
from dragoman.server.languages.schema import DetectAnswer, DetectBody
from dragoman.server.openapi import errors
from dragoman.wire.responses import detection_data, json_bytes


def language_routes() -> APIRouter:
    router = APIRouter(prefix="/v1", tags=["languages"], route_class=JsonRoute)

    @router.post(
        "/detect",
        response_model=DetectAnswer,
        responses=errors(400, 413, 415, 422, 503),
        summary="Say which language a text is in",
    )
    async def detect_language(body: DetectBody) -> Response:
        """Needs no model. `language` is null where it is not sure: nothing is guessed."""
        detection = await asyncio.to_thread(detect, body.text)
        return Response(json_bytes(detection_data(detection)), media_type="application/json")

    return router
