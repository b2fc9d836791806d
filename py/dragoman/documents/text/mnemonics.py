"""The letters of labels that a keyboard chooses by: "Save _As..." (GTK), "&Edit" (Qt, KDE, wx).

A label is translated without its mark, which then stands before the letter that it was for, where
the translation has that, else before its first letter: it is never lost.

    "Save _As..."  ->  "Save As...", ("_", "a")     "Speichern als..."  ->  "Speichern _als..."
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_LETTER = r"[^\W\d_]"
# What may be beside a word of a label: identifiers and addresses ("_init()", "?a=1&b=2") are none.
_BEFORE = r"(?<![^\s(\[\"'„“«>])"
_AFTER = rf"(?={_LETTER}*(?:[-'’]{_LETTER}+)*(?:[.,:;…!?)\]\"'“”»]*(?:\s|$)|<))"
_MNEMONIC = re.compile(
    # Languages without such letters: "文件(&F)"; "&amp;" is a letter by itself
    r"\s?\((?P<own>[&_])[A-Za-z\d]\)"
    rf"|{_BEFORE}(?P<first>[&_])(?!\w+;){_LETTER}{_AFTER}"
    # "Forma&t", but neither "R&D" nor "file_name"
    rf"|{_BEFORE}{_LETTER}+(?P<inner>&){_LETTER}{_AFTER}"
    rf"|{_BEFORE}{_LETTER}{{1,3}}(?P<line>_){_LETTER}{_AFTER}"
)
_WORD = re.compile(r"[^\W_]+")
_END = re.compile(r"[.…:：]*\s*\Z")
_PAIR = re.compile(r"\b(?:drag&drop|(?:copy|cut)&paste|rock&roll|plug&play)", re.IGNORECASE)
_LABEL = 5  # words; a sentence may say an identifier


def _is_sentence(text: str) -> bool:
    stripped = text.rstrip()
    stops = stripped.endswith(".") and not stripped.endswith("..")
    return stops or len(stripped.split()) > _LABEL


class Mnemonic(NamedTuple):
    """The mark, and the letter that it was before, in small."""

    mark: str
    letter: str


def without_mnemonic(text: str) -> tuple[str, Mnemonic | None]:
    """A label without its mark; None where there is none, or where it cannot be told which is."""
    found = [match for match in _MNEMONIC.finditer(text) if _is_meant(match, text)]
    if len(found) != 1:
        return text, None
    (match,) = found
    at = match.start(match.lastgroup or 0)
    mnemonic = Mnemonic(text[at], text[at + 1].lower())
    if match["own"]:
        return text[: match.start()] + text[match.end() :], mnemonic
    return text[:at] + text[at + 1 :], mnemonic


def _is_meant(match: re.Match[str], text: str) -> bool:
    """One mark of a label: two are one that is shown ("&&"), or emphasis ("_now_")."""
    said = match.group()
    if text.count(match[match.lastgroup or 0]) != 1 or _is_sentence(text):
        return False
    if match["inner"]:
        return said[-1].islower() and not _PAIR.search(text)
    return not match["line"] or said.replace("_", "").istitle()


def with_mnemonic(texts: Sequence[str], mnemonic: Mnemonic) -> list[str]:
    """The parts of a translation with the mark: before the first word that begins with its letter,
    else the first such letter, else the first of all; behind letters that no keyboard has."""
    mark, letter = mnemonic
    parts = list(texts)
    words = [
        (index, match.start(), match.group())
        for index, text in enumerate(parts)
        for match in _WORD.finditer(text)
    ]
    places = [(index, at) for index, at, word in words if word[0].lower() == letter]
    places += [
        (index, at + place)
        for index, at, word in words
        for place, char in enumerate(word)
        if char.lower() == letter
    ]
    if not places and not any(word.lower() != word.upper() for _, _, word in words):
        text = parts.pop()
        match = _END.search(text)
        end = match.start() if match else len(text)
        return [*parts, f"{text[:end]}({mark}{letter.upper()}){text[end:]}"]
    index, at = [*places, *((index, at) for index, at, _ in words)][0]
    parts[index] = parts[index][:at] + mark + parts[index][at:]
    return parts
