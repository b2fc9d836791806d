"""What the end-to-end tests share: the server, and pages that are watched."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Page, Request
from playwright.sync_api import TimeoutError as WaitedTooLong

from tests.support.paths import ROOT

WEB = Path(os.environ.get("DRAGOMAN_TEST_WEB", ROOT / "build" / "web"))
READY_MS = 120_000


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
        command = [sys.executable, "-m", "dragoman", "serve", "--web", str(WEB)]
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
