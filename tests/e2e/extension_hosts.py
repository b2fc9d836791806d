"""The built extension in a clean profile of each browser, used as a person uses it.

`click_button` is the button in the toolbar: the browser itself opens the panel and gives the
extension the tab that it stands over. What the panel holds is then clicked in the panel.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

from playwright.sync_api import BrowserContext, CDPSession, Page, Playwright

from marionette import Firefox
from pages import ROOT

BUILT = Path(os.environ.get("DRAGOMAN_TEST_EXTENSION", ROOT / "build" / "extension"))
VERSION = json.loads((ROOT / "package.json").read_text())["version"]
FIREFOX_ID = "dragoman@dragoman.invalid"
# Nothing outside this machine is reached: every other address goes to a port that nobody answers.
NOBODY = 9


class Host(Protocol):
    """A browser with the extension."""

    def goto(self, url: str) -> None: ...

    def evaluate(self, body: str) -> Any:
        """Run the body of a function in the page."""
        ...

    def click_button(self) -> None: ...

    def in_panel(self, body: str) -> Any:
        """Run the body of a function in the panel that the button opened."""
        ...

    def screenshot(self) -> bytes: ...

    def close(self) -> None: ...


def wait_until(happens: Callable[[], Any], seconds: float = 120) -> Any:
    """What a condition gives once it gives something."""
    deadline = time.monotonic() + seconds
    while True:
        found = happens()
        if found or time.monotonic() > deadline:
            return found
        time.sleep(0.25)


class _Target:
    """A target that Playwright does not take for a page, by CDP through the browser's session."""

    def __init__(self, session: CDPSession, target: str, page: Page) -> None:
        self._session, self._page = session, page
        attached = session.send("Target.attachToTarget", {"targetId": target, "flatten": False})
        self._id: str = attached["sessionId"]
        self._last = 0
        self._answers: dict[int, Any] = {}
        session.on("Target.receivedMessageFromTarget", self._receive)

    def _receive(self, event: dict[str, Any]) -> None:
        if event["sessionId"] == self._id:
            message = json.loads(event["message"])
            if "id" in message:
                self._answers[message["id"]] = message

    def send(self, method: str, parameters: dict[str, Any]) -> Any:
        self._last += 1
        message = json.dumps({"id": self._last, "method": method, "params": parameters})
        self._session.send(
            "Target.sendMessageToTarget", {"sessionId": self._id, "message": message}
        )
        while self._last not in self._answers:
            self._page.wait_for_timeout(20)
        return self._answers.pop(self._last)["result"]

    def evaluate(self, body: str) -> Any:
        parameters = {
            "expression": f"(() => {{ {body} }})()",
            "returnByValue": True,
            "awaitPromise": True,
            "userGesture": True,
        }
        result = self.send("Runtime.evaluate", parameters)
        if "exceptionDetails" in result:
            raise AssertionError(result["exceptionDetails"])
        return result["result"].get("value")


