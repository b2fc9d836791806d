"""The stress test of `make stress` in each browser, small."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.stress.browser import is_clean, stress
from tests.support.pages import OpenPage, Server


def empty_page(open_page: OpenPage, server: Server, *expected: str) -> Page:
    """A page of the site without the demo on it, which would have workers of its own."""
    opened = open_page(f"{server.url}/models/index.json", service_workers="block")
    for part in ("404", *expected):  # it has no icon
        opened.expect_error(part)
    return opened.page


def test_some_hundred_mixed_requests_with_faults(open_page: OpenPage, server: Server) -> None:
    report = stress(empty_page(open_page, server), requests=300, seed=1, faults=0.1, dies_after=0)
    assert is_clean(report), report
    assert report["settled"] == 300
    assert set(report["kinds"]) == {"request", "stream", "graph"}
    for end in "request done", "stream done", "graph done":
        assert report["ends"][end] > 5
    assert report["outputs"]["done"] > 5


def test_the_engine_worker_dies_now_and_then(open_page: OpenPage, server: Server) -> None:
    # What Firefox now and then says of a worker that is ended; the page itself hears of no error,
    # or the report would not be clean.
    page = empty_page(open_page, server, "uncaught: undefined")
    report = stress(page, requests=200, seed=2, faults=0.0, dies_after=6)
    assert is_clean(report), report
    # Which kinds are under way when it dies, and which have ended, is a matter of time.
    for end in "worker-gone", "done":
        kinds = ("request", "stream", "graph")
        assert sum(report["ends"].get(f"{kind} {end}", 0) for kind in kinds) > 0
