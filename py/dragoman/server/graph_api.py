"""The route of dependent requests: /v1/graph."""

from __future__ import annotations

import asyncio
from functools import partial

from fastapi import APIRouter, Request
from starlette.responses import Response

from dragoman.errors import DragomanError
from dragoman.routing.graph import DependentRequest
from dragoman.routing.variables import RunningGraph
from dragoman.server.api import json_answer, translation
from dragoman.server.clients import unless_gone
from dragoman.server.json_bodies import JsonRoute
from dragoman.server.metrics import CLIENT_GONE, Translations
from dragoman.server.openapi import errors
from dragoman.server.pool import ModelPool
from dragoman.server.schema import GraphAnswer, GraphBody
from dragoman.server.settings import Settings
from dragoman.types import TranslationResponse
from dragoman.wire.responses import RangeUnit, outcome_data
from dragoman.wire.slices import json_slices

_ERRORS = (400, 413, 415, 422, 500, 503)

Outcomes = dict[str, TranslationResponse | DragomanError]


def graph_routes(settings: Settings, pool: ModelPool, counts: Translations) -> APIRouter:
    router = APIRouter(prefix="/v1", tags=["translation"], route_class=JsonRoute)

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
        data = await asyncio.to_thread(_data, outputs, body.ranges)
        return await json_answer(json_slices(data))

    return router


async def _outputs(
    settings: Settings, pool: ModelPool, counts: Translations, body: GraphBody
) -> Outcomes:
    # Many entries of a memory, and many terms, take a while to read.
    requests = await asyncio.to_thread(_dependent, body)
    return await RunningGraph(body.variables, requests).run(
        partial(translation, pool, counts), settings.limits
    )


def _dependent(body: GraphBody) -> list[DependentRequest]:
    return [request.dependent() for request in body.requests]


def _data(outputs: Outcomes, unit: RangeUnit) -> dict[str, object]:
    return {"outputs": {name: outcome_data(outcome, unit) for name, outcome in outputs.items()}}
