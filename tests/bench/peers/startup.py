"""Milliseconds from navigation to the first translated sentence.

Ours on the demo page, served by `dragoman serve`; the other engine on an empty page that does
nothing else. Cold: a fresh profile. Warm: the second visit, its page opened anew.
"""

from __future__ import annotations

import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Page, Playwright

from dragoman.models.measures.in_browser import CHROMIUM_FLAGS, browser_path
from tests.bench.peers import start_stages
from tests.bench.peers.bergamot import PACKAGE, PAGE, TIMEOUT_MS, WEB, Bench
from tests.bench.peers.isolated_site import Site
from tests.bench.peers.throughput import spread

# The sentence is there before the page's own script is; the time is that of the first output.
TYPE_AT_ONCE = """
window.addEventListener("DOMContentLoaded", () => {
  const field = document.querySelector("#source");
  if (!field) return;
  const output = document.querySelector("#output");
  new MutationObserver(() => {
    if (!window.firstOutput && output.textContent.trim()) window.firstOutput = performance.now();
  }).observe(output, { childList: true, subtree: true, characterData: true });
  field.value = "Guten Morgen!";
  field.dispatchEvent(new Event("input", { bubbles: true }));
});
"""
THEIRS = b"""
import { bergamot } from "/bench/peers.mjs";
const translator = await bergamot({});
await translator.translate(["Guten Morgen!"]);
window.firstOutput = performance.now();
"""


@contextmanager
def served() -> Iterator[str]:
    """Address of `dragoman serve` on the built files."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    command = [sys.executable, "-m", "dragoman", "serve", "--web", str(WEB)]
    quiet = subprocess.DEVNULL
    process = subprocess.Popen([*command, "--port", str(port)], stdout=quiet, stderr=quiet)
    url = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + 60
        while not _answers(url):
            if time.monotonic() > deadline or process.poll() is not None:
                raise SystemExit("`dragoman serve` does not start")
            time.sleep(0.1)
        yield url
    finally:
        process.terminate()
        process.wait(timeout=20)


def _answers(url: str) -> bool:
    try:
        urllib.request.urlopen(f"{url}/healthz", timeout=5).read()
    except OSError:
        return False
    return True


def first_output(page: Page, url: str) -> float:
    """Milliseconds after the start of the navigation."""
    page.goto(url)
    page.wait_for_function("() => window.firstOutput", timeout=TIMEOUT_MS)
    return float(page.evaluate("() => window.firstOutput"))


@dataclass(frozen=True)
class Visit:
    """Milliseconds to the first sentence, and of what they are made; theirs notes no stages."""

    ms: float
    stages: dict[str, start_stages.Span]


def visit(page: Page, url: str) -> Visit:
    ms = first_output(page, url)
    return Visit(ms, start_stages.spans(page, ms))


def visits(playwright: Playwright, url: str) -> tuple[Visit, Visit]:
    """The first visit of a fresh profile, and the second."""
    with tempfile.TemporaryDirectory() as profile:
        context = playwright.chromium.launch_persistent_context(
            profile, executable_path=browser_path("chromium"), args=CHROMIUM_FLAGS
        )
        context.add_init_script(TYPE_AT_ONCE)
        try:
            page = context.new_page()
            cold = visit(page, url)
            # What the first visit still does (caching for offline use) is not the second one's.
            page.wait_for_timeout(3_000)
            page.close()
            warm = visit(context.new_page(), url)
        finally:
            context.close()
    return cold, warm


def their_site(bench: Bench) -> Site:
    mounts = dict(bench.site.mounts)
    page = PAGE + b'<script type="module" src="/bench/first.mjs"></script>'
    return Site({"/bench/first.html": page, "/bench/first.mjs": THEIRS, **mounts, "/b/": PACKAGE})


def measure(playwright: Playwright, bench: Bench, runs: int) -> dict[str, Any]:
    """Medians of both, runs interleaved."""
    figures: dict[str, list[float]] = {
        name: [] for name in ("cold", "warm", "bergamot_cold", "bergamot_warm")
    }
    stages: dict[str, list[dict[str, start_stages.Span]]] = {"cold": [], "warm": []}
    with served() as url, their_site(bench) as other:
        for _ in range(runs):
            cold, warm = visits(playwright, f"{url}/")
            their_cold, their_warm = visits(playwright, f"{other.url}/bench/first.html")
            stages["cold"].append(cold.stages)
            stages["warm"].append(warm.stages)
            for name, one in zip(figures, (cold, warm, their_cold, their_warm), strict=True):
                figures[name].append(one.ms)
    medians = {f"{name}_ms": round(statistics.median(v), 1) for name, v in figures.items()}
    quartiles = {f"{name}_quartiles": spread(values) for name, values in figures.items()}
    found = {kind: start_stages.medians(seen) for kind, seen in stages.items()}
    return {**medians, "startup": {**quartiles, "runs": runs}, "start_stages": found}
