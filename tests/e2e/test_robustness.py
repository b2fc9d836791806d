"""The cases of `tests/robustness` on a page, translated in its document by the models of the site.

Each is a paragraph; what is judged is what the reader sees, by the rules of `dragoman model
robustness`.
"""

from __future__ import annotations

import html

import pytest

from dragoman.models.measures.robustness import broken_rules, read_cases
from tests.support.pages import OpenPage, Server
from tests.support.paths import ROOT
from tests.support.sites import PAGES

CASES = [
    case
    for name in ("cases", "quantities")
    for case in read_cases(ROOT / "tests" / "robustness" / f"{name}.jsonl")
]
pytestmark = pytest.mark.slow


@pytest.mark.usefixtures("site")  # It builds the library.
@pytest.mark.parametrize("pair", ["de-en", "en-de"])
def test_cases_come_through_the_document(open_page: OpenPage, server: Server, pair: str) -> None:
    source, target = pair.split("-")
    cases = [case for case in CASES if case.pair == pair]
    watched = open_page(f"{server.url}/icon.svg")  # Of this origin, and does nothing.
    watched.expect_error("404 (Not Found)")  # Chromium asks for an icon of the picture, once.
    page = watched.page
    content = "".join(f"<p>{html.escape(case.text)}</p>" for case in cases)
    page.route(
        f"{server.url}/cases.html",
        lambda route: route.fulfill(
            body=f'<!doctype html><html lang="{source}"><title>-</title>'
            f'<link rel=icon href="data:,"><body>{content}',
            content_type="text/html; charset=utf-8",
        ),
    )
    page.goto(f"{server.url}/cases.html")
    page.add_script_tag(path=PAGES / "library.js")
    languages = {"sourceLanguage": source, "targetLanguage": target}
    progress = page.evaluate("(pair) => dragoman.translate(pair)", languages)
    assert progress["failed"] == 0
    seen = page.evaluate("() => [...document.querySelectorAll('p')].map((p) => p.textContent)")
    broken = {
        case.id: (case.text, text, rules)
        for case, text in zip(cases, seen, strict=True)
        if (rules := broken_rules(case, text))
    }
    assert broken == {}
