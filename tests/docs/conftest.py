"""A browser for the blocks of JavaScript."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from dragoman.models.measures.in_browser import launch


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = launch(playwright, "chromium", "--disable-background-networking")
        yield started
        started.close()
