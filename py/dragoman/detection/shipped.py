"""The detector of this version of the program: its table is read when it is first asked."""

from __future__ import annotations

from functools import cache

from dragoman.detection.detector import UNKNOWN, Candidate, Detection, Detector
from dragoman.detection.table import shipped_table
from dragoman.errors import LanguageNotSureError

# An error names so many languages that it may be.
MOST_NAMED = 3


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
    detection = detect(text)
    if detection.language is None:
        known = [c for c in detection.candidates if c.language != UNKNOWN][:MOST_NAMED]
        raise LanguageNotSureError(", ".join(f"{c.language} {c.confidence:.0%}" for c in known))
    return Candidate(detection.language, detection.confidence)
