"""The detector of this version of the program: its table is read when it is first asked."""

from __future__ import annotations

from functools import cache

from dragoman.detection.detector import Candidate, Detection, Detector
from dragoman.detection.table import shipped_table
from dragoman.errors import LanguageNotSureError


@cache
def detector() -> Detector:
    """Reading its table takes a quarter of a second, once, and 20 MB."""
    return Detector(shipped_table())


def detect(text: str) -> Detection:
    """Which language a text is in, with confidence; offline, the same in every host.

    Of a long text the first 4,000 characters count. `language` is None where the answer is "not
    sure": the text is short, mixed, or in no language of the table.
    """
    return detector().detect(text)


def sure_language(text: str) -> Candidate:
    """The language of a text.

    Raises:
        LanguageNotSureError: it is not sure.
    """
    found = detect(text)
    if found.language is None:
        likely = [(c.language, c.confidence) for c in found.candidates]
        raise LanguageNotSureError(likely)
    return Candidate(found.language, found.confidence)
