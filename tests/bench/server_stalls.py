"""How long the server's event loop is held by what is made to hold it, and how long a short text
waits meanwhile.

    .venv/bin/python -m tests.bench.server_stalls [--bundle]

A line a request: its status, its seconds, the worst stall of the loop, the slowest of the short
texts that another client translates all the time; milliseconds. The model makes capitals, so that
the language work is all there is; with --bundle it is the real one.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from typing import Any

import httpx

from dragoman.config import Limits
from dragoman.native.bundles import Parts
from dragoman.native.pages import PageReader
from dragoman.native.translator import share_interpreter
from dragoman.pipeline.pipeline import Pipeline
from dragoman.server import Settings, create_app
from dragoman.server.loop.garbage import collect_seldom
from tests.bench.loop_stalls import PAGES
from tests.support.helpers import CharacterTokenizer
from tests.support.hosts import capital_parts

PAIR = {"source": "de", "target": "en"}


def made() -> Parts:
    parts, limits = capital_parts(), Limits()
    tokenizer = CharacterTokenizer()
    pipeline = Pipeline(parts.pipeline.manifest, tokenizer, limits, PageReader(limits))
    return Parts(pipeline, parts.engine)


def elements(count: int) -> dict[str, Any]:
    text = "Ja gut. " * count
    found = [{"range": [8 * at, 8 * at + 2], "kind": "inline"} for at in range(count)]
    return {"text": text, "elements": found, **PAIR}


def asked() -> dict[str, tuple[str, bytes]]:
    """Paths and bodies by name."""
    found: dict[str, tuple[str, Any]] = {
        f"page: {name}": ("/v1/translate", {"text": page[:5_000_000], "format": "html", **PAIR})
        for name, page in PAGES.items()
    }
    found |= {
        "500,000 characters": ("/v1/translate", {"text": "Das ist ein Satz. " * 27_000, **PAIR}),
        "50,000 elements": ("/v1/translate", elements(50_000)),
        "soft batch of 200,000 characters": (
            "/v1/batch",
            {"texts": ["Das ist ein Satz. " * 100] * 100, "alignment": "soft", **PAIR},
        ),
    }
    bodies = {name: (path, json.dumps(data).encode()) for name, (path, data) in found.items()}
    ones = b'{"variables":{},"requests":[{"template":[' + b"1," * 700_000 + b"1]}]}"
    texts = b'{"texts":[' + b'"",' * 1_400_000 + b'""]}'
    bodies["1.4 MB of numbers"] = "/v1/graph", ones
    bodies["1.4 M texts"] = "/v1/batch", texts
    return bodies


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bundle", action="store_true")
    load = None if parser.parse_args().bundle else lambda *_: made()
    share_interpreter()
    collect_seldom()
    headers = {"Content-Type": "application/json"}
    app = create_app(Settings(), load)
    transport = httpx.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://localhost") as client,
    ):
        slowest = 0.0

        async def short() -> None:
            nonlocal slowest
            while True:
                start = time.perf_counter()
                (
                    await client.post("/v1/translate", json={"text": "Ja, gut.", **PAIR})
                ).raise_for_status()
                slowest = max(slowest, time.perf_counter() - start)
                await asyncio.sleep(0.01)

        others = asyncio.create_task(short())
        await asyncio.sleep(1)
        for name, (path, body) in asked().items():
            app.state.watchdog.worst = slowest = 0.0
            start = time.perf_counter()
            async with client.stream("POST", path, content=body, headers=headers) as answer:
                size = 0
                async for part in answer.aiter_bytes():
                    size += len(part)
            seconds = time.perf_counter() - start
            await asyncio.sleep(0.1)
            print(
                f"{name:34} {answer.status_code} {seconds:6.2f} s {size:>11,} bytes, "
                f"stall {app.state.watchdog.worst * 1e3:6.1f} ms, short {slowest * 1e3:6.1f} ms",
                flush=True,
            )
        others.cancel()


if __name__ == "__main__":
    asyncio.run(main())
