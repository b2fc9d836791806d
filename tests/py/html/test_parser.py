"""The bounds of a page, and what counts as one."""

import time
from dataclasses import replace
from typing import Any

import pytest

from dragoman.config import Limits
from dragoman.errors import PageTooLargeError
from dragoman.html import HtmlPage
from dragoman.html.parser import is_fragment, parse
from dragoman.html.serialize import nodes_below

FEW = replace(Limits(), page_nodes=1_000, page_depth=50)


def refused(source: str) -> dict[str, Any]:
    with pytest.raises(PageTooLargeError) as caught:
        HtmlPage(source, "de", FEW)
    return caught.value.details


def test_elements_that_come_again_in_every_block_are_counted() -> None:
    """2 KB of this are 20,000 elements: each <b> is opened again in every <p> that follows."""
    source = "".join(f"<b a={number}><p>" for number in range(200))
    assert refused(source) == {
        "requested": 1_001, "allowed": 1_000, "counted": "elements and attributes",
    }  # fmt: skip


def test_attributes_are_counted() -> None:
    source = "<p " + " ".join(f"a{number}" for number in range(1_200)) + ">ja"
    assert len(source) // 10 < 1_000
    assert refused(source)["counted"] == "elements and attributes"


def test_a_long_page_may_have_more() -> None:
    """As many as ten characters each have room for."""
    assert HtmlPage("<p>zehn Zeichen</p>" * 1_500, "de", FEW).text.startswith("zehn")
    again = "".join(f"<b a={number}><p>" for number in range(100, 300))
    assert refused("x" * 10_000 + again)["allowed"] == 1_240


@pytest.mark.parametrize("tag", ["<div>", "<b>", "<svg><g>", "<table><tr><td>"])
def test_levels_are_counted(tag: str) -> None:
    details = refused(tag * 60)
    assert (details["allowed"], details["counted"]) == (50, "levels")


def test_what_is_closed_is_no_level() -> None:
    page = HtmlPage("<div><p>ja</div>" * 150, "de", FEW)
    assert page.text == "\n".join(["ja"] * 150)


def test_a_page_that_grows_by_being_written_is_not_written() -> None:
    """What is read again has the same bounds."""
    page = HtmlPage("<p>ja</p>", "de", FEW)
    assert page._reads("<p>ja</p>")
    assert not page._reads("<div>" * 60)


@pytest.mark.parametrize(
    ("source", "fragment"),
    [
        ("<p>ja", True),
        ("<html><p>ja", False),
        ("<!-- <html> --><p>ja", True),
        ("<!-- never closed <html>", True),
        ("<!--><html>", False),
        ("<script><html></script x><body>", False),
        ("<script> never closed <html>", True),
    ],
)
def test_what_a_browser_skips_says_nothing_of_the_page(source: str, fragment: bool) -> None:
    assert is_fragment(source) is fragment


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<?xml version='1.0'?>\n<!-- x --><!doctype html><p>ja", ["!doctype"]),
        ("Warnung<!doctype html><p>ja", []),
    ],
)
def test_a_document_type_counts_only_at_the_start(source: str, expected: list[str]) -> None:
    names = [node.name for node in nodes_below(parse(source, False, FEW))]
    assert [name for name in names if name == "!doctype"] == expected


def test_what_may_be_a_comment_without_end_takes_no_time() -> None:
    start = time.monotonic()
    HtmlPage("<!x" * 100_000 + "<!doctype html>", "de")
    assert time.monotonic() - start < 5
