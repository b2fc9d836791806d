from __future__ import annotations

from tests.support.documents import read, written


def test_strings_that_programs_read_are_left() -> None:
    text = '{"a": "Haus", "b": "a_b", "c": "icon.home", "d": "#ff0000", "e": "primaryColor", '
    text += '"type": "Haus", "f": "de-at", "g": "E-Mail", "scripts": {"x": "tu es"}}'
    assert [passage.text for passage in read("json", text).passages] == ["Haus", "E-Mail"]


def test_a_number_of_any_length_stays_as_it_is() -> None:
    number = "7" * 10_000
    expected = f'{{"a": {number}, "b": "house"}}'
    assert written("json", f'{{"a": {number}, "b": "Haus"}}', "house") == expected
