import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.markup.annotate import annotate

ANY_TEXT = st.text(st.characters(exclude_categories=()))  # lone surrogates included


@pytest.mark.parametrize(
    ("original", "text"),
    [
        ("", ""),
        ("Guten Tag.\n", "Guten Tag.\n"),
        ("a\tb\r\nc\vd\fe", "a\tb\r\nc\vd\fe"),
        ("a\x1cb\x1db\x1eb\x1fb\x85b", "a\x1cb\x1db\x1eb\x1fb\x85b"),
        ("a\ud800b", "a\ufffdb"),
        ("\udfff", "\ufffd"),
        ("\ud83d\ude00", "\ufffd\ufffd"),  # two code points: in Python that is no pair
        ("😀", "😀"),
        ("a\x00b\x07c\x7fd\x9be", "a b c d e"),
        ("a\ufffeb\uffffc", "a b c"),
        ("שלום \u202e abc", "שלום \u202e abc"),
    ],
)
def test_annotate(original: str, text: str) -> None:
    annotated = annotate(original)
    assert annotated.original == original
    assert annotated.text == text


@given(ANY_TEXT)
def test_spans_of_one_fit_the_other(original: str) -> None:
    annotated = annotate(original)
    assert len(annotated.text) == len(original)
    annotated.text.encode("utf-8")  # no surrogate is left
    changed = [i for i in range(len(original)) if annotated.text[i] != original[i]]
    assert all(annotated.text[i] in "\ufffd " for i in changed)
    assert not any(original[i].isspace() or original[i].isprintable() for i in changed)


@given(ANY_TEXT)
def test_idempotent(original: str) -> None:
    once = annotate(original).text
    assert annotate(once).text == once
