"""The built extension in a clean profile of each browser, used as a person uses it.

`click_button` is the button in the toolbar: the browser itself opens the panel and gives the
extension the tab that it stands over. What the panel holds is then clicked in the panel.
"""

from __future__ import annotations

import base64
import json
import os
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

from playwright.sync_api import BrowserContext, CDPSession, Page, Playwright

import dragoman
from tests.support.marionette import Firefox
from tests.support.paths import ROOT

VERSION = dragoman.__version__
BUILT = Path(os.environ.get("DRAGOMAN_TEST_EXTENSION", ROOT / "build" / "extension"))
# Nothing outside this machine is reached: every other address goes to a port that nobody answers.
NOBODY = 9


class Host(Protocol):
    """A browser with the extension.

    Attributes:
        errors: of the page, as far as the browser tells.
    """

    errors: list[str]

    def goto(self, url: str) -> None: ...

    def evaluate(self, body: str) -> Any:
        """Run the body of a function in the page."""
        ...

    def click_button(self) -> None: ...

    def in_panel(self, body: str) -> Any:
        """Run the body of a function in the panel that the button opened."""
        ...

    def open_own_page(self, name: str) -> None:
        """A page of the extension's in a tab; the panel's functions then run there."""
        ...

    def press_shortcut(self) -> None: ...

    def choose_in_menu(self, item: str, selector: str) -> None:
        """Choose an item of ours in the context menu of an element."""
        ...

    def overlay(self, body: str) -> Any:
        """Run the body of a function with `box`, our box over the page; None if there is none."""
        ...

    def point_at_word(self, word: str) -> None:
        """Move the mouse over a word in our box."""
        ...

    def end_background(self) -> None:
        """What the browser does to a background that has been idle."""
        ...

    def screenshot(self) -> bytes: ...

    def panel_screenshot(self) -> bytes: ...

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


def unpack(folder: Path) -> Path:
    """The zip for Chrome as people unpack it."""
    with zipfile.ZipFile(BUILT / f"dragoman-chrome-{VERSION}.zip") as archive:
        archive.extractall(folder)
    return folder


