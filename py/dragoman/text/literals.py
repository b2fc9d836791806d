"""Which parts of a text a translation must keep as they are, to the letter.

A small model spells addresses anew, drops emoji and translates placeholders. What this finds is no
matter of taste in any language: addresses, placeholders, tags, hashtags, file names, versions,
codes ("XJ-900", "x1"), emoji, marked names ("Windows®", "m²"), and quantities (`quantities`). Plain
numbers are not in it: they are part of grammar ("1 Kind", "2 Kinder"), and models copy them.

    >>> [span.of(text) for span in literals(text := "Mail an a@b.de, 😀 %s!")]
    ['a@b.de', '😀', '%s']
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from dragoman.text.quantities import QUANTITY
from dragoman.text.script import UNSPACED_LETTERS
from dragoman.text.terms.eras import ERA_BEGINNING
from dragoman.text.terms.hours import HOUR_BEGINNING, HOUR_TRACE
from dragoman.text.terms.numero import NUMERO_BEGINNING
from dragoman.text.terms.shorthand import SHORTHAND_BEGINNING, SHORTHAND_TRACE
from dragoman.types import Span

_TOP_LEVEL = "com|org|net|info|edu|gov|eu|de|at|ch|uk|fr|es|it|nl|pl|io|dev|app|me|tv"
_FILES = (
    "pdf|txt|md|docx?|xlsx?|pptx?|od[tsp]|csv|json|xml|ya?ml|toml|ini|conf|cfg|log|html?|css|js|ts|"
    "py|c|cpp|h|rs|go|java|sh|bat|exe|dll|so|deb|rpm|apk|dmg|iso|zip|tar|gz|xz|bz2|7z|png|jpe?g|"
    "gif|svg|webp|mp[34]|wav|ogg|avi|mkv"
)
# A picture or flag with all that is joined to it; keycaps ("1️⃣").
_PICTURE = (
    "[\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff\u2600-\u27bf\u2b1b-\u2b55]"
)
_MODIFIERS = "[\ufe0e\ufe0f\U0001f3fb-\U0001f3ff\u20e3\U000e0020-\U000e007f]*"
_EMOJI = (
    f"(?:[\U0001f1e6-\U0001f1ff]{{2}}|{_PICTURE}{_MODIFIERS}(?:\u200d{_PICTURE}{_MODIFIERS})*"
    "|[0-9#*]\ufe0f\u20e3)"
)

# Where there are no spaces, an address begins and ends among letters: 请写信到a@b.cn。
_W = rf"[^\W{UNSPACED_LETTERS}]"
_OCTET = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
# A code has its figures this soon: a look at all of a long run from each of its parts takes time.
_SOON = "{0,64}"
# More than most instructions of a template have.
_BOUND = "{0,200}"
_URL = rf"[^\s<>\"„“”»«{UNSPACED_LETTERS}、。，！？：；（）「」『』《》]*(?:{_W}|[/=#&])"

# A code of capitals alone looks like a word: what is before it tells.
_VOUCHER = ("oupon", "utschein", "oucher", "[nst]code", "omo code", "unt code", "pon code")
_CODE = "|".join(
    f"(?<={word}{between})"
    for word in ("[Cc]ode", *_VOUCHER)
    for between in (" ", " [\"'„“‚‘»«]", ": [\"'„“‚‘»«]", ": ")
    # "The code: USWDS components ..."
    if word in _VOUCHER or between != ": "
)
_BANK = "|".join(
    f"(?<={word}{between})"
    for word in ("BIC", "SWIFT", "SWIFT-Code", "SWIFT code")
    for between in (" ", ": ", ":")
)
_STRESSED = "ALWAYS|NEVER|SHOULD|COULD|WOULD|NICHT|IMMER|NIEMALS"
_BODIES = "DIN|ISO|IEC|IEEE|ANSI|VDE|ASTM|Ö[Nn][Oo][Rr][Mm]"
# Of a German address; no "Bundesstraße 7", and no "Tabellenplatz 3": a place, a way, a ring are
# those of an address where the postcode says so, or the hyphens of a name.
_STREET = (
    r"(?!(?:Bundes|Land(?:es)?|Kreis|Staats|Reichs|Europa|Fern|Schnell|Wasser|Meer|Fertigungs"
    r"|Montage|Produktions|Hauptverkehrs|Einbahn)str)"
    r"(?:[A-ZÄÖÜ][a-zäöüß]{2,30}?(?:stra(?:ß|ss)e|str\.?|gasse|allee)"
    r"|(?:[A-ZÄÖÜ][a-zäöüß]{1,30}-){1,3}(?:Stra(?:ß|ss)e|Str\.|Allee|Gasse|Weg|Ring|Damm|Ufer)"
    r"|[A-ZÄÖÜ][a-zäöüß]{2,30}er[ \xa0](?:Stra(?:ß|ss)e|Str\.|Allee)"
    r"|[A-ZÄÖÜ][a-zäöüß]{2,30}(?:weg|platz|ring|damm|ufer|er[ \xa0](?:Platz|Weg|Ring|Damm|Ufer))"
    r"(?=[ \xa0]\d{1,3}[ \xa0]?[a-h]?,?[ \xa0](?:D-)?\d{5}[ \xa0][A-ZÄÖÜ]))"
)
_HOUSE = (
    r"\d{1,3}(?:[ \xa0]?[a-h](?!\w))?(?:[-–/]\d{1,3}[a-h]?)?(?!\w|[.,:/–-]\d)"
    r"(?!(?:,\d+)?[ \xa0](?:[ck]?m\b|(?:[Kk]ilo)?[Mm]eter))"
)
_ON_RIVER = r"(?: am (?:Main|Rhein|Neckar|Inn|Lech)\b)?"
# "Hauptstr. 12, 85000 Euro"
_COUNTED = (
    "Euro|EUR|Einwohner|Menschen|Personen|Besucher|Kunden|Mitarbeiter|Exemplare|Stück|Tonnen|"
    "(?:Quadrat|Kubik|Kilo)?[Mm]eter"
)
_TOWN = (
    rf"(?!(?:{_COUNTED})\b)(?:(?:Bad|Sankt|St\.)[ \xa0])?"
    rf"[A-ZÄÖÜ][^\W\d_]+(?:-[^\W\d_]+){{0,3}}{_ON_RIVER}"
)
# Five figures before any other word are as often a number: "12345 Kinder".
_CITIES = (
    "Berlin|Hamburg|München|Köln|Frankfurt|Stuttgart|Düsseldorf|Leipzig|Dortmund|Bremen|Dresden|"
    "Hannover|Nürnberg|Duisburg|Bochum|Wuppertal|Bielefeld|Bonn|Mannheim|Karlsruhe|Augsburg|"
    "Wiesbaden|Mönchengladbach|Gelsenkirchen|Aachen|Braunschweig|Kiel|Chemnitz|Magdeburg|Freiburg|"
    "Krefeld|Mainz|Lübeck|Erfurt|Oberhausen|Rostock|Kassel|Potsdam|Saarbrücken|Ludwigshafen|"
    "Oldenburg|Osnabrück|Leverkusen|Heidelberg|Darmstadt|Solingen|Regensburg|Paderborn|Ingolstadt|"
    "Würzburg|Heilbronn|Pforzheim|Wolfsburg|Göttingen|Reutlingen|Koblenz|Erlangen|Trier|Jena"
)

# The first that matches at a place wins. A table, so that each line can be argued about.
_PATTERNS = {
    # As programmers write it, and Markdown: "`git commit`".
    "program": r"(?<![\w`])`[^`\s](?:[^`\n]{0,198}[^`\s])?`(?![\w`])",
    # Trailing marks belong to the sentence: "(see www.a.de/b)." ends before the bracket.
    "address": rf"(?:https?|ftp|file)://{_URL}|www\.{_URL}",
    "mail": (
        rf"(?<![.+-])(?<!{_W})(?:mailto:)?(?:{_W}|[.+-])+@{_W}(?:{_W}|-)*(?:\.{_W}(?:{_W}|-)*)+"
    ),
    "host": (
        rf"(?<![.@-])(?<!{_W})(?:{_W}(?:{_W}|-)*\.)+(?:{_TOP_LEVEL})"
        rf"(?:/(?:{_W}|[./?=&%#-])*(?:{_W}|/))?(?!(?:{_W}|\.)*{_W})"
    ),
    "tag": r"</?[A-Za-z][\w-]*(?:\s[^<>]*)?/?>",
    "entity": r"&(?:[A-Za-z]+|#\d+);",
    # Jinja, Handlebars, ERB, PHP, Smarty. What nests, as plurals of ICU, has text to translate.
    "template": (
        rf"\{{\{{\{{[^{{}}\n]{_BOUND}\}}\}}\}}|\{{\{{[^{{}}\n]{_BOUND}\}}\}}"
        rf"|\{{%(?:[^%\n]|%(?!\}})){_BOUND}%\}}|\{{\#[^{{}}\#\n]{_BOUND}\#\}}"
        rf"|<%(?:[^%\n]|%(?!>)){_BOUND}%>|<\?(?:[^?\n]|\?(?!>)){_BOUND}\?>"
        rf"|[$\#]\{{[^{{}}\n]{_BOUND}\}}|\{{[$\#/@]\w[^{{}}\n]{_BOUND}\}}"
    ),
    "braces": (
        r"[$#%]?\{[\w.:,\s]*\}|\[\[[\w.]+\]\]"
        # As Python formats: {name!r}, {0:>10}, {row[2]:.1%}
        r"|\{[\w.\[\]]{0,64}(?:![rsa])?(?::(?:[^{}\n]?[<>=^])?[\w.,:%/#+ -]{0,32})?\}"
    ),
    "printf": r"%(?:\d+\$)?[-+0#]?\d*(?:\.\d+)?(?:l{0,2}[dui]|[sdfgxXc@])(?!\w)|%\(\w+\)[sdf]",
    # %USER%, %name%; not of "100%ig und 50%ig".
    "percent": (
        r"%[A-Z_]{2,}%|(?<![\w%])(?<!\d[ \xa0])%[A-Za-z_][\w.-]{0,62}\w%(?![\w%])"
        r"|(?<![\d\s])%\d+(?!\w)|(?<!\d\s)(?<!\d)%\d+(?!\w)"
    ),
    "variable": r"\$[A-Z_][A-Z0-9_]+\b|__\w+__",
    "option": r"(?<![\w-])--[a-z][\w-]*(?:=\S*\w)?",
    "path": (
        r"(?<![\w/.~])(?:(?:~|\.{1,2})(?:/[\w.-]*\w)+|(?:/[\w.-]*\w){2,})/?"
        r"|\b[A-Z]:\\[\w.\\-]*\w"
    ),
    "file": rf"(?<![\w.-])(?![Dd]\.h\.)\w[\w.-]*\.(?:{_FILES})(?![\w-])",
    "tagged": r"(?<![\w&])[#@][A-Za-z_]\w*",
    "marked": r"(?:(?<![\w.-])[\w.-]*\w)?(?P<mark>[®™℠©℗])(?P=mark)*",
    # No number in groups of three, as an amount of money with the same figures is.
    "ip": (
        rf"(?<![\w.,])(?:{_OCTET}\.){{3}}{_OCTET}(?!\w|[.,]\d|[ \xa0\u202f]?(?:[$€£%]|EUR|Euro))"
    ),
    "iban": (
        r"\b[A-Z]{2}\d\d[ \xa0]?[A-Z\d]{4}(?:[ \xa0]?(?=[A-Z]{0,3}\d)[A-Z\d]{4}){2,6}"
        r"(?:[ \xa0]?(?=[A-Z]{0,3}\d)[A-Z\d]{1,3})?\b"
    ),
    # DIN EN ISO 9001:2015, ISO/IEC 27001, IEEE 802.11ax, RFC 2119; no "DIN A4", no "ISO 100–400"
    "standard": (
        rf"\b(?:(?:{_BODIES}|(?:BS|NF|SN|UN[IE]|PN)(?=[ \xa0]EN))"
        rf"(?:[ \xa0/](?:{_BODIES}|EN)){{0,3}}|EN[ \xa0](?:ISO|IEC)|EN(?=[ \xa0]\d+-\d)|RFC)"
        r"[ \xa0]\d{1,6}(?:[.:-]\d{1,5}){0,3}[a-z]{0,2}(?!\w|[–.,:/-]\d)"
        r"|(?<![\w.,:/-])802\.\d{1,2}[a-z]{0,2}(?!\w|[.,]\d)"
    ),
    "bic": (
        r"\b[A-Z]{6}[A-Z\d]{2}XXX\b"
        rf"|(?=[A-Z]{{6}})(?:{_BANK})[A-Z]{{6}}[A-Z\d]{{2}}(?:[A-Z\d]{{3}})?\b"
    ),
    "coupon": (
        rf"(?=[A-Z]{{5}})(?:{_CODE})(?!(?:{_STRESSED})\b)[A-Z]{{5,32}}\b(?![ -]?[A-ZÄÖÜ]{{2}})"
    ),
    # German: `quantities.written` says so.
    "postal": (
        rf"(?<!{_W})(?<!-){_STREET}[ \xa0]{_HOUSE}(?:,?[ \xa0](?:D-)?\d{{5}}[ \xa0]{_TOWN})?"
        rf"|(?<![\w.,-])D-\d{{5}}[ \xa0]{_TOWN}"
        rf"|(?<![\w.,-])\d{{5}}[ \xa0](?:{_CITIES})(?!\w){_ON_RIVER}"
    ),
    "quantity": QUANTITY.pattern,
    "raised": r"(?:\b[^\W\d_]{1,3})?[¹²³⁰-₉①-⓿ªº]+",
    "version": r"\bv?\d+(?:\.\d+){2,}(?:-[a-z]+\.?\d*)?\b(?!\.\d)|\bv\d+(?:\.\d+)*\b",
    "code": (rf"\b(?=[A-Z0-9-]{_SOON}[A-Z])(?=(?:[A-Z-]{_SOON}\d){{2}})[A-Z0-9]+(?:-[A-Z0-9]+)*\b"),
    # Variables, encodings, checksums: "x1", "utf8mb4", "9e107d9d". No word that begins with a
    # capital ("Seite5"), and none that begins with figures ("5g", "1st") but a long one.
    "identifier": (
        r"\b[a-z]+\d[A-Za-z0-9_]*\b"
        r"|\b(?=[0-9a-f]*[a-f]\d)[0-9a-f]{7,}(?:-[0-9a-f]{4,})*\b"
    ),
    "emoji": f"{_EMOJI}+",
}
_ANY = "|".join(f"(?P<{name}>{pattern})" for name, pattern in _PATTERNS.items())
# What any of them begins with: at most places of a text one look is enough, not thirty. A letter
# begins one only where a mark or a figure follows the word, or as one of several capitals.
_BEGINNING = (
    r"(?=[^\w\s]|[_¹²³⁰-₉①-⓿ªº]|\d\ufe0f|https?:|f(?:tp|ile):|www\."
    r"|(?:US|[AC]|HK|NZ)[$€£¥₹₽₩₺₴₪฿₫₦¢₱]"
    r"|(?<![\w.-])[\w.-]*\w[®™℠©℗]|\b[^\W\d_]{1,3}[¹²³⁰-₉①-⓿ªº]"
    r"|mailto:|\b[A-Z]:\\"
    rf"|\b(?:{HOUR_BEGINNING}|{NUMERO_BEGINNING}|{ERA_BEGINNING}|{SHORTHAND_BEGINNING})"
    # Each only from where a run begins: from all of its parts it would take time.
    rf"|(?<!{_W})(?:(?<![.+-])[^\W\d_][\w+-]*[.@]\S|(?<![.@-])[^\W\d_][\w-]*\.\S"
    r"|[^\W\d_]+\.?[ \xa0\u202f\u2009]?\d"
    r"|(?<!-)(?:[^\W\d_]{1,31}-){1,3}(?:Str|Allee|Gasse|Platz|Weg|Ring|Damm|Ufer)"
    r"|[A-ZÄÖÜ][a-zäöüß]{2,30}er[ \xa0](?:Str|Allee|Platz|Weg|Ring|Damm|Ufer)"
    rf"|[A-Z]{{2}}|[A-Z][A-Z-]{_SOON}\d|\d|[^a-zA-Z\W]))"
)
_LITERAL = re.compile(f"{_BEGINNING}(?:{_ANY})")
_INCH = '"'
_LONGEST_REMEMBERED = 1_000
_WORDED = "_era", "_shorthand", "_hour", "_numero", "postal"
# Each pattern needs one of these. Most sentences have none, and each is asked several times.
_SIGN = re.compile(
    r"[@/<&{\[%$_`\\#*\d€£¥½-¾⅓-⅞®™℠©℗¹²³⁰-₉①-⓿ªº]|\.\w|--|[IVXLCDM]{2}|[A-Z]{5}"
    rf"|{HOUR_TRACE}|{SHORTHAND_TRACE}"
    "|[\U0001f000-\U0001f3fa\U0001f400-\U0001faff\u2600-\u27bf\u2b1b-\u2b55]"
)


def literal_matches(text: str) -> tuple[re.Match[str], ...]:
    """What is to be kept, in order; `quantities.written` says how."""
    if not _SIGN.search(text):
        return ()
    return _remembered(text) if len(text) <= _LONGEST_REMEMBERED else tuple(_matches(text))


@lru_cache(64)
def _remembered(text: str) -> tuple[re.Match[str], ...]:
    """A sentence is asked for four times: whether it has words, what to hide, its terms, its words.

    As many are kept as may be under way together, and no long ones.
    """
    return tuple(_matches(text))


def _matches(text: str) -> Iterator[re.Match[str]]:
    inches = 0
    for match in _LITERAL.finditer(text):
        found: re.Match[str] | None = match
        if match["_inch"] and match.group()[-1] == _INCH:
            # What closes a quotation is no inch: '"Fahrenheit 451"'.
            if (text.count(_INCH, 0, match.start()) - inches) % 2:
                found = _LITERAL.match(text, match.start(), match.end() - 1)
            else:
                inches += 1
        if found and found.group():
            yield found


def literals(text: str, *, worded: bool = True) -> tuple[Span, ...]:
    """Spans to be kept, in order, never overlapping, without white space around them.

    Args:
        worded: also those that `is_worded`.
    """
    found = literal_matches(text)
    return tuple(Span(*one.span()) for one in found if worded or not is_worded(one))


def is_worded(match: re.Match[str]) -> bool:
    """Whether it has words of the language, which the other language says in its own by rule, or
    not at all: "half past two". A client's own word for one of them, or a prefix, goes before."""
    return any(match[group] is not None for group in _WORDED)


def without_literals(text: str) -> str:
    """The text with a space in place of each of them: what is left to translate."""
    parts, read = [], 0
    for span in literals(text):
        parts += [text[read : span.start], " "]
        read = span.end
    return "".join(parts) + text[read:]
