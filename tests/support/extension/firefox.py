"""Firefox with the extension, driven by Marionette, its window included."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

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
from tests.support.extension.marionette import Firefox

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

_COPIED = """
const [clipboard, data] = [Services.clipboard, {}];
const wanted = Cc["@mozilla.org/widget/transferable;1"].createInstance(Ci.nsITransferable);
wanted.init(null);
wanted.addDataFlavor("text/html");
clipboard.getData(wanted, clipboard.kGlobalClipboard, window.browsingContext.currentWindowContext);
try {
  wanted.getTransferData("text/html", data);
  arguments[0](data.value.QueryInterface(Ci.nsISupportsString).data);
} catch (error) {
  arguments[0](String(error));
}
"""


class FirefoxHost:
    """Firefox, with the extension installed from its zip, or from another one.

    Permissions that a click asks for are given without a question, which no test can answer; what
    a temporary extension has kept is there again when it is installed again.
    """

    def __init__(
        self, path: str, profile: Path, archive: Path | None = None, *, dark: bool = False
    ) -> None:
        manifest = json.loads((BUILT / "firefox" / "manifest.json").read_text())
        self._id = manifest["browser_specific_settings"]["gecko"]["id"]
        self._own_page = False
        is_new = not profile.exists()
        self.firefox = Firefox(
            path,
            profile,
            {
                "ui.systemUsesDarkTheme": int(dark),
                "layout.css.prefers-color-scheme.content-override": 0 if dark else 1,
                "intl.locale.requested": "en-US",
                "extensions.webextOptionalPermissionPrompts": False,
                "extensions.webextensions.keepStorageOnUninstall": True,
                "extensions.webextensions.keepUuidOnUninstall": True,
                "network.proxy.type": 1,
                "network.proxy.http": "127.0.0.1",
                "network.proxy.http_port": NOBODY,
                "network.proxy.ssl": "127.0.0.1",
                "network.proxy.ssl_port": NOBODY,
                "network.proxy.allow_hijacking_localhost": False,
            },
        )
        try:
            self.firefox.install(archive or BUILT / f"dragoman-firefox-{VERSION}.zip")
        except BaseException:
            self.firefox.close()  # nobody else would
            raise
        self.errors: list[str] = []
        # The welcome; it may come again with a temporary extension.
        self.firefox.close_other_tabs(60 if is_new else 10)

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
        wait_until(lambda: self.firefox.evaluate(USABLE))

    def click(self, selector: str) -> None:
        self.firefox.click(selector)

    def choose_files(self, selector: str, *files: Path) -> None:
        self.firefox.type_into(selector, "\n".join(map(str, files)))

    def press_shortcut(self) -> None:
        keys = self.firefox.evaluate_in_browser(_PRESS)
        assert sorted(keys.replace(",", " ").lower().split()) == ["alt", "d", "shift"], keys

    def choose_in_menu(self, item: str, selector: str) -> None:
        place = self.firefox.evaluate(
            """const element = document.querySelector(arguments[0]);
               const range = document.createRange();
               range.selectNodeContents(element);
               const text = range.getBoundingClientRect();  // a field's text has no place
               const place = text.width ? text : element.getBoundingClientRect();
               const { left, right, top, bottom } = place;
               return [left, right, top, bottom];""",
            selector,
        )
        press = [{"type": f"pointer{way}", "button": 2} for way in ("Down", "Up")]
        self._move(middle(place), *press)
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
        self._move(middle(self.overlay(WORD % json.dumps(word))))

    def click_in_box(self, selector: str, text: str) -> None:
        box = self.overlay(ELEMENT % (json.dumps(selector), json.dumps(text)))
        press = [{"type": f"pointer{way}", "button": 0} for way in ("Down", "Up")]
        self._move(middle(box), *press)

    def copied_html(self) -> str:
        return str(self.firefox.evaluate_in_browser(_COPIED))

    def open_private_window(self) -> None:
        self.firefox.open_private_window()

    def end_background(self) -> None:
        state = self.firefox.evaluate_in_browser(_END_BACKGROUND, self._id)
        assert state == "stopped", state

    def screenshot(self) -> bytes:
        return self.firefox.screenshot()

    def close(self) -> None:
        self.firefox.close()
