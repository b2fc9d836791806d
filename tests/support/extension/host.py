"""The built extension in a clean profile of each browser, used as a person uses it.

`click_button` is the button in the toolbar: the browser itself opens the panel and gives the
extension the tab that it stands over. What the panel holds is then clicked in the panel.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import dragoman
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

    def click(self, selector: str) -> None:
        """Click in our own page that `open_own_page` opened, as a person does."""
        ...

    def choose_files(self, selector: str, *files: Path) -> None:
        """In a field of our own page that `open_own_page` opened."""
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

    def click_in_box(self, selector: str, text: str) -> None:
        """Click, as a person does, on the first element of our box, or of what is beside it, that
        a selector finds and that says a text."""
        ...

    def copied_html(self) -> str:
        """What the clipboard has with its formatting."""
        ...

    def open_private_window(self) -> None:
        """The extension is let into it, and what comes from then on is in it."""
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
        value = happens()
        if value or time.monotonic() > deadline:
            return value
        time.sleep(0.25)


# Whether a page of our own takes clicks.
USABLE = "return document.readyState === 'complete' && !document.querySelector('[inert]')"

# Where a word of our box is.
WORD = """
const word = [...box.querySelectorAll(".word")].find((found) => found.textContent === %s);
const { left, right, top, bottom } = word.getBoundingClientRect();
return [left, right, top, bottom];
"""


# Where an element of our box, or of what is beside it, is.
ELEMENT = """
const found = [...box.getRootNode().querySelectorAll(%s)]
  .find((element) => element.textContent.includes(%s));
found.scrollIntoView({ block: "nearest" });
const { left, right, top, bottom } = found.getBoundingClientRect();
return [left, right, top, bottom];
"""


def middle(edges: list[float]) -> tuple[float, float]:
    left, right, top, bottom = edges
    return (left + right) / 2, (top + bottom) / 2
