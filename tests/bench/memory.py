"""Memory of a page with one model, and its curve over many sentences.

Two figures: what the browser itself counts (`performance.measureUserAgentSpecificMemory`: the page
and its workers, WebAssembly memories included), and the resident memory of the renderer process
(/proc/PID/status), which holds the engine's code and the browser's own part too.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, Playwright

from bergamot import FLAGS, TIMEOUT_MS, Bench, chromium_path
from texts import Supply

MEASURE_AT_ONCE = "--enable-blink-features=ForceEagerMeasureMemory"
CHUNK = 250
MB = 1e6


def renderer_pid(browser: Browser) -> int | None:
    """The renderer with the largest resident memory: that of the page."""
    session = browser.new_browser_cdp_session()
    found = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    pids = [int(process["id"]) for process in found if process["type"] == "renderer"]
    return max(pids, key=lambda pid: resident(pid)[0], default=None)


def resident(pid: int) -> tuple[float, float]:
    """MB now, and at the most so far; zeros where the system does not say."""
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        return 0.0, 0.0
    text = status.read_text(encoding="ascii", errors="replace")
    values = (re.search(rf"{name}:\s+(\d+) kB", text) for name in ("VmRSS", "VmHWM"))
    now, peak = (int(value[1]) * 1024 / MB if value else 0.0 for value in values)
    return now, peak


def counted(page: Page) -> dict[str, Any] | None:
    script = "async () => (await import('/bench/peers.mjs')).memory()"
    found: dict[str, Any] | None = page.evaluate(script)
    return found


def measure(
    playwright: Playwright, bench: Bench, supply: Supply, sentences: int, peer: str
) -> dict[str, Any]:
    """The curve over so many sentences, in a browser of its own."""
    browser = playwright.chromium.launch(
        executable_path=chromium_path(), args=[*FLAGS, MEASURE_AT_ONCE]
    )
    try:
        page = browser.new_page()
        page.set_default_timeout(TIMEOUT_MS)
        page.goto(f"{bench.site.url}/bench/index.html")
        pid = renderer_pid(browser)
        empty = resident(pid)[0] if pid else 0.0
        call = "async ([name, given]) => (await import('/bench/peers.mjs'))[name](given)"
        options = {"threads": 1} if peer == "ours" else {}
        page.evaluate(call, ["open", {"name": peer, "peer": peer, "options": options}])
        curve = [_sample(page, pid, 0)]
        done = 0
        while done < sentences:
            texts = supply.sentences(min(CHUNK, sentences - done))
            if not texts:
                break
            page.evaluate(call, ["run", {"name": peer, "texts": texts, "perCall": 64}])
            done += len(texts)
            curve.append(_sample(page, pid, done))
        peak = resident(pid)[1] if pid else 0.0
    finally:
        browser.close()
    half = [row["counted_mb"] or row["resident_mb"] for row in curve[len(curve) // 2 :]]
    return {
        "empty_page_resident_mb": round(empty, 1),
        "peak_resident_mb": round(peak, 1),
        "peak_counted_mb": max((row["counted_mb"] or 0.0) for row in curve),
        "growth_second_half_mb": round(half[-1] - half[0], 1),
        "sentences": done,
        "curve": curve,
    }


def _sample(page: Page, pid: int | None, sentences: int) -> dict[str, Any]:
    found = counted(page)
    return {
        "sentences": sentences,
        "resident_mb": round(resident(pid)[0], 1) if pid else 0.0,
        "counted_mb": round(found["bytes"] / MB, 1) if found else None,
    }
