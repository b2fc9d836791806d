"""The web files: types that browsers insist on, and how long each may be kept.

A name with a hash in it never changes its content, so it is kept for good. Everything else (pages,
the service worker, the manifest, runtimes with fixed names) is asked for again each time and, by
its ETag, not sent again.
"""

from __future__ import annotations

import os
import re
from pathlib import PurePath

from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

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


def cache_control(name: str) -> str:
    """For how long a file of this name may be kept."""
    return "public, max-age=31536000, immutable" if _HASHED.search(name) else "no-cache"


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
