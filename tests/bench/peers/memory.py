"""Memory of a page with one model, and its curve over many sentences.

Measured is the private footprint of the page's renderer process, workers and WebAssembly memories
included: anonymous, shared and swapped memory (/proc/PID/status). It is what Chromium's own task
manager shows. Beside it `performance.measureUserAgentSpecificMemory`, which leaves WebAssembly
memories out: it shows whether JavaScript's heaps grow.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from playwright.sync_api import Browser, Page, Playwright

from dragoman.models.measures.in_browser import launch
from tests.bench.peers.bergamot import BUNDLE, TIMEOUT_MS, Bench
from tests.bench.peers.isolated_site import Site
from tests.bench.texts import Supply

MEASURE_AT_ONCE = "--enable-blink-features=ForceEagerMeasureMemory"
CHUNK = 250
EVERY_SECONDS = 0.05
MB = 1e6
HOW = "private footprint of the renderer process: RssAnon + RssShmem + VmSwap"
OWN = re.compile(r"^(?:RssAnon|RssShmem|VmSwap):\s+(\d+) kB", re.MULTILINE)


def renderers(browser: Browser) -> tuple[int, ...]:
    """Process ids: the page's own, and a spare one that Chromium keeps empty.

    Raises:
        SystemExit: the system is not Linux.
    """
    if not Path("/proc/self/status").exists():
        raise SystemExit("memory is measured on Linux only")
    session = browser.new_browser_cdp_session()
    found = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    return tuple(int(process["id"]) for process in found if process["type"] == "renderer")


def footprint(pids: Sequence[int]) -> float:
    """MB that belong to the largest of some processes alone."""
    return max(map(_own, pids), default=0.0)


def _own(pid: int) -> float:
    try:
        text = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    except OSError:  # it has ended
        return 0.0
    return sum(map(int, OWN.findall(text))) * 1024 / MB


class Watcher:
    """Looks at processes many times a second and keeps the largest footprint; a context manager."""

    def __init__(self, pids: Sequence[int]) -> None:
        self.pids, self.peak = pids, 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(EVERY_SECONDS):
            self.peak = max(self.peak, footprint(self.pids))


def counted(page: Page) -> dict[str, Any] | None:
    script = "async () => (await import('/bench/peers.mjs')).memory()"
    found: dict[str, Any] | None = page.evaluate(script)
    return found


def measure(
    playwright: Playwright,
    bench: Bench,
    supply: Supply,
    sentences: int,
    peer: str,
    options: Mapping[str, Any],
) -> dict[str, Any]:
    """Peak and curve over so many sentences, in a browser of its own."""
    browser = launch(playwright, "chromium", MEASURE_AT_ONCE)
    try:
        page = browser.new_page()
        page.set_default_timeout(TIMEOUT_MS)
        page.goto(f"{bench.site.url}/bench/index.html")
        pids = renderers(browser)
        empty = footprint(pids)
        with Watcher(pids) as watcher:
            curve = list(_curve(page, pids, supply, sentences, peer, options))
    finally:
        browser.close()
    half = [row["mb"] for row in curve[len(curve) // 2 :]]
    return {
        "empty_page_mb": round(empty, 1),
        "peak_mb": round(watcher.peak, 1),
        "growth_second_half_mb": round(half[-1] - half[0], 1),
        "sentences": curve[-1]["sentences"],
        "curve": curve,
    }


def _curve(
    page: Page,
    pids: Sequence[int],
    supply: Supply,
    sentences: int,
    peer: str,
    options: Mapping[str, Any],
) -> Iterator[dict[str, Any]]:
    call = "async ([name, given]) => (await import('/bench/peers.mjs'))[name](given)"
    page.evaluate(call, ["open", {"name": peer, "peer": peer, "options": dict(options)}])
    yield _sample(page, pids, 0)
    done = 0
    while texts := supply.sentences(min(CHUNK, sentences - done)):
        page.evaluate(call, ["run", {"name": peer, "texts": texts, "perCall": 64}])
        done += len(texts)
        yield _sample(page, pids, done)


def _sample(page: Page, pids: Sequence[int], sentences: int) -> dict[str, Any]:
    found = counted(page)
    scripts = round(found["bytes"] / MB, 1) if found else None
    return {"sentences": sentences, "mb": round(footprint(pids), 1), "scripts_mb": scripts}


# Each step needs one model more; the languages are names only, the model is one and the same.
LEGS = (("de", "en"), ("en", "fr"), ("fr", "es"))
TRANSLATE_OVER = """async ([legs, limits]) => {
  const { Translator } = await import("/dragoman.js");
  const [sourceLanguage, targetLanguage] = legs[0];
  const options = { sourceLanguage, targetLanguage, threads: 1, limits };
  globalThis.several ??= await Translator.create(options);
  const requests = legs.map(([source, target], leg) => ({
    source, target, cache: false, template: [{ input: `text${leg}` }, { output: `text${leg + 1}` }],
  }));
  const variables = { text0: "Das ist ein Haus. Wir gehen heute Abend ins Kino." };
  const { outputs } = await several.submitGraph({ variables, requests }).result;
  const failed = Object.values(outputs).find((end) => !end.ok);
  if (failed) throw failed.error;
}"""


def several_models(playwright: Playwright, bench: Bench) -> dict[str, float]:
    """MB of a page with one model, with three, and with three of which one may stay at a time."""
    mounts = _three_bundles()
    size = sum(file.stat().st_size for file in BUNDLE.iterdir())
    found: dict[str, float] = {}
    with Site({**mounts, **bench.site.mounts}) as site:
        for name, legs, limits in (
            ("one", 1, {}),
            ("three", 3, {}),
            ("three, room for one", 3, {"model_bytes": size}),
        ):
            browser = launch(playwright, "chromium")
            try:
                page = browser.new_page()
                page.set_default_timeout(TIMEOUT_MS)
                page.goto(f"{site.url}/bench/index.html")
                for _ in range(3):  # those that had to go come again
                    page.evaluate(TRANSLATE_OVER, [LEGS[:legs], limits])
                page.context.new_cdp_session(page).send("HeapProfiler.collectGarbage")
                found[name] = round(footprint(renderers(browser)), 1)
            finally:
                browser.close()
    return found


# Whoever has other limits has workers of their own, as once every translator had.
CREATE_TRANSLATORS = """async ([legs, apart]) => {
  const { Translator } = await import("/dragoman.js");
  globalThis.made = [];
  let milliseconds = 0;
  for (const [number, [sourceLanguage, targetLanguage]] of legs.entries()) {
    const limits = apart ? { text_characters: 1_000 + number } : {};
    const start = performance.now();
    made.push(await Translator.create({ sourceLanguage, targetLanguage, threads: 1, limits }));
    milliseconds = performance.now() - start;
    await made[number].translate("Das ist ein Haus. Wir gehen heute Abend ins Kino.");
  }
  return milliseconds;
}"""


def several_translators(playwright: Playwright, bench: Bench) -> dict[str, dict[str, float]]:
    """MB of a page with one translator and with two, and ms until the last one was made."""
    found: dict[str, dict[str, float]] = {}
    with Site({**_three_bundles(), **bench.site.mounts}) as site:
        for name, legs, apart in (
            ("one", 1, False),
            ("two, shared workers", 2, False),
            ("two, workers of their own", 2, True),
        ):
            browser = launch(playwright, "chromium")
            try:
                page = browser.new_page()
                page.set_default_timeout(TIMEOUT_MS)
                page.goto(f"{site.url}/bench/index.html")
                ms = float(page.evaluate(CREATE_TRANSLATORS, [LEGS[:legs], apart]))
                page.context.new_cdp_session(page).send("HeapProfiler.collectGarbage")
                mb = footprint(renderers(browser))
                found[name] = {"mb": round(mb, 1), "last_made_ms": round(ms)}
            finally:
                browser.close()
    return found


def _three_bundles() -> dict[str, Path | bytes]:
    manifest = json.loads((BUNDLE / "manifest.json").read_text())
    size = sum(file["bytes"] for file in manifest["files"].values())
    mounts: dict[str, Path | bytes] = {}
    entries = []
    for source, target in LEGS:
        name, pair = f"{source}-{target}", {"source": source, "target": target}
        mounts[f"/models/{name}/manifest.json"] = json.dumps({**manifest, **pair}).encode()
        mounts[f"/models/{name}/"] = BUNDLE
        entries.append({**pair, "bundle": name, "name": name, "version": "1", "bytes": size})
    return {"/models/index.json": json.dumps({"models": entries}).encode(), **mounts}
