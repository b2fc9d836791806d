from __future__ import annotations

import pytest

from dragoman.detection.ngrams import number, word_ngrams, word_pattern
from dragoman.detection.table import shipped_table


@pytest.mark.parametrize(
    ("word", "ngrams"),
    [
        ("a", [b" a "]),
        ("tag", [b" tag "]),
        ("guten", [b" gute", b"uten "]),
        ("morgens", [b" morg", b"gens "]),
        ("größe", [b" gr\xc3\xb6", b"\xb6\xc3\x9fe "]),
        ("今", [b" \xe4\xbb\x8a "]),
    ],
)
def test_the_ngrams_of_a_word(word: str, ngrams: list[bytes]) -> None:
    assert list(word_ngrams(word)) == [number(ngram) for ngram in ngrams]


def test_a_word_without_end_is_its_beginning() -> None:
    assert list(word_ngrams("ab" * 1_000)) == list(word_ngrams("ab" * 35))


def test_numbers_keep_the_order_of_the_bytes() -> None:
    assert number(b" a ") == 0x206120000000
    assert number(b" a") < number(b" a ") < number(b" aa")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Guten Tag, Welt!", ["Guten", "Tag", "Welt"]),
        ("don't 'quote'", ["don't", "'quote'"]),
        ("12,50 € für 3", ["für"]),
    ],
)
def test_words_are_runs_of_letters(text: str, words: list[str]) -> None:
    assert word_pattern(shipped_table().letters).sub(" ", text).split() == words
