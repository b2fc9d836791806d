"""Stage 8, alignment: attention between pieces becomes links between words.

The matrix of a hypothesis is [T, S], row t a target piece, column s a source piece, rows summing
to 1; its last column is the source EOS, where target words without a counterpart look.
"""

from __future__ import annotations

import math
import re
import unicodedata
from array import array
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import add, itemgetter

from dragoman.graphemes import joins
from dragoman.text.literals import literals
from dragoman.text.script import UNSPACED
from dragoman.types import AlignedSegment, CopyReason, DetokenizedText, Hypothesis, Span, span_of

# What continues the character before it: common combining marks (the others: see `words`), joiners,
# variation selectors, the keycap, skin tones, tags of flags, soft hyphens.
_MARK = (
    "\u0300-\u036f\u00ad\u200b-\u200d\u2060\u20d0-\u20f0\ufe00-\ufe0f"
    "\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f"
)
# Runs of letters and digits with inner apostrophes, hyphens, dots and the like ("z.B.", "don't",
# "3,5"), else a flag, else a run of one mark ("...") or an emoji with all that is joined to it.
_WORD = re.compile(
    r"\b(?:e\.g|i\.e)\.(?!\w)|"
    rf"\w[\w{_MARK}]*(?:[-'’.,·@:/_]\w[\w{_MARK}]*)*"
    "|[\U0001f1e6-\U0001f1ff]{2}"
    rf"|([^\w\s])\1*(?:[{_MARK}]|(?<=\u200d)[^\w\s])*"
)
# No character before it continues another.
_FIRST_MARK = "\u0300"
_MAY_CONTINUE = re.compile(f"[{_FIRST_MARK}-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class LinkThresholds:
    """Weights below which a link is not believed; chosen on hand-aligned text (docs/adr/0005).

    Attributes:
        target: for the heaviest source word of a target word.
        source: for the heaviest target word of a source word that none chose.
    """

    target: float = 0.6
    source: float = 0.2


def words(text: str, pieces: Sequence[Span] = ()) -> tuple[Span, ...]:
    """Words and punctuation marks, in order; white space is in none of them.

    A literal (an address, a placeholder) is one word: the model sees one stand-in for it.

    Args:
        pieces: of the vocabulary, in order: in scripts that are written without spaces a word is
            what the model takes for one.
    """
    plain = _plain_words(text)
    if pieces and UNSPACED.search(text):
        plain = _cut_at(sorted({piece.start for piece in pieces}), plain, text)
    wholes = [span for span in literals(text) if any(map(str.isalnum, span.of(text)))]
    return _with_whole(plain, wholes)


def _cut_at(places: Sequence[int], plain: list[Span], text: str) -> list[Span]:
    """The plain, cut at the places that are beside a letter of a script without spaces."""
    result: list[Span] = []
    for word in plain:
        start = word.start
        for index in range(bisect_left(places, word.start + 1), bisect_left(places, word.end)):
            at = places[index]
            beside = UNSPACED.search(text, at - 1, at + 1)
            if beside and not joins(text[at - 1], text[at]):
                result.append(Span(start, at))
                start = at
        result.append(Span(start, word.end))
    return result


def _with_whole(plain: list[Span], wholes: Sequence[Span]) -> tuple[Span, ...]:
    """The words, those that overlap the same literal made one with it."""
    result: list[Span] = []
    rest = iter(plain)
    word = next(rest, None)
    for whole in wholes:
        while word and word.end <= whole.start:
            result.append(word)
            word = next(rest, None)
        start, end = whole.start, whole.end
        while word and word.start < end:
            start, end = min(start, word.start), max(end, word.end)
            word = next(rest, None)
        if result and start < result[-1].end:  # Two literals share a word.
            before = result.pop()
            start, end = before.start, max(before.end, end)
        result.append(Span(start, end))
    return (*result, *([word] if word else []), *rest)


def _plain_words(text: str) -> list[Span]:
    if not _MAY_CONTINUE.search(text):
        return [span_of(*match.span()) for match in _WORD.finditer(text)]
    spans: list[Span] = []
    for match in _WORD.finditer(text):
        span = Span(*match.span())
        if spans and spans[-1].end == span.start and _continues(text, span.start):
            span = Span(spans.pop().start, span.end)
        spans.append(span)
    return spans


def _continues(text: str, at: int) -> bool:
    """Whether a word goes on at `at`: many scripts' vowel signs are marks, which \\w leaves out."""
    if text[at] < _FIRST_MARK:
        return False
    if unicodedata.category(text[at])[0] == "M":
        return True
    return text[at].isalnum() and unicodedata.category(text[at - 1])[0] == "M"


@dataclass(frozen=True, slots=True)
class LinkedWords:
    """Words of both sides and their links, as `AlignedSegment` has them.

    Attributes:
        overlapped: of each target piece, the indexes of the target words that it overlaps.
    """

    source_words: tuple[Span, ...]
    target_words: tuple[Span, ...]
    links: tuple[tuple[int, int], ...]
    overlapped: tuple[range, ...]


def linked(hypothesis: Hypothesis, source: str, target: DetokenizedText) -> LinkedWords:
    """What of `align` depends on the attention, and takes its time.

    Args:
        hypothesis: with its attention.
        source: text of the hypothesis's segment.
        target: detokenized ids of the hypothesis.
    """
    pieces = [piece.span for piece in hypothesis.segment.pieces]
    source_words, target_words = words(source, pieces), words(target.text, target.spans)
    source_of = _words_of(_overlapped(pieces, source_words), source_words, source)
    overlapped = _overlapped(target.spans, target_words)
    target_of = _words_of(overlapped, target_words, target.text)
    weights = _word_weights(hypothesis, source_of, target_of, len(source_words), len(target_words))
    return LinkedWords(source_words, target_words, hard_links(weights), tuple(overlapped))


def align(
    hypothesis: Hypothesis,
    source: str,
    target: DetokenizedText,
    known: LinkedWords | None = None,
) -> AlignedSegment:
    """Words of both sides with their links and scores.

    Args:
        known: what `linked` says of the same arguments, if it was asked before.
    """
    both = known or linked(hypothesis, source, target)
    scores = hypothesis.log_probabilities
    return AlignedSegment(
        hypothesis=hypothesis,
        target=target,
        source_words=both.source_words,
        target_words=both.target_words,
        links=both.links,
        word_scores=_word_scores(scores, both.overlapped, len(both.target_words)),
        score=geometric_mean(scores),
    )


def unaligned(hypothesis: Hypothesis, target: DetokenizedText) -> AlignedSegment:
    """A translated segment whose alignment was not asked for."""
    score = geometric_mean(hypothesis.log_probabilities)
    return AlignedSegment(hypothesis, target, (), (), (), (), score)


def copy_of(hypothesis: Hypothesis, source: str, why: CopyReason) -> AlignedSegment:
    """The source in place of the translation, aligned with itself word by word.

    Its score is 1, as of all that is copied: nothing in it is the model's guess.
    """
    both = words(source)
    return AlignedSegment(
        hypothesis=replace(hypothesis, attention=array("f")),
        target=DetokenizedText(source, ()),
        source_words=both,
        target_words=both,
        links=tuple((index, index) for index in range(len(both))),
        word_scores=(1.0,) * len(both),
        score=1.0,
        copied=why,
    )


def geometric_mean(log_probabilities: Sequence[float]) -> float:
    """Score in [0, 1] of pieces: monotone in each of them; 1.0 for none."""
    if not log_probabilities:
        return 1.0
    return math.exp(min(0.0, sum(log_probabilities) / len(log_probabilities)))


def _overlapped(pieces: Sequence[Span], spans: Sequence[Span]) -> list[range]:
    """Indexes of the words that each piece overlaps: none for white space.

    An empty piece (all bytes of a character but the last; most of a character that normalization
    makes longer) overlaps the word in which it stands.
    """
    starts, ends = [span.start for span in spans], [span.end for span in spans]
    overlapped: list[range] = []
    first, count = 0, len(spans)
    for piece in pieces:
        start = piece.start
        end = max(piece.end, start + 1)
        while first < count and ends[first] <= start:
            first += 1
        last = first
        while last < count and starts[last] < end:
            last += 1
        overlapped.append(range(first, last))
    return overlapped


def _words_of(overlapped: Sequence[range], spans: Sequence[Span], text: str) -> list[int]:
    """Index of the word that each piece stands for in the alignment, -1 for none.

    Of several it is the last with a letter or a figure: a piece's leading space and quotes come
    first, and a full stop that is joined to it ("1.") last. Of marks alone it is the last.
    """

    def said(index: int) -> bool:
        return any(map(str.isalnum, spans[index].of(text)))

    return [
        # Nearly all overlap one word, of which nothing has to be known.
        indexes[0]
        if len(indexes) == 1
        else next(filter(said, reversed(indexes)), indexes[-1])
        if indexes
        else -1
        for indexes in overlapped
    ]


def _word_weights(
    hypothesis: Hypothesis,
    source_of: Sequence[int],
    target_of: Sequence[int],
    source_count: int,
    target_count: int,
) -> list[list[float]]:
    """[target words, source words]: mean over target pieces of the sum over source pieces."""
    columns = hypothesis.segment.width - 1
    firsts, further = _columns_of(source_of, source_count)
    firsts += [columns, columns]  # so that it is never a single one, which would be no tuple
    take = itemgetter(*firsts)
    attention = hypothesis.attention.tolist()
    weights = [[0.0] * source_count for _ in range(target_count)]
    counts = [0] * target_count
    for step, word in enumerate(target_of):
        if word < 0:
            continue
        start = step * (columns + 1)
        cells = attention[start : start + columns]
        cells.append(0.0)
        # All words' first pieces are taken at once, in C: one by one, the cells of a sentence took
        # a tenth of its Python. Of each word they are added in the order of its pieces.
        row = list(take(cells)[:source_count])
        if counts[word]:
            row = list(map(add, weights[word], row))
        for column, owner in further:
            row[owner] += cells[column]
        weights[word] = row
        counts[word] += 1
    return [
        [weight / count for weight in row] if count > 1 else row
        for row, count in zip(weights, counts, strict=True)
    ]


def _columns_of(source_of: Sequence[int], count: int) -> tuple[list[int], list[tuple[int, int]]]:
    """Of each source word the column of its first piece, and (column, word) of all further pieces.

    A word without a piece has the column behind the last.
    """
    none = len(source_of)
    firsts = [none] * count
    further: list[tuple[int, int]] = []
    for column, owner in enumerate(source_of):
        if owner < 0:
            continue
        if firsts[owner] == none:
            firsts[owner] = column
        else:
            further.append((column, owner))
    return firsts, further


def hard_links(
    weights: Sequence[Sequence[float]], thresholds: LinkThresholds = LinkThresholds()
) -> tuple[tuple[int, int], ...]:
    """Sorted (source word, target word) links of a [target, source] matrix.

    Each target word links to its heaviest source word; a source word that none chose links to the
    target word that looked at it most. Weights under the thresholds make no link.
    """
    links: set[tuple[int, int]] = set()
    for target, row in enumerate(weights):
        heaviest = max(row, default=-math.inf)
        if row and heaviest >= thresholds.target:
            links.add((row.index(heaviest), target))
    chosen = {source for source, _ in links}
    for source, column in enumerate(zip(*weights, strict=True)):
        if source in chosen:
            continue
        heaviest = max(column)
        if heaviest >= thresholds.source:
            links.add((source, column.index(heaviest)))
    return tuple(sorted(links))


def _word_scores(
    log_probabilities: Sequence[float], overlapped: Sequence[range], count: int
) -> tuple[float, ...]:
    grouped: list[list[float]] = [[] for _ in range(count)]
    for indexes, value in zip(overlapped, log_probabilities, strict=False):  # EOS has no piece
        for word in indexes:
            grouped[word].append(value)
    return tuple(geometric_mean(values) for values in grouped)
