"""What is not translated stays byte for byte as it was."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dragoman.edits import edited
from dragoman.html import HtmlPage
from tests.support.cases.markup_cases import shouted
from tests.support.paths import SHARED

PAGES = sorted((SHARED / "pages").glob("*.html"))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<p class='x' ID=a>ja</P >", "<p class='x' ID=a>JA</P >"),
        ("<p>a&nbsp;b &amp; c&#8364;", "<p>A&nbsp;B &amp; C€"),
        ("<!-- a -- b --!><p>ja<!-- x--></p>", "<!-- a -- b --!><p>JA<!-- x--></p>"),
        ("<noscript><p>nein</noscript><p>ja", "<noscript><p>nein</noscript><p>JA"),
        ("<p>a &#13; b", "<p>A &#13; B"),
        ("<p title=nein lang>ja</p>", '<p title="NEIN" lang>JA</p>'),
        (
            "<p>ja<button title=x>w <b>so</b></button>",
            '<p>JA<button title="X">W <b>SO</b></button>',
        ),
        ("<p>ja\r\nnein</p>\r\n<p>so", "<p>JA NEIN</p>\r\n<p>SO"),
        ("<p>\u200b</p><p>&shy;</p><p>ja", "<p>\u200b</p><p>&shy;</p><p>JA"),
        ("<table>ja<tr><td>x</table>", "<table>JA<tr><td>X</table>"),
        (
            "<!DOCTYPE html><html><meta charset=latin1><body bgcolor=red>ja",
            '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><body bgcolor=red>JA',
        ),
        (
            '<html lang="de-AT" dir=rtl><meta http-equiv=Content-Type '
            "content='text/html; charset=iso-8859-1'>ja",
            '<html lang="en" dir="ltr"><meta http-equiv=Content-Type '
            "content='text/html; charset=utf-8'>JA",
        ),
        ("<?xml version='1.0'?>\n<body id=a>ja", "<?xml version='1.0'?>\n<body id=a>JA"),
        (
            "\ufeff<script>x</script><!doctype html><body>ja",
            "\ufeff<script>x</script><!doctype html><body>JA",
        ),
        # what a browser takes for a comment
        (
            "<p>er ist <?php echo $x; ?> hier</p><![if !mso]>nur<![endif]></ a>so<!-- ende",
            "<p>ER IST <?php echo $x; ?> HIER</p><![if !mso]>NUR<![endif]></ a>SO<!-- ende",
        ),
        (
            "<?xml version='1.0'?><!doctype html><body>ja<?xml:namespace prefix = o />",
            "<?xml version='1.0'?><!doctype html><body>JA<?xml:namespace prefix = o />",
        ),
        # not to be found in the source: serialized, but nothing is lost
        (
            "<!-- a--b --><p>a</b>b</p><noscript><i></noscript>",
            "<!-- a--b --><p>AB</p><noscript><i></noscript>",
        ),
        (
            "<p>a</b>b<?php echo $x; ?><![if !mso]></p>",
            "<p>AB<?php echo $x; ?><!--[if !mso]--></p>",
        ),
    ],
)  # fmt: skip
def test_only_what_is_translated_changes(source: str, expected: str) -> None:
    assert shouted(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        "", "x", "<p>ja<p>nein", "<b>1<p>2</b>3</p>", "<p>a</b>b", "&#13;<br>", "<a =b>ja</a>",
        "<html><meta charset=latin1>ja", "<!doctype html><noscript><img></noscript><!-- - -- ->",
    ],
)  # fmt: skip
def test_nothing_translated_is_nothing_changed(source: str) -> None:
    assert shouted(source, str) == source


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_pages_at_hand_stay_as_they_are(path: Path) -> None:
    source = path.read_bytes().decode("utf-8", "replace")
    assert shouted(source, str) == source


def test_right_to_left() -> None:
    assert shouted("<html><body>ja", target="ar") == '<html lang="ar" dir="rtl"><body>JA'


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("hallo<img>Welt", "hallo Welt"),
        ("hallo<img>, Welt", "hallo, Welt"),
        ("hallo <svg></svg>Welt", "hallo Welt"),
        ("hal<!-- x -->lo<wbr>Welt", "halloWelt"),
    ],
)
def test_an_image_parts_words(source: str, text: str) -> None:
    assert HtmlPage(source, "de").text == text


def test_edits_inside_of_one_are_each_looked_at_once_for_each_stretch_of_their_own() -> None:
    """A line of 1,000 buttons, each a stretch of the line and with words of its own."""
    count = 1_000
    source = "ab" * count

    def line(stretch: Callable[[int, int], str]) -> str:
        return "".join(stretch(at, at + 2) for at in range(0, 2 * count, 2))

    class Looked:
        looks = 0

        def __init__(self, start: int, end: int, write: Callable[..., str]) -> None:
            self.start, self._end, self.write = start, end, write

        @property
        def end(self) -> int:
            Looked.looks += 1
            return self._end

    edits: list[Any] = [Looked(0, 2 * count, line)]
    edits += [Looked(at, at + 1, lambda _: "x") for at in range(0, 2 * count, 2)]
    assert edited(source, edits) == "xb" * count
    assert Looked.looks < 10 * count


def test_a_name_that_nothing_has_is_found_at_once() -> None:
    assert shouted("<a =b>ja</a></b>equals-sign---").endswith("EQUALS-SIGN---")
