"""Figures with what belongs to them, and how another language writes them.

What this finds is exact in any language: money, percentages, measures, dates, times, ranges,
telephone numbers, fractions, Roman numerals. It is written as the target language does where that
says the same beyond doubt, and else as it stands:

    >>> [written("de", "en", match) for match in QUANTITY.finditer("19,99 € am 21.11.2026, 25 %")]
    ['€19.99', '21.11.2026', '25%']

A number alone ("5 Kinder", "1990") is none: it is part of grammar, and `numbers` compares it.
"""

from __future__ import annotations

import re
from functools import cache

from dragoman.text.abbreviations import rules_for
from dragoman.text.calendar import MONTHS, month_name
from dragoman.text.terms.eras import ERA, written_era
from dragoman.text.terms.hours import HOUR, written_hour
from dragoman.text.terms.numero import NUMERO, written_numero
from dragoman.text.terms.shorthand import SHORTHAND, written_shorthand

# Decimal mark and mark between groups of three digits.
_MARKS = {
    "en": (".", ","), "ja": (".", ","), "ko": (".", ","), "zh": (".", ","),
    "da": (",", "."), "de": (",", "."), "el": (",", "."), "es": (",", "."), "id": (",", "."),
    "it": (",", "."), "nl": (",", "."), "pt": (",", "."), "ro": (",", "."), "tr": (",", "."),
    "cs": (",", "\xa0"), "fr": (",", "\u202f"), "pl": (",", "\xa0"), "ru": (",", "\xa0"),
    "sv": (",", "\xa0"), "uk": (",", "\xa0"),
}  # fmt: skip
_BLANKS = " \xa0\u202f\u2009"
# Short for large numbers, by language: what stands for the same in the other.
_SCALES = {
    "de": {"Tsd": 3, "Mio": 6, "Mrd": 9, "Bio": 12, "Millionen": 6, "Milliarden": 9,
           "Million": 6, "Milliarde": 9, "Billionen": 12},
    "en": {"k": 3, "thousand": 3, "million": 6, "m": 6, "mn": 6, "M": 6, "bn": 9, "billion": 9,
           "B": 9, "trillion": 12, "tn": 12},
}  # fmt: skip
_SCALE_NAMES = {
    "de": {3: "Tsd.", 6: "Mio.", 9: "Mrd.", 12: "Bio."},
    "en": {3: "thousand", 6: "million", 9: "billion", 12: "trillion"},
}
_PREFIXED = "$€£¥₹₩"  # English writes these before the figures

