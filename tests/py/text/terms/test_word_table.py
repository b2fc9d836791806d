"""Words and their translations, looked up where they lie."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.text.terms.word_table import WordTable, packed

WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\t\n"), min_size=1, max_size=8)
KEYS = WORDS.filter(lambda word: not word.endswith(" "))


@given(st.dictionaries(KEYS, WORDS, max_size=40), WORDS)
def test_a_table_has_what_was_put_in_and_nothing_else(entries: dict[str, str], other: str) -> None:
    table = WordTable.of(entries)
    assert dict(table) == entries
    assert len(table) == len(entries)
    assert table.get(other) == entries.get(other)
    assert (other in table) == (other in entries)


def test_words_are_found_to_the_letter() -> None:
    table = WordTable.of({"Startbahn": "runway", "Wahl": "election"})
    assert table["Startbahn"] == "runway"
    for word in ("startbahn", "Start", "bahn", "", "Startbahn\trunway", "\ud800"):
        assert table.translation(word) is None
    with pytest.raises(KeyError):
        table["Bahn"]


def test_the_longest_entry_is_known_by_its_first_word() -> None:
    table = WordTable.of({"prime minister": "a", "Prime time of day": "b", "time": "c"})
    assert [table.longest(word) for word in ("prime", "time", "day")] == [4, 1, 1]
    assert set(table) == {"prime minister", "Prime time of day", "time"}


def test_equal_entries_give_equal_bytes() -> None:
    assert packed({"b": "1", "a": "2"}) == packed({"a": "2", "b": "1"})


@pytest.mark.parametrize("entry", [("", "a"), ("a", ""), ("a\tb", "c"), ("a", "b\n"), ("a ", "b")])
def test_what_is_no_entry_is_refused(entry: tuple[str, str]) -> None:
    with pytest.raises(ValueError, match=re.escape(f"{entry[0]!r} and {entry[1]!r} are no entry")):
        packed(dict([entry]))


WHOLE = packed({f"word{number}": "w" for number in range(40)})


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "0 bytes are no word table"),
        (WHOLE[:-1], "is cut short"),
        (WHOLE[:20], "is cut short"),
        (WHOLE[:8] + b"\x30" + WHOLE[9:], "at most 20 bits, not 48"),
        (WHOLE[:-2] + b"\xff\n", "codec can't decode"),
    ],
)
def test_what_is_no_table_is_refused(content: bytes, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        WordTable(content)
