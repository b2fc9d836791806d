"""The direction of text, where a translation runs the other way than its source."""

from __future__ import annotations

import re
from collections.abc import Mapping

from dragoman.markup.html_names import RIGHT_TO_LEFT

# Hebrew, Arabic and the scripts between and beside them, with the forms of their letters.
_LEFTWARDS = r"\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff\U0001e800-\U0001efff"
_LEFTWARDS_LETTER = re.compile(f"[{_LEFTWARDS}]")
_RIGHTWARDS_LETTER = re.compile(rf"[^\W\d_{_LEFTWARDS}]")

_NAME = re.compile(r"(<[^\s/>]+)")


def turned(source: str, target: str) -> bool | None:
    """Whether text from one language in another runs from right to left now; None: as before.

    Args:
        source, target: BCP 47.
    """
    before, after = (tag.partition("-")[0].lower() in RIGHT_TO_LEFT for tag in (source, target))
    return None if before == after else after


def has_leftwards(text: str) -> bool:
    """Whether it has a letter that runs from right to left."""
    return _LEFTWARDS_LETTER.search(text) is not None


def has_rightwards(text: str) -> bool:
    """Whether it has a letter that runs from left to right."""
    return _RIGHTWARDS_LETTER.search(text) is not None


def with_attributes(tag: str, wanted: Mapping[str, str]) -> str:
    """A start tag whose attributes say what is wanted of them, added where they are missing."""
    for name, value in wanted.items():
        tag, count = re.subn(rf"(\s{name}\s*=\s*[\"'])[^\"']*", rf"\g<1>{value}", tag)
        if not count:
            tag = _NAME.sub(rf'\1 {name}="{value}"', tag, count=1)
    return tag