_S = f"[{_BLANKS}]"
_N = rf"(?:\d{{1,3}}(?:[{_BLANKS}'’]\d{{3}}){{1,8}}(?:[.,]\d+)?|\d+(?:[.,]\d+)*)(?!\d)"
_TO = rf"{_S}?[-–—]{_S}?"
_R = rf"{_N}(?:{_TO}{_N})?"
_SIGNS = "$€£¥₹₽₩₺₴₪฿₫₦¢₱"
_CODES = "EUR|USD|CHF|GBP|JPY|SEK|NOK|DKK|PLN|CZK|CNY|AUD|CAD|DM"
_SCALE = (
    r"(?:(?:Tsd|Mio|Mrd|Bio)\.?|Millionen|Milliarden|Billionen|Million|Milliarde"
    r"|thousand|million|billion|trillion|bn|mn|tn|[kmMB])(?!\w)"
)
_MONTH = "|".join(sorted({name for names in MONTHS.values() for name in names}, key=len)[::-1])
_YEAR = r",?[ \xa0](?P<year{}>\d{{4}})(?!\w|[.,]\d)"
_ENDING = "(?:st|nd|rd|th)?"
# No figure of something longer: not before, not after.
_LEFT = r"(?<![\w.,:/])"
_LEFT_ = r"(?<![\w.,:/-])"
_RIGHT = r"(?!\w|[.,]\d)"
# A sign belongs to the figures where nothing is before it.
_SIGNED = rf"{_LEFT}(?:(?<![^\s(])[-−–+±])?"
_DAY, _MONTH_NUMBER = r"(?:0?[1-9]|[12]\d|3[01])", r"(?:0?[1-9]|1[0-2])"
_TIME = r"\d{1,2}:\d\d"
_HOUR = r"(?:[01]?\d|2[0-4])(?:[:.]\d\d)?(?!\d)"
# Behind these a figure is no hour: "in Raum 5 bis 18 Uhr", "ein Tisch für 4 und 19 Uhr".
_NO_HOUR_BEHIND = "".join(
    rf"(?<!\b{word}[ \xa0])"
    for word in (
        "Raum", "Saal", "Halle", "Zimmer", "Gruppe", "Gate", "Gleis", "Haus", "Platz", "Tisch",
        "Nummer", "Linie", "Bus", "Klasse", "Seite", "Stufe", "Stock", "Etage", "Tisch für",
        "room", "hall", "gate", "group", "floor", "platform", "track", "line", "page", "level",
    )
)  # fmt: skip
_PLAIN = r"\d+(?:[.,]\d+)*"
_UNITS = (
    "k?m/h|m/s|Mbit/s|Gbit/s|kbit/s|[kKMGT]i?B/s|[kMGT]?Wh|[kMGT]?W|[kMG]?Hz|[kKMGTP]i?B|[kcmµμnd]?m[²³23]?|"
    "[kmµμ]?g|[mchµμd]?[lL]|ha|t|[kmM]?V|m?Ah?|[hk]?Pa|m?bar|dB|dpi|ppm|px|kcal|kJ|Nm|PS|hp|lx|lm|"
    "mph|lbs?|oz|ft|min|m?s|h|ct|°[CFKNSWO]?|º[CF]?"
)
# A word of German goes on: "50-Euro-Schein".
_PART = r"-[A-ZÄÖÜ][a-zäöü]"
# Nothing that the last number of a row is counted with, and no ordinal.
_APART = (
    rf"(?!\w|[.,:/–-]\d|\.\s*\w|{_S}?[{_SIGNS}%‰°]"
    rf"|{_S}(?:{_UNITS}|{_CODES}|{_SCALE}|{_MONTH}|[Ee]uros?|Uhr|[apAP]\.?[mM]|[x×½⅓⅔¼¾])(?!\w))"
)
# The first that matches at a place wins.
_PATTERNS = {
    # "44 v. Chr.", "80er Jahre"; "z. B."
    "era": ERA,
    "shorthand": SHORTHAND,
    "money": (
        rf"(?P<before>(?:US|A|C|HK|NZ)?[{_SIGNS}]|\b(?:{_CODES})){_S}?(?P<amount>{_R})"
        rf"(?:[.,][-–—]+)?(?:[{_BLANKS}-]?(?P<scale>{_SCALE}))?(?!\w)"
        rf"|{_SIGNED}(?P<amount_>{_R})(?:[.,][-–—]+)?(?:{_S}?(?P<scale_>{_SCALE}))?"
        rf"[{_BLANKS}-]?(?P<after>(?:US-?)?[{_SIGNS}]|(?:{_CODES}|[Ee]uros?)(?!\w))"
    ),
    # "3. Oktober 2024", "3.-5. Mai", "3rd of October 2024"; "October 3, 2024", "Oct. 3-5"
    "dayname": (
        rf"{_LEFT}(?P<day>\d{{1,2}})\.?{_ENDING}(?:\s?[-–]\s?(?P<until>\d{{1,2}})\.?)?"
        rf"{_S}?(?:of )?(?P<month>{_MONTH})(?!\w)(?:\.(?=,?\s\d{{4}}))?(?:{_YEAR.format('')})?"
        rf"|\b(?P<month_>{_MONTH})\.?[ \xa0](?P<day_>\d{{1,2}}){_ENDING}"
        rf"(?:\s?[-–]\s?(?P<until_>\d{{1,2}}))?(?![\w:]|[.,]\d)(?:{_YEAR.format('_')})?"
    ),
    "phone": (
        r"(?<![\w+])(?:\+|00)\d{1,3}(?:[ \xa0./-]{0,2}\(?\d+\)?){2,}"
        r"|(?<![\w.,])\(0\d{1,5}\)[ /-]{0,3}\d{2,}(?:[ -]\d{2,})*"
        r"|(?<![\w.,])0\d{2,5}(?:[ ]?[/-][ ]?|[ ])\d{2,}(?:[ -]\d+)*"
        r"|(?<![\w.,])\d{3}-\d{3}-\d{4}(?![\w-])"
    ),
    # 24.12.2025, 21.–23.11.2026; 2025-12-24; 12/24/2025; "24.12." of which a stop may be the end
    "date": (
        rf"{_LEFT}(?:\d{{1,2}}\.(?:\d{{1,2}}\.?)?\s?[-–]\s?)?"
        rf"\d{{1,2}}\.\d{{1,2}}\.(?:\d{{4}}|\d{{2}}){_RIGHT}"
        rf"|{_LEFT_}\d{{4}}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?Z?)?(?![\w-])"
        rf"|{_LEFT_}\d{{1,2}}/\d{{1,2}}/(?:\d{{4}}|\d{{2}})(?![\w/])"
        rf"|{_LEFT_}{_DAY}\.{_MONTH_NUMBER}"
        r"(?:\.(?=\s*[a-zäöü–-])|(?=\.\s*[\"”“»)]*\s*$))"
        # with spaces: "5. 11. 2026", "am 5. 11. kommt"
        rf"|{_LEFT_}{_DAY}\.{_S}{_MONTH_NUMBER}\.{_S}\d{{4}}{_RIGHT}"
        rf"|(?:(?<=\b[Aa]m )|(?<=\b[Vv]om )|(?<=\b[Bb]is )|(?<=\b[Zz]um ))"
        rf"{_DAY}\.{_S}{_MONTH_NUMBER}\.(?=\s[a-zäöü])"
    ),
    "clock": (
        rf"{_LEFT}(?:{_NO_HOUR_BEHIND}|(?=\d+[ \xa0]?(?:Uhr|o[’']clock|[aApP]\.?[mM]\b)))"
        rf"(?P<from>{_HOUR})"
        r"(?P<first_half>[ \xa0]?[apAP]\.?[mM]\.?(?=\s?[-–]))?"
        rf"(?:(?P<join>\s?[-–]\s?| (?:and|or|to|und|oder|bis) )(?P<to>{_HOUR}))?"
        # "14 Uhr 30", but not of "30 Leute"
        r"(?:[ \xa0](?P<uhr>Uhr)(?!\w)"
        r"(?:[ \xa0](?P<minutes>[0-5]\d)(?=\s[a-zäöü]|[,;:!?)]|\.?$))?|[ ](?P<clock>o[’']clock)"
        r"|[ \xa0]?(?P<half>[ap]\.m(?:\.(?=\s*[\w,;:()–—-])|(?!\w))|[apAP][mM](?!\w)))"
    ),
    # 14:30, 14:30-15:00, 4:13,260, 2:1
    "time": (
        rf"{_LEFT_}(?:{_TIME}(?::\d\d)?(?:[.,]\d+)?(?:\s?[-–]\s?{_TIME})?"
        r"|\d{1,4}:\d{1,5})(?![\w:])"
    ),
    "fraction": (
        rf"{_LEFT}(?:\d+[ ]?)?[½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞]"
        rf"|{_LEFT_}\d{{1,3}}/\d{{1,3}}(?![\w/]|[.,]\d)"
    ),
    # 27", 6'2"; a mark of quotation looks alike, see `literals`
    "inch": rf"{_LEFT}(?:\d['’′]{_S}?)?{_PLAIN}[\"″](?!\w)",
    "percent": rf"{_SIGNED}(?P<share>{_R})(?P<gap>{_S}?)(?P<per>[%‰])(?!\w)",
    # 4 x 100 m, 3,5 × 2 cm, 1920x1080
    "dimensions": (
        rf"{_SIGNED}{_PLAIN}{_S}?(?:{_UNITS})?(?:{_S}?[x×]{_S}?{_PLAIN}){{1,3}}"
        rf"(?:{_S}?(?:{_UNITS}))?(?![\w²³/]|[.,]\d)"
    ),
    "measure": rf"{_SIGNED}(?P<value>{_R})(?P<unit>[{_BLANKS}-]?(?:{_UNITS}))(?![\w²³/]|{_PART})",
    "section": r"§§?[ \xa0]?\d+[a-z]?\b",
    # 5–7, 1990-95, 2024/25, 978-3-16-148410-0, 3-5
    "range": (
        rf"{_LEFT_}(?:\d{{4}}[-–/](?:\d{{4}}|\d\d)|\d+(?:-\d+){{2,}}|{_PLAIN}[-–]{_PLAIN})"
        r"(?![\w:/-]|[.,]\d)"
    ),
    # Plain numbers in a row, "49 3 12 7", "3, 12, 7, 49": a model changes their places. No large
    # one in groups, alone ("1 234 567") or behind another number ("2020 15 000").
    "row": (
        rf"{_LEFT_}(?!\d{{1,3}}(?:[ \xa0]\d{{3}})+(?![ \xa0]?\d))"
        r"(?!(?:(?:19|20)\d\d[ \xa0]\d{1,3}[ \xa0]\d{3}|\d{1,8}[ \xa0]\d{1,3}[ \xa0]\d00)"
        r"(?![ \xa0]?\d))"
        rf"\d{{1,8}}(?:(?:[ \xa0]\d{{1,8}}){{2,40}}|(?:[,;][ \xa0]\d{{1,8}}){{3,40}}){_APART}"
    ),
    # 1.400.000, 55 000, 1.234,56, 1,234.56, 2,3
    "number": (
        r"(?<![\w.,:/’'-])(?:\d{1,3}(?:[.,]\d{3}){2,}(?:[.,]\d+)?"
        rf"|\d{{1,3}}(?:[{_BLANKS}’']\d{{3}})+(?:[.,]\d+)?(?![{_BLANKS}]\d)"
        r"|\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:,\d{3})+\.\d+"
        r"|\d+[.,]\d+)(?![\w:/’'-]|[.,]\d)"
    ),
    # "halb drei", "half past two"
    "hour": HOUR,
    # "no. 5", "Nr. 14b"
    "numero": NUMERO,
    # Of two letters up to XXXIX: "CD", "MIX" and others are words. Of four all. Not of a
    # World War: German has a word for its number ("Zweiter Weltkrieg"), and a model knows it.
    "roman": (
        r"(?<![\w.-])(?<!World[ \xa0]War[ \xa0])"
        r"(?=[IVX]{2,}(?![\w-]))X{0,3}(?:IX|IV|V?I{0,3})(?![\w-])"
        r"|(?<![\w-])M{1,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})"
        r"(?<=\w{4})(?![\w-])"
    ),
}
QUANTITY = re.compile("|".join(f"(?P<_{name}>{body})" for name, body in _PATTERNS.items()))
_NUMBER = re.compile(_N)
# What is kept in texts of one language only, by the group of `literals`.
_OF_ONE_LANGUAGE = {"postal": "de"}
# After these, or a name, a number with a full stop is as often one of a version or a chapter;
# before "million" it is none.
_NUMBERED = {
    f"{noun}{ending}"
    for noun in (
        "version", "release", "chapter", "section", "subsection", "paragraph", "clause", "article",
        "item", "step", "figure", "fig.", "table", "equation", "exercise", "appendix", "§",
    )
    for ending in ("", "s")
}  # fmt: skip
_WORD_BEFORE = re.compile(r"([Ff]igs?\.|(?<![\w+#§-])[\w+#§-]{1,40})\s$")
_IN_GROUPS = re.compile(r"\d{1,3}(?:[.,]\d{3})+")  # a number; others are codes
# Others of the same kind before it: "sections 1.1, 1.2 and 1.3".
_OTHERS_BEFORE = re.compile(r"(?:\d{1,3}\.\d{1,3}(?:,|,? (?:and|or|to|through|&)) ){1,8}$")
_LOOK_BEHIND = 100
# What a sentence of a heading alone begins with: "1.1 Introduction", "1.2. Goal".
_HEADING = re.compile(r"\d{1,2}\.\d{1,2}\b(?=\.? [A-Z])")
# And what is counted there, as titles of lists have it: "1.5 Liters of water".
_COUNTED = re.compile(
    r" (?:(?:[Mm]illi|[Bb]illi|[Tt]rilli|[Kk]ilo|[Cc]enti|[Mm]ega|[Gg]iga|[Tt]era)"
    r"|(?:Thousand|Hundred|Dozen|Percent|Per|Times|Points?|Degrees?|Magnitude|Stars?|Carats?"
    r"|Lit(?:er|re)s?|Met(?:er|re)s?|Grams?|Tons?|Tonnes?|Inch(?:es)?|Feet|Foot|Yards?|Miles?"
    r"|Pounds?|Ounces?|Gallons?|Quarts?|Pints?|Cups?|Teaspoons?|Tablespoons?|Acres?|Hectares?"
    r"|Square|Cubic|Seconds?|Minutes?|Hours?|Days?|Weeks?|Months?|Years?|Dollars?|Euros?|Cents?"
    r"|Bytes?|Bits?|Volts?|Watts?|Amps?|Amperes?|Hertz|Calories|Bed|Bath|[Bb]edrooms?"
    r"|[Bb]athrooms?|GPA|MP|MPH|FPS|People|Children|Persons?)\b)"
)
_COUNTS = re.compile(r"\s(?:thousand|(?:m|b|tr)illion|percent|per cent|times)\b")
# Beside those that begin a sentence before any word.
_BEFORE_AMOUNTS = {"Approximately", "Around", "Barely", "Exactly", "Roughly", "Up"}
# Decades: "1980s", "in her 30s".
_DECADE = re.compile(r"(?<![.,])\d0s$")
_JOINS = {"and": " und ", "or": " oder ", "to": " bis "}
_ENGLISH_JOINS = {"und": " and ", "oder": " or ", "bis": " to "}
_HALF_A_DAY = 12


