"""What has a number for a name: "order no. 12345", "Zimmer Nr. 5".

"no." is a word of English too, and a model that takes it for that says the opposite.
"""

from __future__ import annotations

import re

# How a language writes it before a number; several of German and English.
_SIGNS = {
    "cs": "č.", "da": "nr.", "de": "Nr.", "el": "αρ.", "en": "No.", "es": "n.º", "fr": "n°",
    "it": "n.", "nl": "nr.", "pl": "nr", "pt": "n.º", "ro": "nr.", "ru": "№", "sk": "č.",
    "sv": "nr", "tr": "No.", "uk": "№",
}  # fmt: skip
_S = "[ \xa0\u202f]"
# "Did they stay? No. 5 people left." counts, and so does "No. 30 % did".
_COUNTED = (
    r"people|persons|men|women|children|kids|guys|students|workers|players|euros|dollars|pounds"
    r"|seconds|minutes|hours|days|weeks|months|years|times|hundred|thousand|million|billion"
    r"|percent|per cent|miles|feet|inches|meters|metres|k?m|k?g|cm|mm"
    r"|more|(?:out )?of (?:us|them|you)"
)
NUMERO = (
    r"(?<![\w.-])(?:(?<!\bsaid )(?<!\bsays )(?<!\bsay )(?<!\banswer is )(?<!\bor )"
    r"(?<!\? )(?<!\b[Oo]h )"
    rf"(?P<no>[Nn][Oo]s?)(?P<no_mark>\.:?{_S}?)|(?P<nr>[Nn][Rr]n?)(?P<nr_mark>\.:?{_S}?|:?{_S}))"
    # XJ-900, 14B, 115-336, 5.960.411, 1430/2019; "1-ranked" is no code.
    r"(?P<numbered>(?!\d+(?:st|nd|rd|th)\b)(?:[A-Z]{1,6}-?)?\d\w*+"
    r"(?:[.,/–-](?=\w{0,8}\d)\w++)*+)"
    rf"(?!{_S}?[%‰°$€£]|:\d|{_S}?[/(]?\d|{_S}(?:{_COUNTED})\b)"
)
"""A pattern; `written_numero` takes its matches."""

NUMERO_BEGINNING = r"[Nn](?:[Oo]s?\.|[Rr]n?[.: \xa0\u202f])"
"""What it begins with, as a word."""


def written_numero(match: re.Match[str], source: str, target: str) -> str | None:
    """The same in the target language; None for the model to translate.

    Args:
        source, target: languages, of BCP 47 the first subtags.
    """
    sign = _SIGNS.get(target)
    own = match["no"] if source == "en" else match["nr"] if source == "de" else None
    if not own or sign is None:
        # A code is kept, whatever a language means by what is before it.
        return None if match["numbered"].isdigit() else match.group()
    if target == "en" and own[2:]:
        sign = "Nos."
    if not match.string[: match.start()].strip():
        sign = sign[0].upper() + sign[1:]
    mark = match["no_mark"] or match["nr_mark"]
    gap = mark[-1] if mark[-1:].isspace() else " "
    return f"{sign}{':' * (':' in mark)}{gap}{match['numbered']}"
