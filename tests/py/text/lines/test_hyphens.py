"""How divided words are whole again."""

from __future__ import annotations

import pytest

from dragoman.text.lines.hyphens import joint


@pytest.mark.parametrize(
    ("before", "behind", "expected"),
    [
        ("wird fort-", "gesetzt.", "wird fortgesetzt."),
        ("fort\u2010", "gesetzt", "fortgesetzt"),
        ("fort\u00ad", "gesetzt", "fortgesetzt"),
        ("E-Mail-", "Adresse", "E-Mail-Adresse"),
        ("Vor-", "und Nachteile", "Vor- und Nachteile"),
        ("Vor-", "undichte", "Vorundichte"),
        ("a well-", "known man", "a well-known man"),
        ("the far-", "well party", "the farwell party"),
        ("seit 1990-", "heute", "seit 1990- heute"),
        ("er -", "wie immer", "er - wie immer"),
        ("er kam -", "“so” war es", "er kam - “so” war es"),
        ("ein", "Wort", "ein Wort"),
        ("ein --", "wort", "ein -- wort"),
    ],
)
def test_lines_are_one(before: str, behind: str, expected: str) -> None:
    cut, between = joint(before, behind)
    assert before[: len(before) - cut] + between + behind == expected
