"""What the window opens, lets through and refuses; what it runs in its page."""

from __future__ import annotations

import json

PAGE = "/?engine=server"


def page_of(server: str) -> str:
    """The page, translating with the server's engine."""
    return server + PAGE


def is_own(address: str, server: str) -> bool:
    """Whether a request of the page goes to its own server, or to nobody (blob:, data:)."""
    return address.startswith((f"{server}/", f"blob:{server}/", "data:"))


def typing(text: str) -> str:
    """A script that puts a text where a person would type it."""
    # JSON is JavaScript, and a text in it cannot end its string.
    return (
        "{ const field = document.querySelector('#source');"
        f" field.value = {json.dumps(text)};"
        " field.dispatchEvent(new Event('input', { bubbles: true })); field.focus(); }"
    )