def written(source: str, target: str, match: re.Match[str]) -> str | None:
    """A quantity as the target language writes it; None if it is a matter of language there.

    Args:
        source, target: BCP 47 tags.
        match: of `QUANTITY`, or of a pattern with it; what is no quantity stays as it is.
    """
    if _primary(source) != _OF_ONE_LANGUAGE.get(match.lastgroup or "", _primary(source)):
        return None
    write = next((write for group, write in _WRITERS.items() if match[group] is not None), None)
    languages = _primary(source), _primary(target)
    return write(match, *languages) if write else match.group()


def number(text: str, source: str, target: str) -> str:
    """Figures with the marks of the target language; as they are where they are not well formed.

    >>> number("1.400", "de", "en"), number("3.5", "de", "en"), number("1,400.5", "en", "de")
    ('1,400', '3.5', '1.400,5')
    """
    marks, wanted = _MARKS.get(_primary(source)), _MARKS.get(_primary(target))
    if marks is None or wanted is None:
        return text
    match = _well_formed(*marks).fullmatch(text)
    if match is None:
        return text
    whole, rest = match.groups()
    return re.sub(r"\D", wanted[1], whole) + (f"{wanted[0]}{rest}" if rest else "")


@cache
def _well_formed(decimal: str, group: str) -> re.Pattern[str]:
    """Whole figures, in groups or not, and decimals."""
    decimal, group = re.escape(decimal), re.escape(group)
    return re.compile(rf"(\d{{1,3}}(?:(?:{group}|[{_BLANKS}'’])\d{{3}})+|\d+)(?:{decimal}(\d+))?")


