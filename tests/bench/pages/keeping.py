"""Where a browser keeps a model's file: the origin private file system beside the Cache API.

    python -m tests.bench.pages.keeping [--megabytes 32] [--runs 5]

With a profile on the disk, as people have one; random bytes; medians, in milliseconds. `parts` are
puts of 4 MB each, as a fetch leaves them.
"""

from __future__ import annotations

import argparse
import json
import tempfile

from playwright.sync_api import BrowserContext, Playwright, sync_playwright

from dragoman.models.measures.in_browser import CHROMIUM_FLAGS, browser_path
from tests.support.paths import ROOT
from tests.support.sites import serve

MEASURE = """async ([bytes, runs]) => {
  const PART = 4_000_000;
  const content = new Uint8Array(bytes);
  const random = (at) => crypto.getRandomValues(content.subarray(at, at + 65536));
  for (let at = 0; at < bytes; at += 65536) random(at);
  const folder = await navigator.storage.getDirectory();
  const cache = await caches.open("measured");
  const url = (name) => new URL(`measured/${name}`, location.href).href;
  const shelves = {
    files: {
      put: async (name, part) => {
        const handle = await folder.getFileHandle(name, { create: true });
        const writable = await handle.createWritable();
        await writable.write(part);
        await writable.close();
      },
      get: async (name) => (await folder.getFileHandle(name)).getFile(),
      drop: (name) => folder.removeEntry(name),
    },
    cache: {
      put: (name, part) => cache.put(url(name), new Response(part)),
      get: async (name) => (await cache.match(url(name))).blob(),
      read: async (name) => (await cache.match(url(name))).arrayBuffer(),
      drop: (name) => cache.delete(url(name)),
    },
  };
  const found = {};
  const timed = async (name, work) => {
    const start = performance.now();
    const result = await work();
    (found[name] ??= []).push(performance.now() - start);
    return result;
  };
  const packed = await new Response(
    new Blob([content]).stream().pipeThrough(new CompressionStream("gzip"))).blob();
  for (let run = 0; run < runs; run++) {
    for (const [name, shelf] of Object.entries(shelves)) {
      await timed(`${name} put`, () => shelf.put("whole", content));
      const read = shelf.read ?? (async (key) => (await shelf.get(key)).arrayBuffer());
      const back = await timed(`${name} get`, () => read("whole"));
      if (back.byteLength !== bytes) throw new Error(name);
      await timed(`${name} parts`, async () => {
        for (let at = 0; at < bytes; at += PART) {
          await shelf.put(`part${at}`, content.subarray(at, at + PART));
        }
      });
      await timed(`${name} join`, async () => {
        const parts = [];
        for (let at = 0; at < bytes; at += PART) parts.push(await shelf.get(`part${at}`));
        return new Blob(parts).arrayBuffer();
      });
      for (let at = 0; at < bytes; at += PART) await shelf.drop(`part${at}`);
      await shelf.drop("whole");
    }
    await timed("sha256", () => crypto.subtle.digest("SHA-256", content));
    await timed("gunzip", () => new Response(
      packed.stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
  }
  const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
  return Object.fromEntries(
    Object.entries(found).map(([name, values]) => [name, Math.round(median(values))]));
}"""


def opened(playwright: Playwright, name: str, profile: str) -> BrowserContext:
    """A browser of the system with a profile on the disk."""
    path = browser_path(name)
    if name == "firefox":
        return playwright.firefox.launch_persistent_context(
            profile, channel="moz-firefox", executable_path=path
        )
    return playwright.chromium.launch_persistent_context(
        profile, executable_path=path, args=list(CHROMIUM_FLAGS)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=32)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    running = serve(ROOT / "web" / "demo" / "public")
    with sync_playwright() as playwright:
        for name in ("chromium", "firefox"):
            with tempfile.TemporaryDirectory() as profile:
                context = opened(playwright, name, profile)
                page = context.pages[0]
                page.goto(f"http://127.0.0.1:{running.server_address[1]}/icon.svg")
                asked = [options.megabytes * 1_000_000, options.runs]
                found = page.evaluate(MEASURE, asked)
                context.close()
            print(json.dumps({"browser": name, "megabytes": options.megabytes, **found}))
    running.shutdown()


if __name__ == "__main__":
    main()