class ChromiumHost:
    """Chromium, with the extension loaded from a folder: by default its zip, unpacked."""

    def __init__(
        self,
        playwright: Playwright,
        path: str,
        profile: Path,
        folder: Path | None = None,
        *,
        language: str = "en",
        dark: bool = False,
    ) -> None:
        folder = folder or unpack(profile.with_name("unpacked"))
        self._context: BrowserContext = playwright.chromium.launch_persistent_context(
            profile,
            executable_path=path,
            color_scheme="dark" if dark else "light",
            env={**os.environ, "LANGUAGE": language},
            args=[
                "--no-sandbox",
                "--disable-background-networking",
                f"--disable-extensions-except={folder}",
                f"--load-extension={folder}",
                "--enable-unsafe-extension-debugging",
                f"--proxy-server=127.0.0.1:{NOBODY}",
                "--proxy-bypass-list=127.0.0.1",
                f"--lang={language}",
                *(["--force-dark-mode"] if dark else []),
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

    def open_own_page(self, name: str) -> None:
        self.goto(f"chrome-extension://{self._extension}/{name}")
        self._panel = _Target(self._session, self._targets("page", name)[0], self.page)

    def press_shortcut(self) -> None:
        """As if it had been pressed: keys that a test presses reach only the page.

        The tab must have been given to the extension before, by `click_button`.
        """
        self._say("chrome.commands.onCommand.dispatch('translate-page', tab)")

    def choose_in_menu(self, item: str, selector: str) -> None:
        """As if the item of the context menu had been clicked: no test can open a native menu.

        The tab must have been given to the extension before, by `click_button`.
        """
        self.page.locator(selector).first.wait_for()
        chosen = f"{{ menuItemId: '{item}', frameId: 0 }}"
        self._say(f"chrome.contextMenus.onClicked.dispatch({chosen}, tab)")

    def _say(self, event: str) -> None:
        """An event of the browser's to the background, of the tab in front."""
        self.worker.evaluate(
            f"""async () => {{
              const [tab] = await chrome.tabs.query({{ active: true, lastFocusedWindow: true }});
              {event};
            }}"""
        )

    def end_background(self) -> None:
        session = self._context.new_cdp_session(self.page)
        session.send("ServiceWorker.enable")
        session.send("ServiceWorker.stopAllWorkers")
        session.detach()
        worker = "service_worker"
        wait_until(lambda: not self._targets(worker, self._extension))
        self._session.send("Target.getTargets")

    def overlay(self, body: str) -> Any:
        session = self._context.new_cdp_session(self.page)
        try:
            document = session.send("DOM.getDocument", {"depth": -1, "pierce": True})["root"]
            boxes = [node for node in _within(document) if "box" in node.get("attributes", [])]
            if not boxes:
                return None
            node = {"backendNodeId": boxes[0]["backendNodeId"]}
            found = session.send("DOM.resolveNode", node)["object"]["objectId"]
            called = {
                "objectId": found,
                "functionDeclaration": f"function () {{ const box = this; {body} }}",
                "returnByValue": True,
            }
            result = session.send("Runtime.callFunctionOn", called)
            assert "exceptionDetails" not in result, result
            return result["result"].get("value")
        finally:
            session.detach()

    def point_at_word(self, word: str) -> None:
        self.page.mouse.move(*_middle(self.overlay(_WORD % json.dumps(word))))

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


def _within(node: dict[str, Any], *, inside: bool = False) -> Iterator[dict[str, Any]]:
    """The elements of our boxes."""
    if inside:
        yield node
    for child in node.get("shadowRoots", []):
        yield from _within(child, inside=inside or node.get("localName") == "dragoman-overlay")
    for child in node.get("children", []):
        yield from _within(child, inside=inside)


# Where a word of our box is.
_WORD = """
const word = [...box.querySelectorAll(".word")].find((found) => found.textContent === %s);
const { left, right, top, bottom } = word.getBoundingClientRect();
return [left, right, top, bottom];
"""


def _middle(edges: list[float]) -> tuple[float, float]:
    left, right, top, bottom = edges
    return (left + right) / 2, (top + bottom) / 2


_OPEN_PANEL = """
const [id, done] = arguments;
const { CustomizableUI } = window;
const old = document.querySelector("browser.webextension-popup-browser");
old?.closest("panel").hidePopup();
old?.remove();
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
_OWN_PAGE = """
const [id, name, done] = arguments;
done(WebExtensionPolicy.getByID(id).getURL(name));
"""
# What the keys do in the browser's window; the page would get them first if they were sent to it.
_PRESS = """
const done = arguments[0];
const key = document.querySelector("keyset[id^=ext-keyset] key");
key.doCommand();
done(`${key.getAttribute("modifiers")} ${key.getAttribute("key")}`);
"""
_CHOOSE = """
const [item, done] = arguments;
const menu = document.getElementById("contentAreaContextMenu");
const choose = () => {
  const found = menu.querySelector(`[id$="menuitem-_${item}"]`);
  if (found) menu.activateItem(found);
  else menu.hidePopup();
  done(Boolean(found));
};
if (menu.state === "open") choose();
else menu.addEventListener("popupshown", choose, { once: true });
"""
_END_BACKGROUND = """
const [id, done] = arguments;
const { extension } = WebExtensionPolicy.getByID(id);
extension.terminateBackground({ disableResetIdleForTest: true })
  .then(() => done(extension.backgroundState), (error) => done(`failed: ${error}`));
"""
_PICTURE = """
const done = arguments[0];
const panel = document.querySelector("browser.webextension-popup-browser");
const { width, height } = panel.getBoundingClientRect();
panel.browsingContext.currentWindowGlobal.drawSnapshot(new DOMRect(0, 0, width, height), 1, "white")
  .then((bitmap) => {
    const canvas = document.createElementNS("http://www.w3.org/1999/xhtml", "canvas");
    [canvas.width, canvas.height] = [bitmap.width, bitmap.height];
    canvas.getContext("2d").drawImage(bitmap, 0, 0);
    done(canvas.toDataURL().split(",")[1]);
  });
"""


class FirefoxHost:
    """Firefox, with the extension installed from its zip."""

    def __init__(self, path: str, profile: Path, *, dark: bool = False) -> None:
        manifest = json.loads((BUILT / "firefox" / "manifest.json").read_text())
        self._id = manifest["browser_specific_settings"]["gecko"]["id"]
        self._own_page = False
        self.firefox = Firefox(
            path,
            profile,
            {
                "ui.systemUsesDarkTheme": int(dark),
                "layout.css.prefers-color-scheme.content-override": 0 if dark else 1,
                "intl.locale.requested": "en-US",
                "network.proxy.type": 1,
                "network.proxy.http": "127.0.0.1",
                "network.proxy.http_port": NOBODY,
                "network.proxy.ssl": "127.0.0.1",
                "network.proxy.ssl_port": NOBODY,
                "network.proxy.allow_hijacking_localhost": False,
            },
        )
        try:
            self.firefox.install(BUILT / f"dragoman-firefox-{VERSION}.zip")
        except BaseException:
            self.firefox.close()  # nobody else would
            raise
        self.errors: list[str] = []

    def goto(self, url: str) -> None:
        self.firefox.goto(url)

    def evaluate(self, body: str) -> Any:
        return self.firefox.evaluate(body)

    def click_button(self) -> None:
        self._own_page = False
        self.firefox.evaluate_in_browser(_OPEN_PANEL, self._id)

    def in_panel(self, body: str) -> Any:
        if self._own_page:
            return self.firefox.evaluate(body)
        return self.firefox.evaluate_in_browser(_IN_PANEL, body)

    def panel_screenshot(self) -> bytes:
        return base64.b64decode(self.firefox.evaluate_in_browser(_PICTURE))

    def open_own_page(self, name: str) -> None:
        self._own_page = True
        self.firefox.goto(self.firefox.evaluate_in_browser(_OWN_PAGE, self._id, name))

    def press_shortcut(self) -> None:
        keys = self.firefox.evaluate_in_browser(_PRESS)
        assert sorted(keys.replace(",", " ").lower().split()) == ["alt", "d", "shift"], keys

    def choose_in_menu(self, item: str, selector: str) -> None:
        place = self.firefox.evaluate(
            """const range = document.createRange();
               range.selectNodeContents(document.querySelector(arguments[0]));
               const { left, right, top, bottom } = range.getBoundingClientRect();
               return [left, right, top, bottom];""",
            selector,
        )
        press = [{"type": f"pointer{way}", "button": 2} for way in ("Down", "Up")]
        self._move(_middle(place), *press)
        assert self.firefox.evaluate_in_browser(_CHOOSE, item), f"{item} is not in the menu"

    def _move(self, place: tuple[float, float], *more: dict[str, Any]) -> None:
        x, y = map(round, place)
        self.firefox.pointer({"type": "pointerMove", "x": x, "y": y}, *more)

    def overlay(self, body: str) -> Any:
        return self.firefox.evaluate_inside(
            """const host = document.querySelector("dragoman-overlay");
               const box = host?.openOrClosedShadowRoot.querySelector(".box");
               return box ? (() => { %s })() : null;""".replace("%s", body)
        )

    def point_at_word(self, word: str) -> None:
        self._move(_middle(self.overlay(_WORD % json.dumps(word))))

    def end_background(self) -> None:
        state = self.firefox.evaluate_in_browser(_END_BACKGROUND, self._id)
        assert state == "stopped", state

    def screenshot(self) -> bytes:
        return self.firefox.screenshot()

    def close(self) -> None:
        self.firefox.close()
