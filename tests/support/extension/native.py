"""The engine of this computer, installed for a user of the test's own, and browsers of theirs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import psutil
from playwright.sync_api import Playwright

from dragoman.models.measures.in_browser import browser_path
from tests.support.extension.chromium import ChromiumHost, unpack
from tests.support.extension.firefox import FirefoxHost
from tests.support.extension.host import wait_until


def install_host(*options: str) -> str:
    """What `dragoman install-host` says, for the user whose HOME is in the environment."""
    words = [sys.executable, "-m", "dragoman", "install-host"]
    browsers = ["--browser", "chromium", "--browser", "firefox"]
    run = subprocess.run([*words, *browsers, *options], capture_output=True, text=True, check=True)
    return run.stdout


def open_browser(name: str, playwright: Playwright, home: Path) -> ChromiumHost | FirefoxHost:
    """A browser of that user's, which looks for hosts where it always does.

    Chromium has been given the permission with the installation: no test answers its prompt.
    """
    if name == "firefox":
        return FirefoxHost(browser_path("firefox"), home / "profile")
    folder = home / "extension"
    if not folder.exists():
        unpack(folder)
        manifest = json.loads((folder / "manifest.json").read_text())
        manifest["permissions"] += manifest.pop("optional_permissions")
        (folder / "manifest.json").write_text(json.dumps(manifest))
    profile = home / ".config" / "chromium"
    return ChromiumHost(playwright, browser_path("chromium"), profile, folder)


def switch_on(host: ChromiumHost | FirefoxHost) -> str:
    """In the settings, by a click; what they then say of the engine."""
    host.open_own_page("options.html")
    status = "return document.querySelector('#native-status')?.textContent"
    wait_until(lambda: host.in_panel("return document.querySelector('#version')?.textContent"))
    host.click("#native")
    said = {"", None, "Looking for it…"}
    wait_until(lambda: host.in_panel(status) not in said)
    return str(host.in_panel(status))


def running_hosts(home: Path) -> list[psutil.Process]:
    """Processes that a launcher in that home has started: Python, once the shell is replaced."""
    result = []
    for process in psutil.process_iter(["cmdline", "environ"]):
        words, environment = process.info["cmdline"] or [], process.info["environ"] or {}
        if words[3:5] == ["dragoman", "host"] and environment.get("HOME") == str(home):
            result.append(process)
    return result
