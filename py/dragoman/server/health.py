"""The routes for those who run the server: is it up, can it translate, what has it done."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from fastapi import APIRouter
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from starlette.responses import Response

from dragoman import __version__
from dragoman.server.openapi import errors
from dragoman.server.problems import Problem, ProblemError
from dragoman.server.schema import Health

MetricsFunction = Callable[[], bytes]
ReadinessFunction = Callable[[], "Readiness"]
RestartsFunction = Callable[[], int]


class Readiness(StrEnum):
    """Whether a request would be translated now."""

    READY = "ready"
    NO_MODEL = "there is no model on this machine"
    NO_WORKER = "no worker process is up"
    CLOSING = "the server is closing"


def health_routes(
    readiness: ReadinessFunction, restarts: RestartsFunction, metrics: MetricsFunction
) -> APIRouter:
    router = APIRouter(tags=["server"])

    @router.get("/healthz", response_model=Health, responses=errors(), summary="Is it up?")
    def health() -> Health:
        """Liveness: the server answers. `ready` tells whether it can translate, too."""
        return _health(ready=readiness() is Readiness.READY)

    @router.get(
        "/healthz/ready", response_model=Health, responses=errors(503), summary="Can it translate?"
    )
    def ready() -> Health:
        """Readiness: there is a model, a process to run it, and the server is not closing."""
        state = readiness()
        if state is not Readiness.READY:
            raise ProblemError(Problem(503, "not-ready", state, headers={"Retry-After": "1"}))
        return _health(ready=True)

    def _health(*, ready: bool) -> Health:
        return Health(status="ok", version=__version__, ready=ready, restarts=restarts())

    @router.get(
        "/metrics",
        response_class=Response,
        responses=errors()
        | {200: {"content": {"text/plain": {"example": "dragoman_characters_total{...} 12.0"}}}},
        summary="Figures for Prometheus",
    )
    def figures() -> Response:
        """Counts and seconds by route, pair of languages and stage; nothing of any text."""
        return Response(metrics(), media_type=CONTENT_TYPE_PLAIN_0_0_4)

    return router
