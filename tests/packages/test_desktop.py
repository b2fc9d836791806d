"""`dragoman app` from built packages: its window on a screen of its own, used and closed.

The extra is 260 MB to fetch, so that it has a task of its own: `make test-app`.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import Page, Playwright, expect

from tests.packages.conftest import TIMEOUT, Environment, built
from tests.support import x11
from tests.support.paths import ROOT

# Where `make test-app` installs what `locks/app.txt` has.
APP = Path(os.environ.get("DRAGOMAN_APP", ROOT / "build" / "app"))
SCREENSHOT = ROOT / "build" / "pictures" / "app.png"
PROGRAMS = ("Xvfb", "xdotool", "import")
# On a machine that has much else to do: seconds until a window is there or gone, milliseconds else.
PATIENCE = 180
READY_MS = 120_000
# Settled once the page as it is now was drawn: the screen is a frame behind what it says.
PAINTED = """() => new Promise((done) =>
  requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))))"""


def missing() -> str | None:
    """What of the test is not at hand, as a sentence."""
    if not (APP / ".ready").is_file():
        return "the extra `app` is not installed for tests: make test-app does it (260 MB)"
    absent = [program for program in PROGRAMS if shutil.which(program) is None]
    if absent:
        return f"there is no {', '.join(absent)}: apt-get install xvfb xdotool imagemagick"
    return None


pytestmark = [pytest.mark.slow, pytest.mark.skipif(missing() is not None, reason=missing() or "")]


@dataclass(frozen=True)
class App:
    """The app as it runs: its process, its window's number, its page, its screen."""

    process: subprocess.Popen[bytes]
    window: int
    page: Page
    environment: dict[str, str]


@pytest.fixture(scope="module")
def environment() -> Environment:
    """The extra's environment, with today's packages."""
    made = Environment(APP)
    wheels = [built("dragoman-*.whl"), built("dragoman_page-*.whl")]
    model = built("dragoman_model_de_en-*.whl")
    subprocess.run(
        [made.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
         "--no-index", "--no-deps", "--force-reinstall", *wheels, model],
        check=True, timeout=TIMEOUT,
    )  # fmt: skip
    return made


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def answering(port: int) -> None:
    """Wait until the window's page can be looked at."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/json", timeout=5) as answer:
                if json.load(answer):
                    return
        except OSError:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.1)


@pytest.fixture(scope="module")
def app(
    environment: Environment, playwright: Playwright, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[App]:
    home = tmp_path_factory.mktemp("home")
    port = free_port()
    with x11.display() as screen:
        variables = {
            "PATH": os.environ["PATH"], "HOME": str(home), "DISPLAY": screen, "LANG": "C.UTF-8",
            "QTWEBENGINE_REMOTE_DEBUGGING": f"127.0.0.1:{port}", "XDG_RUNTIME_DIR": str(home),
            "TMPDIR": str(home),  # where its socket lies: a person's own app is not called
        }  # fmt: skip
        if os.geteuid() == 0:
            variables["QTWEBENGINE_DISABLE_SANDBOX"] = "1"
        command = [str(environment.folder / "bin" / "dragoman"), "app"]
        process = subprocess.Popen(command, env=variables, cwd=home, start_new_session=True)
        try:
            window = x11.window_of("Dragoman", variables, PATIENCE)
            answering(port)
            chromium = playwright.chromium.connect_over_cdp(
                f"http://127.0.0.1:{port}", no_defaults=True, timeout=READY_MS
            )
            yield App(process, window, chromium.contexts[0].pages[0], variables)
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()


def test_the_window_translates(app: App) -> None:
    app.page.locator("#source").fill("Guten Morgen!")
    expect(app.page.locator("#output")).to_have_text("Good morning!", timeout=READY_MS)
    app.page.evaluate(PAINTED)
    x11.screenshot(SCREENSHOT, app.environment)
    assert SCREENSHOT.stat().st_size > 10_000


def test_its_server_answers_nobody_else(app: App) -> None:
    address = app.page.url.partition("/?")[0]
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(f"{address}/v1/models", timeout=60)


def test_its_page_reaches_nobody_else(app: App) -> None:
    asked = "fetch('http://127.0.0.1:9/').then(() => 'reached', (error) => error.message)"
    assert app.page.evaluate(asked) == "Failed to fetch"


def test_a_second_start_brings_the_clipboard(app: App, environment: Environment) -> None:
    app.page.locator("#copy").click()
    second = [str(environment.folder / "bin" / "dragoman"), "app", "--clipboard"]
    done = subprocess.run(
        second, env=app.environment, cwd=app.environment["HOME"], check=False, timeout=PATIENCE
    )
    assert done.returncode == 0
    expect(app.page.locator("#source")).to_have_value("Good morning!", timeout=READY_MS)


def test_closing_the_window_leaves_no_process(app: App) -> None:
    main = psutil.Process(app.process.pid)
    processes = [main, *main.children(recursive=True)]
    assert len(processes) > 1  # Chromium's
    x11.ask_to_close(app.window, app.environment["DISPLAY"])
    assert app.process.wait(PATIENCE) == 0
    _, left = psutil.wait_procs(processes[1:], timeout=PATIENCE)
    assert left == []
