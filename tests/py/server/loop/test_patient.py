"""What is read in slices is what would be read at once."""

from __future__ import annotations

import json
from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.server.loop import patient
from dragoman.server.loop.patient import PatientDecoder, marks, string_of, unquoted

BITS = ["a", "ä", "😀", r"\n", r"\"", r"\\", r"\u00e4", r"\ud83d", r"\ude00", r"\u12", r"\x", '"']
BITS += [",", "[", "{", "}", "]", ":", " ", "1", "\n", "bcdefghij" * 3]
ENCODED = ["a", "ä", "%C3%A4", "+", "%20", "%", "=", "bcdefgh" * 2, "%F0%9F%98%80"]


def ends(read: object, text: str) -> object:
    """What comes of reading, be it an error."""
    try:
        return read(text)  # type: ignore[operator]
    except ValueError as error:
        return type(error)


@pytest.fixture(autouse=True, scope="module")
def short_slices() -> object:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(patient, "SLICE", 16)
        yield


@given(st.lists(st.sampled_from(BITS), max_size=40).map("".join))
def test_json(bits: str) -> None:
    for text in bits, '{"t": ["' + bits.replace('"', "") + '"], "n": [1, 2]}':
        assert ends(PatientDecoder().decode, text) == ends(json.loads, text)


def test_a_character_in_two_escapes_is_not_cut() -> None:
    for before in range(20):
        text = "x" * before + r"\ud83d\ude00" + "y" * 40
        assert string_of(text + '" ', 0) == ("x" * before + "😀" + "y" * 40, len(text) + 1)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": [1, 2], "b,": "[{"}', "{[,,"),
        ('["' + r"\",[" * 30 + '", 1]', "[,"),
        ('["' + "ä,{" * 30, "["),
        ("[" * 3 + '"' + "\\" * 50, "[[["),
        ("", ""),
    ],
)
def test_marks_are_outside_of_strings(text: str, found: str) -> None:
    assert "".join(marks(text)) == found


@given(st.lists(st.sampled_from(ENCODED), max_size=30).map("".join))
def test_forms(text: str) -> None:
    assert [("q", unquoted(text))] == parse_qsl(f"q={text}", keep_blank_values=True)
