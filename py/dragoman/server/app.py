"""The FastAPI app."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Any

from fastapi import FastAPI, Request
from starlette.responses import RedirectResponse, Response

from dragoman import __version__
from dragoman.native import FoundBundle, Parts, choose_bundle, find_bundles, load_parts
from dragoman.server.middleware import BodyLimit, Guard, HostCheck, IsolationHeaders, OriginCheck
from dragoman.server.pool import LoadFunction, ModelPool
from dragoman.server.problems import add_handlers
from dragoman.server.schema import (
    ErrorAnswer,
    Health,
    Models,
    TranslateAnswer,
    TranslateBody,
)
from dragoman.server.settings import Settings
from dragoman.server.static import WebFiles
from dragoman.types import TranslationResponse
from dragoman.wire import RangeUnit, json_bytes, response_data

_ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorAnswer, "description": description}
    for status, description in {
        400: "The body is not JSON.",
        403: "The page is of another origin, or called the server by another name.",
        404: "There is no model for the pair of languages.",
        413: "The text or the body is too long.",
        415: "The body is not declared as JSON.",
        422: "A field is missing or wrong, or a sentence is too long.",
        500: "The model cannot be used, or its engine failed.",
        503: "Too much is waiting, or the server is closing.",
    }.items()
}
CLIENT_GONE = 499  # seen by no one but the access log


def create_app(settings: Settings, load: LoadFunction | None = None) -> FastAPI:
    """The server's app.

    Args:
        load: the parts of the model of a pair; by default the bundle that `settings` leads to.
    """
    pool = ModelPool(load or _loader(settings), settings.limits)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        await pool.close()

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
    _add_api(app, settings, pool)
    _add_pages(app, settings)
    # The last one added is the outermost.
    app.add_middleware(BodyLimit, allowed=settings.body_bytes)
    app.add_middleware(OriginCheck, settings=settings)
    app.add_middleware(HostCheck, settings=settings)
    app.add_middleware(IsolationHeaders)
    app.add_middleware(Guard)
    return app


def _loader(settings: Settings) -> LoadFunction:
    def load(source: str, target: str) -> Parts:
        folder = choose_bundle(source, target, settings.models)
        return load_parts(folder, settings.threads, settings.limits)

    return load


def _add_api(app: FastAPI, settings: Settings, pool: ModelPool) -> None:
    @app.post(
        "/v1/translate",
        response_model=TranslateAnswer,
        responses=_ERRORS,
        tags=["translation"],
        summary="Translate a text",
    )
    async def translate(body: TranslateBody, request: Request) -> Response:
        """Sentences and the gaps between them cover both texts exactly. A client that closes the
        connection cancels its request."""
        response = await _unless_gone(request, _translated(pool, body))
        if response is None:
            return Response(status_code=CLIENT_GONE)
        content = await asyncio.to_thread(_content, response, body.ranges)
        return Response(content, media_type="application/json")

    @app.get("/v1/models", response_model=Models, tags=["translation"], summary="List the models")
    def models() -> Response:
        """The models on this machine. Their files are checked when one is used first."""
        found = [b for b in find_bundles(settings.models) if isinstance(b, FoundBundle)]
        return Response(
            json_bytes({"models": [_model_data(bundle) for bundle in found]}),
            media_type="application/json",
        )

    @app.get("/healthz", response_model=Health, tags=["server"], summary="Is the server up?")
    async def health() -> dict[str, str]:
        return {"status": "ok", "version": __version__}


async def _translated(pool: ModelPool, body: TranslateBody) -> TranslationResponse:
    service = await pool.service(body.source, body.target)
    return await service.translate(body.request())


async def _unless_gone(request: Request, work: Any) -> TranslationResponse | None:
    """The result of `work`, or None when the client left first: `work` is then cancelled."""
    tasks = asyncio.create_task(work), asyncio.create_task(_disconnected(request))
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        return tasks[0].result() if tasks[0].done() else None
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _content(response: TranslationResponse, unit: RangeUnit) -> bytes:
    return json_bytes(response_data(response, unit))


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
