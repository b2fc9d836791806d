"""A server for benchmarks: folders and bytes under one cross-origin isolated origin."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import unquote, urlsplit

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".css": "text/css",
    ".json": "application/json",
    ".wasm": "application/wasm",
    ".svg": "image/svg+xml",
}


class Site:
    """A context manager; mounts are looked at in order, the longest prefix should come first.

    Args:
        mounts: by prefix, such as ``/bergamot/``: a folder; by whole path: the bytes themselves.
        on_request: hears each path before it is answered, in a thread of the server.
    """

    def __init__(
        self,
        mounts: Mapping[str, Path | bytes],
        on_request: Callable[[str], None] = lambda _: None,
    ) -> None:
        site = self
        self.mounts, self._on_request = mounts, on_request

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                site.answer(self)

            def log_message(self, *_: object) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, request: http.server.BaseHTTPRequestHandler) -> None:
        path = unquote(urlsplit(request.path).path)
        self._on_request(path)
        content = self.content(path)
        request.send_response(200 if content is not None else 404)
        kind = TYPES.get(Path(path).suffix, "application/octet-stream")
        request.send_header("Content-Type", "text/html" if path.endswith("/") else kind)
        request.send_header("Content-Length", str(len(content or b"")))
        request.send_header("Cross-Origin-Opener-Policy", "same-origin")
        request.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        request.end_headers()
        request.wfile.write(content or b"")

    def content(self, path: str) -> bytes | None:
        for prefix, where in self.mounts.items():
            if isinstance(where, bytes):
                if path == prefix:
                    return where
            elif path.startswith(prefix):
                file = (where / path.removeprefix(prefix)).resolve()
                if file.is_relative_to(where.resolve()) and file.is_file():
                    return file.read_bytes()
        return None
