from __future__ import annotations

import pytest

from dragoman.documents.xml.direction import (
    has_leftwards,
    has_rightwards,
    turned,
    with_attributes,
)


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("de", "ar", True),
        ("en-GB", "he-IL", True),
        ("fa", "en", False),
        ("de", "en", None),
        ("ur", "ar", None),
        ("", "en", None),
    ],
)
def test_which_way_a_translation_runs(source: str, target: str, expected: bool | None) -> None:
    assert turned(source, target) is expected


@pytest.mark.parametrize(
    ("text", "leftwards", "rightwards"),
    [
        ("שלום", True, False),
        ("سلام 25", True, False),
        ("über", False, True),
        ("API של", True, True),
        ("25 (%).", False, False),
    ],
)
def test_letters_that_run_from_right_to_left(text: str, leftwards: bool, rightwards: bool) -> None:
    assert (has_leftwards(text), has_rightwards(text)) == (leftwards, rightwards)


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ("<a:pPr/>", '<a:pPr rtl="1"/>'),
        ("<a:pPr lvl='1' rtl='0'>", "<a:pPr lvl='1' rtl='1'>"),
        ('<a:pPr nortl="0" rtl = "">', '<a:pPr nortl="0" rtl = "1">'),
    ],
)
def test_an_attribute_is_said_once(tag: str, expected: str) -> None:
    assert with_attributes(tag, {"rtl": "1"}) == expected