def _primary(language: str) -> str:
    return language.replace("_", "-").partition("-")[0].lower()


def _numbers(text: str, source: str, target: str) -> str:
    """All figures of a range."""
    return _NUMBER.sub(lambda match: number(match.group(), source, target), text)


def _money(match: re.Match[str], source: str, target: str) -> str:
    amount = match["amount"] or match["amount_"]
    sign = match["before"] or match["after"]
    scale = match["scale"] or match["scale_"] or ""
    pair = {source, target} <= {"de", "en"}
    power = _SCALES.get(source, {}).get(scale.rstrip("."))
    if not pair or (scale and power is None) or (scale and not sign) or "¢" in sign:
        return _numbers(match.group(), source, target) if not scale else match.group()
    amount = _numbers(amount, source, target)
    if sign.lower().startswith("euro"):
        sign = _euros(amount, scale, target)
    size = _SCALE_NAMES[target][power] if power else ""
    if not sign.strip(_PREFIXED + "USACHKNZ-") and sign[-1] in _PREFIXED and len(sign) < 5:
        sign = sign.replace("-", "")
        if target == "en":
            return f"{_sign(match)}{sign}{amount} {size}".rstrip()
        return _sign(match) + "\xa0".join(part for part in (amount, size, sign) if part)
    if match["before"]:
        return f"{sign}\xa0{amount} {size}".rstrip()
    return _sign(match) + "\xa0".join(part for part in (amount, size, sign) if part)


