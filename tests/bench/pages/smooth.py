"""Tasks of a page's thread while large pages are translated in Chromium: what a reader would feel.

    python -m tests.bench.pages.smooth [--top 5]

The page library with a translator that answers at once, so that only the work on the page counts.
One JSON line a page:

    nodes     20,000 elements
    lines     5,000 lines in one element
    run       one paragraph of 4,000 elements
    turned    the same, translated to the opposite order of the elements; then one word changes
    late      20,000 elements that are put in at once while the page is translated
    change    20,000 elements whose texts all change at once when they are translated

Milliseconds are those that the thread computed, not those that passed: see `traces`.

    script_ms               of all tasks of ours together
    script_longest_ms       of a task of ours, the browser's own layout in it left out
    script_over_16, _50     how many such tasks took longer
    browser_longest_ms      of style, layout and visibility, in one task
    tasks                   in which our script ran
"""

from __future__ import annotations

import argparse
import json
import subprocess
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from dragoman.models.measures.in_browser import launch
from tests.bench.pages.traces import CATEGORIES, Task, tasks_of
from tests.support.paths import ROOT
from tests.support.sites import PAGES, serve

FILL = """() => {
  const rows = Array.from({ length: 4000 }, (_, row) =>
    `<div><p>Das Haus hat die <b>Nummer</b> <i>${row}</i>.</p><span>Baum ${row} am See</span></div>`
  );
  document.querySelector("main").innerHTML = rows.join("");
}"""
CHANGE = """() => {
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) node.data = "Neu ist dies.";
}"""
TOUCH = """() => { document.querySelectorAll("b")[2000].firstChild.data = "Neu ist dies."; }"""
LATER = {"late": FILL, "change": CHANGE, "turned": TOUCH}
RUN = "<p>" + " ".join(f"Wort <b>Nummer {n}</b>" for n in range(4_000)) + ".</p>"
BODIES = {
    "lines": "<br>\n".join(f"Das ist die Zeile {n}." for n in range(5_000)),
    "run": RUN,
    "turned": RUN,
    "late": "<main><p>Ein Satz steht hier.</p></main>",
}


def measure(browser: Browser, site: str, name: str) -> tuple[dict[str, Any], list[Task]]:
    page = browser.new_page()
    page.set_default_timeout(300_000)
    page.goto(f"{site}/{'many' if name in ('nodes', 'change') else 'frame'}.html")
    if name in BODIES:
        page.evaluate("(html) => { document.body.innerHTML = html; }", BODIES[name])
    page.add_script_tag(path=PAGES / "library.js")
    page.wait_for_timeout(500)
    browser.start_tracing(page=page, categories=CATEGORIES)
    page.evaluate("(reverse) => { dragoman.start({ reverse }); }", name == "turned")
    settle(page)
    if name in LATER:
        page.evaluate(LATER[name])
        settle(page)
    page.evaluate("() => dragoman.running.page.restore()")
    tasks = [task for task in tasks_of(json.loads(browser.stop_tracing())) if task.scripted]
    page.close()
    longest = max(tasks, key=lambda task: task.script)
    return {
        "script_ms": round(sum(task.script for task in tasks)),
        "script_longest_ms": round(longest.script),
        "script_over_16": sum(task.script > 16 for task in tasks),
        "script_over_50": sum(task.script > 50 for task in tasks),
        "browser_longest_ms": round(max(task.own for task in tasks)),
        "tasks": len(tasks),
    }, tasks


def settle(page: Page) -> None:
    for _ in range(2):
        page.wait_for_function("() => dragoman.running.page.progress.phase === 'translated'")
        page.wait_for_timeout(400)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--top", type=int, default=0, help="say what the longest tasks did")
    parser.add_argument("--only", help="one page")
    options = parser.parse_args()
    subprocess.run(["node", "tests/fixtures/pages/build.mjs"], cwd=ROOT, check=True)
    running = serve(PAGES)
    site = f"http://127.0.0.1:{running.server_address[1]}"
    with sync_playwright() as playwright:
        browser = launch(playwright, "chromium")
        for name in ["nodes", *BODIES, "change"]:
            if options.only not in (None, name):
                continue
            figures, tasks = measure(browser, site, name)
            print(json.dumps({"bench": "smooth", "page": name, **figures}), flush=True)
            for task in sorted(tasks, key=lambda task: -task.total)[: options.top]:
                parts = {part: round(ms, 1) for part, ms in task.parts.items() if ms > 1}
                print(f"    {task.total:6.1f} ms, {task.script:6.1f} ours; {parts}")
        browser.close()
    running.shutdown()


if __name__ == "__main__":
    main()
