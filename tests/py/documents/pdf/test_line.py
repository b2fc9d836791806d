"""What fonts say of their letters, as text."""

from __future__ import annotations

import pytest

from dragoman.documents.pdf.line import cleaned


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("  Ein \t Satz.\n", "Ein Satz."),
        ("Au\ufb02ösen und o\ufb03ziell", "Auflösen und offiziell"),
        ("\uf0b7 Punkt", "• Punkt"),
        ("Schiff\u00adfahrts\u00ad", "Schifffahrts\u00ad"),
        ("a\x00b\x1b", "ab"),
        ("\ud83d\ude00", "😀"),
        ("a\ud83d", "a\ufffd"),
        ("", ""),
    ],
)
def test_letters_of_fonts_become_text(text: str, result: str) -> None:
    assert cleaned(text) == result
