"""An app behind a real socket, in a thread of the test's own process."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI

from dragoman.server.run import listen


@contextmanager
def serving(app: FastAPI) -> Iterator[str]:
    """The address of a server that runs as long as the context."""
    with listen("127.0.0.1", 0) as sock:
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", ws="none"))
        thread = threading.Thread(target=server.run, args=([sock],))
        thread.start()
        try:
            yield f"http://127.0.0.1:{sock.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
