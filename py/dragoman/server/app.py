"""The FastAPI app."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib.resources import files

from fastapi import FastAPI
from prometheus_client import CollectorRegistry, generate_latest
from starlette.responses import RedirectResponse, Response

from dragoman import __version__
from dragoman.errors import DragomanError
from dragoman.native.bundles import BundleSource, FoundBundle, find_bundles
from dragoman.server.api import translation_routes
from dragoman.server.graph_api import graph_routes
from dragoman.server.health import Readiness, health_routes
from dragoman.server.languages.routes import language_routes
from dragoman.server.libretranslate.about import about_routes
from dragoman.server.libretranslate.files import FileTranslation, download_routes
from dragoman.server.libretranslate.kept import KeptFiles
from dragoman.server.libretranslate.routes import libre_routes
from dragoman.server.libretranslate.sentences import ErrorSentences
from dragoman.server.loop.garbage import collecting
from dragoman.server.loop.watchdog import Watchdog
from dragoman.server.metrics import Metered, Requests, Translations
from dragoman.server.middleware import (
    BodyLimit,
    Guard,
    HostCheck,
    IsolationHeaders,
    OriginCheck,
    RequestLimit,
    TokenCheck,
)
from dragoman.server.pool import GivenModels, LoadFunction, ModelPool
from dragoman.server.problems import add_handlers
from dragoman.server.processes.workers import COMMAND, Dispatch, Workers
from dragoman.server.settings import Settings
from dragoman.server.static import WebFiles, published_routes
from dragoman.server.stream_api import stream_routes


def create_app(
    settings: Settings, load: LoadFunction | None = None, command: Sequence[str] = COMMAND
) -> FastAPI:
    """The server's app, with all that a request from outside must pass.

    `app.state.close()` settles every open request. Whoever runs the app calls it before waiting
    for the connections to end.

    Args:
        load: the parts of the model of a pair; by default the bundle that `settings` leads to.
        command: starts a worker process, where `settings` asks for more than one.
    """
    registry = CollectorRegistry()
    pool = _pool(settings, load)
    workers = Workers(settings, registry, command) if settings.workers > 1 else None
    kept = KeptFiles()
    app = _app(settings, pool, registry, workers, known=load is not None, kept=kept)
    app.include_router(about_routes(settings))
    app.include_router(download_routes(kept))
    paths = app.openapi()["paths"]
    _add_pages(app, settings)
    # The last one added is the outermost.
    if workers is not None:
        app.add_middleware(Dispatch, workers=workers)
    app.add_middleware(FileTranslation, kept=kept)
    app.add_middleware(RequestLimit, allowed=settings.open_requests)
    app.add_middleware(BodyLimit, allowed=settings.body_bytes, open_bodies=settings.open_requests)
    app.add_middleware(OriginCheck, settings=settings)
    app.add_middleware(HostCheck, settings=settings)
    if settings.token is not None:
        app.add_middleware(TokenCheck, token=settings.token)
    app.add_middleware(IsolationHeaders)
    app.add_middleware(Guard)
    app.add_middleware(ErrorSentences)
    app.add_middleware(Metered, requests=Requests(registry, paths))
    return app


def create_inner_app(
    settings: Settings, registry: CollectorRegistry, load: LoadFunction | None = None
) -> FastAPI:
    """The app of a worker process: its requests have passed the front."""
    pool = _pool(settings, load)
    app = _app(settings, pool, registry, None, known=load is not None, loop="dragoman_worker_loop")
    app.add_middleware(Guard)
    return app


def _app(
    settings: Settings,
    pool: ModelPool,
    registry: CollectorRegistry,
    workers: Workers | None,
    known: bool,
    loop: str = "dragoman_loop",
    kept: KeptFiles | None = None,
) -> FastAPI:
    """The routes, over this process's models or over those of worker processes.

    Args:
        known: whether there is a model, whatever is on the disk.
        loop: what the figures of its event loop begin with.
        kept: what goes with the app.
    """

    watchdog = Watchdog(registry, loop)

    async def close() -> None:
        await pool.close()
        if workers is not None:
            await workers.close()

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        if workers is not None:
            workers.start()
        try:
            async with watchdog.watching(), collecting(lambda: pool.is_idle):
                yield
            await close()
        finally:
            if kept is not None:
                kept.close()

    def readiness() -> Readiness:
        if pool.closed:
            return Readiness.CLOSING
        if workers is not None and not workers.up:
            return Readiness.NO_WORKER
        return Readiness.READY if known or _has_model(settings) else Readiness.NO_MODEL

    def restarts() -> int:
        return pool.restarts if workers is None else workers.losses

    def metrics() -> bytes:
        return generate_latest(registry)

    app = FastAPI(
        title="Dragoman",
        version=__version__,
        description="Translation that never leaves this machine.",
        docs_url=None,  # FastAPI's own pages load scripts from another origin
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.close = close
    app.state.workers = workers
    app.state.pool = pool
    app.state.watchdog = watchdog
    add_handlers(app)
    # The front of worker processes translates nothing itself: its counts would be empty rows.
    counts = Translations(registry if workers is None else CollectorRegistry())
    app.include_router(translation_routes(settings, pool, counts))
    app.include_router(graph_routes(settings, pool, counts))
    app.include_router(stream_routes(settings, pool, counts))
    app.include_router(language_routes())
    app.include_router(libre_routes(settings, pool, counts))
    app.include_router(health_routes(readiness, restarts, metrics))
    return app


def _has_model(settings: Settings) -> bool:
    try:
        return any(isinstance(bundle, FoundBundle) for bundle in find_bundles(settings.models))
    except DragomanError:
        return False


def _pool(settings: Settings, load: LoadFunction | None) -> ModelPool:
    if load is not None:
        return ModelPool(GivenModels(load), settings.limits)
    bundles = BundleSource(settings.models, settings.threads, settings.limits, settings.shortlist)
    return ModelPool(bundles, settings.limits)


def _add_pages(app: FastAPI, settings: Settings) -> None:
    page = files("dragoman.server").joinpath("docs.html").read_text(encoding="utf-8")
    headers = {"Content-Security-Policy": _policy(page), "Cache-Control": "no-cache"}

    @app.get("/docs", include_in_schema=False)
    async def docs() -> Response:
        return Response(page, headers=headers, media_type="text/html; charset=utf-8")

    app.include_router(published_routes(settings))
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
    return "; ".join([*policy, "frame-ancestors 'none'"])
