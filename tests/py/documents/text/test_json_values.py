from __future__ import annotations

from tests.support.documents import read


def test_strings_that_programs_read_are_left() -> None:
    text = '{"a": "Haus", "b": "a_b", "c": "icon.home", "d": "#ff0000", "e": "primaryColor", '
    text += '"type": "Haus", "f": "de-at", "g": "E-Mail", "scripts": {"x": "tu es"}}'
    assert [passage.text for passage in read("json", text).passages] == ["Haus", "E-Mail"]
