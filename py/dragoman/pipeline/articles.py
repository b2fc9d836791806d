"""Stage 7: English says "a" or "an" by the sound that follows, which is another one where a word of
a list, or a part of a compound, took the place of the model's own.
"""

from __future__ import annotations

import re

from dragoman.text.protect import replaced
from dragoman.types import DetokenizedText, Span

# Letters tell the sound of nearly all words. Not of those with h, some of which have none ("hour",
# "historic"), nor of abbreviations ("an mp3", "an MP").
_VOWEL = (
    r"(?:[aAiI][a-z]|[oO](?!n(?:e|ce)\b)[a-z]|[eE](?!u|we)[a-z]"
    r"|u(?:n(?!i)|p|m[bp]|l|gl|rg|rn))[a-z]+"
)
_CONSONANT = (
    r"(?:[bcdfgjklmnpqrstvwzBCDFGJKLMNPQRSTVWZ][bcdfgjklmnpqrstvwz]{0,2}[aeiou]"
    r"|[yY][aeo]|[bcdfgkpst][lr]y|[uU]ni[a-z]|[eE]u|use)[a-z]+"
)
# Where "a" is a letter, "plan a or b", no article; nor do these words follow one.
_AFTER = (
    r"(?!(?:and|also|all|any|are|about|above|after|again|against|among|another|around|away|if|in|is"
    r"|into|its?|itself|even|each|either|else|ever|every|on|only|onto|or|other|our|out|over|until"
    r"|up|upon|under)\b)"
)
_WRONG = re.compile(
    rf"(?<![^\s\"“‘(])(?:(?P<a>[Aa])(?= {_AFTER}{_VOWEL}\b)|(?P<an>[Aa]n)(?= {_CONSONANT}\b))"
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
