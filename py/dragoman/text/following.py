"""What stands after a stop: the first word of a sentence, if one begins there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from dragoman.graphemes import extends
from dragoman.text.marks import DASHES, OPENERS, WORD, any_of

NEVER_FIRST = ",;:)]}!?.…%|/\\=<>+~^，、；：）"  # the sentence goes on with one of these
_SKIPPED = re.compile(
    rf"(?:[\[(](?:\.\.\.|…)[\])]\s*)?(?:\s|{any_of(OPENERS)}|{any_of(DASHES)}){{0,8}}"
)
_CAMEL = re.compile(r"[a-z]{1,2}[A-Z]")  # iPhone, eBay


class FollowingKind(StrEnum):
    """What a sentence would begin with."""

    LOWER = "lower"
    CAPITAL = "capital"  # or a letter without case
    DIGIT = "digit"
    SYMBOL = "symbol"
    NEVER_FIRST = "never first"


@dataclass(frozen=True, slots=True)
class Following:
    """The first word after a stop, quotes, brackets and dashes skipped; "" if it is no word."""

    kind: FollowingKind
    word: str = ""
    is_initial: bool = False  # "A." of "J. A. Smith"


def following_word(item: str, at: int) -> Following:
    """What comes after a stop and the white space at `at`."""
    first = skipped.end() if (skipped := _SKIPPED.match(item, at)) else at
    if first >= len(item) or item[first] in NEVER_FIRST or extends(item[first]):
        return Following(FollowingKind.NEVER_FIRST)
    character = item[first]
    if character.isdigit():
        end = first + 1
        while end < min(len(item), first + 5) and item[end].isdigit():
            end += 1
        return Following(FollowingKind.DIGIT, item[first:end])
    word = WORD.match(item, first)
    if word is None:
        return Following(FollowingKind.SYMBOL)
    lower = character.islower() and not _CAMEL.match(item, first)
    stop_follows = item.startswith(".", word.end())
    return Following(
        FollowingKind.LOWER if lower else FollowingKind.CAPITAL,
        word[0],
        len(word[0]) == 1 and stop_follows,
    )
