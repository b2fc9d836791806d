"""Which text a model can translate at all: the rest is copied, not guessed at."""

from __future__ import annotations

import re

_LATIN = "A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff"
_CYRILLIC = "\u0400-\u052f"
_GREEK = "\u0370-\u03ff\u1f00-\u1fff"
_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA = "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9d"
_HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
_ARABIC = "\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff\ufb50-\ufdff\ufe70-\ufeff"
_HEBREW = "\u0590-\u05ff\ufb1d-\ufb4f"
_DEVANAGARI = "\u0900-\u097f"
_THAI, _LAO, _TIBETAN = "\u0e00-\u0e7f", "\u0e80-\u0eff", "\u0f00-\u0fff"
_MYANMAR, _KHMER = "\u1000-\u109f", "\u1780-\u17ff"

# Languages that are not written in Latin letters; all others are taken to be. Of two scripts both.
_LANGUAGES = (
    (_CYRILLIC, "ba be bg ce cv ky mk mn os ru tg tt uk"),
    (_CYRILLIC + _LATIN, "az hbs kk sr tk uz"),
    (_GREEK, "el"),
    (_ARABIC, "ar ckb fa ps sd ug ur"),
    (_HEBREW, "he iw yi"),
    (_DEVANAGARI, "bho hi mai mr ne sa"),
    ("\u0980-\u09ff", "as bn"),
    ("\u0a00-\u0a7f" + _ARABIC, "pa"),
    ("\u0a80-\u0aff", "gu"),
    ("\u0b00-\u0b7f", "or"),
    ("\u0b80-\u0bff", "ta"),
    ("\u0c00-\u0c7f", "te"),
    ("\u0c80-\u0cff", "kn"),
    ("\u0d00-\u0d7f", "ml"),
    ("\u0d80-\u0dff", "si"),
    ("\u0530-\u058f", "hy"),
    ("\u10a0-\u10ff\u1c90-\u1cbf\u2d00-\u2d2f", "ka"),
    ("\u1200-\u139f", "am ti"),
    (_THAI, "th"),
    (_LAO, "lo"),
    (_TIBETAN, "bo dz"),
    (_MYANMAR, "my"),
    (_KHMER, "km"),
    (_HAN, "yue zh"),
    (_HAN + _KANA, "ja"),
    (_HANGUL + _HAN, "ko"),
)
_SCRIPTS = {code: letters for letters, codes in _LANGUAGES for code in codes.split()}
UNSPACED_LETTERS = _HAN + _KANA + _THAI + _LAO + _TIBETAN + _MYANMAR + _KHMER
"""Of scripts that are written without spaces between words, as in a set of a pattern."""
UNSPACED = re.compile(f"[{UNSPACED_LETTERS}]")


def letters_of(language: str) -> re.Pattern[str]:
    """A pattern that finds a letter of the script of `language` (BCP 47)."""
    primary = re.split("[-_]", language)[0].lower()
    return re.compile(f"[{_SCRIPTS.get(primary, _LATIN)}]")


def any_letter(text: str) -> bool:
    return any(char.isalpha() for char in text)
