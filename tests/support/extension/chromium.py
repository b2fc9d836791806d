"""Chromium with the extension, driven over its debugging protocol."""

from __future__ import annotations

import base64
import json
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, CDPSession, Page, Playwright, Worker

from tests.support.extension.host import (
    BUILT,
    ELEMENT,
    NOBODY,
    USABLE,
    VERSION,
    WORD,
    middle,
    wait_until,
)


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


_LET_IN = """(extensionId) => new Promise((resolve) => {
  chrome.developerPrivate.updateExtensionConfiguration(
    { extensionId, incognitoAccess: true }, resolve);
})"""
_IN_PRIVATE = "about:blank#private"
_PLACE_TO_PASTE = """
document.body.insertAdjacentHTML("beforeend", "<div id=pasted contenteditable></div>");
document.querySelector("#pasted").focus()
"""


class ChromiumHost:
    """Chromium, with the extension loaded from a folder: by default its zip, unpacked.

    Its methods are those of `Host`, and what only this browser lets a test do.
    """

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
        self._folder = folder or unpack(profile.with_name("unpacked"))
        self._playwright, self._path, self._profile = playwright, path, profile
        self._language, self._dark = language, dark
        self.errors: list[str] = []
        is_new = not (profile / "Default").exists()
        self._start()
        if is_new:
            _dismiss_welcome(self._session)

    def _start(self) -> None:
        language, folder = self._language, self._folder
        self._context: BrowserContext = self._playwright.chromium.launch_persistent_context(
            self._profile,
            executable_path=self._path,
            color_scheme="dark" if self._dark else "light",
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
                *(["--force-dark-mode"] if self._dark else []),
            ],
        )
        workers = self._context.service_workers
        worker = workers[0] if workers else self._context.wait_for_event("serviceworker")
        self._extension = worker.url.split("/")[2]
        self.worker = worker
        self._take(self._context.new_page())
        browser = self._context.browser
        assert browser is not None
        self._session = browser.new_browser_cdp_session()
        self._panel: _Target | None = None

    def _take(self, page: Page) -> None:
        self.page = page
        page.on("pageerror", lambda error: self.errors.append(f"uncaught: {error}"))

    def goto(self, url: str) -> None:
        self.page.goto(url)
        self.page.bring_to_front()

    def evaluate(self, body: str) -> Any:
        return self.page.evaluate(f"() => {{ {body} }}")

    def click_button(self) -> None:
        tab = _targets(self._session, "tab", self.page.url)[0]
        self._session.send("Extensions.triggerAction", {"id": self._extension, "targetId": tab})
        panels = wait_until(lambda: _targets(self._session, "page", "popup.html"))
        self._panel = _Target(self._session, panels[0], self.page)

    def in_panel(self, body: str) -> Any:
        assert self._panel is not None
        return self._panel.evaluate(body)

    def panel_screenshot(self) -> bytes:
        assert self._panel is not None
        return base64.b64decode(self._panel.send("Page.captureScreenshot", {})["data"])

    def open_own_page(self, name: str) -> None:
        self.goto(f"chrome-extension://{self._extension}/{name}")
        self._panel = _Target(self._session, _targets(self._session, "page", name)[0], self.page)
        wait_until(lambda: self.evaluate(USABLE))

    def click(self, selector: str) -> None:
        self.page.click(selector)

    def choose_files(self, selector: str, *files: Path) -> None:
        self.page.set_input_files(selector, list(files))

    def press_shortcut(self) -> None:
        """As if it had been pressed: keys that a test presses reach only the page.

        The tab must have been given to the extension before, by `click_button`.
        """
        _say(self.worker, "chrome.commands.onCommand.dispatch('translate-page', tab)")

    def badge(self) -> str:
        """On the extension's button, for the tab in front."""
        return str(
            self.worker.evaluate(
                """async () => {
                  const [tab] = await chrome.tabs.query({ active: true, lastFocusedWindow: true });
                  return chrome.action.getBadgeText({ tabId: tab.id });
                }"""
            )
        )

    def choose_in_menu(self, item: str, selector: str) -> None:
        """As if the item of the context menu had been clicked: no test can open a native menu.

        The tab must have been given to the extension before, by `click_button`.
        """
        self.page.locator(selector).first.wait_for()
        chosen = f"{{ menuItemId: '{item}', frameId: 0 }}"
        _say(self.worker, f"chrome.contextMenus.onClicked.dispatch({chosen}, tab)")

    def copied_html(self) -> str:
        self.evaluate(_PLACE_TO_PASTE)
        self.page.keyboard.press("Control+v")
        pasted = "return document.querySelector('#pasted').innerHTML"
        return str(wait_until(lambda: self.evaluate(pasted)))

    def open_private_window(self) -> None:
        """By the switch in the browser's settings, which it acts upon when it starts anew."""
        self.page.goto("chrome://extensions/")
        self.page.evaluate(_LET_IN, self._extension)
        self._context.close()
        self._start()
        with self._context.expect_page(lambda page: page.url == _IN_PRIVATE) as opened:
            self.worker.evaluate(
                "(url) => void chrome.windows.create({ incognito: true, url })", _IN_PRIVATE
            )
        self._take(opened.value)

    def end_background(self) -> None:
        session = self._context.new_cdp_session(self.page)
        session.send("ServiceWorker.enable")
        session.send("ServiceWorker.stopAllWorkers")
        session.detach()
        worker = "service_worker"
        wait_until(lambda: not _targets(self._session, worker, self._extension))
        self._session.send("Target.getTargets")

    def overlay(self, body: str) -> Any:
        session = self._context.new_cdp_session(self.page)
        try:
            document = session.send("DOM.getDocument", {"depth": -1, "pierce": True})["root"]
            boxes = [node for node in _within(document) if "box" in _classes(node)]
            if not boxes:
                return None
            node = {"backendNodeId": boxes[0]["backendNodeId"]}
            target = session.send("DOM.resolveNode", node)["object"]["objectId"]
            called = {
                "objectId": target,
                "functionDeclaration": f"function () {{ const box = this; {body} }}",
                "returnByValue": True,
            }
            result = session.send("Runtime.callFunctionOn", called)
            assert "exceptionDetails" not in result, result
            return result["result"].get("value")
        finally:
            session.detach()

    def point_at_word(self, word: str) -> None:
        self.page.mouse.move(*middle(self.overlay(WORD % json.dumps(word))))

    def click_in_box(self, selector: str, text: str) -> None:
        box = self.overlay(ELEMENT % (json.dumps(selector), json.dumps(text)))
        self.page.mouse.click(*middle(box))

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
        target = _targets(self._session, "background_page", "offscreen.html")[0]
        return _Target(self._session, target, self.page).evaluate(body)

    def screenshot(self) -> bytes:
        return self.page.screenshot()

    def close(self) -> None:
        self._context.close()


def _targets(session: CDPSession, kind: str, part: str) -> list[str]:
    """What runs in the browser, by a part of its address."""
    target = session.send("Target.getTargets", {"filter": [{}]})["targetInfos"]
    return [t["targetId"] for t in target if t["type"] == kind and part in t["url"]]


def _dismiss_welcome(session: CDPSession) -> None:
    """The page that opens after installing, so that it comes before no other."""
    welcome = wait_until(lambda: _targets(session, "page", "welcome.html"))
    session.send("Target.closeTarget", {"targetId": welcome[0]})
    wait_until(lambda: not _targets(session, "page", "welcome.html"))


def _say(worker: Worker, event: str) -> None:
    """An event of the browser's to the background, of the tab in front."""
    worker.evaluate(
        f"""async () => {{
          const [tab] = await chrome.tabs.query({{ active: true, lastFocusedWindow: true }});
          {event};
        }}"""
    )


def _classes(node: dict[str, Any]) -> list[str]:
    """Attributes come as names and values by turns."""
    attributes: list[str] = node.get("attributes", [])
    return dict(zip(attributes[::2], attributes[1::2], strict=True)).get("class", "").split()


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
