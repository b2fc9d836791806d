"""Parts of source words, atoms of target words."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman.placement.atoms import Atom, WordPart, atoms_of, graphemes_of, parts_of, says
from dragoman.types import Span
from tests.support.runs import aligned_words, words_of


def test_a_word_that_no_markup_cuts_is_one_part() -> None:
    assert parts_of(words_of("ein Hund"), [0, 4]) == [
        WordPart(Span(0, 3), 0),
        WordPart(Span(4, 8), 1),
    ]


def test_a_word_is_cut_where_markup_begins_or_ends_inside() -> None:
    assert parts_of(words_of("H2O da"), [1, 2, 3, 5]) == [
        WordPart(Span(0, 1), 0),
        WordPart(Span(1, 2), 0),
        WordPart(Span(2, 3), 0),
        WordPart(Span(4, 5), 1),
        WordPart(Span(5, 6), 1),
    ]


def spans_and_links(atoms: list[Atom]) -> list[tuple[int, int, list[tuple[int, float]]]]:
    return [(atom.span.start, atom.span.end, atom.links) for atom in atoms]


def atoms(source: str, target: str, cuts: list[int], *links: tuple[int, int]) -> list[Atom]:
    parts = parts_of(words_of(source), cuts)
    return atoms_of(aligned_words(source, target, *links), source, parts, ())


def test_a_word_is_an_atom_with_the_parts_that_it_is_linked_to() -> None:
    made = atoms("ein Hund", "one big dog", [], (0, 0), (1, 1), (1, 2))
    assert spans_and_links(made) == [(0, 3, [(0, 1.0)]), (4, 7, [(1, 1.0)]), (8, 11, [(1, 1.0)])]
    assert [atom.word for atom in made] == [0, 1, 2]


def test_links_to_several_words_share_an_atom_and_none_leaves_it_unlinked() -> None:
    first, second = atoms("zu dem", "to it", [], (0, 0), (1, 0))
    assert first.links == [(0, 0.5), (1, 0.5)]
    assert (second.links, second.linked) == ([], False)


def test_parts_share_a_word_by_their_lengths() -> None:
    # "unmöglich" is cut after "un"; "impossible" has nothing alike.
    (atom,) = atoms("unmöglich", "impossible", [2], (0, 0))
    expected: Any = [(0, pytest.approx(2 / 9)), (1, pytest.approx(7 / 9))]
    assert atom.links == expected


@pytest.mark.parametrize(
    ("source", "cut", "target", "expected"),
    [
        ("CO2-Ausstoß", 2, "CO2-emissions", [(0, 2), (2, 13)]),  # both begin alike
        ("Auto-CO2", 4, "car-CO2", [(0, 3), (3, 7)]),  # both end alike
        ("Der", 1, "The", [(0, 1), (1, 3)]),  # an initial
        ("Hund", 2, "dog", [(0, 3)]),
    ],
)
def test_a_target_word_is_cut_where_its_source_word_is(
    source: str, cut: int, target: str, expected: list[tuple[int, int]]
) -> None:
    made = atoms(source, target, [cut], (0, 0))
    assert [(atom.span.start, atom.span.end) for atom in made] == expected


def test_what_carries_sense_weighs_more() -> None:
    made = atoms("a", "der Hund bellt !", [])
    assert [atom.weight for atom in made] == [0.5, 1.0, 1.0, 0.2]
    assert [atom.weight for atom in atoms("a", "UN EU-", [])] == [1.0, 1.0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ja.", True), ("5", True), ("你", True), ("€", True), ("%", True), ("&", True),
        ("😀", True), (".", False), ("–", False), ("(", False), ("«", False), ("。", False),
        ("…", False), (">", False), ("=", False), ("+", True), ("\ufffd", False), ("", False),
    ],
)  # fmt: skip
def test_what_is_read_is_no_punctuation(text: str, expected: bool) -> None:
    assert says(text) is expected


def test_atoms_know_whether_they_say_anything() -> None:
    made = atoms("a", "Nein , 50 %", [])
    assert [atom.says for atom in made] == [True, False, True, True]
    (word,) = atoms("a", "ja.", [])
    assert [atom.says for atom in graphemes_of([word], "ja.")] == [True, True, False]


def test_no_atom_covers_what_is_left_out() -> None:
    aligned = aligned_words("a", "one X1two three")
    made = atoms_of(aligned, "a", [], [Span(4, 6)])
    assert [atom.span.of("one X1two three") for atom in made] == ["one", "two", "three"]


def test_graphemes_are_never_cut() -> None:
    text = "ab\u0308c👍🏽"
    (whole,) = atoms("x", text, [], (0, 0))
    made = graphemes_of([whole], text)
    assert [atom.span.of(text) for atom in made] == ["a", "b\u0308", "c", "👍🏽"]
    assert {atom.weight for atom in made} == {whole.weight / 6}
    assert all(atom.links == [(0, 1.0)] for atom in made)


def test_white_space_in_a_word_is_no_atom_of_its_own() -> None:
    text = "5\u00a0\u00a0km"
    made = graphemes_of([Atom(Span(0, 5), 0, 1.0)], text)
    assert [atom.span.of(text) for atom in made] == ["5\u00a0\u00a0", "k", "m"]
