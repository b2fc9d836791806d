"""Years before and after Christ, and decades: "44 v. Chr." is "44 BC", "80er Jahre" is "80s"."""

from __future__ import annotations

import re

_S = "[ \xa0\u202f]"
_YEARS = r"\d{1,4}(?:[-–]\d{1,4})?"
ERA = (
    # At the end the stop is the sentence's, but where that is all.
    rf"(?:(?P<era_alone>\A)|\b(?P<era_around>[Uu]m) |(?<![\w.,:/-]))(?P<years>{_YEARS}){_S}?"
    rf"(?P<era_side>[vn])\.{_S}?Chr(?:\.(?=\s*[\w,;:()–—-])|(?(era_alone)\.\Z|(?!))|(?!\w))"
    rf"|(?:\b(?P<era_in>[Ii]n) )?(?<![\w.-])AD (?P<ad>{_YEARS})(?!\w|[.,]\d)"
    rf"|(?<![\w.,:/-])(?P<decade>\d0)er(?:{_S}|-)Jahren?(?![\w-])"
)
"""A pattern; `written_era` takes its matches."""

ERA_BEGINNING = rf"[Ii]n AD \d|[Uu]m {_YEARS}{_S}?[vn]\."
"""What it begins with, where that is neither a figure nor a capital."""


def written_era(match: re.Match[str], source: str, target: str) -> str | None:
    """The same in the target language; None for the model to translate.

    Args:
        source, target: languages, of BCP 47 the first subtags.
    """
    if (source, target) == ("de", "en"):
        if match["decade"]:
            return f"{match['decade']}s"
        if match["years"]:
            year = f"{match['years']} BC" if match["era_side"] == "v" else f"AD {match['years']}"
            return {"Um": "Around ", "um": "around "}.get(match["era_around"], "") + year
    if (source, target) == ("en", "de") and match["ad"]:
        before = {"in": "im Jahr ", "In": "Im Jahr "}.get(match["era_in"], "")
        return f"{before}{match['ad']} n. Chr."
    return None
