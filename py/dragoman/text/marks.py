"""Characters that the rules for sentences speak of, and how far they look back."""

from __future__ import annotations

import re

BREATH = 256  # what is looked at before others may have their turn: some milliseconds
BEHIND = 48  # longer than any abbreviation with the word before it
WIDE = "。！？｡．।॥።။។؟۔։"  # need no white space after them
STOPS = ".!?…‽⁇⁈⁉‼\u037e" + WIDE
BRACKETS = ")]}）】］〉》"
CLOSERS = "\"'”’“‘»«›‹」』〟" + BRACKETS
OPENERS = "\"'“”‘’„‚»«›‹([{（「『【《〈¿¡"
DASHES = "-–—―‐‑*_"
BULLETS = "•‣⁃◦▪●"
LINE_BREAKS = "\n\r\v\f\x85\u2028\u2029"


def any_of(characters: str) -> str:
    """A pattern of one of these characters."""
    return "[" + re.escape(characters) + "]"


WORD = re.compile(r"[^\W\d_]{1,32}(?:-[^\W\d_]{1,32})?")
