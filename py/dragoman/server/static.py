"""The web files: types that browsers insist on, and how long each may be kept; models for browsers.

A name with a hash in it never changes its content, so it is kept for good. Everything else (pages,
the service worker, the manifest, runtimes with fixed names) is asked for again each time and, by
its ETag, not sent again.

    /published/catalogue.json, /published/files/SHA256     as a mirror has them (`store.mirror`)
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path, PurePath

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from dragoman.catalogue.models import SHA256
from dragoman.native.bundles import KEPT_FILES, store_folder
from dragoman.server.settings import Settings
from dragoman.store.mirror import kept_catalogue
from dragoman.store.store import CATALOGUE, Store

# The system's own table differs from machine to machine.
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".jpg": "image/jpeg",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".mjs": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".tar": "application/x-tar",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".webp": "image/webp",
    ".whl": "application/zip",
    ".woff2": "font/woff2",
    ".zip": "application/zip",
}
OTHER = "application/octet-stream"

# esbuild's and Vite's "name-HASH.ext", and "name.hash.ext"; a hash has a digit and a letter.
_HASHED = re.compile(r"[.-](?=[^.]*\d)(?=[^.]*[A-Za-z])(?:[0-9a-f]{8,64}|[0-9A-Z]{8})\.[a-z0-9.]+$")


FOR_GOOD = "public, max-age=31536000, immutable"
PUBLISHED = "published"  # where a site has its mirror


def cache_control(name: str) -> str:
    """For how long a file of this name may be kept."""
    return FOR_GOOD if _HASHED.search(name) or SHA256.fullmatch(name) else "no-cache"


class WebFiles(StaticFiles):
    """Files of a folder; a folder's own page is its ``index.html``."""

    def file_response(
        self,
        full_path: str | os.PathLike[str],
        stat_result: os.stat_result,
        scope: Scope,
        status_code: int = 200,
    ) -> Response:
        response = super().file_response(full_path, stat_result, scope, status_code)
        path = PurePath(full_path)
        if response.status_code != 304:
            response.headers["content-type"] = TYPES.get(path.suffix.lower(), OTHER)
        response.headers["cache-control"] = cache_control(path.name)
        return response


def published_routes(settings: Settings) -> APIRouter:
    """The server's published models for browsers; nothing where the site has a mirror itself."""
    routes = APIRouter(include_in_schema=False)
    if settings.web is not None and _has_models(settings.web / PUBLISHED / CATALOGUE):
        return routes
    stores = [Store(folder) for folder in settings.models or (store_folder(),)]

    @routes.get(f"/{PUBLISHED}/{CATALOGUE}")
    def catalogue() -> Response:
        catalogues = [kept_catalogue(store) for store in stores]
        models = {(m["from"], m["to"]): m for data in reversed(catalogues) for m in data["models"]}
        content = {**catalogues[0], "models": list(models.values())}
        return JSONResponse(content, headers={"Cache-Control": "no-cache"})

    @routes.get(f"/{PUBLISHED}/{KEPT_FILES}/{{sha256}}")
    def file(sha256: str) -> Response:
        paths = [store.path(sha256) for store in stores] if SHA256.fullmatch(sha256) else []
        path = next((path for path in paths if path.is_file()), None)
        if path is None:
            raise HTTPException(404)
        headers = {"Cache-Control": FOR_GOOD, "ETag": f'"{sha256}"'}
        return FileResponse(path, headers=headers, media_type=OTHER)

    return routes


def _has_models(catalogue: Path) -> bool:
    try:
        return bool(json.loads(catalogue.read_text(encoding="utf-8"))["models"])
    except (OSError, ValueError, KeyError, TypeError):
        return False
