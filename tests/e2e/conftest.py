"""Real browsers on the built files, served by the command that people use.

A test fails on any console error, on any uncaught error, and on any request to another origin.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, Request, sync_playwright

ROOT = Path(__file__).parents[2]
WEB = Path(os.environ.get("DRAGOMAN_TEST_WEB", ROOT / "build" / "web"))
READY_MS = 120_000


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


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

    def start(self) -> None:
        command = [sys.executable, "-m", "dragoman.cli", "serve", "--web", str(WEB)]
        self.process = subprocess.Popen(
            [*command, "--port", str(self.port)],
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


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    if not (WEB / "index.html").exists():
        pytest.fail(f"{WEB} is not built: run `make build`")
    running = Server()
    running.start()
    yield running
    running.stop()


@pytest.fixture
def own_server() -> Iterator[Server]:
    """A server that the test may stop."""
    running = Server()
    running.start()
    yield running
    running.stop()


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as started:
        yield started


def _path(variable: str, *names: str) -> str:
    found = os.environ.get(variable) or next(filter(None, map(shutil.which, names)), None)
    if not found:
        pytest.fail(f"no {names[0]}: run scripts/ensure-browsers.sh, or set {variable}")
    return found


@pytest.fixture(scope="session", params=["chromium", "firefox"])
def browser(request: pytest.FixtureRequest, playwright: Playwright) -> Iterator[Browser]:
    if request.param == "chromium":
        path = _path("CHROMIUM_PATH", "chromium", "chromium-browser", "google-chrome")
        started = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-background-networking"]
        )
    else:
        path = _path("FIREFOX_PATH", "firefox-esr", "firefox")
        started = playwright.firefox.launch(channel="moz-firefox", executable_path=path)
    yield started
    started.close()


@dataclass
class Watched:
    """A page and what it did wrong."""

    page: Page
    errors: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)

    def expect_error(self, part: str) -> None:
        """Console errors with this text are meant to happen in the test."""
        self.expected.append(part)

    def unexpected(self) -> list[str]:
        return [error for error in self.errors if not any(part in error for part in self.expected)]


OpenPage = Callable[..., Watched]


@pytest.fixture
def open_page(browser: Browser, server: Server) -> Iterator[OpenPage]:
    """Open an address in a fresh profile, watched; checked when the test is over."""
    opened: list[tuple[BrowserContext, Watched]] = []

    def open_address(url: str = server.url + "/", **options: object) -> Watched:
        context = browser.new_context(**options)  # type: ignore[arg-type]
        context.set_default_timeout(READY_MS)
        watched = Watched(context.new_page())
        _watch(watched, url)
        opened.append((context, watched))
        watched.page.goto(url)
        return watched

    yield open_address
    for context, _ in opened:
        context.close()
    assert [error for _, watched in opened for error in watched.unexpected()] == []


def _watch(watched: Watched, url: str) -> None:
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


def wait_until_ready(page: Page) -> None:
    page.wait_for_selector("#loading", state="hidden")
    page.wait_for_selector("#error", state="hidden")


def translated(page: Page) -> str:
    """The translation, once there is one and nothing is under way."""
    page.wait_for_function(
        """() => document.querySelector("#output").textContent.length > 0
              && document.querySelector("#target-pane").getAttribute("aria-busy") === "false" """
    )
    return page.locator("#output").inner_text()
