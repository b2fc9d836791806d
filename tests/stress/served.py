"""The server of `make test-hardening`: worker processes whose model makes capitals, and no disk.

python -m tests.stress.served [worker]      says its port on standard output
"""

from __future__ import annotations

import asyncio
import resource
import socket
import sys

import uvicorn

from dragoman.config import Limits
from dragoman.engines.fake import EchoEngine
from dragoman.native.bundles import Parts
from dragoman.native.pages import PageReader
from dragoman.native.translator import share_interpreter
from dragoman.pipeline.pipeline import Pipeline
from dragoman.server import Settings, create_app
from dragoman.server.connection import Connection
from dragoman.server.loop.garbage import collect_seldom
from dragoman.server.processes.worker import main as work
from dragoman.server.run import listen
from dragoman.types import EngineOutput, MiniBatch
from tests.support.helpers import CharacterTokenizer, manifest
from tests.support.hosts import capital

WORKERS = 2
BODY_BYTES = 6_000_000
# Sentences that are kept fill this while the server is warmed up, so that memory is steady then.
LIMITS = Limits(cache_bytes=1_000_000)


class ForgetfulEngine(EchoEngine):
    """Makes capitals, and keeps no mini-batch: memory is measured."""

    async def run(self, batch: MiniBatch, *, attention: bool) -> EngineOutput:
        self.batches.clear()
        return await super().run(batch, attention=attention)


def load(_source: str, _target: str) -> Parts:
    tokenizer = CharacterTokenizer()
    pipeline = Pipeline(manifest(tokenizer.size), tokenizer, LIMITS, PageReader(LIMITS))
    return Parts(pipeline, ForgetfulEngine(capital))


async def serve(sock: socket.socket) -> None:
    settings = Settings(workers=WORKERS, limits=LIMITS, body_bytes=BODY_BYTES)
    app = create_app(settings, command=[sys.executable, "-m", __spec__.name, "worker"])
    collect_seldom()
    config = uvicorn.Config(app, log_level="critical", ws="none", http=Connection)
    print(sock.getsockname()[1], flush=True)
    await uvicorn.Server(config).serve([sock])


def main() -> None:
    if sys.argv[1:] == ["worker"]:
        work(load)
        return
    share_interpreter()
    # A full disk, as a process meets it: no file gets a single byte. Pipes are none.
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    with listen("127.0.0.1", 0) as sock:
        asyncio.run(serve(sock))


if __name__ == "__main__":
    main()
