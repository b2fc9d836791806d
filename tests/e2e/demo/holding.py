"""A page that does not learn yet which languages there are, as over a slow network."""

from __future__ import annotations

from playwright.sync_api import Page

_HOLD = """
const asked = globalThis.fetch;
const going = new Promise((resolve) => { globalThis.goOn = resolve; });
globalThis.fetch = async (...request) => {
  if (String(request[0]).endsWith("models/index.json")) await going;
  return asked(...request);
};
"""


def hold_languages(page: Page) -> None:
    """From the next load of the page on, until `go_on`."""
    page.add_init_script(_HOLD)


def go_on(page: Page) -> None:
    page.evaluate("() => { goOn(); }")
