"""Tags of languages: which of those that there are serves one that is wanted, and their names.

    de-AT -> de    zh, zh-CN -> zh-Hans    zh-TW -> zh-Hant    nb <-> no    hr -> hbs (into English)

By `langcodes`, which knows CLDR's distances between languages; names in the user's language are
CLDR's too (`language_data`).
"""

from __future__ import annotations

import locale
from collections.abc import Collection, Sequence
from contextlib import suppress
from functools import cache

from dragoman.errors import InvalidRequestError

# CLDR's distances: 0 the same, 5 another script's or region's default, 9 a macrolanguage; what
# is farther is another language, though its speakers may understand it.
FARTHEST = 9
# Characters of a tag or a name; the library reads a tag by a call within a call for each part.
LONGEST_TAG = 100
# Languages that CLDR no longer names: what one model was trained on together.
TOGETHER = {"hbs": ("bs", "hr", "sr")}


def closest(wanted: str, available: Collection[str]) -> str | None:
    """The tag among the available ones that serves `wanted`; None where none does."""
    if wanted in available:
        return wanted
    if len(wanted) > LONGEST_TAG:
        return None
    from langcodes import tag_distance
    from langcodes.tag_parser import LanguageTagError

    best, nearest = FARTHEST + 1, None
    for tag in sorted(set(available)):
        try:
            distance = min(tag_distance(wanted, part) for part in TOGETHER.get(tag, (tag,)))
        except LanguageTagError:
            return None
        if distance < best:
            best, nearest = distance, tag
    return nearest


def closest_pair(source: str, target: str, pairs: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """A pair as the models name its languages: "de-AT" is served by "de"; as it is where none is.

    Args:
        pairs: source and target of each model.
    """
    near = closest(source, {one for one, _ in pairs}), closest(target, {two for _, two in pairs})
    return near[0] or source, near[1] or target


def tag_of(language: str) -> str:
    """The tag of a language that is named in any usual way: "DE", "de_AT", "deu", "German".

    Raises:
        InvalidRequestError: there is none of that name.
    """
    import langcodes

    name = language.strip()
    tag = name.replace("_", "-")
    if name.isprintable() and len(name) <= LONGEST_TAG:  # the library stumbles over anything else
        with suppress(LookupError):
            if tag.isascii() and langcodes.tag_is_valid(tag):
                return langcodes.standardize_tag(tag)
            return str(langcodes.find(name))
    raise InvalidRequestError(
        f"there is no language {language[:40]!r}; a tag such as de, or a name such as German"
    )


def name_of(tag: str, language: str | None = None) -> str:
    """What a language is called; the tag where it is none, as manifests may have anything.

    Args:
        language: in which one; by default the user's, as the environment says.
    """
    if len(tag) > LONGEST_TAG:
        return tag
    from langcodes import Language
    from langcodes.tag_parser import LanguageTagError

    try:
        known = [Language.get(part) for part in TOGETHER.get(tag, (tag,))]
    except LanguageTagError:
        return tag
    return ", ".join(one.display_name(language or user_language()) for one in known)


@cache
def user_language() -> str:
    """The language of the user's messages, such as "de"; English where it is not known."""
    import os

    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(variable)
        if value:
            break
    else:
        value = locale.getlocale()[0]
    name = (value or "").split(".")[0].split("@")[0]  # de_DE.UTF-8, de_DE@euro
    try:
        return "en" if name in ("", "C", "POSIX") else tag_of(name)  # Windows: German_Germany
    except InvalidRequestError:
        return "en"
