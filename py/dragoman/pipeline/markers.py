"""Stage 2, once there are sentences: the number of an item is none of its words.

A model takes "1." for an ordinal, or for a word ("1. Öffnen Sie die Tür." was "1 open the door.",
"3. Salz" "3rd salt"). So the marker is a part of its own, which is copied, and what is behind it is
translated as it would be without.

    "1. Wasser kochen"    "1." copied, "Wasser kochen" translated
    "## Zutaten"          "##": so has Markdown headings, and "-", "*", ">" before others
    "2. Weltkrieg"        an ordinal: nothing is cut
"""

from __future__ import annotations

import re

from dragoman.text.abbreviations import LanguageRules
from dragoman.text.marks import BULLETS, OPENERS, any_of
from dragoman.types import Span

_NUMBER = r"\d{1,3}"
# A letter with a stop is an initial: "A. Merkel".
_SIGN = rf"#{{1,6}}|[-*+] \[[ xX]\]|[-–—*+>{BULLETS}]"
_MARKER = rf"(?:{_NUMBER}(?:\.\)|[.)])|\(?[A-Za-z]\)|\({_NUMBER}\)|{_SIGN})"
_WHOLE = re.compile(_MARKER)
_ITEM = re.compile(rf"(?P<marker>{_MARKER})\s+(?={any_of(OPENERS)}*(?P<word>[^\W\d_]+))")
_BEFORE = re.compile(rf"(?:^|(?<=\s)){_MARKER}[ \t]*\Z")
_LONGEST = 16  # of a marker with the white space behind it, where one is looked for

# Of German, what `OrdinalRules` have not; nothing that is as likely an item ("1. Damen").
_NOUNS_TEXT = """
    Vorsitzender Vorsitzende Vorsitzenden Vorstand Bürgermeister Bürgermeisterin Beigeordneter
    Stellvertreter Stellvertreterin Vizepräsident Vizepräsidentin Sekretär Offizier Hälfte Drittel
    Preis Sieger Siegerin Gewinner Lauf Etappe Wahlgang Lesung Instanz Mahnung Rate Dosis Impfung
    Welle Lockdown Fassung Ausbaustufe Bauabschnitt Buch Mose Moses Könige Samuel Chronik Korinther
    Thessalonicher Timotheus Petrus Johannes Makkabäer Gebot Strophe Lehrjahr Schuljahr Trimester
    Studienjahr Ausbildungsjahr Geschoss Untergeschoss Staatsexamen Jahrgang Kreisklasse Kreisliga
    Bezirksliga Landesliga Regionalliga Oberliga Kompanie Violine Geige Weihnachtsfeiertag Feiertag
    Ostertag Pfingsttag VfB VfL SV TSV TuS BC AC
"""
_NOUNS = frozenset(_NOUNS_TEXT.split())


def is_marker(text: str) -> bool:
    """Whether a text is the marker of an item and nothing else: "1.", "(2)", "b)"."""
    return len(text) < _LONGEST and _WHOLE.fullmatch(text) is not None


def marker_at(text: str, line: Span) -> str | None:
    """The marker that a line begins with, whatever it is in the end."""
    item = _ITEM.match(text, line.start, line.end)
    return item["marker"] if item else None


def with_marker_apart(text: str, sentence: Span, rules: LanguageRules) -> tuple[Span, ...]:
    """The marker that a sentence begins with and what is behind it; else the sentence."""
    item = _ITEM.match(text, sentence.start, sentence.end)
    if item is None or item.end() - sentence.start > _LONGEST or _is_no_item(item, rules):
        return (sentence,)
    return (Span(*item.span("marker")), Span(item.end(), sentence.end))


def without_marker(text: str) -> str:
    """What is before an item's words, without its marker."""
    marker = _BEFORE.search(text, max(0, len(text) - _LONGEST))
    return text[: marker.start()] if marker else text


def _is_no_item(item: re.Match[str], rules: LanguageRules) -> bool:
    """Whether a number is an ordinal ("3. und 4. Klasse", "2. Weltkrieg") or a part of a sentence
    ("(2) bezieht sich auf"), or a bracket closes what was before ("(Bonn 1998, 34) das Spiel")."""
    word, marker, at = item["word"], item["marker"], item.start()
    if word[0].islower():
        starts_line = item.string[max(0, at - 1) : at] in ("", "\n")
        return not starts_line or marker.startswith("(") or marker.endswith(".")
    ordinals = rules.ordinals
    is_noun = ordinals is not None and (word in ordinals.nouns or word in _NOUNS)
    return is_noun and marker.endswith(".")
