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

`SentenceSplitter` finds the same sentences in a text that arrives in pieces. A sentence is given
once nothing that may follow can change it (`_is_settled`); of what was read, it keeps what a
verdict may look back at, and where the line's list stands (`_Place`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from dragoman.errors import InvalidRequestError
from dragoman.graphemes import extends
from dragoman.text.abbreviations import Abbreviation, LanguageRules, OrdinalRules, rules_for
from dragoman.types import Span

_BEHIND = 48  # longer than any abbreviation with the word before it
# More than any verdict looks back: twice `_BEHIND`, for an address.
_KEPT = 2 * _BEHIND
# Code points, white space not counted, of which no verdict looks ahead at more: "[...]", eight
# marks, a word of 65, a stop. After a wide stop it is a verb of speech.
_AHEAD, _AHEAD_WIDE = 128, 12

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
_CJK = "\u2e80-\u2fdf\u3001-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef"
_SMILEY = "\U0001f1e6-\U0001f1ff\U0001f300-\U0001faff☀-⛿❤\ufe0f\u200d\U000e0020-\U000e007f"


def _set(characters: str) -> str:
    return "[" + re.escape(characters) + "]"


_LINE_BREAK = re.compile(r"[\n\r\v\f\x85\u2028\u2029]")
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
_WORD_CHARACTER = re.compile(r"\w")
_LETTER = re.compile("[0-9A-Za-z\u00c0-\u1fff]")  # of a script with spaces
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


@dataclass(frozen=True, slots=True)
class _Marker:
    """A list's marker, such as "2." or "b)"."""

    label: str
    style: str


@dataclass(frozen=True, slots=True)
class _Place:
    """From where on a line is read; what is before is only looked back at.

    Attributes:
        begin: the first code point that is in no sentence yet; 0: nothing was read.
        item: start of the item that `begin` is in, as far as it is kept.
        marker: the last marker of the list that the line begins with; None: with no list.
        scanned: where the next marker may begin.
    """

    begin: int = 0
    item: int = 0
    marker: _Marker | None = None
    scanned: int = 0


_LINE_START = _Place()


def _sentences(
    line: str, rules: LanguageRules, place: _Place = _LINE_START
) -> Iterator[tuple[int, int]]:
    """Start and end of each sentence of a line, trimmed."""
    for item_start, item_end in _between(place.item, _item_starts(line, rules, place), len(line)):
        item = line[item_start:item_end]
        begin = max(0, place.begin - item_start)
        for start, end in _between(begin, _sentence_ends(item, rules, begin), len(item)):
            sentence = item[start:end]
            left = item_start + start + len(sentence) - len(sentence.lstrip())
            right = item_start + start + len(sentence.rstrip())
            if left < right:
                yield left, right


def _between(start: int, cuts: Iterator[int], end: int) -> Iterator[tuple[int, int]]:
    for cut in cuts:
        yield start, cut
        start = cut
    yield start, end


# --- in pieces ---------------------------------------------------------------------------------


class SentenceSplitter:
    """Sentences of a text that arrives in pieces.

    Invariant: what `feed` and, at the end, `finish` give is in order what `split_sentences` gives
    of the whole text, unless `cut` was used. Spans are in the whole text.
    """

    def __init__(self, language: str) -> None:
        self._rules = rules_for(language)
        # The line that is being read; before `_place.begin`, only what may be looked back at.
        self._line, self._place = "", _LINE_START
        self._base = 0  # where `_line` stands in the whole text
        self._letters = 0  # that came one by one

    @property
    def begin(self) -> int:
        """Where `pending` stands in the whole text."""
        return self._base + self._place.begin

    @property
    def pending(self) -> str:
        """What was fed and is in no sentence yet."""
        return self._line[self._place.begin :]

    @property
    def held(self) -> int:
        """Code points that are kept."""
        return len(self._line)

    def feed(self, text: str) -> list[Span]:
        """The sentences that are sure now."""
        before = len(self._line)
        self._line += text
        found: list[Span] = []
        read = 0
        for line_break in _LINE_BREAK.finditer(self._line, before):
            found += self._found(read, line_break.start())
            read, self._place = line_break.end(), _LINE_START
        self._line, self._base = self._line[read:], self._base + read
        # A letter that comes alone settles nothing that the next space, or so many, would not.
        self._letters = self._letters + 1 if len(text) == 1 and _LETTER.match(text) else 0
        if self._letters % _AHEAD == 0:
            found += self._settled()
        return found

    def finish(self) -> list[Span]:
        """The sentences of what is pending; nothing can be fed afterwards."""
        found = self._found(0, len(self._line))
        self._line, self._base, self._place = "", self._base + len(self._line), _LINE_START
        return found

    def flush(self) -> list[Span]:
        """The sentences of what is pending, as if the line ended here."""
        found = self._found(0, len(self._line))
        if found:
            self._advance(found[-1].end - self._base)
        return found

    def cut(self, at: int) -> None:
        """Take `pending` up to `at` as read, wherever its sentences end: one begins there."""
        self._advance(self._place.begin + at)

    def _found(self, start: int, end: int) -> list[Span]:
        """Sentences of a line that is complete."""
        base = self._base + start
        sentences = _sentences(self._line[start:end], self._rules, self._place)
        return [Span(base + left, base + right) for left, right in sentences]

    def _settled(self) -> list[Span]:
        """Sentences of a line that is not, and the reading goes on after them."""
        found: list[Span] = []
        sentences = _sentences(self._line, self._rules, self._place)
        for (start, end), (following, _) in pairwise(sentences):
            if not _is_settled(self._line, end, following):
                break
            found.append(Span(self._base + start, self._base + end))
        if found:
            self._advance(found[-1].end - self._base)
        return found

    def _advance(self, begin: int) -> None:
        line, place = self._line, self._place
        starts = [start for start in _item_starts(line, self._rules, place) if start <= begin]
        marker, scanned = place.marker, begin
        for match, is_next in _markers(line, self._rules, place):
            if match.start() >= begin:
                break
            scanned = max(begin, match.end())
            if is_next:
                marker = _Marker(match[1], match[2])
        gone = max(0, begin - _KEPT)
        self._line, self._base = line[gone:], self._base + gone
        item = max(place.item, *starts, gone)
        self._place = _Place(begin - gone, item - gone, marker, scanned - gone)


