"""What is looked at of a page to tell its language."""

from __future__ import annotations

import pytest

from dragoman.native.sources import PAGE_CHARACTERS, page_text


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p class='a < b'>Ja &amp; <b>nein</b>", " Ja    nein "),
        ("a<script>let b = '<p>'</script >c<STYLE x>d</style>e", "a c e"),
        ("a<svg><title>b</title></svg>c<svg viewBox='0'/>d<script src=x />e", "a c d e"),
        ("<svg-icon>a</svg-icon><style-guide>b</style-guide>", " a  b "),
        ("a<!-- b > <p> -- -->c<!---->d<!-->e<!--->f<!-- --!>g", "a c d e f g"),
        ("a<!--[if !IE]><!-->b<!--<![endif]-->c<![if x]>d", "a b c d"),
        ("3 < 5 <3 a<>b <", "3 < 5 <3 a<>b <"),
        # What does not end goes to the end of the page.
        ("a<script>b<p>c", "a "),
        ("a<svg b", "a "),
        ("a<!-- b<p>c", "a "),
        ("a<p b", "a "),
    ],
)
def test_what_a_reader_sees_of_a_page(page: str, text: str) -> None:
    assert page_text(page) == text


# Each took seconds while nothing else of the process could run: of "<!--" it were 22.
@pytest.mark.parametrize(
    ("piece", "text"),
    [
        ("<!--", " "),
        ("<!-- >", " "),
        ("<", "<" * PAGE_CHARACTERS),
        ("</", " "),
        ("<a ", " "),
        ("<script>", " "),
        ("<script ", " "),
        ("<svg", " "),
        ("<svg/ ", " "),
        ("<style", " "),
        ("<style>", " "),
        ("<script></script ", " "),
        ("<a <!--<svg <script", " "),
        ("-<!--<style", "- "),
    ],
)
def test_a_page_of_what_never_ends_is_read_once(piece: str, text: str) -> None:
    page = piece * (PAGE_CHARACTERS // len(piece) + 1)
    assert page_text(page) == text
