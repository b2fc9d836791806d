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
    items       "1. Foo 2. Bar" and "• Foo • Bar" are cut before "2." and the second "•", and what
                has a tab between: "Title\\tPrice"
    stops       a run of stops with the quotes, brackets, notes and smileys that belong to it:
                ". . .", '?!"', ".)", ".[3]", "! 😀"
    verdict     does the run end the sentence? By its marks, the word before it and what follows.

Stops of scripts without spaces (。！？ and the danda) need no white space after them; all others
do, so no URL, number, version or file name is ever cut. Time is linear: each verdict looks at most
`marks.BEHIND` code points back and scans white space that no other verdict scans.

`SentenceSplitter` finds the same sentences in a text that arrives in pieces. A sentence is given
once nothing that may follow can change it (`_is_settled`); of what was read, it keeps what a
verdict may look back at, and where the line's list stands (`items.LineState`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from dragoman.errors import InvalidRequestError
from dragoman.text.abbreviations import LanguageRules, rules_for
from dragoman.text.items import LINE_START, LineState, ListMarker, item_starts, read_markers
from dragoman.text.marks import BEHIND, CLOSERS, LINE_BREAKS, WIDE, any_of
from dragoman.text.stops import sentence_ends
from dragoman.types import Span

# More than any verdict looks back: twice `BEHIND`, for an address.
_KEPT = 2 * BEHIND
# Code points, white space not counted, of which no verdict looks ahead at more: "[...]", eight
# marks, a word of 65, a stop. After a wide stop it is a verb of speech.
_AHEAD, _AHEAD_WIDE = 128, 12

_GREEK_QUESTION = "\u037e"  # looks like ";", which is what people type
_LINE_BREAK = re.compile(any_of(LINE_BREAKS))
_LINE = re.compile(f"[^{LINE_BREAKS}]+")
_WORD_CHARACTER = re.compile(r"\w")
_LETTER = re.compile("[0-9A-Za-z\u00c0-\u1fff]")  # of a script with spaces


def split_sentences(text: str, language: str) -> tuple[Span, ...]:
    """The sentences of `text`, in order.

    Args:
        text: anything; lone surrogates and control characters are characters like others.
        language: BCP 47 tag of the text; an unknown one gets rules that fit most languages.
    """
    return tuple(span for span in sentences_bit_by_bit(text, language) if span is not None)


def sentences_bit_by_bit(text: str, language: str) -> Iterator[Span | None]:
    """What `split_sentences` gives, one by one.

    None: much was looked at and no sentence has ended; others may have their turn.
    """
    rules = rules_for(language)
    for line in _LINE.finditer(text):
        for sentence in _sentences(line.group(), rules):
            yield Span(*sentence).shifted(line.start()) if sentence else None


def trimmed_sentences(text: str, sentences: Iterable[Span]) -> tuple[Span, ...]:
    """Sentences that somebody else has found, as this module gives them: trimmed, none empty.

    Raises:
        InvalidRequestError: they are not in order, overlap, or are not in the text.
    """
    trimmed: list[Span] = []
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
            trimmed.append(Span(span.start + left, span.start + len(sentence.rstrip())))
    return tuple(trimmed)


def _whole_sentences(
    line: str, rules: LanguageRules, place: LineState
) -> Iterator[tuple[int, int]]:
    return (sentence for sentence in _sentences(line, rules, place) if sentence is not None)


def _sentences(
    line: str, rules: LanguageRules, place: LineState = LINE_START
) -> Iterator[tuple[int, int] | None]:
    """Start and end of each sentence of a line, trimmed; None as in `sentences_bit_by_bit`."""
    if rules.semicolon_asks:
        line = line.replace(";", _GREEK_QUESTION)
    for item_span in _between(place.item, item_starts(line, rules, place), len(line)):
        if item_span is None:
            yield None
            continue
        item_start, item_end = item_span
        item = line[item_start:item_end]
        begin = max(0, place.begin - item_start)
        for span in _between(begin, sentence_ends(item, rules, begin), len(item)):
            if span is None:
                yield None
                continue
            start, end = span
            sentence = item[start:end]
            left = item_start + start + len(sentence) - len(sentence.lstrip())
            right = item_start + start + len(sentence.rstrip())
            if left < right:
                yield left, right


