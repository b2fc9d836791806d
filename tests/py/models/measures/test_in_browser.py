from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from dragoman.errors import InvalidRequestError
from dragoman.models.measures.in_browser import browser_path, browser_translator, launch


def test_a_site_that_is_not_built(tmp_path: Path) -> None:
    with (
        pytest.raises(InvalidRequestError, match="holds no built site: run `make build`"),
        browser_translator(tmp_path, tmp_path, "chromium"),
    ):
        pass


def test_a_browser_is_where_the_variable_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHROMIUM_PATH", "/opt/chromium")
    assert browser_path("chromium") == "/opt/chromium"


def test_no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FIREFOX_PATH", raising=False)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(InvalidRequestError, match="no firefox here: install it, or set FIREFOX"):
        browser_path("firefox")


def test_a_browser_that_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHROMIUM_PATH", "/nowhere/chromium")
    message = "chromium does not start from /nowhere/chromium: .*executable doesn't exist"
    with sync_playwright() as playwright, pytest.raises(InvalidRequestError, match=message):
        launch(playwright, "chromium")
