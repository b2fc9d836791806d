"""Half hours and quarters in words: "halb drei" is "half past two".

A small model takes the words of such a time one by one, and says another hour. In a language that
is not listed they are words like others.
"""

from __future__ import annotations

import re

_WORDS = {
    "de": "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "en": "one two three four five six seven eight nine ten eleven twelve",
}
_HOURS = {language: words.split() for language, words in _WORDS.items()}
_FIGURES = r"(?:1[0-2]|[1-9])(?![.,:/]?\d)(?![ \xa0]?[ap]\.?m\b)"


def _hour(language: str) -> str:
    return rf"(?:{'|'.join(_HOURS[language])}|{_FIGURES})(?![\w-])"


# "by a quarter to two thirds", "um ein Viertel vor drei Jahren" say no time.
_NO_AMOUNT = (
    r"(?! (?!(?:is|was|has|as|this)\b)[a-z]*s\b)"
    r"(?![ \xa0]?[%‰€$£])"
    r"(?! (?:half|third|fifth|tenth|hundred|thousand|million|billion|people|percent|per|of)\b)"
)
HOUR = (
    # German has "fünf vor halb drei" too.
    rf"(?<![\w-])(?:(?:(?P<minutes_by>[Ff]ünf|[Zz]ehn) (?P<half_side>vor|nach) )?[Hh]alb"
    rf" (?P<hour_of_half>{_hour('de')})"
    r"|(?<!\b[Ee]in )(?<!\b[Ee]inem )(?<!\b[Ii]m )(?<!\b[Dd]as )(?<!ten )"
    r"[Vv]iertel (?P<viertel_side>vor|nach)"
    rf" (?P<hour_of_viertel>{_hour('de')})(?! (?!Uhr\b)[A-ZÄÖÜ])"
    rf"|[Dd]reiviertel (?P<hour_of_dreiviertel>{_hour('de')})(?! (?!Uhr\b)[A-ZÄÖÜ]))(?: Uhr\b)?"
    # With its preposition: by itself a German model has "bei" for it.
    r"|\b(?:(?P<at>[Aa]t)(?P<about> (?:about|around))? )?"
    rf"(?:[Hh]alf past (?P<past_half>{_hour('en')})"
    r"|(?<!\bby )(?<!\bby a )(?<!\bthe )(?<!\bfrom )(?<!\bfrom a )(?<!th )(?<!rd )"
    r"(?<!\bfirst )(?<!\bsecond )(?<!\blast )(?<!\bnext )(?:[Aa] )?"
    r"\b[Qq]uarter (?P<quarter_side>past|after|to|till)"
    rf" (?P<hour_of_quarter>{_hour('en')}){_NO_AMOUNT})"
)
"""A pattern; `written_hour` takes its matches."""

HOUR_TRACE = r"al(?:b|f past) [a-z\d]|iertel [a-zäöü\d]|uarter [pat]"
"""What is in every text that says one, and in few others."""
HOUR_BEGINNING = (
    r"[Hh]al[bf] |[Aa](?:t| q)|(?:[Vv]|[Dd]reiv)iertel |[Qq]uarter |(?:[Ff]ünf|[Zz]ehn) [vn]"
)
"""What it begins with, as a word."""
_MINUTES = {
    ("fünf", "vor"): ("twenty-five past", -1), ("fünf", "nach"): ("twenty-five to", 0),
    ("zehn", "vor"): ("twenty past", -1), ("zehn", "nach"): ("twenty to", 0),
    ("", ""): ("half past", -1),
}  # fmt: skip


def written_hour(match: re.Match[str], source: str, target: str) -> str | None:
    """The time in the words of the target language; None for the model to translate.

    Args:
        source, target: languages, of BCP 47 the first subtags.
    """
    if (source, target) == ("de", "en"):
        text = _english(match)
    elif (source, target) == ("en", "de"):
        text = _german(match)
    else:
        text = None
    # A quarter is a noun of German: its capital says nothing.
    is_noun = match["hour_of_viertel"] is not None and match.start() > 0
    if text and match.group()[0].isupper() and not is_noun:
        return text[0].upper() + text[1:]
    return text


def _english(match: re.Match[str]) -> str | None:
    if hour := match["hour_of_half"]:
        key = (match["minutes_by"] or "").lower(), match["half_side"] or ""
        words, moved = _MINUTES[key]
        return f"{words} {_moved(hour, moved, 'de', 'en')}"
    if hour := match["hour_of_viertel"]:
        side = "past" if match["viertel_side"] == "nach" else "to"
        return f"a quarter {side} {_moved(hour, 0, 'de', 'en')}"
    if hour := match["hour_of_dreiviertel"]:
        return f"a quarter to {_moved(hour, 0, 'de', 'en')}"
    return None


def _german(match: re.Match[str]) -> str | None:
    before = ("gegen " if match["about"] else "um ") if match["at"] else ""
    if hour := match["past_half"]:
        return f"{before}halb {_moved(hour, 1, 'en', 'de')}"
    if hour := match["hour_of_quarter"]:
        side = "nach" if match["quarter_side"] in ("past", "after") else "vor"
        return f"{before}Viertel {side} {_moved(hour, 0, 'en', 'de')}"
    return None


def _moved(hour: str, by: int, source: str, target: str) -> str:
    """An hour so many later, in figures where it was."""
    if hour.isdigit():
        return str((int(hour) - 1 + by) % 12 + 1)
    return _HOURS[target][(_HOURS[source].index(hour) + by) % 12]
