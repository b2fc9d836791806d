"""A site that offers published models: the built pages, made-up models, a gate before files."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dragoman.catalogue.models import Catalogue, PublishedFile, PublishedModel, Source
from dragoman.server import Settings, create_app
from dragoman.store.store import Store
from dragoman.student.architecture import Architecture
from tests.support import published
from tests.support.pages import WEB
from tests.support.serving import serving

TINY = Architecture(32_000, 256, 1536, 8, 6, 2)
CATALOGUE = Catalogue("2026-01-01", "Testers", "https://example.org/models", "MPL-2.0", ())


@dataclass
class Gate:
    """The server, which may stop in the middle of a file until the test goes on.

    Attributes:
        hold_at: bytes of a file after which nothing more is sent; None: all of it.
        asked: path and range of each request for a file.
    """

    app: Any
    hold_at: int | None = None
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    url: str = ""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or not scope["path"].startswith("/published/files/"):
            await self.app(scope, receive, send)
            return
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        self.asked.append((scope["path"], headers.get("range")))
        sent = int((headers.get("range") or "bytes=0-")[6:-1])

        async def held(message: Any) -> None:
            nonlocal sent
            await send(message)
            sent += len(message.get("body", b""))
            while self.hold_at is not None and sent >= self.hold_at:
                await asyncio.sleep(0.02)

        await self.app(scope, receive, held)


def fill(store: Store, directions: dict[tuple[str, str], published.PublishedModel]) -> None:
    """Keep models in a store, as if they had been fetched."""
    for (source, target), made in directions.items():
        contents = {"model": made.model, "vocab": made.vocabulary, "lex": made.shortlist}
        files = tuple(_kept(store, kind, content) for kind, content in contents.items())
        name = f"{source}-{target}/tiny/made"
        model = PublishedModel(
            name, source, target, "tiny", "Release", "3.0", 0.8512, "MPL-2.0", files
        )
        store.install(model, CATALOGUE)


def _kept(store: Store, kind: str, content: bytes) -> PublishedFile:
    sha256 = hashlib.sha256(content).hexdigest()
    file = PublishedFile(kind, f"{kind}.bin", len(content), sha256, (Source("", "none", 1),))
    part = store.partial(sha256)
    part.write_bytes(content)
    store.keep(part, file)
    return file


@contextmanager
def offering(store: Store, web: Path = WEB) -> Iterator[Gate]:
    """Serve the built site with a store's models."""
    gate = Gate(create_app(Settings(web=web, models=(store.root,))))
    with serving(gate) as url:
        gate.url = url
        yield gate
