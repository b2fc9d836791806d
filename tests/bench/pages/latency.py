"""How long a typed sentence takes alone, and while a page of 3,000 words is being translated.

The page is as many requests as it has paragraphs, of priority "visible"; sentences are typed at any
point of its mini-batches. Natively and in Chromium (built files), without the cache. A sentence
should take no more than 1.5 times its time alone and one mini-batch. Ends with a line of JSON,
which build/latency.json keeps.

    .venv/bin/python -m tests.bench.pages.latency [--samples 40] [--seconds 120]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from dragoman.config import Limits
from dragoman.models.measures.in_browser import launch
from dragoman.native.bundles import load_parts
from dragoman.service.service import TranslationHandle, TranslationService
from dragoman.types import Priority, TranslationRequest
from tests.support.pages import Server
from tests.support.paths import ROOT

PAGE_WORDS = 3_000
SUBJECTS = ["Der alte Garten", "Die neue Brücke", "Das kleine Haus", "Unsere Nachbarin", "Ein Zug"]
PLACES = ["am Fluss", "hinter dem Bahnhof", "in der Stadt", "neben der Schule", "auf dem Land"]
ENDS = [
    "wird im Frühling von vielen Menschen besucht, die sonst wenig Zeit haben.",
    "ist seit Jahren geschlossen.",
    "gehört zu den Dingen, über die in den Zeitungen oft geschrieben wird.",
    "braucht bald ein neues Dach, denn der letzte Sturm war sehr stark.",
]
TYPED = ["Wie komme ich zum Bahnhof?", "Ich hätte gern ein Glas Wasser.", "Wann fährt der Zug?"]


def page() -> list[str]:
    """Paragraphs of three sentences, no two the same, until there are words enough."""
    blocks: list[str] = []
    words = number = 0
    while words < PAGE_WORDS:
        sentences = []
        for _ in range(3):
            subject, place = SUBJECTS[number % 5], PLACES[number // 5 % 5]
            sentences.append(f"{subject} Nummer {number} {place} {ENDS[number % 4]}")
            number += 1
        blocks.append(" ".join(sentences))
        words += len(blocks[-1].split())
    return blocks


class Native:
    """A service with the real model, on the event loop that runs it."""

    def __init__(self, folder: Path, threads: int) -> None:
        parts = load_parts(folder, threads)
        self._service = TranslationService(parts.pipeline, parts.engine, Limits())

    async def measure(self, samples: int, seconds: float) -> dict[str, Any]:
        for run in range(10):
            await self._time(TYPED[run % 3])
        alone = [await self._time(TYPED[run % 3]) for run in range(samples)]
        before = self._service.statistics()
        started = time.perf_counter()
        await asyncio.gather(*(handle.response for handle in self._submit_page()))
        page_seconds = time.perf_counter() - started
        after = self._service.statistics()
        batches = after.mini_batches - before.mini_batches
        mini_batch = (after.engine_seconds - before.engine_seconds) / batches
        during = await self._while_a_page(samples, seconds, mini_batch)
        await self._service.close()
        return summary(alone, during, page_seconds * 1000, batches, mini_batch * 1000)

    async def _while_a_page(self, samples: int, seconds: float, mini_batch: float) -> list[float]:
        chance = random.Random(1)
        during: list[float] = []
        end = time.perf_counter() + seconds
        while len(during) < samples and time.perf_counter() < end:
            handles = self._submit_page()
            waiting = asyncio.gather(*(handle.response for handle in handles))
            while not waiting.done() and len(during) < samples:
                # Pauses of all lengths, so that a sentence comes at any point of a mini-batch.
                await asyncio.sleep(chance.uniform(0, 2 * mini_batch))
                took = await self._time(chance.choice(TYPED))
                if not waiting.done():
                    during.append(took)
            await waiting
        return during

    def _submit_page(self) -> list[TranslationHandle]:
        return [self._service.submit(request(block, Priority.VISIBLE)) for block in page()]

    async def _time(self, text: str) -> float:
        started = time.perf_counter()
        await self._service.translate(request(text, Priority.INTERACTIVE))
        return (time.perf_counter() - started) * 1000


def request(text: str, priority: Priority) -> TranslationRequest:
    return TranslationRequest(text, "de", "en", priority=priority, cache=False)


def in_chromium(samples: int, seconds: float) -> dict[str, Any]:
    server = Server()
    server.start()
    try:
        with sync_playwright() as playwright:
            browser = launch(playwright, "chromium")
            tab = browser.new_context(service_workers="block").new_page()
            content = Path(__file__).with_suffix(".mjs").read_text(encoding="utf-8")
            headers = {"Content-Type": "text/javascript"}
            tab.route("**/latency.mjs", lambda route: route.fulfill(body=content, headers=headers))
            tab.goto(f"{server.url}/models/index.json")
            given = {"blocks": page(), "typed": TYPED, "seconds": seconds, "samples": samples}
            script = "async (given) => (await import('/latency.mjs')).measure(given)"
            found = tab.evaluate(script, given)
            browser.close()
    finally:
        server.stop()
    return summary(
        found["alone"], found["during"], found["page"], found["batches"], found["miniBatch"]
    )


def summary(
    alone: Sequence[float],
    during: Sequence[float],
    page_ms: float,
    batches: int,
    mini_batch_ms: float,
) -> dict[str, Any]:
    """Medians in milliseconds, and what a sentence may take at the median."""
    median_alone, median_during = statistics.median(alone), statistics.median(during)
    allowed = 1.5 * median_alone + mini_batch_ms
    return {
        "alone_ms": round(median_alone, 1),
        "during_ms": round(median_during, 1),
        "mini_batch_ms": round(mini_batch_ms, 1),
        "allowed_ms": round(allowed, 1),
        "within": median_during <= allowed,
        "samples": len(during),
        "page_ms": round(page_ms),
        "page_mini_batches": batches,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bundle", type=Path, default=ROOT / "models" / "de-en")
    parser.add_argument("--threads", type=int, default=1, help="of the native engine")
    parser.add_argument("--samples", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=120, help="at most, for each host")
    given = parser.parse_args()

    async def natively() -> dict[str, Any]:
        return await Native(given.bundle, given.threads).measure(given.samples, given.seconds)

    report = {
        "native": asyncio.run(natively()),
        "chromium": in_chromium(given.samples, given.seconds),
    }
    (ROOT / "build" / "latency.json").write_text(json.dumps(report, indent=1), encoding="utf-8")
    print(json.dumps(report))


if __name__ == "__main__":
    main()
