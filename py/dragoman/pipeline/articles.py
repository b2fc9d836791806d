"""Stage 7: English says "a" or "an" by the sound that follows, which is another one where a word of
a list, or a part of a compound, took the place of the model's own.
"""

from __future__ import annotations

import re

from dragoman.text.protect import replaced
from dragoman.types import DetokenizedText, Span

# Letters tell the sound of nearly all words. Not of those with h, some of which have none ("hour",
# "historic"), nor of abbreviations ("an mp3", "an MP"). Most words in "uni" are about one ("unit",
# "a unique"), and the others are no such thing ("unidentified", "unimportant", "uninhabited").
_NOT_ONE = "i(?:de|ma|mm|mp|n)"
_VOWEL = (
    r"(?:[aAiI][a-z]|[oO](?!n(?:e|ce)\b|ui|ax)[a-z]|[eE](?!u|we)[a-z]"
    rf"|[uU](?:n(?!i|anim|ary\b)|n(?={_NOT_ONE})|p|m[bp]|l|gl|rg|rn))[a-z]+"
)
_CONSONANT = (
    r"(?:[bcdfgjklmnpqrstvwzBCDFGJKLMNPQRSTVWZ][bcdfgjklmnpqrstvwz]{0,2}[aeiou]"
    rf"|[yY][aeo]|[bcdfgkpst][lr]y|[uU]n(?!{_NOT_ONE})i|[uU]nanim|[uU]nar(?=y\b)|[eE]u|use)[a-z]+"
)
# Where "a" is a letter, "plan a or b", no article; nor do these words follow one.
_AFTER = (
    r"(?!(?:and|also|all|any|are|about|above|after|again|against|among|another|around|away"
    r"|into|its|itself|even|each|either|else|ever|every|only|onto|other|our|out|over|until"
    r"|upon|under)\b)"
)
# With a capital only where something begins: "Hepatitis A infection", "Minh An comes".
_WRONG = re.compile(
    rf"(?:(?<![^\s\"“‘(])(?=an? )|(?:\A|(?<=[.!?…] )|(?<=[\"“‘(]))(?=An? ))"
    rf"(?:(?P<a>[Aa])(?= {_AFTER}{_VOWEL}\b)|(?P<an>[Aa]n)(?= {_CONSONANT}\b))"
)


def with_articles(source: str, target: DetokenizedText) -> DetokenizedText:
    """An English text with the article that goes with the word behind it.

    Args:
        source: what stands there already is nobody's article ("à la carte" is French).
    """
    for match in reversed(list(_WRONG.finditer(target.text))):
        behind = target.text[match.start() :].split(" ", 2)
        if " ".join(behind[:2]) in source:
            continue
        article = match.group()
        right = f"{article}n" if match["a"] else article[0]
        target = replaced(target, Span(*match.span()), right)
    return target
