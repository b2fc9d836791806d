"""Sentences of a text, by rules.

Invariant: gap, sentence, gap, sentence, ..., gap. The sentences are in order, none is empty, none
begins or ends with white space, no two overlap; the gaps are white space or empty; together they
are the text. Worked:

    ""                    no sentence
    " "                   no sentence: all of it is a gap
    "hi"                  [0, 2)
    " hi. Ho "            [1, 4), [5, 7)
    "a\\r\\nb"              [0, 1), [3, 4)

The way of a text, each step inside the one before:

    lines       every line break ends a sentence
    items       "1. Foo 2. Bar" and "• Foo • Bar" are cut before "2." and the second "•"
    stops       a run of stops with the quotes, brackets, notes and smileys that belong to it:
                ". . .", '?!"', ".)", ".[3]", "! 😀"
    verdict     does the run end the sentence? By its marks, the word before it and what follows.

Stops of scripts without spaces (。！？ and the danda) need no white space after them; all others
do, so no URL, number, version or file name is ever cut. Time is linear: each verdict looks at most
`_BEHIND` code points back and scans white space that no other verdict scans.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from dragoman.abbreviations import Abbreviation, LanguageRules, OrdinalRules, rules_for
from dragoman.errors import InvalidRequestError
from dragoman.types import Span

_BEHIND = 48  # longer than any abbreviation with the word before it

_WIDE = "。！？｡．।॥።။។؟۔։"  # need no white space after them
_STOPS = ".!?…‽⁇⁈⁉‼\u037e" + _WIDE
_BRACKETS = ")]}）】］〉》"
_CLOSERS = "\"'”’“‘»«›‹」』〟" + _BRACKETS
_OPENERS = "\"'“”‘’„‚»«›‹([{（「『【《〈¿¡"
_BRACKET_SET = frozenset(_BRACKETS)
_OPENING_BRACKETS = ("(", "[", "{", "（", "【", "［", "〈", "《")
_DASHES = "-–—―‐‑*_"
_BULLETS = "•‣⁃◦▪●"
_NEVER_FIRST = ",;:)]}!?.…%|/\\=<>+~^，、；：）"  # the sentence goes on with one of these
_EXTENDERS = "\u200c\u200d\uff9e\uff9f🏻🏼🏽🏾🏿"  # besides marks
_CJK = "\u2e80-\u2fdf\u3001-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef"
_SMILEY = "\U0001f1e6-\U0001f1ff\U0001f300-\U0001faff☀-⛿❤\ufe0f\u200d\U000e0020-\U000e007f"


def _set(characters: str) -> str:
    return "[" + re.escape(characters) + "]"


_LINE = re.compile(r"[^\n\r\v\f\x85\u2028\u2029]+")
_RUN = re.compile(
    rf"(?:{_set(_STOPS)}+(?: \.(?!\w))*(?:{_set(_CLOSERS)}|\[\w{{1,3}}\]|[¹²³])*)+"
    rf"(?:[ \xa0\u202f][»›](?=\s|$))?(?:[ \xa0]?(?:[{_SMILEY}]|[:;]-?[()DP](?!\w)))*"
)
_SPACE = re.compile(r"\s+")
_SKIPPED = re.compile(
    rf"(?:[\[(](?:\.\.\.|…)[\])]\s*)?(?:\s|{_set(_OPENERS)}|{_set(_DASHES)}){{0,8}}"
)
_WORD = re.compile(r"[^\W\d_]{1,32}(?:-[^\W\d_]{1,32})?")
_CAMEL = re.compile(r"[a-z]{1,2}[A-Z]")  # iPhone, eBay
_LAST_CLOSERS = re.compile(rf"{_set(_STOPS)}({_set(_CLOSERS)}*+)[^{re.escape(_STOPS)}]*+$")
_OMISSION = re.compile(r"[\[(](?:\.\.\.|…)[\])][\"”“]?$")
_ENUMERATOR = re.compile(
    rf"(?:{_set(_BULLETS)}\s?)?\(?(?:\d{{1,3}}|\d{{1,3}}(?:\.\d{{1,3}})+|[A-Za-z]|[IVX]{{2,5}})\.\)?$"
)
_DOTTED = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]$")  # an initial, or many: J, J.R.R
_INITIAL = re.compile(r"[^\W\d_]\.$")
_ROMAN = re.compile(r"X{0,3}(?:IX|IV|V?I{0,3})$")
_ORDINAL = re.compile(r"(?:\d{1,2}[./–-]{1,2})*\d{1,2}$|\d{3}$")  # 3, 12./13, 100; not 1.000
_VOWEL = re.compile(r"[aeiouyäöüàáâãåæèéêëìíîïòóôõøœùúûýаеёиоуыэюяіїєў]")
_URL = re.compile(r"://|www\.")
_CJK_PAIR = re.compile(rf"[{_CJK}]{{2}}$")
_SPEECH = re.compile(  # what goes on after a quotation: 「…。」と言った, “……！”他说
    r"って|と[言思叫聞答呼いの、]|との|[\u4e00-\u9fff]{0,4}[说說道问問喊叫答][，。：道]"
)
_BULLET = re.compile(rf"(?<=\s){_set(_BULLETS)}(?=\s*\w)")
_MARKER = re.compile(rf"(?:^|(?<=\s))\(?(\d{{1,2}}|[a-z])(\.\)|\)|\.)\s+{_set(_OPENERS)}?(?=\w)")


def split_sentences(text: str, language: str) -> tuple[Span, ...]:
    """The sentences of `text`, in order.

    Args:
        text: anything; lone surrogates and control characters are characters like others.
        language: BCP 47 tag of the text; an unknown one gets rules that fit most languages.
    """
    rules = rules_for(language)
    return tuple(
        Span(line.start() + start, line.start() + end)
        for line in _LINE.finditer(text)
        for start, end in _sentences(line.group(), rules)
    )


def trimmed_sentences(text: str, sentences: Iterable[Span]) -> tuple[Span, ...]:
    """Sentences that somebody else has found, as this module gives them: trimmed, none empty.

    Raises:
        InvalidRequestError: they are not in order, overlap, or are not in the text.
    """
    found: list[Span] = []
    read = 0
    for span in sentences:
        if not read <= span.start <= span.end <= len(text):
            raise InvalidRequestError(
                f"sentences do not fit the text: [{span.start}, {span.end}) after {read}"
            )
        read = span.end
        sentence = span.of(text)
        if not sentence.isspace() and sentence:
            left = len(sentence) - len(sentence.lstrip())
            found.append(Span(span.start + left, span.start + len(sentence.rstrip())))
    return tuple(found)


def _sentences(line: str, rules: LanguageRules) -> Iterator[tuple[int, int]]:
    """Start and end of each sentence of a line, trimmed."""
    for item_start, item_end in _between(_item_starts(line, rules), len(line)):
        item = line[item_start:item_end]
        for start, end in _between(_sentence_ends(item, rules), len(item)):
            sentence = item[start:end]
            left = item_start + start + len(sentence) - len(sentence.lstrip())
            right = item_start + start + len(sentence.rstrip())
            if left < right:
                yield left, right


def _between(cuts: Iterator[int], end: int) -> Iterator[tuple[int, int]]:
    start = 0
    for cut in cuts:
        yield start, cut
        start = cut
    yield start, end


# --- items -------------------------------------------------------------------------------------


def _item_starts(line: str, rules: LanguageRules) -> Iterator[int]:
    """Where a line is cut because an item of a list begins, in order."""
    starts = {bullet.start() for bullet in _BULLET.finditer(line)}
    yield from sorted(starts.union(_list_markers(line, rules)))


def _list_markers(line: str, rules: LanguageRules) -> Iterator[int]:
    """Second and later markers of a list that begins with its line: "1. Foo 2. Bar"."""
    indent = len(line) - len(line.lstrip())
    first = _MARKER.match(line, indent)
    if first is None:
        return
    label, style = first.groups()
    for marker in _MARKER.finditer(line, first.end()):
        if marker.groups() == (_next_label(label), style) and _begins_item(line, marker, rules):
            label = marker[1]
            yield marker.start()


def _next_label(label: str) -> str:
    return str(int(label) + 1) if label.isdecimal() else chr(ord(label) + 1)


def _begins_item(line: str, marker: re.Match[str], rules: LanguageRules) -> bool:
    word = _WORD.match(line, marker.end())
    if word is None or word[0][0].islower():
        return False
    if marker[2] != "." or not marker[1].isdecimal() or rules.ordinals is None:
        return True
    before = line[max(0, marker.start() - _BEHIND) : marker.start()].split()
    return not _in_ordinal_place(before[-1] if before else "", word[0], rules.ordinals)


# --- stops -------------------------------------------------------------------------------------


def _sentence_ends(item: str, rules: LanguageRules) -> Iterator[int]:
    start = 0
    for run in _RUN.finditer(item):
        if run.end() < len(item) and _ends_sentence(item, start, run, rules):
            yield run.end()
            start = run.end()
            while start < len(item) and item[start].isspace():
                start += 1


def _ends_sentence(item: str, start: int, run: re.Match[str], rules: LanguageRules) -> bool:
    """Whether a run of stops ends the sentence that begins at `start`."""
    marks = {mark for mark in run[0] if mark in _STOPS}
    if not marks.isdisjoint(_WIDE):
        return _wide_stop_ends(item, start, run)
    space = _SPACE.match(item, run.end())
    if space is None:
        return _glued_stop_ends(item, run)
    following = _following(item, space.end())
    if following.kind is _Kind.LOWER:
        return _casual_stop_ends(item, start, run, following.word, rules)
    if following.kind is _Kind.NEVER_FIRST:
        return False
    if item.startswith("(", space.end()) and run[0][-1] in '"”“':
        return False  # "Is it late?" (Brown 2004)
    omission = _OMISSION.search(item[max(start, run.end() - 8) : run.end()])
    if omission or _closes_inner_bracket(item, start, run):
        return False
    if marks != {"."}:
        return following.kind is not _Kind.DIGIT or not marks.isdisjoint("!?")
    if run[0].count(".") > 1 and not run[0].startswith((".)", '."')):
        return following.kind is not _Kind.DIGIT  # an ellipsis
    return _Period(item, start, run.start(), run.end(), following, rules).ends_sentence()


def _casual_stop_ends(
    item: str, start: int, run: re.Match[str], word: str, rules: LanguageRules
) -> bool:
    """Whether a stop ends a sentence although `word` after it is in lower case, as in a chat:
    "what size? large. do you want ..."."""
    if run[0] not in (".", "?") or not item.startswith(word, run.end() + 1):
        return False  # a quotation that goes on, a dash
    if run[0] == "?":
        return bool(rules.casual)
    before = item[max(start, run.start() - _BEHIND) : run.start()].split()[-1:]
    return word in rules.casual and any(
        len(last) > 1 and last.islower() and last not in rules.abbreviations and _VOWEL.search(last)
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
    if not after or _extends_grapheme(after) or after in _NEVER_FIRST:
        return False
    if run[0] == "．" and after.isalnum() and item[run.start() - 1 : run.start()].isalnum():
        return False
    return not (_closes_inner_bracket(item, start, run) or _SPEECH.match(item, run.end()))


def _glued_stop_ends(item: str, run: re.Match[str]) -> bool:
    """A stop without white space after it ends a sentence between CJK characters only: 你好!我是"""
    pair = item[run.start() - 1 : run.start()] + item[run.end()]
    if _CJK_PAIR.match(pair) is None or item[run.end()] in _NEVER_FIRST:
        return False
    behind = item[max(0, run.start() - 2 * _BEHIND) : run.start()].split()
    return not (behind and _URL.search(behind[-1]))


def _extends_grapheme(character: str) -> bool:
    return unicodedata.category(character)[0] == "M" or character in _EXTENDERS


# --- what follows --------------------------------------------------------------------------------


class _Kind(StrEnum):
    LOWER = "lower"
    CAPITAL = "capital"  # or a letter without case
    DIGIT = "digit"
    SYMBOL = "symbol"
    NEVER_FIRST = "never first"


@dataclass(frozen=True, slots=True)
class _Following:
    """The first word after a stop, quotes, brackets and dashes skipped; "" if it is no word."""

    kind: _Kind
    word: str = ""
    is_initial: bool = False  # "A." of "J. A. Smith"


def _following(item: str, at: int) -> _Following:
    first = skipped.end() if (skipped := _SKIPPED.match(item, at)) else at
    if first >= len(item) or item[first] in _NEVER_FIRST or _extends_grapheme(item[first]):
        return _Following(_Kind.NEVER_FIRST)
    character = item[first]
    if character.isdigit():
        end = first + 1
        while end < min(len(item), first + 5) and item[end].isdigit():
            end += 1
        return _Following(_Kind.DIGIT, item[first:end])
    word = _WORD.match(item, first)
    if word is None:
        return _Following(_Kind.SYMBOL)
    lower = character.islower() and not _CAMEL.match(item, first)
    stop_follows = item.startswith(".", word.end())
    return _Following(
        _Kind.LOWER if lower else _Kind.CAPITAL, word[0], len(word[0]) == 1 and stop_follows
    )


# --- the period ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Period:
    """One period with what stands around it.

    Attributes:
        item, start: the text and where its sentence began.
        at, end: of the period, and of the run that it begins.
        following: what comes after; never LOWER or NEVER_FIRST.
    """

    item: str
    start: int
    at: int
    end: int
    following: _Following
    rules: LanguageRules

    def ends_sentence(self) -> bool:
        if self.at - self.start < 12 and _ENUMERATOR.match(self.item[self.start : self.end]):
            return False
        tokens = self.item[max(self.start, self.at - _BEHIND) : self.at].split()
        if not tokens or self.item[self.at - 1].isspace():
            return True
        word = tokens[-1].lstrip(_OPENERS + _DASHES)
        before = tokens[-2] if len(tokens) > 1 else ""
        if word[-1:].isdigit():
            return self._number_ends(word, before)
        kind = self._abbreviation(word, tokens)
        return kind is None or self._abbreviation_ends(kind, len(tokens))

    def _starter_follows(self) -> bool:
        return not self.following.is_initial and self.following.word in self.rules.starters

    def _abbreviation_ends(self, kind: Abbreviation, tokens: int) -> bool:
        capital = self.following.kind is _Kind.CAPITAL
        match kind:
            case Abbreviation.LEADING:
                return False
            case Abbreviation.NUMBERED:
                word = self.following.word
                numeral = len(word) == 1 or _ROMAN.match(word) is not None
                initial = self.item[self.at - 1].isupper() and not self.item[self.at - 2].isalpha()
                return self._starter_follows() or (capital and not numeral and not initial)
            case Abbreviation.OPEN:
                return self._starter_follows()
            case Abbreviation.CLOSING:
                goes_on = self.following.word in self.rules.continuations
                return capital and tokens > 3 and not goes_on

    def _abbreviation(self, word: str, tokens: list[str]) -> Abbreviation | None:
        """The kind of the word before the period; None if it is no abbreviation."""
        for candidate in self._spellings(word, tokens):
            kind = self.rules.abbreviations.get(candidate)
            if kind is not None:
                return kind
        before = tokens[-2] if len(tokens) > 1 else ""
        if _DOTTED.match(word) or self._is_roman_ordinal(word, before):
            return Abbreviation.OPEN
        if word.endswith(("str", "Str")) and self.rules.ordinals is not None:
            return Abbreviation.OPEN  # Hauptstr.
        if self.rules.vowelless and 2 <= len(word) <= 5 and word.islower() and word.isalpha():
            return None if _VOWEL.search(word) else Abbreviation.OPEN
        return None

    def _spellings(self, word: str, tokens: list[str]) -> Iterator[str]:
        """The word with the initials before it, longest first ("z. B" as "z.B"), then variants."""
        joined, forms = word, [word]
        for token in reversed(tokens[-5:-1]):
            if not _INITIAL.search(token.lstrip(_OPENERS)) or len(token) > 3:
                break
            joined = token.lstrip(_OPENERS) + joined
            forms.append(joined)
        yield from reversed(forms)
        part = re.split(r"[/–-]", word)[-1]
        if part and part != word:
            yield part  # ca./max., Haupt-Str.
        if len(tokens) == 1 or tokens[-1] != word:
            yield word[:1].lower() + word[1:]  # Vgl. at the start, (Vgl.
        if len(word) > 1 and word.isupper():
            yield word.capitalize()  # MR.

    def _is_roman_ordinal(self, word: str, before: str) -> bool:
        """Such as "II" of "Friedrich II."; two letters at least, one is an initial anyway."""
        return (
            self.rules.ordinals is not None
            and len(word) > 1
            and _ROMAN.match(word) is not None
            and before[:1].isupper()
        )

    def _number_ends(self, number: str, before: str) -> bool:
        ordinals = self.rules.ordinals
        if ordinals is None or not _ORDINAL.match(number) or self._starter_follows():
            return True
        if self.following.kind is _Kind.DIGIT:  # 3. 10. 2015
            return len(self.following.word) > 2 and not before.endswith(".")
        if self.following.kind is _Kind.SYMBOL:
            return True
        if _in_ordinal_place(before, self.following.word, ordinals):
            return False
        numbered = self.rules.abbreviations.get(before.rstrip(".")) is Abbreviation.NUMBERED
        counted = before[:1].isupper() and before.isalpha()  # Platz 3, Nr. 3
        return numbered or counted or int(re.split(r"\D", number)[-1]) > 31


def _in_ordinal_place(before: str, after: str, ordinals: OrdinalRules) -> bool:
    """Whether a number and a stop between these words is an ordinal: "am 3. Oktober"."""
    return before.strip("(\"'„“,.").lower() in ordinals.leads or after in ordinals.nouns
