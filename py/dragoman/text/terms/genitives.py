"""Names in the German genitive: "Chinas Präsident" is China's president, "der Präsident Chinas" the
president of China.

A word list has one translation for "Chinas", "China's". Behind its noun, that is no English: "the
president China's" is what the list made of it.

    >>> sentence = "Der Präsident Chinas kommt."
    >>> standing(sentence, Span(14, 20), "China's")
    'of China'
    >>> standing("Chinas Präsident kommt.", Span(0, 6), "China's")
    "China's"
"""

from __future__ import annotations

import re

from dragoman.types import Span

_POSSESSIVE = re.compile(r"(?:'s|(?<=s)')$")
_OF = "of "
# A word with a capital right before or behind; before, none that only begins the sentence.
_NOUN_BEFORE = re.compile(r"(?<=[\s„»\"(])[A-ZÄÖÜ][\w-]*\s$|^[A-ZÄÖÜ][\w-]{4,}\s$")
_NOUN_BEHIND = re.compile(r"\s[A-ZÄÖÜ]")
_LAST_WORD = re.compile(r"([\w'’]+)\s*$")
# With one of these before it, a name needs no "of".
_SAID = frozenset(
    {"a", "an", "and", "as", "at", "between", "by", "for", "from", "in", "into", "near", "of", "on",
     "or", "over", "than", "the", "through", "to", "under", "with", "within", "without"}
)  # fmt: skip


def has_genitives(source: str, target: str) -> bool:
    """Whether it is German that becomes English.

    Args:
        source, target: BCP 47 tags.
    """
    primary = (tag.partition("-")[0].lower() for tag in (source, target))
    return tuple(primary) == ("de", "en")


def standing(sentence: str, span: Span, translation: str) -> str:
    """The translation of a word, or of several, with "of" where it stands behind its noun."""
    name = _POSSESSIVE.sub("", translation)
    is_genitive_s = span.of(sentence).endswith("s") and not translation.endswith("s")
    if (name == translation and not is_genitive_s) or not name[:1].isupper():
        return translation
    if _NOUN_BEHIND.match(sentence, span.end) or not _NOUN_BEFORE.search(sentence[: span.start]):
        return translation
    return _OF + name


def bare(translation: str) -> str:
    """The name without its "of"."""
    return translation.removeprefix(_OF)


def placed(translation: str, before: str) -> str:
    """A translation where there is this text before it: with one "of", and no other such word."""
    last = _LAST_WORD.search(before)
    said = last is None or last.group(1).lower() in _SAID or last.group(1).endswith(("'s", "’s"))
    return bare(translation) if said else translation
