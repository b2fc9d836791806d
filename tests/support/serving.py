"""The server under test: in this process, behind a real socket, and as worker processes."""

from __future__ import annotations

import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import httpx
import uvicorn
from prometheus_client.parser import text_string_to_metric_families
from starlette.types import ASGIApp

from dragoman.server import Settings, create_app
from dragoman.server.connection import Connection
from dragoman.server.pool import LoadFunction
from dragoman.server.run import listen
from tests.support.processes import worker_host

# A worker process with a model that makes capitals; it needs the root in PYTHONPATH.
WORKER = [sys.executable, "-m", worker_host.__name__]


@contextmanager
def serving(app: ASGIApp) -> Iterator[str]:
    """The address of a server that runs as long as the context."""
    with listen("127.0.0.1", 0) as sock:
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", ws="none", http=Connection))
        thread = threading.Thread(target=server.run, args=([sock],))
        thread.start()
        try:
            yield f"http://127.0.0.1:{sock.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


@asynccontextmanager
async def client(
    load: LoadFunction | None = None, settings: Settings | None = None
) -> AsyncIterator[httpx.AsyncClient]:
    app = create_app(settings or Settings(), load)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as made,
    ):
        yield made


# Samples by name and labels.
Figures = dict[tuple[str, frozenset[tuple[str, str]]], float]


def figures(text: str) -> Figures:
    """Samples by name and labels."""
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def key(name: str, **labels: str) -> tuple[str, frozenset[tuple[str, str]]]:
    return name, frozenset(labels.items())


PAIR = {"source": "de", "target": "en"}


def body(text: str = "Guten Tag.", **changes: Any) -> dict[str, Any]:
    """Of a request for a translation."""
    return {"text": text, **PAIR, **changes}
