"""German abbreviations that a model spells or takes for words: "z. B." is "e.g."."""

from __future__ import annotations

import re

_S = "[ \xa0\u202f]?"
_ENGLISH = {
    "z.B.": "e.g.", "wiez.B.": "such as", "d.h.": "i.e.", "u.a.": "among others",
    "m.E.": "in my opinion",
}  # fmt: skip
SHORTHAND = (
    rf"(?<![\w.-])(?:(?:(?:wie[ \xa0])?z|\AZ)\.{_S}B\.|[Dd]\.{_S}h\.|m\.{_S}E\."
    rf"|u\.{_S}a\.(?=[ \xa0][\w(„\"])(?![ \xa0][A-Za-z]\.))(?!\w)"
)
"""A pattern; `written_shorthand` takes its matches."""

SHORTHAND_TRACE = "[zdumZD]\\.[ \xa0\u202f][BhaE]\\."
"""What is in every text that has one with a space."""
SHORTHAND_BEGINNING = rf"wie[ \xa0]z\.|{SHORTHAND_TRACE}"
"""What it begins with, where there is a space in it."""


def written_shorthand(match: re.Match[str], source: str, target: str) -> str | None:
    """The same in English; None for the model to translate.

    Args:
        source, target: languages, of BCP 47 the first subtags.
    """
    if (source, target) != ("de", "en"):
        return None
    form = re.sub(r"\s", "", match.group())
    text = _ENGLISH[form[0].lower() + form[1:]]
    return text[0].upper() + text[1:] if form[0].isupper() else text
