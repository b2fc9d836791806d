"""Firefox by Marionette, its own remote protocol: the only one that reaches the browser's toolbar.

A message is its length, a colon and JSON: `[0, id, command, parameters]` there, `[1, id, error,
result]` back (https://firefox-source-docs.mozilla.org/testing/marionette/Protocol.html).
"""

from __future__ import annotations

import base64
import json
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

START_SECONDS = 90


class MarionetteError(Exception):
    """What Firefox answered instead of a result."""


class Firefox:
    """A browser with a profile of its own."""

    def __init__(self, path: str, profile: Path, preferences: dict[str, Any]) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = int(free.getsockname()[1])
        lines = {"marionette.port": port, "remote.prefs.recommended": True, **preferences}
        profile.mkdir(parents=True, exist_ok=True)
        (profile / "user.js").write_text(
            "".join(f"user_pref({json.dumps(k)}, {json.dumps(v)});\n" for k, v in lines.items())
        )
        command = [path, "--headless", "-marionette", "-remote-allow-system-access", "-no-remote"]
        self._process = subprocess.Popen(
            [*command, "-profile", str(profile)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._last = 0
        self._socket = self._connect(port)
        self._file = self._socket.makefile("rb")
        self._read()  # It greets.
        self.send("WebDriver:NewSession", {"capabilities": {"alwaysMatch": {}}})
        self.send("WebDriver:SetTimeouts", {"script": 120_000, "pageLoad": 120_000})

    def _connect(self, port: int) -> socket.socket:
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                return socket.create_connection(("127.0.0.1", port), timeout=180)
            except OSError:
                if time.monotonic() > deadline or self._process.poll() is not None:
                    raise
                time.sleep(0.2)

    def _read(self) -> Any:
        length = b""
        while not length.endswith(b":"):
            length += self._file.read(1)
        return json.loads(self._file.read(int(length[:-1])))

    def send(self, command: str, parameters: dict[str, Any]) -> Any:
        """Do a command; its result."""
        self._last += 1
        message = json.dumps([0, self._last, command, parameters]).encode()
        self._socket.sendall(f"{len(message)}:".encode() + message)
        _, _, error, result = self._read()
        if error:
            raise MarionetteError(f"{command}: {error['error']}: {error['message']}")
        return result.get("value", result) if isinstance(result, dict) else result

    def install(self, archive: Path) -> None:
        """An extension for this run, as `about:debugging` does it; private windows let it in."""
        how = {"temporary": True, "allowPrivateBrowsing": True}
        self.send("Addon:Install", {"path": str(archive), **how})

    def open_private_window(self) -> None:
        opened = self.send("WebDriver:NewWindow", {"type": "window", "private": True})
        self.send("WebDriver:SwitchToWindow", {"handle": opened["handle"], "focus": True})

    def close_other_tabs(self, seconds: float) -> None:
        """Close what opened beside this session's tab, or opens within so many seconds."""
        deadline = time.monotonic() + seconds
        own = self.send("WebDriver:GetWindowHandle", {})
        others = self.send("WebDriver:GetWindowHandles", {})
        while others == [own] and time.monotonic() < deadline:
            time.sleep(0.1)
            others = self.send("WebDriver:GetWindowHandles", {})
        for other in others:
            if other != own:
                self.send("WebDriver:SwitchToWindow", {"handle": other, "focus": False})
                self.send("WebDriver:CloseWindow", {})
        self.send("WebDriver:SwitchToWindow", {"handle": own, "focus": True})

    def goto(self, url: str) -> None:
        self.send("WebDriver:Navigate", {"url": url})

    def evaluate(self, body: str, *arguments: Any) -> Any:
        """Run the body of a function in the page."""
        script = {"script": body, "args": list(arguments), "sandbox": None}
        return self.send("WebDriver:ExecuteScript", script)

    def evaluate_inside(self, body: str, *arguments: Any) -> Any:
        """The same with the browser's own rights, which see into closed shadow roots."""
        script = {"script": body, "args": list(arguments), "sandbox": "system"}
        return self.send("WebDriver:ExecuteScript", script)

    def evaluate_in_browser(self, body: str, *arguments: Any) -> Any:
        """The same in the browser's own window; the body calls its last argument when done."""
        self.send("Marionette:SetContext", {"value": "chrome"})
        try:
            script = {"script": body, "args": list(arguments), "sandbox": None}
            return self.send("WebDriver:ExecuteAsyncScript", script)
        finally:
            self.send("Marionette:SetContext", {"value": "content"})

    def pointer(self, *actions: dict[str, Any]) -> None:
        """Move and press the mouse, in the page's pixels."""
        mouse = {"type": "pointer", "id": "mouse", "actions": list(actions)}
        self.send("WebDriver:PerformActions", {"actions": [mouse]})

    def click(self, selector: str) -> None:
        """Scrolled to and clicked in one go: no page that is still growing moves it in between."""
        self.send("WebDriver:ElementClick", {"id": self._element(selector)})

    def type_into(self, selector: str, text: str) -> None:
        """Keys into a field, or paths of files into one of those."""
        self.send("WebDriver:ElementSendKeys", {"id": self._element(selector), "text": text})

    def _element(self, selector: str) -> str:
        answer = self.send("WebDriver:FindElement", {"using": "css selector", "value": selector})
        (element,) = answer.values()
        return str(element)

    def screenshot(self) -> bytes:
        parameters = {"id": None, "full": False, "hash": False}
        return base64.b64decode(self.send("WebDriver:TakeScreenshot", parameters))

    def close(self) -> None:
        self._socket.close()
        self._process.terminate()
        try:
            self._process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self._process.kill()
