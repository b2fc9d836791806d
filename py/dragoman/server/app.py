"""The FastAPI app."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files

from fastapi import FastAPI
from prometheus_client import CollectorRegistry, generate_latest
from starlette.responses import RedirectResponse, Response

from dragoman import __version__
from dragoman.errors import DragomanError
from dragoman.native import FoundBundle, Parts, choose_bundle, find_bundles, load_parts
from dragoman.server.api import translation_routes
from dragoman.server.health import Readiness, health_routes
from dragoman.server.metrics import Metered, Requests, Translations
from dragoman.server.middleware import (
    BodyLimit,
    Guard,
    HostCheck,
    IsolationHeaders,
    OriginCheck,
    RequestLimit,
)
from dragoman.server.pool import LoadFunction, ModelPool
from dragoman.server.problems import add_handlers
from dragoman.server.settings import Settings
from dragoman.server.static import WebFiles


def create_app(settings: Settings, load: LoadFunction | None = None) -> FastAPI:
    """The server's app.

    Args:
        load: the parts of the model of a pair; by default the bundle that `settings` leads to.
    """
    pool = ModelPool(load or _loader(settings), settings.limits)
    registry = CollectorRegistry()

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        await pool.close()

    def readiness() -> Readiness:
        if pool.closed:
            return Readiness.CLOSING
        return Readiness.READY if load or _has_model(settings) else Readiness.NO_MODEL

    async def metrics() -> bytes:
        return generate_latest(registry)

    app = FastAPI(
        title="Dragoman",
        version=__version__,
        description="Translation that never leaves this machine.",
        docs_url=None,  # FastAPI's own pages load scripts from another origin
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.pool = pool
    add_handlers(app)
    app.include_router(translation_routes(settings, pool, Translations(registry)))
    app.include_router(health_routes(readiness, metrics))
    paths = app.openapi()["paths"]
    _add_pages(app, settings)
    # The last one added is the outermost.
    app.add_middleware(BodyLimit, allowed=settings.body_bytes)
    app.add_middleware(RequestLimit, allowed=settings.open_requests)
    app.add_middleware(OriginCheck, settings=settings)
    app.add_middleware(HostCheck, settings=settings)
    app.add_middleware(IsolationHeaders)
    app.add_middleware(Guard)
    app.add_middleware(Metered, requests=Requests(registry, paths))
    return app


def _has_model(settings: Settings) -> bool:
    try:
        return any(isinstance(found, FoundBundle) for found in find_bundles(settings.models))
    except DragomanError:
        return False


def _loader(settings: Settings) -> LoadFunction:
    def load(source: str, target: str) -> Parts:
        folder = choose_bundle(source, target, settings.models)
        return load_parts(folder, settings.threads, settings.limits)

    return load


def _add_pages(app: FastAPI, settings: Settings) -> None:
    page = files("dragoman.server").joinpath("docs.html").read_text(encoding="utf-8")
    headers = {"Content-Security-Policy": _policy(page), "Cache-Control": "no-cache"}

    @app.get("/docs", include_in_schema=False)
    async def docs() -> Response:
        return Response(page, headers=headers, media_type="text/html; charset=utf-8")

    if settings.web is not None:
        app.mount("/", WebFiles(directory=settings.web, html=True))
        return

    @app.get("/", include_in_schema=False)
    async def index() -> Response:
        return RedirectResponse("/docs")


def _policy(page: str) -> str:
    """Only the page's own script and style, and this server."""
    policy = ["default-src 'none'", "connect-src 'self'", "base-uri 'none'", "form-action 'none'"]
    for tag in "script", "style":
        (inline,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inline.encode()).digest()).decode()
        policy.append(f"{tag}-src 'sha256-{digest}'")
    return "; ".join(policy)
