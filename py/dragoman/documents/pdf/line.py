"""A line of a PDF: its text, and where it stands."""

from __future__ import annotations

import re
from dataclasses import dataclass

# Letters that fonts draw as one, and signs of lists that only one font has (Symbol, Wingdings).
_SAID_OTHERWISE = {
    0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st",
    0xFB06: "st", 0xF0B7: "•", 0xF0A7: "▪", 0xF06F: "○",
}  # fmt: skip
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True)
class Line:
    """Letters on one baseline.

    Attributes:
        text: not empty, without line breaks; a soft hyphen is only at its end.
        page: from 0.
        x, y: where it begins, in points from the lower left of the page.
        size: of its letters, in points.
    """

    text: str
    page: int
    x: float
    y: float
    size: float


def cleaned(text: str) -> str:
    """What a font's tables say, as text: one space between words, ligatures as their letters."""
    # A pair of surrogates is one character; one alone is none.
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    text = " ".join(_CONTROLS.sub("", text.translate(_SAID_OTHERWISE)).split())
    return text[:-1].replace("\u00ad", "") + text[-1:]