def _between(start: int, cuts: Iterator[int | None], end: int) -> Iterator[tuple[int, int] | None]:
    for cut in cuts:
        if cut is None:
            yield None
        else:
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
        self._line, self._place = "", LINE_START
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
        sentences: list[Span] = []
        read = 0
        for line_break in _LINE_BREAK.finditer(self._line, before):
            sentences += self._sentences_in(read, line_break.start())
            read, self._place = line_break.end(), LINE_START
        self._line, self._base = self._line[read:], self._base + read
        # A letter that comes alone settles nothing that the next space, or so many, would not.
        self._letters = self._letters + 1 if len(text) == 1 and _LETTER.match(text) else 0
        if self._letters % _AHEAD == 0:
            sentences += self._settled()
        return sentences

    def finish(self) -> list[Span]:
        """The sentences of what is pending; nothing can be fed afterwards."""
        last = self._sentences_in(0, len(self._line))
        self._line, self._base, self._place = "", self._base + len(self._line), LINE_START
        return last

    def flush(self) -> list[Span]:
        """The sentences of what is pending, as if the line ended here."""
        sentences = self._sentences_in(0, len(self._line))
        if sentences:
            self._advance(sentences[-1].end - self._base)
        return sentences

    def cut(self, at: int) -> None:
        """Take `pending` up to `at` as read, wherever its sentences end: one begins there."""
        self._advance(self._place.begin + at)

    def _sentences_in(self, start: int, end: int) -> list[Span]:
        """Sentences of a line that is complete."""
        base = self._base + start
        sentences = _whole_sentences(self._line[start:end], self._rules, self._place)
        return [Span(base + left, base + right) for left, right in sentences]

    def _settled(self) -> list[Span]:
        """Sentences of a line that is not, and the reading goes on after them."""
        settled: list[Span] = []
        sentences = _whole_sentences(self._line, self._rules, self._place)
        for (start, end), (following, _) in pairwise(sentences):
            if not _is_settled(self._line, end, following):
                break
            settled.append(Span(self._base + start, self._base + end))
        if settled:
            self._advance(settled[-1].end - self._base)
        return settled

    def _advance(self, begin: int) -> None:
        line, place = self._line, self._place
        starts = [
            start
            for start in item_starts(line, self._rules, place)
            if start is not None and start <= begin
        ]
        marker, scanned = place.marker, begin
        for match, is_next in read_markers(line, self._rules, place):
            if match.start() >= begin:
                break
            scanned = max(begin, match.end())
            if is_next:
                marker = ListMarker(match[1], match[2])
        gone = max(0, begin - _KEPT)
        self._line, self._base = line[gone:], self._base + gone
        item = max(place.item, *starts, gone)
        self._place = LineState(begin - gone, item - gone, marker, scanned - gone)


def _is_settled(line: str, end: int, following: int) -> bool:
    """Whether a sentence that ends at `end` does so however a line goes on.

    Two words after it that are complete decide everything: a verdict looks at the first, or at a
    list's marker and the word after that. Without white space, enough code points do.
    """
    wide = line[max(0, end - BEHIND) : end].rstrip(CLOSERS).endswith(tuple(WIDE))
    needed = _AHEAD_WIDE if wide else _AHEAD
    # Nearly always the near text tells; a text of little but white space needs all of it.
    reaches = (following + 4 * _AHEAD, len(line))
    return any(_tells_enough(line[following:reach], needed) for reach in reaches)


def _tells_enough(rest: str, needed: int) -> bool:
    tokens = rest.split()
    complete = tokens if rest[-1:].isspace() else tokens[:-1]
    words = sum(_WORD_CHARACTER.search(token) is not None for token in complete)
    return words > 1 or sum(map(len, tokens)) >= needed
