"""Runs of stops, and whether one ends a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dragoman.graphemes import extends
from dragoman.text.abbreviations import LanguageRules
from dragoman.text.following import NEVER_FIRST, FollowingKind, following_word
from dragoman.text.marks import BEHIND, BRACKETS, BREATH, CLOSERS, STOPS, WIDE, any_of
from dragoman.text.period import VOWEL, Period

_BRACKET_SET = frozenset(BRACKETS)
_OPENING_BRACKETS = ("(", "[", "{", "（", "【", "［", "〈", "《")
_CJK = "\u2e80-\u2fdf\u3001-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef"
_SMILEY = "\U0001f1e6-\U0001f1ff\U0001f300-\U0001faff☀-⛿❤\ufe0f\u200d\U000e0020-\U000e007f"
# The figure of a footnote, after a whole word: "true.1 Another".
_NOTE = r"(?<=[a-zà-ÿ]{3}[.!?])\d{1,2}(?=\s+[A-ZÀ-Þ])|(?<=[.!?][\"”“’»«])\d{1,2}(?=\s+[A-ZÀ-Þ])"
# "Das ist **wichtig.** Nun": what ends emphasis (`routing.emphasis`), or a note's star.
_EMPHASIS = r"(?:(?<=\w[.!?…])|(?<=[.!?…][\"”“’»«)]))(?:\*{1,3}|_{1,2}|~~)(?=\s|$)"
_RUN = re.compile(
    rf"(?:{any_of(STOPS)}+(?: \.(?!\w))*"
    rf"(?:(?![“‘][{_CJK}]){any_of(CLOSERS)}|\[\w{{1,3}}\]|[¹²³]|{_NOTE}|{_EMPHASIS})*)+"
    rf"(?:[ \xa0\u202f][»›](?=\s|$))?(?:[ \xa0]?(?:[{_SMILEY}]|[:;]-?[()DP](?!\w)))*"
)
_SPACE = re.compile(r"\s+")
_LAST_CLOSERS = re.compile(rf"{any_of(STOPS)}({any_of(CLOSERS)}*+)[^{re.escape(STOPS)}]*+$")
_OMISSION = re.compile(r"[\[(](?:\.\.\.|…)[\])][\"”“]?$")
_URL = re.compile(r"://|www\.")
_CJK_PAIR = re.compile(rf"[{_CJK}]{{2}}$")
_SPEECH = re.compile(  # what goes on after a quotation: 「…。」と言った, “……！”他说
    r"って|と[言思叫聞答呼いの、]|との|[\u4e00-\u9fff]{0,4}[说說道问問喊叫答][，。：道]"
)


def sentence_ends(item: str, rules: LanguageRules, begin: int) -> Iterator[int | None]:
    """Where the sentences of an item end, but for the last; nothing before `begin` does.

    After each `BREATH` verdicts that end none there is a None, for who does this bit by bit.
    """
    start = _after_space(item, begin) if begin else 0
    for number, run in enumerate(_RUN.finditer(item, begin), 1):
        if run.end() < len(item) and _ends_sentence(item, start, run, rules):
            yield run.end()
            start = _after_space(item, run.end())
        elif number % BREATH == 0:
            yield None


def _after_space(item: str, at: int) -> int:
    while at < len(item) and item[at].isspace():
        at += 1
    return at


def _ends_sentence(item: str, start: int, run: re.Match[str], rules: LanguageRules) -> bool:
    """Whether a run of stops ends the sentence that begins at `start`."""
    marks = {mark for mark in run[0] if mark in STOPS}
    if not marks.isdisjoint(WIDE):
        return _wide_stop_ends(item, start, run)
    space = _SPACE.match(item, run.end())
    if space is None:
        return _glued_stop_ends(item, run)
    following = following_word(item, space.end())
    if marks != {"."} and item.startswith(("¡", "¿"), space.end()):
        return True  # ¡Ay! ¡qué pena!
    if following.kind is FollowingKind.LOWER:
        return _casual_stop_ends(item, start, run, following.word, rules)
    if following.kind is FollowingKind.NEVER_FIRST:
        return False
    if item.startswith("(", space.end()) and run[0][-1] in '"”“':
        return False  # "Is it late?" (Brown 2004)
    omission = _OMISSION.search(item[max(start, run.end() - 8) : run.end()])
    if omission or _closes_inner_bracket(item, start, run):
        return False
    if marks != {"."}:
        return following.kind is not FollowingKind.DIGIT or not marks.isdisjoint("!?")
    if run[0].count(".") > 1 and not run[0].startswith((".)", '."')):
        return following.kind is not FollowingKind.DIGIT  # an ellipsis
    return Period(item, start, run.start(), run.end(), following, rules).ends_sentence()


def _casual_stop_ends(
    item: str, start: int, run: re.Match[str], word: str, rules: LanguageRules
) -> bool:
    """Whether a stop ends a sentence although `word` after it is in lower case, as in a chat:
    "what size? large. do you want ..."."""
    if run[0] not in (".", "?") or not item.startswith(word, run.end() + 1):
        return False  # a quotation that goes on, a dash
    if run[0] == "?":
        return bool(rules.casual)
    before = item[max(start, run.start() - BEHIND) : run.start()].split()[-1:]
    return word in rules.casual and any(
        len(last) > 1 and last.islower() and last not in rules.abbreviations and VOWEL.search(last)
        for last in before
    )


def _closes_inner_bracket(item: str, start: int, run: re.Match[str]) -> bool:
    """Whether the run's last stop is in a bracket that opened after the sentence's start."""
    if _BRACKET_SET.isdisjoint(run[0]):
        return False
    closers = _LAST_CLOSERS.search(run[0])
    if closers is None or _BRACKET_SET.isdisjoint(closers[1]):
        return False
    return not item[start : start + 2].lstrip("\"'„“«»").startswith(_OPENING_BRACKETS)


def _wide_stop_ends(item: str, start: int, run: re.Match[str]) -> bool:
    """Of scripts without spaces: every stop ends, but for "３．１４", a quotation that goes on
    (「はい。」と言った) and brackets within a sentence (我（是吗？）去)."""
    space = _SPACE.match(item, run.end())
    after = item[(at := space.end() if space else run.end()) : at + 1]
    if not after or extends(after) or after in NEVER_FIRST:
        return False
    if run[0] == "．" and after.isalnum() and item[run.start() - 1 : run.start()].isalnum():
        return False
    return not (_closes_inner_bracket(item, start, run) or _SPEECH.match(item, run.end()))


def _glued_stop_ends(item: str, run: re.Match[str]) -> bool:
    """A stop without white space after it ends a sentence between CJK characters only: 你好!我是;
    as a wide stop it does not where a quotation goes on: “再见!”她说道。"""
    pair = item[run.start() - 1 : run.start()] + item[run.end()]
    if _CJK_PAIR.match(pair) is None or item[run.end()] in NEVER_FIRST:
        return False
    if _SPEECH.match(item, run.end()) and run[0][-1] in CLOSERS:
        return False
    behind = item[max(0, run.start() - 2 * BEHIND) : run.start()].split()
    return not (behind and _URL.search(behind[-1]))
