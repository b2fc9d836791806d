"""Runs a benchmark module in Chromium, with graphs and onnxruntime-web beside it."""

from __future__ import annotations

import functools
import http.server
import threading
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from dragoman.models.measures.in_browser import launch
from tests.support.paths import ROOT


class _Handler(http.server.SimpleHTTPRequestHandler):
    def end_headers(self) -> None:
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        super().end_headers()

    def log_message(self, *_: object) -> None:
        pass


def measure_in_chromium(module: str, graphs: dict[str, bytes], argument: object) -> Any:
    """What the module's `measure(argument)` resolves to; it finds graphs at /NAME.onnx."""
    folder = ROOT / "build" / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    for name, graph in graphs.items():
        (folder / f"{name}.onnx").write_bytes(graph)
    (folder / module).write_bytes((Path(__file__).parent / module).read_bytes())
    (folder / "index.html").write_text("<!doctype html><title>bench</title>", encoding="utf-8")
    runtime = folder / "ort"
    if not runtime.exists():
        runtime.symlink_to(ROOT / "node_modules" / "onnxruntime-web" / "dist")
    handler = functools.partial(_Handler, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        with sync_playwright() as playwright:
            browser = launch(playwright, "chromium")
            page = browser.new_page()
            page.goto(f"http://127.0.0.1:{server.server_port}/index.html")
            script = f"async (given) => (await import('/{module}')).measure(given)"
            result = page.evaluate(script, argument)
            browser.close()
    finally:
        server.shutdown()
    return result