def _euros(amount: str, scale: str, target: str) -> str:
    """The currency's name after its amount."""
    if target == "de":
        return "Euro"
    return "euro" if amount == "1" and not scale else "euros"


def _day(match: re.Match[str], source: str, target: str) -> str | None:
    month = MONTHS.get(source, {}).get(match["month"] or match["month_"])
    if month is None or target not in MONTHS:
        return None
    if source == "de" and (match["month_"] or not re.match(r"\d+\.", match.group())):
        return None
    if source == "en" and re.match(r"\d+\.", match.group()):
        return None
    day, until = match["day"] or match["day_"], match["until"] or match["until_"]
    year = match["year"] or match["year_"]
    name = month_name(month, target) + (f" {year}" if year else "")
    if target == "de":
        return f"{day}.–{until}. {name}" if until else f"{day}. {name}"
    return f"{day}–{until} {name}" if until else f"{day} {name}"


def _percent(match: re.Match[str], source: str, target: str) -> str:
    gap = {"en": "", "de": "\xa0"}.get(target, match["gap"])
    return _sign(match) + _numbers(match["share"], source, target) + gap + match["per"]


def _measure(match: re.Match[str], source: str, target: str) -> str | None:
    if source == "en" and _DECADE.search(match["value"] + match["unit"]):
        return None
    return _sign(match) + _numbers(match["value"], source, target) + match["unit"]


