from __future__ import annotations

from tests.support.documents import read, written


def test_strings_that_programs_read_are_left() -> None:
    text = '{"a": "Haus", "b": "a_b", "c": "icon.home", "d": "#ff0000", "e": "primaryColor", '
    text += '"type": "Haus", "f": "de-at", "g": "E-Mail", "scripts": {"x": "tu es"}}'
    assert [passage.text for passage in read("json", text).passages] == ["Haus", "E-Mail"]


def test_keys_for_programs_keep_whatever_they_hold() -> None:
    text = '{"id": "Guten Tag", "URL": "Guten Tag", "class": "Der rote Hund", "text": "Guten Tag", '
    text += '"type": ["Der rote Hund"], "path": {"title": "Der Weg"}}'
    read_ = [passage.text for passage in read("json", text).passages]
    assert read_ == ["Guten Tag", "Der Weg"]


def test_keys_that_may_be_for_people_have_their_sentences_read() -> None:
    text = '{"status": "aktiv", "state": "In Arbeit", "role": "der Chef", "format": "kurz"}'
    passages = read("json", text).passages
    assert [passage.text for passage in passages] == ["In Arbeit", "der Chef"]


def test_a_number_of_any_length_stays_as_it_is() -> None:
    number = "7" * 10_000
    expected = f'{{"a": {number}, "b": "house"}}'
    assert written("json", f'{{"a": {number}, "b": "Haus"}}', "house") == expected