def _is_settled(line: str, end: int, following: int) -> bool:
    """Whether a sentence that ends at `end` does so however a line goes on.

    Two words after it that are complete decide everything: a verdict looks at the first, or at a
    list's marker and the word after that. Without white space, enough code points do.
    """
    wide = line[max(0, end - _BEHIND) : end].rstrip(_CLOSERS).endswith(tuple(_WIDE))
    needed = _AHEAD_WIDE if wide else _AHEAD
    # Nearly always the near text tells; a text of little but white space needs all of it.
    reaches = (following + 4 * _AHEAD, len(line))
    return any(_tells_enough(line[following:reach], needed) for reach in reaches)


def _tells_enough(rest: str, needed: int) -> bool:
    tokens = rest.split()
    complete = tokens if rest[-1:].isspace() else tokens[:-1]
    words = sum(_WORD_CHARACTER.search(token) is not None for token in complete)
    return words > 1 or sum(map(len, tokens)) >= needed


# --- items -------------------------------------------------------------------------------------


def _item_starts(line: str, rules: LanguageRules, place: _Place) -> Iterator[int]:
    """Where a line is cut because an item of a list begins, in order."""
    starts = {bullet.start() for bullet in _BULLET.finditer(line, place.begin)}
    yield from sorted(starts.union(_list_markers(line, rules, place)))


def _list_markers(line: str, rules: LanguageRules, place: _Place) -> Iterator[int]:
    """Second and later markers of a list that begins with its line: "1. Foo 2. Bar"."""
    markers = _markers(line, rules, place)
    if not place.begin:
        next(markers, None)
    yield from (match.start() for match, is_next in markers if is_next)


def _markers(
    line: str, rules: LanguageRules, place: _Place
) -> Iterator[tuple[re.Match[str], bool]]:
    """What looks like a marker in a line that begins with one, and whether it is the next one."""
    marker, at = place.marker, place.scanned
    if not place.begin:
        first = _MARKER.match(line, len(line) - len(line.lstrip()))
        if first is not None:
            yield first, True
            marker, at = _Marker(first[1], first[2]), first.end()
    if marker is None:
        return
    for match in _MARKER.finditer(line, at):
        wanted = (_next_label(marker.label), marker.style)
        is_next = match.groups() == wanted and _begins_item(line, match, rules)
        if is_next:
            marker = _Marker(match[1], match[2])
        yield match, is_next


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


def _sentence_ends(item: str, rules: LanguageRules, begin: int) -> Iterator[int]:
    start = _after_space(item, begin) if begin else 0
    for run in _RUN.finditer(item, begin):
        if run.end() < len(item) and _ends_sentence(item, start, run, rules):
            yield run.end()
            start = _after_space(item, run.end())


def _after_space(item: str, at: int) -> int:
    while at < len(item) and item[at].isspace():
        at += 1
    return at


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
    if not after or extends(after) or after in _NEVER_FIRST:
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
    if first >= len(item) or item[first] in _NEVER_FIRST or extends(item[first]):
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
                letters = self.item[max(0, self.at - 2) : self.at]
                initial = letters[-1].isupper() and not letters[:-1].isalpha()
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
