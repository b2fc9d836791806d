"""Words divided at the end of a line.

    "fort-", "gesetzt"             "fortgesetzt"
    "E-Mail-", "Adresse"           "E-Mail-Adresse"
    "Vor-", "und Nachteile"        "Vor- und Nachteile"
    "well-", "known"               "well-known"

Only a dictionary could tell "re-creation" from "recreation": what is doubtful is one word.
"""

from __future__ import annotations

import re

SOFT_HYPHEN = "\u00ad"
HYPHENS = "-\u2010" + SOFT_HYPHEN
# Before these a word was left out: "Vor- und Nachteile".
_LEFT_OUT = re.compile(
    r"(?:und|oder|bzw|sowie|bis|als|wie|noch|and|or|to|nor|et|ou|y|o|e|i|og|och|en|of)\b"
)
# Behind these a hyphen nearly always stays: in no word of these languages are they a syllable.
_STAYS = re.compile(r"(?:^|[\W\d_])(?:well|self|high|low|long|short)\Z", re.IGNORECASE)


def joint(before: str, behind: str) -> tuple[int, str]:
    """How two lines, trimmed and not empty, are one.

    Returns:
        How many characters at the end of `before` go, and what comes between.
    """
    hyphen, letter = before[-1], before[-2:-1]
    if hyphen not in HYPHENS or not letter.isalpha() or not behind[0].isalpha():
        return 0, " "
    if hyphen == SOFT_HYPHEN:
        return 1, ""
    if _LEFT_OUT.match(behind):
        return 0, " "
    divides = behind[0].islower() and not _STAYS.search(before[-16:-1])
    return (1, "") if divides else (0, "")
