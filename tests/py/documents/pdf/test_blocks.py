"""Which lines are one paragraph, and which are headings."""

from __future__ import annotations

import pytest

from dragoman.documents.pdf.blocks import Block, Blocks, blocks_of
from dragoman.documents.pdf.line import Line

LEADING = 12.0


def page(
    *texts: str | tuple[str, dict[str, float]], number: int = 0, top: float = 500
) -> list[Line]:
    """Lines below one another; what is said of one overrules that."""
    result = []
    y = top
    for text in texts:
        said, own = (text, {}) if isinstance(text, str) else text
        y -= own.get("gap", LEADING)
        result.append(Line(said, number, own.get("x", 50.0), y, own.get("size", 10.0)))
    return result


def texts(*lines: Line) -> list[str]:
    return [block.text for block in blocks_of(lines).body]


FIRST, SECOND = "Die erste Zeile ist so lang wie die", "zweite, und beide sind ein Absatz."


def test_lines_of_a_paragraph_are_joined_and_a_gap_ends_it() -> None:
    lines = page(FIRST, SECOND, (FIRST, {"gap": 20}), SECOND)
    assert texts(*lines) == [f"{FIRST} {SECOND}"] * 2


def test_an_indent_begins_a_paragraph() -> None:
    lines = page(FIRST, SECOND, ("  Der nächste".strip(), {"x": 65}), "geht hier weiter.")
    assert texts(*lines) == [f"{FIRST} {SECOND}", "Der nächste geht hier weiter."]


def test_a_short_line_that_ends_a_sentence_ends_a_paragraph() -> None:
    lines = page(FIRST, "Absatz zu Ende.", FIRST, SECOND)
    assert texts(*lines) == [f"{FIRST} Absatz zu Ende.", f"{FIRST} {SECOND}"]


def test_points_of_a_list_are_paragraphs_and_their_lines_hang() -> None:
    lines = page(
        "• Ein Punkt, der über zwei Zeilen", ("geht,", {"x": 62}), "2. Zweiter", "a) Dritter"
    )
    assert texts(*lines) == ["• Ein Punkt, der über zwei Zeilen geht,", "2. Zweiter", "a) Dritter"]


@pytest.mark.parametrize(
    ("above", "below", "result"),
    [
        ("Die Schiff-", "fahrt ruht.", "Die Schifffahrt ruht."),
        ("Die Schiff\u2010", "fahrt ruht.", "Die Schifffahrt ruht."),
        ("Die Schiff\u00ad", "fahrt ruht.", "Die Schifffahrt ruht."),
        ("Die Vor-", "und Nachteile.", "Die Vor- und Nachteile."),
        ("Die Karl-", "Marx-Allee.", "Die Karl-Marx-Allee."),
        ("Die Jahre 1990-", "heute.", "Die Jahre 1990- heute."),
        ("Der Strich -", "steht allein.", "Der Strich - steht allein."),
    ],
)
def test_words_that_were_divided_are_whole_again(above: str, below: str, result: str) -> None:
    assert texts(*page(above, below)) == [result]


def test_a_soft_hyphen_at_the_very_end_is_dropped() -> None:
    assert texts(*page("Schiff\u00ad")) == ["Schiff"]


def test_larger_letters_are_headings_by_their_sizes() -> None:
    lines = page(
        ("Der Titel", {"size": 24}),
        ("geht weiter", {"size": 24, "gap": 28}),
        ("Kapitel 1", {"size": 16, "gap": 30}),
        (FIRST, {"gap": 20}),
        SECOND,
        ("Kapitel 2", {"size": 16, "gap": 30}),
        ("— 7 —", {"size": 16, "gap": 60}),
    )
    assert blocks_of(lines).body == [
        Block("Der Titel geht weiter", 1),
        Block("Kapitel 1", 2),
        Block(f"{FIRST} {SECOND}"),
        Block("Kapitel 2", 2),
        Block("— 7 —"),
    ]


