"""Workers started by a worker, one after the other, in Firefox: do some never start?

    python -m tests.bench.nested_workers [--driven] [--seconds 100]

Two workers of a page each start a worker, wait for its answer, end it, and begin again; between
they allocate as an engine does that reads its model. One that stands still for 15 s counts as a
stall and is begun anew. `--driven`: Firefox as Playwright drives it, else Firefox by itself with a
new profile. The page reports to the server that it came from. Writes JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import sync_playwright

from dragoman.models.measures.in_browser import browser_path, launch
from tests.bench.peers.isolated_site import Site

PREFERENCES = (
    'user_pref("browser.shell.checkDefaultBrowser", false);'
    'user_pref("browser.startup.homepage_override.mstone", "ignore");'
    'user_pref("datareporting.policy.dataSubmissionEnabled", false);'
)
INNER = b"onmessage = () => postMessage(true);"
OUTER = b"""
const say = (step) => postMessage(step);
for (;;) {
  say("constructing");
  const worker = new Worker("/inner.js", { type: "module" });
  say("constructed");
  await new Promise((answered) => {
    const reading = setInterval(() => new Uint8Array(11e6), 10);
    worker.onmessage = () => { clearInterval(reading); answered(); };
    worker.postMessage(true);
  });
  worker.terminate();
  say("answered");
}
"""
PAGE = b"""<!doctype html><title>nested workers</title><link rel=icon href="data:,">
<script type="module">
const told = { starts: 0, stalls: 0, at: {} };
function begin() {
  const worker = new Worker("/outer.js", { type: "module" });
  let step = "none", since = performance.now();
  worker.onmessage = ({ data }) => {
    step = data;
    since = performance.now();
    if (step === "answered") told.starts += 1;
  };
  const watching = setInterval(() => {
    if (performance.now() - since < 15_000) return;
    told.stalls += 1;
    told.at[step] = (told.at[step] ?? 0) + 1;
    clearInterval(watching);
    worker.terminate();
    begin();
  }, 500);
}
begin();
begin();
setInterval(() => fetch("/told?" + new URLSearchParams({ told: JSON.stringify(told) })), 1000);
</script>"""


class Listening(Site):
    """Keeps what the page told last."""

    told: dict[str, Any] | None = None

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        address = urlsplit(request.path)
        if address.path == "/told":
            self.told = json.loads(parse_qs(address.query)["told"][0])
        super().answer(request)


def by_itself(address: str, seconds: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "user.js").write_text(PREFERENCES)
        command = [browser_path("firefox"), "--headless", "--no-remote", "--profile", folder]
        firefox = subprocess.Popen(
            [*command, address], stderr=subprocess.DEVNULL, env={**os.environ, "HOME": folder}
        )
        time.sleep(seconds)
        firefox.terminate()
        firefox.wait()


def driven(address: str, seconds: float) -> None:
    with sync_playwright() as playwright:
        browser = launch(playwright, "firefox")
        page = browser.new_page()
        page.goto(address)
        page.wait_for_timeout(seconds * 1000)
        browser.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--driven", action="store_true")
    parser.add_argument("--seconds", type=float, default=100)
    options = parser.parse_args()
    mounts: dict[str, Path | bytes] = {
        "/index.html": PAGE,
        "/outer.js": OUTER,
        "/inner.js": INNER,
        "/told": b"",
    }
    with Listening(mounts) as site:
        (driven if options.driven else by_itself)(f"{site.url}/index.html", options.seconds)
    if site.told is None:
        raise SystemExit("the page reported nothing")
    json.dump(site.told, sys.stdout)


if __name__ == "__main__":
    main()