def _inches(match: re.Match[str], source: str, target: str) -> str:
    return _numbers(match.group(), source, target)


def _sign(match: re.Match[str]) -> str:
    first = match.group()[0]
    return first if first in "-−–+±" else ""


def _plain(match: re.Match[str], source: str, target: str) -> str:
    text = match.group()
    if source == "en" and "," not in text and is_named(match):
        return text
    return _numbers(text, source, target)


def is_named(match: re.Match[str]) -> bool:
    """Whether an English number is behind a name, "iOS 17.4", or the like."""
    text, start = match.string, match.start()
    if _COUNTS.match(text, match.end()):
        return False
    if start < 9 and _HEADING.match(text, start) and not text[:start].strip("#*\xa0 "):
        return not _COUNTED.match(text, match.end())
    others = _OTHERS_BEFORE.search(text, max(0, start - _LOOK_BEHIND), start)
    end = others.start() if others else start
    before = _WORD_BEFORE.search(text[max(0, end - 41) : end])
    if before is None:
        return False
    word = before[1]
    if word.lower() in _NUMBERED:
        return True
    # "Python 3.11 to 3.12", but not "pH 7.35 and 7.45"
    if others and ("," in others.group() or not word.istitle()):
        return False
    begins = word in _BEFORE_AMOUNTS or word in rules_for("en").starters
    return any(map(str.isupper, word)) and not begins