class ChromiumHost:
    """Chromium, with the extension loaded from its folder."""

    def __init__(
        self, playwright: Playwright, path: str, profile: Path, folder: Path = BUILT / "chrome"
    ) -> None:
        self._context: BrowserContext = playwright.chromium.launch_persistent_context(
            profile,
            executable_path=path,
            args=[
                "--no-sandbox",
                "--disable-background-networking",
                f"--disable-extensions-except={folder}",
                f"--load-extension={folder}",
                "--enable-unsafe-extension-debugging",
                f"--proxy-server=127.0.0.1:{NOBODY}",
                "--proxy-bypass-list=127.0.0.1",
                "--lang=en",
            ],
        )
        workers = self._context.service_workers
        worker = workers[0] if workers else self._context.wait_for_event("serviceworker")
        self._extension = worker.url.split("/")[2]
        self.worker = worker
        self.page = self._context.new_page()
        self.errors: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(f"uncaught: {error}"))
        browser = self._context.browser
        assert browser is not None
        self._session = browser.new_browser_cdp_session()
        self._panel: _Target | None = None

    def goto(self, url: str) -> None:
        self.page.goto(url)
        self.page.bring_to_front()

    def evaluate(self, body: str) -> Any:
        return self.page.evaluate(f"() => {{ {body} }}")

    def _targets(self, kind: str, part: str) -> list[str]:
        found = self._session.send("Target.getTargets", {"filter": [{}]})["targetInfos"]
        return [t["targetId"] for t in found if t["type"] == kind and part in t["url"]]

    def click_button(self) -> None:
        tab = self._targets("tab", self.page.url)[0]
        self._session.send("Extensions.triggerAction", {"id": self._extension, "targetId": tab})
        panels = wait_until(lambda: self._targets("page", "popup.html"))
        self._panel = _Target(self._session, panels[0], self.page)

    def in_panel(self, body: str) -> Any:
        assert self._panel is not None
        return self._panel.evaluate(body)

    def panel_screenshot(self) -> bytes:
        assert self._panel is not None
        return base64.b64decode(self._panel.send("Page.captureScreenshot", {})["data"])

    def choose_in_menu(self, item: str) -> None:
        """As if the item of the context menu had been clicked: no test can open a native menu.

        The tab must have been given to the extension before, by `click_button`.
        """
        self.worker.evaluate(
            """async (item) => {
              const [tab] = await chrome.tabs.query({ active: true, lastFocusedWindow: true });
              chrome.contextMenus.onClicked.dispatch({ menuItemId: item, frameId: 0 }, tab);
            }""",
            item,
        )

    def overlay_text(self) -> str:
        """What our boxes over the page say; their shadow roots are closed to scripts."""
        session = self._context.new_cdp_session(self.page)
        document = session.send("DOM.getDocument", {"depth": -1, "pierce": True})["root"]
        session.detach()
        return " ".join(node["nodeValue"] for node in _overlay_nodes(document, inside=False))

    def click_in_overlay(self, text: str) -> None:
        """Click where a text of our boxes stands."""
        session = self._context.new_cdp_session(self.page)
        session.send("DOM.enable")
        document = session.send("DOM.getDocument", {"depth": -1, "pierce": True})["root"]
        node = next(n for n in _overlay_nodes(document, inside=False) if n["nodeValue"] == text)
        box = session.send("DOM.getBoxModel", {"nodeId": node["nodeId"]})["model"]["content"]
        session.detach()
        self.page.mouse.click((box[0] + box[4]) / 2, (box[1] + box[5]) / 2)

    def in_engine_page(self, body: str) -> Any:
        """Run the body of a function in the offscreen document."""
        target = self._targets("background_page", "offscreen.html")[0]
        return _Target(self._session, target, self.page).evaluate(body)

    def screenshot(self) -> bytes:
        return self.page.screenshot()

    def close(self) -> None:
        self._context.close()


def _overlay_nodes(node: dict[str, Any], *, inside: bool) -> Iterator[dict[str, Any]]:
    """The text nodes of our boxes."""
    inside = inside or node.get("localName") == "dragoman-overlay"
    if inside and node["nodeType"] == 3:
        yield node
    if node.get("localName") != "style":
        for child in [*node.get("shadowRoots", []), *node.get("children", [])]:
            yield from _overlay_nodes(child, inside=inside)


_OPEN_PANEL = """
const [id, done] = arguments;
const { CustomizableUI } = window;
const widget = id.replace(/[^a-z0-9_-]/gi, "_") + "-browser-action";
CustomizableUI.addWidgetToArea(widget, "nav-bar");
const item = document.getElementById(widget);
(item.querySelector(".unified-extensions-item-action-button") ?? item).click();
const poll = () => {
  const panel = document.querySelector("browser.webextension-popup-browser");
  if (panel?.currentURI?.spec.endsWith("popup.html")) setTimeout(done, 500);
  else setTimeout(poll, 100);
};
poll();
"""
_IN_PANEL = """
const [body, done] = arguments;
const panel = document.querySelector("browser.webextension-popup-browser");
const actor = panel.browsingContext.currentWindowGlobal.getActor("MarionetteCommands");
actor.executeScript(body, [], { sandboxName: null, timeout: 30000, async: false })
  .then(done, (error) => done(`failed: ${error}`));
"""


class FirefoxHost:
    """Firefox, with the extension installed from its zip."""

    def __init__(self, path: str, profile: Path) -> None:
        self.firefox = Firefox(
            path,
            profile,
            {
                "intl.locale.requested": "en-US",
                "network.proxy.type": 1,
                "network.proxy.http": "127.0.0.1",
                "network.proxy.http_port": NOBODY,
                "network.proxy.ssl": "127.0.0.1",
                "network.proxy.ssl_port": NOBODY,
                "network.proxy.allow_hijacking_localhost": False,
            },
        )
        self.firefox.install(BUILT / f"dragoman-firefox-{VERSION}.zip")
        self.errors: list[str] = []

    def goto(self, url: str) -> None:
        self.firefox.goto(url)

    def evaluate(self, body: str) -> Any:
        return self.firefox.evaluate(body)

    def click_button(self) -> None:
        self.firefox.evaluate_in_browser(_OPEN_PANEL, FIREFOX_ID)

    def in_panel(self, body: str) -> Any:
        return self.firefox.evaluate_in_browser(_IN_PANEL, body)

    def screenshot(self) -> bytes:
        return self.firefox.screenshot()

    def close(self) -> None:
        self.firefox.close()


def fresh(folder: Path) -> Path:
    """A folder that is not there yet."""
    shutil.rmtree(folder, ignore_errors=True)
    return folder
