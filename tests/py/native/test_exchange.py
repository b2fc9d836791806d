"""Tables and XML, as terms and sentences are handed on."""

from __future__ import annotations

import tracemalloc
from io import BytesIO
from xml.etree.ElementTree import Element

import pytest

from dragoman.errors import InvalidGlossaryError
from dragoman.native.exchange import numbered_lines, units


def test_lines_that_say_something_with_their_numbers() -> None:
    file = BytesIO("\ufeffHaus\thouse\n\n \t\nBär\tbear".encode())
    assert list(numbered_lines(file, InvalidGlossaryError)) == [
        (1, "Haus\thouse\n"),
        (4, "Bär\tbear"),
    ]


def test_a_line_that_is_not_utf_8_is_named() -> None:
    with pytest.raises(InvalidGlossaryError, match="line 2 is not UTF-8"):
        list(numbered_lines(BytesIO(b"Haus\n\xff\n"), InvalidGlossaryError))


def shown(element: Element) -> tuple[str | None, list[str]]:
    return element.get("n"), [child.tag for child in element]


def test_units_come_when_they_are_complete_each_once() -> None:
    text = b'<a><b/><u n="1"><c/><u n="2"><d/></u></u><b/><x:u xmlns:x="y" n="3"/></a>'
    found = [shown(unit) for unit in units(BytesIO(text), ("u",), InvalidGlossaryError)]
    assert found == [("2", ["d"]), ("1", ["c", "u"]), ("3", [])]


def test_nothing_outside_of_the_units_is_kept() -> None:
    """All of them were: 40 MB of these 1.6, and each unit was looked for behind them."""
    text = BytesIO(b"<a>" + b"<b/>" * 400_000 + b"<u/></a>")
    tracemalloc.start()
    try:
        found = [shown(unit) for unit in units(text, ("u",), InvalidGlossaryError)]
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found == [(None, [])]
    assert most < 15_000_000


def test_levels_are_told() -> None:
    levels: list[int] = []
    text = BytesIO(b"<a><b><u/></b><b/></a>")
    assert len(list(units(text, ("u",), InvalidGlossaryError, levels.append))) == 1
    assert levels == [1, 2, 3, 2]
