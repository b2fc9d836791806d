"""Names of months, weekdays and numbers: a small closed lexicon to check a translation against.

An index is the same in every language: January is 0, Monday is 0.
"""

from __future__ import annotations

import re

_MONTHS = {
    "de": (
        "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
        "Jan Feb Mrz Apr Mai Jun Jul Aug Sep Okt Nov Dez",
        "Jänner Febr Mär . . . . . Sept . . .",
    ),
    "en": (
        "January February March April May June July August September October November December",
        "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
        ". . . . . . . . Sept . . .",
    ),
}
_WEEKDAYS = {
    "de": (
        "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
        ". . . . . Sonnabend .",
    ),
    "en": ("Monday Tuesday Wednesday Thursday Friday Saturday Sunday",),
}
# What may follow a German weekday in one word; others are words of their own, as "Montage" is.
_AFTER_WEEKDAY = re.compile(r"|s\w*|(?:(?:vor|nach)?mittag|abend|morgen|nacht|früh)\w*")
_SEVERAL = re.compile(r"en?")
# How words begin that stand for a number, or for one that is made with it.
_NUMBER_WORDS = {
    "de": {
        1: "ein erst", 2: "zwei zwo beid paar doppel", 3: "drei dritt", 4: "vier", 5: "fünf",
        6: "sechs", 7: "sieb", 8: "acht", 9: "neun", 10: "zehn", 11: "elf", 12: "zwölf dutzend",
        20: "zwanzig", 30: "dreißig dreissig", 40: "vierzig", 50: "fünfzig halb", 60: "sechzig",
        70: "siebzig", 80: "achtzig", 90: "neunzig", 100: "hundert einhundert ganz prozent",
        1000: "tausend eintausend",
    },
    "en": {
        1: "a an one first once single", 2: "two second twice both couple double pair half",
        3: "three third",
        4: "four quarter", 5: "five fifth", 6: "six", 7: "seven", 8: "eight", 9: "nine ninth",
        10: "ten", 11: "eleven", 12: "twelve twelfth dozen", 20: "twent", 30: "thirt half",
        40: "fort", 50: "fift half", 60: "sixt", 70: "sevent", 80: "eight", 90: "ninet",
        100: "hundred", 1000: "thousand",
    },
}  # fmt: skip


def _indexes(rows: tuple[str, ...]) -> dict[str, int]:
    """Index of each name of some rows; "." stands for no name."""
    return {name: index for row in rows for index, name in enumerate(row.split()) if name != "."}


MONTHS: dict[str, dict[str, int]] = {code: _indexes(rows) for code, rows in _MONTHS.items()}
"""Names of months, short ones too, by language, with their indexes."""
WHOLE_MONTHS: dict[str, dict[str, int]] = {
    code: _indexes(rows[:1]) for code, rows in _MONTHS.items()
}
WEEKDAYS: dict[str, dict[str, int]] = {code: _indexes(rows) for code, rows in _WEEKDAYS.items()}


def _traces(code: str) -> str:
    """A set of letters, then the rest of any name, whether or not they go together: a pattern that
    begins so takes a tenth of the time that a look for each name at each letter takes."""
    months, days = list(WHOLE_MONTHS[code]), list(WEEKDAYS[code])
    letters = {name[0] for name in months} | {name[0].lower() for name in days}
    letters |= {name[0].upper() for name in days} | {"\u017f"}  # ſ is an s too, but for its case
    rests = [*(name[1:] for name in months), *(f"(?i:{name[1:]})" for name in days)]
    return f"[{''.join(sorted(letters))}](?:{'|'.join(rests)})"


# What is in every text that names a month or a weekday, and in some others.
_TRACES = {code: re.compile(_traces(code)) for code in MONTHS}


def month_name(index: int, language: str) -> str:
    """The usual name of a month, such as "March" of 2; the language is one of `MONTHS`."""
    return _MONTHS[language][0].split()[index]


def weekday_name(index: int, language: str) -> str:
    """The usual name of a weekday, such as "Monday" of 0; the language is one of `MONTHS`."""
    return _WEEKDAYS[language][0].split()[index]


def may_have_names(text: str, language: str) -> bool:
    """Whether there may be a month or a weekday in a text: one look, where words take one each."""
    return _TRACES[language].search(text) is not None


def weekday(word: str, language: str) -> tuple[int, bool] | None:
    """Index of the weekday that a word says, and whether that is certain.

    >>> weekday("Montagabend", "de"), weekday("Montage", "de"), weekday("Mondays", "en")
    ((0, True), (0, False), (0, True))
    """
    names = WEEKDAYS[language]
    if language != "de":
        day = names.get(word.removesuffix("s"))
        return None if day is None else (day, True)
    capital = word[:1].upper() + word[1:]
    for name, day in names.items():
        if capital.startswith(name):
            rest = capital[len(name) :]
            several = _SEVERAL.fullmatch(rest) and name != "Montag"
            return day, bool(_AFTER_WEEKDAY.fullmatch(rest) or several)
    return None


def says_number(text: str, number: int, language: str) -> bool:
    """Whether a text may have a number as a word; True where the words are not known."""
    words = _NUMBER_WORDS.get(language)
    if words is None:
        return True
    if 12 < number < 100 and number not in words:
        return any(_says_ten(word, number, words) for word in text.lower().split())
    base = number if number in words else 1000 if number > 1000 else 100 if number > 100 else 0
    starts = words.get(base)
    return starts is None or any(
        word.startswith(start) for word in text.lower().split() for start in starts.split()
    )


def _says_ten(word: str, number: int, words: dict[int, str]) -> bool:
    """Whether a word has the ten of a number, as "twenty-first" and "einundzwanzig" have of 21."""
    if number < 20:
        return "teen" in word or "zehn" in word
    return any(start in word for start in words[number // 10 * 10].split())
