"""A publisher of models on loopback: both indexes' layouts, and everything that can go wrong."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import zstandard

from dragoman.catalogue.models import Catalogue, read_catalogue
from tests.support.published import PublishedModel, make_model

BLOCK = 8192
BUCKET = "/bucket/models"  # layout A: gzip, a folder a training run
WORKSPACE = "/main-workspace/translations-models-v2"  # layout B: zstd, a name without meaning


@dataclass(frozen=True)
class Served:
    content: bytes
    tag: str


@dataclass(frozen=True)
class Request:
    path: str
    start: int | None  # of its range
    bytes: int  # that were sent


# What a request is answered with in place of the file.
Fault = Callable[["_Handler", Served], None]


@dataclass
class Publisher:
    """Attributes:
    faults: by path: what the next requests meet, in order; then all is well.
    ranges: whether it honours Range.
    on_block: called with the bytes that were sent so far, before each block.
    """

    address: str = ""
    files: dict[str, Served] = field(default_factory=dict)
    faults: dict[str, list[Fault]] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    ranges: bool = True
    tags: bool = True
    sent: int = 0
    on_block: Callable[[int], None] = lambda _: None

    def put(self, path: str, content: bytes) -> None:
        self.files[path] = Served(content, hashlib.sha256(content).hexdigest()[:16])

    def paths(self, part: str) -> list[str]:
        return [path for path in self.files if part in path]

    def fail(self, part: str, *faults: Fault) -> None:
        """The next requests of every file with `part` in its path meet these faults."""
        for path in self.paths(part):
            self.faults.setdefault(path, []).extend(faults)

    def resumed(self) -> list[Request]:
        return [request for request in self.requests if request.start]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    publisher: Publisher

    def do_GET(self) -> None:
        publisher = self.publisher
        served = publisher.files.get(self.path)
        waiting = publisher.faults.get(self.path)
        if waiting:
            waiting.pop(0)(self, served or Served(b"", ""))
        elif served is None:
            self.status(404)
        else:
            self.answer(served)

    def start(self) -> int:
        match = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        return int(match[1]) if match else 0

    def note(self, count: int) -> None:
        start = self.start() if "Range" in self.headers else None
        self.publisher.requests.append(Request(self.path, start, count))

    def status(self, code: int, headers: Mapping[str, str] | None = None) -> None:
        self.note(0)
        self.send_response(code)
        self.send_header("Content-Length", "0")
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()

    def answer(self, served: Served, most: int | None = None, length: int | None = None) -> None:
        """The file, or the rest of it; `most`: bytes after which the connection breaks."""
        publisher, content = self.publisher, served.content
        tag = f'"{served.tag}"'
        start = self.start() if publisher.ranges else 0
        if start and self.headers.get("If-Range") not in (tag, None):
            start = 0
        if start >= len(content) > 0:
            self.status(416, {"Content-Range": f"bytes */{len(content)}"})
            return
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(length or len(content) - start))
        if publisher.tags:
            self.send_header("ETag", tag)
        if start:
            last = len(content) - 1
            self.send_header("Content-Range", f"bytes {start}-{last}/{len(content)}")
        self.end_headers()
        self.note(len(content) - start)
        end = len(content) if most is None else min(len(content), start + most)
        for place in range(start, end, BLOCK):
            block = content[place : min(place + BLOCK, end)]
            publisher.on_block(publisher.sent)
            try:
                self.wfile.write(block)
                self.wfile.flush()
            except OSError:  # it was killed
                self.close_connection = True
                return
            publisher.sent += len(block)
        if end < len(content) or length:
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Nothing."""


def status(code: int, **headers: str) -> Fault:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda handler, _: handler.status(code, named)


def cut(after: int) -> Fault:
    return lambda handler, served: handler.answer(served, after)


def instead(content: bytes) -> Fault:
    """Other bytes, as if they were the file."""
    return lambda handler, served: handler.answer(Served(content, served.tag))


def longer(by: int) -> Fault:
    """Says that more comes than does."""
    return lambda handler, served: handler.answer(served, length=len(served.content) + by)


def redirect(path: str) -> Fault:
    return lambda handler, _: handler.status(302, {"Location": path})


def changed(publisher: Publisher, path: str, content: bytes, after: int) -> Fault:
    """Cuts off, and is another file the next time."""

    def fault(handler: _Handler, served: Served) -> None:
        handler.answer(served, after)
        publisher.put(path, content)

    return fault


@contextmanager
def serving() -> Iterator[Publisher]:
    publisher = Publisher()
    handler = type("Handler", (_Handler,), {"publisher": publisher})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    publisher.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield publisher
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def publish(publisher: Publisher, pair: tuple[str, str], made: PublishedModel) -> dict[str, Any]:
    """Serve a model in both layouts; returns what a catalogue says of it."""
    joined = "".join(pair).replace("-", "_").lower()
    contents = {
        "model": (f"model.{joined}.intgemm.alphas.bin", made.model),
        "lex": (f"lex.50.50.{joined}.s2t.bin", made.shortlist),
    }
    if made.target_vocabulary:
        contents["srcvocab"] = (f"srcvocab.{joined}.spm", made.vocabulary)
        contents["trgvocab"] = (f"trgvocab.{joined}.spm", made.target_vocabulary)
    else:
        contents["vocab"] = (f"vocab.{joined}.spm", made.vocabulary)
    files = []
    for kind, (name, content) in contents.items():
        gz, zst = gzip.compress(content, 1), zstandard.compress(content, 1)
        first = f"{BUCKET}/{'-'.join(pair)}/run/exported/{name}.gz"
        second = f"{WORKSPACE}/{hashlib.sha256(name.encode()).hexdigest()[:12]}.zst"
        publisher.put(first, gz)
        publisher.put(second, zst)
        files.append(
            {
                "type": kind, "name": name, "size": len(content),
                "sha256": hashlib.sha256(content).hexdigest(),
                "sources": [
                    {"url": publisher.address + first, "compression": "gzip", "size": len(gz)},
                    {"url": publisher.address + second, "compression": "zstd", "size": len(zst)},
                ],
            }
        )  # fmt: skip
    sha256 = files[0]["sha256"]
    return {
        "id": f"{'-'.join(pair)}/tiny/{str(sha256)[:12]}", "from": pair[0], "to": pair[1],
        "architecture": "tiny", "status": "Release", "version": "3.0", "comet22": 0.8,
        "licence": "MPL-2.0", "files": files,
    }  # fmt: skip


def catalogue_text(models: list[dict[str, Any]], generated: str = "2026-01-01") -> str:
    data = {
        "schema": 1, "generated": generated, "publisher": "Testers", "licence": "MPL-2.0",
        "home": "https://example.org/models", "models": models,
    }  # fmt: skip
    return json.dumps(data)


PAIRS = {("fr", "en"): 1, ("en", "de"): 2, ("en", "es"): 3}


@dataclass
class World:
    """A publisher with fr-en, en-de and en-es, and their catalogue."""

    publisher: Publisher
    entries: list[dict[str, Any]]
    path: Path

    @property
    def catalogue(self) -> Catalogue:
        return read_catalogue(self.path.read_text(encoding="utf-8"))


@contextmanager
def world(folder: Path) -> Iterator[World]:
    with serving() as publisher:
        entries = [publish(publisher, pair, make_model(seed=n)) for pair, n in PAIRS.items()]
        path = folder / "catalogue.json"
        path.write_text(catalogue_text(entries), encoding="utf-8")
        yield World(publisher, entries, path)
