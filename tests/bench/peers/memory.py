"""Memory of a page with one model, and its curve over many sentences.

Measured is the private footprint of the page's renderer process, workers and WebAssembly memories
included: anonymous, shared and swapped memory (/proc/PID/status). It is what Chromium's own task
manager shows.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any, Self

from playwright.sync_api import Browser

from tests.bench.peers.alone import alone, pages
from tests.bench.peers.bergamot import BUNDLE, PAGE, Bench
from tests.bench.peers.isolated_site import Site
from tests.bench.texts import Supply

CHUNK = 250
PER_CALL = 64
PATIENCE_SECONDS = 600
SETTLED_SECONDS = 6
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


def measure(
    bench: Bench, supply: Supply, sentences: int, peer: str, options: Mapping[str, Any]
) -> dict[str, Any]:
    """Peak and curve over so many sentences, in a browser of its own."""
    chunks = list(_chunks(supply, sentences))
    given = {"peer": peer, "options": dict(options), "perCall": PER_CALL}
    script = f"(await import('/bench/peers.mjs')).alone({json.dumps(given)})"
    # What is asked for first finds the page empty; what comes last says that it is done.
    texts = {f"/bench/texts/{n}.json": chunk for n, chunk in enumerate([[], *chunks, []])}
    mounts = {
        "/bench/alone.html": PAGE + f"<script type=module>{script}</script>".encode(),
        **{path: json.dumps(chunk).encode() for path, chunk in texts.items()},
        **bench.site.mounts,
    }
    asked: SimpleQueue[str] = SimpleQueue()
    with Site(mounts, asked.put) as site, alone(f"{site.url}/bench/alone.html") as browser:
        _wait(asked, "/bench/texts/0.json")
        pids = pages(browser)
        empty, rows, done = footprint(pids), [], 0
        with Watcher(pids) as watcher:
            for path, chunk in list(texts.items())[1:]:
                _wait(asked, path)
                rows.append({"sentences": done, "mb": round(footprint(pids), 1)})
                done += len(chunk)
    half = [row["mb"] for row in rows[len(rows) // 2 :]]
    return {
        "empty_page_mb": round(empty, 1),
        "peak_mb": round(watcher.peak, 1),
        "growth_second_half_mb": round(half[-1] - half[0], 1),
        "sentences": done,
        "curve": rows,
    }


def _chunks(supply: Supply, sentences: int) -> Iterator[list[str]]:
    done = 0
    while texts := supply.sentences(min(CHUNK, sentences - done)):
        yield texts
        done += len(texts)


def _wait(asked: SimpleQueue[str], beginning: str) -> str:
    """Until the page asks for a path that begins so; the rest of it."""
    while True:
        try:
            path = asked.get(timeout=PATIENCE_SECONDS)
            if path.startswith(beginning):
                return path.removeprefix(beginning)
        except Empty:
            raise SystemExit(f"the page did not come as far as {beginning}") from None


# Each step needs one model more; the languages are names only, the model is one and the same.
LEGS = (("de", "en"), ("en", "fr"), ("fr", "es"))
TRANSLATE_OVER = """
const over = async (legs, limits) => {
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
};
const [legs, limits] = given;
for (let time = 0; time < 3; time += 1) await over(legs, limits); // those that had to go come again
"""


def several_models(bench: Bench) -> dict[str, float]:
    """MB of a page with one model, with three, and with three of which one may stay at a time."""
    size = sum(file.stat().st_size for file in BUNDLE.iterdir())
    cases: tuple[tuple[str, int, dict[str, int]], ...] = (
        ("one", 1, {}),
        ("three", 3, {}),
        ("three, room for one", 3, {"model_bytes": size}),
    )
    return {
        name: _settled(bench, TRANSLATE_OVER, [LEGS[:legs], limits])[0]
        for name, legs, limits in cases
    }


# Whoever has other limits has workers of their own, as once every translator had.
CREATE_TRANSLATORS = """
const [legs, apart] = given;
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
told = Math.round(milliseconds);
"""


def several_translators(bench: Bench) -> dict[str, dict[str, float]]:
    """MB of a page with one translator and with two, and ms until the last one was made."""
    cases = (
        ("one", 1, False),
        ("two, shared workers", 2, False),
        ("two, workers of their own", 2, True),
    )
    found: dict[str, dict[str, float]] = {}
    for name, legs, apart in cases:
        mb, told = _settled(bench, CREATE_TRANSLATORS, [LEGS[:legs], apart])
        found[name] = {"mb": mb, "last_made_ms": float(told)}
    return found


def _settled(bench: Bench, script: str, given: object) -> tuple[float, str]:
    """MB of a page some time after it has done what a script says, and what that told."""
    whole = (
        f"const given = {json.dumps(given)}; let told = 0; {script} fetch(`/bench/done/${{told}}`);"
    )
    page = PAGE + f"<script type=module>{whole}</script>".encode()
    asked: SimpleQueue[str] = SimpleQueue()
    mounts = {"/bench/alone.html": page, **_three_bundles(), **bench.site.mounts}
    with Site(mounts, asked.put) as site, alone(f"{site.url}/bench/alone.html") as browser:
        told = _wait(asked, "/bench/done/")
        time.sleep(SETTLED_SECONDS)  # until garbage is looked for
        return round(footprint(pages(browser)), 1), told


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