def test_a_long_text_in_large_letters_is_none() -> None:
    large = [("Ein Absatz in großen Buchstaben. " * 8, {"size": 12.0})]
    assert blocks_of(page(*large, *[FIRST] * 20)).body[0].level == 0


@pytest.mark.parametrize(
    ("below", "joined"),
    [("über die Seite", True), ("Garten weiter", True), ("• Ein Punkt", False)],
)
def test_a_paragraph_goes_on_over_the_end_of_a_page(below: str, joined: bool) -> None:
    lines = page(FIRST, FIRST) + page(below, number=1)
    assert len(texts(*lines)) == (1 if joined else 2)


def test_a_page_that_ends_a_sentence_ends_a_paragraph() -> None:
    assert len(texts(*page(FIRST, SECOND), *page("Der nächste", number=1))) == 2


def test_the_next_column_goes_on_too() -> None:
    left, right = page(FIRST, FIRST), page("und hört auf.", top=500)
    assert texts(*left, *right) == [f"{FIRST} {FIRST} und hört auf."]


def test_headers_and_footers_come_once_and_do_not_divide_paragraphs() -> None:
    lines = []
    for number in range(3):
        lines += page("Ein Bericht", number=number, top=580)
        lines += page(*[f"{FIRST} {'abc'[number]}"] * 3, number=number)
        lines += page(f"Seite {number + 1} von 3", number=number, top=60)
        lines += page(str(number + 1), number=number, top=40)
    assert blocks_of(lines) == Blocks(
        [Block(" ".join(f"{FIRST} {letter}" for letter in "aaabbbccc"))],
        [Block("Ein Bericht"), Block("Seite 1 von 3")],
    )


def _forms(*rows: tuple[str, ...]) -> list[Line]:
    return [line for n, row in enumerate(rows) for line in page(*row, number=n)]


@pytest.mark.parametrize(
    ("rows", "body"),
    [
        # Letters of a series, whose numbers are not those of their pages.
        (
            [("Rechnung Nr. 1001",), ("Rechnung Nr. 1002",), ("Rechnung Nr. 1003",)],
            "Rechnung Nr. 1001 Rechnung Nr. 1002 Rechnung Nr. 1003",
        ),
        (
            [("100,50 EUR bis 3. Mai",), ("107,50 EUR bis 4. Mai",), ("114,50 EUR bis 5. Mai",)],
            "100,50 EUR bis 3. Mai 107,50 EUR bis 4. Mai 114,50 EUR bis 5. Mai",
        ),
        ([("Bericht 2023 7",), ("Bericht 2023 8",), ("Bericht 2023 9",)], ""),
        ([("Seite 346",), ("Seite 347",), ("Seite 348",)], ""),
        ([("346",), ("347",), ("348",)], ""),
    ],
)
def test_lines_that_differ_in_more_than_the_page_stay(
    rows: list[tuple[str, ...]], body: str
) -> None:
    assert " ".join(texts(*_forms(*rows))) == body


def test_headings_at_the_same_place_of_each_page_stay() -> None:
    lines = []
    for number in range(3):
        lines += page((f"Übung {number + 1}", {"size": 18}), (FIRST, {"gap": 25}), number=number)
    assert [block.text for block in blocks_of(lines).body if block.level] == [
        "Übung 1",
        "Übung 2",
        "Übung 3",
    ]


def test_no_lines_are_nothing() -> None:
    assert blocks_of([]) == Blocks([], [])


def test_letters_without_a_size_are_text() -> None:
    assert texts(Line("Ja", 0, 0.0, 0.0, 0.0), Line("nein", 0, 0.0, 0.0, 0.0)) == ["Ja nein"]


def test_letters_without_a_size_have_no_distance() -> None:
    lines = [Line("Eins", 0, 0.0, 20.0, 0.0), Line("zwei", 0, 0.0, 10.0, 0.0)]
    assert [block.text for block in blocks_of(lines).body] == ["Eins", "zwei"]