def _clock(match: re.Match[str], source: str, target: str) -> str | None:
    first, last = match["from"], match["to"]
    if match["first_half"] and not (last and match["half"]):
        return None
    if source == "de" and match["uhr"]:
        if match["minutes"]:
            first, last = _with_minutes(first, last, match["minutes"])
        return _without_uhr(first, match["join"], last) if target == "en" else None
    if source != "en" or target != "de" or match["uhr"]:
        return None
    if match["half"]:
        is_late = match["half"][0] in "pP"
        if last and match["first_half"]:
            first = _full_hour(first, match["first_half"].strip()[0] in "pP")
            last = _full_hour(last, is_late)
        elif last and not is_late and _ends_at_noon(first, last):
            first, last = _full_hour(first, False), _full_hour(last, True)
        elif last:
            # "11-12 pm" begins in the other half.
            first = _full_hour(first, is_late == (_on_a_clock(first) < _on_a_clock(last)))
            last = _full_hour(last, is_late)
        else:
            first = _full_hour(first, is_late)
    join = _JOINS.get(match["join"].strip(), "–") if last else ""
    return f"{first}{join}{last or ''} Uhr"


def _with_minutes(first: str, last: str | None, minutes: str) -> tuple[str, str | None]:
    """Hours of which the last one has minutes behind "Uhr"."""
    return (first, f"{last}:{minutes}") if last else (f"{first}:{minutes}", None)


def _without_uhr(first: str, join: str | None, last: str | None) -> str:
    """An hour of the forenoon is one "o'clock"; others are written in full."""
    both = [part.replace(".", ":") for part in (first, last) if part]
    between = _ENGLISH_JOINS.get((join or "").strip(), "–")
    if all(part.isdigit() and 1 <= int(part) <= 12 for part in both):
        return between.join(both) + " o’clock"
    return between.join(part if ":" in part else f"{part}:00" for part in both)


def _ends_at_noon(first: str, last: str) -> bool:
    """Whether "10-12 a.m." is said: midnight by the rule, but who writes so means the morning."""
    hours = [int(re.split("[:.]", time)[0]) for time in (first, last)]
    return hours[0] < hours[1] == _HALF_A_DAY


def _on_a_clock(time: str) -> tuple[int, int]:
    hour, _, minute = time.replace(".", ":").partition(":")
    return int(hour) % _HALF_A_DAY, int(minute or 0)


def _full_hour(time: str, is_late: bool) -> str:
    hour, _, minute = time.replace(".", ":").partition(":")
    full = int(hour)
    if full <= _HALF_A_DAY:  # else it is one already
        full = full % _HALF_A_DAY + _HALF_A_DAY * is_late
    return f"{full}:{minute}" if minute else str(full)


def _numero(match: re.Match[str], source: str, target: str) -> str | None:
    text, figures = written_numero(match, source, target), match["numbered"]
    if text is None or not _IN_GROUPS.fullmatch(figures):
        return text
    return text.removesuffix(figures) + number(figures, source, target)


_WRITERS = {
    "_money": _money,
    "_dayname": _day,
    "_percent": _percent,
    "_inch": _inches,
    "_dimensions": _plain,
    "_measure": _measure,
    "_range": _plain,
    "_number": _plain,
    "_clock": _clock,
    "_hour": written_hour,
    "_numero": _numero,
    "_era": written_era,
    "_shorthand": written_shorthand,
}
