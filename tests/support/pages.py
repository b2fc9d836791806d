"""What the end-to-end tests share: browsers, the server, and pages that are watched."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, Playwright, Request, sync_playwright
from playwright.sync_api import TimeoutError as WaitedTooLong

from dragoman.models.measures.in_browser import launch
from tests.support.paths import ROOT

WEB = Path(os.environ.get("DRAGOMAN_TEST_WEB", ROOT / "build" / "web"))
READY_MS = 120_000


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def downloads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the browsers put what is downloaded."""
    return tmp_path_factory.mktemp("downloads")


@pytest.fixture(scope="session", params=["chromium", "firefox"])
def browser(
    request: pytest.FixtureRequest, playwright: Playwright, downloads: Path
) -> Iterator[Browser]:
    flags = "--disable-background-networking"
    started = launch(playwright, request.param, flags, downloads=downloads)
    yield started
    started.close()


class Server:
    """`dragoman serve` on a port of its own; it can be stopped and started again."""

    def __init__(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self, environment: dict[str, str] | None = None) -> None:
        """`environment`: in place of this process's own."""
        command = [sys.executable, "-m", "dragoman", "serve", "--web", str(WEB)]
        self.process = subprocess.Popen(
            [*command, "--port", str(self.port)],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 60
        while True:
            try:
                urllib.request.urlopen(f"{self.url}/healthz", timeout=5).read()
                return
            except OSError:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    raise
                time.sleep(0.1)

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait(timeout=20)
            self.process = None


@dataclass
class Watched:
    """A page and what it did wrong."""

    page: Page
    errors: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)

    def expect_error(self, part: str) -> None:
        """Console errors with this text are meant to happen in the test."""
        self.expected.append(part)

    def reload(self) -> None:
        """Load the page again. Firefox tells of what this breaks off as if it were errors."""
        self.expect_error("A ServiceWorker intercepted the request and encountered an unexpected")
        self.expect_error("TypeError: Error in input stream")
        self.page.reload()

    def unexpected(self) -> list[str]:
        return [error for error in self.errors if not any(part in error for part in self.expected)]


OpenPage = Callable[..., Watched]


def watch(watched: Watched, url: str) -> None:
    origin = "/".join(url.split("/")[:3])

    def check(request: Request) -> None:
        if not request.url.startswith((origin, "blob:" + origin, "data:")):
            watched.errors.append(f"request to another origin: {request.url}")

    watched.page.on("request", check)
    watched.page.on("pageerror", lambda error: watched.errors.append(f"uncaught: {error}"))
    watched.page.on(
        "console",
        lambda message: (
            watched.errors.append(f"console: {message.text}") if message.type == "error" else None
        ),
    )


def download(link: Locator, downloads: Path) -> tuple[str, bytes]:
    """What a link downloads: its name and its content.

    Of downloads in Firefox, Playwright hears nothing; they have their names there.
    """
    page = link.page
    if page.context.browser and page.context.browser.browser_type.name == "chromium":
        with page.expect_download() as downloading:
            link.click()
        return downloading.value.suggested_filename, Path(downloading.value.path()).read_bytes()
    before = set(downloads.iterdir())
    link.click()
    deadline = time.monotonic() + READY_MS / 1000
    while time.monotonic() < deadline:
        came = set(downloads.iterdir()) - before
        # The file is empty, with another beside it, until it is whole.
        if len(came) == 1 and (content := (file := came.pop()).read_bytes()):
            return file.name, content
        page.wait_for_timeout(50)
    pytest.fail("nothing was downloaded")


def wait_until_ready(page: Page) -> None:
    page.wait_for_selector("#loading", state="hidden")
    page.wait_for_selector("#error", state="hidden")


def ready_or_reload(page: Page) -> None:
    """As a person would: after half a minute of waiting, load the page once more.

    On a busy machine Firefox was seen, seldom, to leave a page waiting for its workers.
    """
    try:
        page.wait_for_selector("#loading", state="hidden", timeout=40_000)
    except WaitedTooLong:
        page.reload()
    wait_until_ready(page)


def translated(page: Page) -> str:
    """The translation, once there is one and nothing is under way."""
    page.wait_for_function(
        """() => document.querySelector("#output").textContent.length > 0
              && document.querySelector("#target-pane").getAttribute("aria-busy") === "false" """
    )
    return page.locator("#output").inner_text()


def translated_anew(page: Page, text: str) -> str:
    """The translation of a text that takes the place of what stood there, behind closed dialogs."""
    page.keyboard.press("Escape")
    page.locator("#source").fill(text)
    page.keyboard.press("Control+Enter")
    wait_until_ready(page)
    page.wait_for_selector("#target-pane:not([data-stale])")
    return translated(page)
