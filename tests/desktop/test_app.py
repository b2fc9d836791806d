"""`dragoman app` as a person has it, on a display that nobody sees: `make test-app`.

The window is asked by its keyboard and its clipboard; what it shows comes back the same way.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.paths import ROOT

pytest.importorskip("PySide6.QtWebEngineCore", reason="it is in the extra app")

from PySide6.QtGui import QClipboard, QGuiApplication

COMMAND = [sys.executable, "-m", "dragoman", "app", "--models", str(ROOT / "models")]
SECONDS = 120.0
PICTURE = ROOT / "build" / "app.png"


@pytest.fixture(scope="module")
def desktop() -> QGuiApplication:
    """An app of the same display: it has the clipboard."""
    return QGuiApplication(["test"])


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    """An environment with nothing kept; Chromium's sandbox does not start for root."""
    sandbox = {"QTWEBENGINE_DISABLE_SANDBOX": "1"} if os.geteuid() == 0 else {}
    return {**os.environ, "HOME": str(tmp_path), **sandbox}


@pytest.fixture
def app(home: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    running = subprocess.Popen(COMMAND, cwd=ROOT, env=home)
    until(lambda: bool(windows()))
    yield running
    running.terminate()
    assert running.wait(timeout=60) == 0


def until(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not done():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.2)


def windows() -> list[str]:
    found = subprocess.run(
        ["xdotool", "search", "--onlyvisible", "--name", "^Dragoman$"], capture_output=True
    )
    return found.stdout.decode().split()


def keys(*names: str) -> None:
    subprocess.run(["xdotool", "key", "--delay", "50", *names], check=True)


def copied(desktop: QGuiApplication) -> str:
    """What the page's own key for copying puts into the clipboard."""
    keys("ctrl+shift+Return")
    desktop.processEvents()
    return desktop.clipboard().text(QClipboard.Mode.Clipboard)


def test_what_is_typed_is_translated(
    app: subprocess.Popen[bytes], desktop: QGuiApplication
) -> None:
    (window,) = windows()
    subprocess.run(["xdotool", "windowfocus", window], check=True)
    subprocess.run(["xdotool", "mousemove", "--window", window, "300", "300", "click", "1"])
    subprocess.run(["xdotool", "type", "--delay", "30", "Guten Morgen!"], check=True)
    until(lambda: copied(desktop) == "Good morning!")
    desktop.primaryScreen().grabWindow(0).save(str(PICTURE))
    assert app.poll() is None


def test_a_second_start_hands_the_clipboard_to_the_first(
    app: subprocess.Popen[bytes], home: dict[str, str], desktop: QGuiApplication
) -> None:
    text = "Ich habe gestern einen Brief geschrieben."
    desktop.clipboard().setText(text)
    second = subprocess.Popen([*COMMAND, "--clipboard"], cwd=ROOT, env=home)

    def ended() -> bool:
        desktop.processEvents()  # who has the clipboard must answer
        return second.poll() is not None

    until(ended)
    assert second.returncode == 0
    assert len(windows()) == 1
    assert app.poll() is None
    until(lambda: copied(desktop) == "I wrote a letter yesterday.")
