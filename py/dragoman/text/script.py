"""Which text a model can translate at all: the rest is copied, not guessed at."""

from __future__ import annotations

import re

_LATIN = "A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff"
_CYRILLIC = "\u0400-\u052f"
_GREEK = "\u0370-\u03ff\u1f00-\u1fff"
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_KANA = "\u3040-\u30ff"
_HANGUL = "\u1100-\u11ff\uac00-\ud7af"
_ARABIC = "\u0600-\u06ff\u0750-\u077f"
_HEBREW = "\u0590-\u05ff"
_DEVANAGARI = "\u0900-\u097f"

# Languages that are not written in Latin letters; all others are taken to be.
_SCRIPTS = {
    "ru": _CYRILLIC,
    "uk": _CYRILLIC,
    "bg": _CYRILLIC,
    "el": _GREEK,
    "zh": _HAN,
    "ja": _HAN + _KANA,
    "ko": _HANGUL + _HAN,
    "ar": _ARABIC,
    "fa": _ARABIC,
    "he": _HEBREW,
    "hi": _DEVANAGARI,
}


def letters_of(language: str) -> re.Pattern[str]:
    """A pattern that finds a letter of the script of `language` (BCP 47)."""
    return re.compile(f"[{_SCRIPTS.get(language.partition('-')[0].lower(), _LATIN)}]")


def any_letter(text: str) -> bool:
    return any(char.isalpha() for char in text)
