"""A bundle in a real browser: the built site as its users get it, driven by Playwright.

    texts --> page (Translator of dragoman.js) --> workers: core under Pyodide, kernel --> texts

Playwright is imported here only; browsers are those of the system.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from playwright.sync_api import Browser, Error, Page, Playwright, sync_playwright

from dragoman.errors import DragomanError, EngineError, InvalidRequestError
from dragoman.native.bundles import read_manifest
from dragoman.server.app import create_app
from dragoman.server.run import listen
from dragoman.server.settings import Settings

# What finds a browser: a variable, else these commands.
BROWSERS = {
    "chromium": ("CHROMIUM_PATH", ("chromium", "chromium-browser", "google-chrome")),
    "firefox": ("FIREFOX_PATH", ("firefox-esr", "firefox")),
}
# A container has no sandbox to offer; a browser that looks for updates spoils what is measured.
CHROMIUM_FLAGS = ("--no-sandbox", "--disable-background-networking")
TEXTS_A_CALL = 64
TIMEOUT_MS = 600_000

_OPEN = """async ([sourceLanguage, targetLanguage]) => {
  const { Translator } = await import("/dragoman.js");
  globalThis.translator = await Translator.create({ sourceLanguage, targetLanguage });
}"""
_TRANSLATE = """([beam, ...texts]) => {
  const options = { priority: "background", whenFull: "wait", ...(beam && { beam }) };
  return Promise.all(texts.map((text) => translator.translate(text, options)));
}"""


class BrowserTranslator:
    """A page that translates with one bundle; made by `browser_translator`."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def translate_many(self, texts: Sequence[str], beam: int | None = None) -> Iterator[str]:
        """Translations in order, 64 texts under way at a time.

        Args:
            beam: of the search; None: the model's.

        Raises:
            EngineError: the page failed.
        """
        for start in range(0, len(texts), TEXTS_A_CALL):
            part = texts[start : start + TEXTS_A_CALL]
            yield from _evaluated(self._page, _TRANSLATE, [beam, *part])


@contextmanager
def browser_translator(bundle: Path, web: Path, name: str) -> Iterator[BrowserTranslator]:
    """Open the built site with one bundle in a browser without a window.

    Args:
        bundle: folder of the bundle.
        web: what `make build` wrote.
        name: of `BROWSERS`.

    Raises:
        InvalidRequestError: there is no such browser here, or the site is not built.
        EngineError: the page cannot load the model.
    """
    if not (web / "dragoman.js").is_file():
        raise InvalidRequestError(f"{web} holds no built site: run `make build`", path=str(web))
    browser_path(name)  # before a site is copied for it
    with (
        tempfile.TemporaryDirectory() as folder,
        _served(_site(Path(folder) / "web", web, bundle)) as url,
        sync_playwright() as playwright,
    ):
        browser = launch(playwright, name)
        try:
            page = browser.new_page()
            page.set_default_timeout(TIMEOUT_MS)
            page.goto(f"{url}/empty.html")
            manifest = read_manifest(bundle)
            _evaluated(page, _OPEN, [manifest.source, manifest.target])
            yield BrowserTranslator(page)
        finally:
            browser.close()


def browser_path(name: str) -> str:
    """Where a browser of the system is.

    Raises:
        InvalidRequestError: nowhere.
    """
    variable, commands = BROWSERS[name]
    path = os.environ.get(variable) or next(filter(None, map(shutil.which, commands)), None)
    if not path:
        raise InvalidRequestError(f"there is no {name} here: install it, or set {variable}")
    return path


def launch(
    playwright: Playwright, name: str, *flags: str, downloads: Path | None = None
) -> Browser:
    """Start a browser of the system without a window, for pages of our own.

    Args:
        flags: of Chromium's command line.
        downloads: where files that pages save go; default: somewhere, until the browser is closed.

    Raises:
        InvalidRequestError: there is none, or it does not start.
    """
    path = browser_path(name)
    try:
        if name == "firefox":
            return playwright.firefox.launch(
                channel="moz-firefox", executable_path=path, downloads_path=downloads
            )
        arguments = [*CHROMIUM_FLAGS, *flags]
        return playwright.chromium.launch(
            executable_path=path, args=arguments, downloads_path=downloads
        )
    except Error as error:
        told = error.message.splitlines()[0]
        raise InvalidRequestError(f"{name} does not start from {path}: {told}") from error


def _evaluated(page: Page, script: str, argument: object) -> Any:
    try:
        return page.evaluate(script, argument)
    except Exception as error:  # Playwright's own, and what the page threw, in its words
        raise EngineError(f"the browser failed: {error}") from error


def _site(folder: Path, web: Path, bundle: Path) -> Path:
    """A copy of the built site with one model and an empty page."""
    shutil.copytree(web, folder, ignore=lambda place, _: ["models"] if Path(place) == web else [])
    manifest = read_manifest(bundle)
    shutil.copytree(bundle, folder / "models" / "model")
    entry = {
        "bundle": "model",
        "name": manifest.name,
        "version": manifest.version,
        "source": manifest.source,
        "target": manifest.target,
        "bytes": sum(file.bytes for file in manifest.files.values()),
    }
    (folder / "models" / "index.json").write_text(json.dumps({"models": [entry]}))
    (folder / "empty.html").write_text("<!doctype html><title>-</title>")
    return folder


@contextmanager
def _served(web: Path) -> Iterator[str]:
    """The address of a server of these files, cross-origin isolated, for this machine alone."""
    with listen("127.0.0.1", 0) as sock:
        app = create_app(Settings(models=(), web=web))
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", ws="none"))
        thread = threading.Thread(target=server.run, args=([sock],), daemon=True)
        thread.start()
        try:
            while not server.started:
                if not thread.is_alive():
                    raise DragomanError("the server of the site did not start")
                time.sleep(0.01)
            yield f"http://127.0.0.1:{sock.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
