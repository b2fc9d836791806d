"""What tests of the extension do in its panel, and what they then read."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.extension.host import Host, wait_until
from tests.support.paths import ROOT

PAGES = ROOT / "tests" / "fixtures" / "pages"
# What the embedded model makes of "Wir trinken Kaffee."
COFFEE = "We're drinking coffee."
IN_CHROMIUM = pytest.mark.parametrize("host", ["chromium"], indirect=True)


def translate(host: Host) -> dict[str, Any]:
    """Two clicks: the button in the toolbar, and "Translate"; what the panel then says."""
    host.click_button()
    wait_until(lambda: host.in_panel("return document.querySelector('#source')?.value") == "de")
    host.in_panel("document.querySelector('#translate').click()")
    wait_until(lambda: status(host).startswith("Translated"))
    error = host.in_panel("return document.querySelector('#error').textContent")
    return {"status": status(host), "error": error}


def status(host: Host) -> str:
    return str(host.in_panel("return document.querySelector('#status').textContent"))


def panel(host: Host) -> list[str]:
    """What the panel says of the page's language, and the button that it offers."""
    return list(
        host.in_panel(
            """const said = document.querySelector("#detected").textContent;
               const button = document.querySelector("#running").hidden ? "translate" : "restore";
               return [said, button];"""
        )
    )


def text_of(host: Host) -> str:
    return str(host.evaluate("return document.body.innerText"))
