"""Random pages in real browsers: the checks of `tests/web/dom/random-pages.ts`.

Made up there, or those that the page path is tested with (`tests/parity/test_page_trees.py`).
`make test-markup` takes 100,000 of them, in shards (DRAGOMAN_CASES, DRAGOMAN_SEED).
"""

from __future__ import annotations

import os

import pytest

from tests.support.cases.random_pages import random_page
from tests.support.pages import OpenPage

CASES = int(os.environ.get("DRAGOMAN_CASES", "600"))
SEED = int(os.environ.get("DRAGOMAN_SEED", "0"))
CHUNK = 2_000
# Of one check, out of so many cases: a whole translation waits for timers and frames.
SHARES = {"placed": 1, "sent": 1, "translated": 10}


@pytest.mark.parametrize("check", SHARES)
def test_random_pages(open_page: OpenPage, site: str, check: str) -> None:
    page = open_page(f"{site}/frame.html").page
    page.add_script_tag(url="random.js")
    cases = CASES // SHARES[check]
    for start in range(0, cases, CHUNK):
        wrong = page.evaluate(
            "([check, run]) => randomPages(check, run)",
            [check, {"numRuns": min(CHUNK, cases - start), "seed": SEED * CASES + start + 1}],
        )
        assert wrong == ""


def test_pages_of_the_page_path(open_page: OpenPage, site: str) -> None:
    watched = open_page(f"{site}/frame.html")
    watched.expect_error("")  # Images that are not there, paths that are none.
    page = watched.page
    page.add_script_tag(url="random.js")
    sources = [random_page(SEED * CASES + number) for number in range(CASES)]
    for start in range(0, CASES, CHUNK):
        found = page.evaluate("(sources) => givenPages(sources)", sources[start : start + CHUNK])
        assert found == []
