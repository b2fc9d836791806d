"""Stage 8, alignment: attention between pieces becomes links between words.

The matrix of a hypothesis is [T, S], row t a target piece, column s a source piece, rows summing
to 1; its last column is the source EOS, where target words without a counterpart look.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from dragoman.types import AlignedSegment, DetokenizedText, Hypothesis, Span

# Runs of letters and digits with inner apostrophes, hyphens, dots and the like ("z.B.", "don't",
# "3,5"), else runs of one mark. Combining marks are \w only with their letters, so they are named.
_MARK = "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u064b-\u065f\u0900-\u0903\u093a-\u094f\u200d\ufe0f"
_WORD = re.compile(rf"\w[\w{_MARK}]*(?:[-'’.,·@:/_]\w[\w{_MARK}]*)*|(?:[^\w\s][{_MARK}]*)")

# Weights below which a link is not believed; chosen on align/de-en-dev.tsv (docs/adr/0002).
TARGET_THRESHOLD = 0.15
SOURCE_THRESHOLD = 0.3


def words(text: str) -> tuple[Span, ...]:
    """Words and punctuation marks, in order; white space is in none of them."""
    return tuple(Span(*match.span()) for match in _WORD.finditer(text))


def align(hypothesis: Hypothesis, source: str, target: DetokenizedText) -> AlignedSegment:
    """Words of both sides with their links and scores.

    Args:
        hypothesis: with its attention.
        source: text of the hypothesis's segment.
        target: detokenized ids of the hypothesis.
    """
    source_words, target_words = words(source), words(target.text)
    source_of = _word_of_piece([piece.span for piece in hypothesis.segment.pieces], source_words)
    target_of = _word_of_piece(target.spans, target_words)
    weights = _word_weights(hypothesis, source_of, target_of, len(source_words), len(target_words))
    return AlignedSegment(
        hypothesis=hypothesis,
        target=target,
        source_words=source_words,
        target_words=target_words,
        links=hard_links(weights),
        word_scores=_word_scores(hypothesis.log_probabilities, target_of, len(target_words)),
        score=geometric_mean(hypothesis.log_probabilities),
    )


def unaligned(hypothesis: Hypothesis, target: DetokenizedText) -> AlignedSegment:
    """A translated segment whose alignment was not asked for."""
    score = geometric_mean(hypothesis.log_probabilities)
    return AlignedSegment(hypothesis, target, (), (), (), (), score)


def geometric_mean(log_probabilities: Sequence[float]) -> float:
    """Score in [0, 1] of pieces: monotone in each of them; 1.0 for none."""
    if not log_probabilities:
        return 1.0
    return min(1.0, math.exp(sum(log_probabilities) / len(log_probabilities)))


def _word_of_piece(pieces: Sequence[Span], found: Sequence[Span]) -> list[int]:
    """Index of the word that each piece belongs to, -1 for none (white space, normalized away).

    A piece over several words belongs to the last: its leading space and quotes come first.
    """
    owners: list[int] = []
    word = 0
    for piece in pieces:
        while word < len(found) and found[word].end <= piece.start:
            word += 1
        last = -1
        index = word
        while index < len(found) and found[index].start < piece.end:
            last = index
            index += 1
        owners.append(last)
    return owners


def _word_weights(
    hypothesis: Hypothesis,
    source_of: Sequence[int],
    target_of: Sequence[int],
    source_count: int,
    target_count: int,
) -> list[list[float]]:
    """[target words, source words]: mean over target pieces of the sum over source pieces."""
    columns = hypothesis.segment.width
    weights = [[0.0] * source_count for _ in range(target_count)]
    counts = [0] * target_count
    for step, word in enumerate(target_of):
        if word < 0:
            continue
        counts[word] += 1
        row = weights[word]
        start = step * columns
        for weight, owner in zip(
            hypothesis.attention[start : start + columns - 1], source_of, strict=True
        ):
            if owner >= 0:
                row[owner] += weight
    return [
        [weight / count for weight in row] if count > 1 else row
        for row, count in zip(weights, counts, strict=True)
    ]


def hard_links(weights: Sequence[Sequence[float]]) -> tuple[tuple[int, int], ...]:
    """Sorted (source word, target word) links of a [target, source] matrix.

    Each target word links to its heaviest source word; a source word that none chose links to the
    target word that looked at it most. Weights under the thresholds make no link.
    """
    links: set[tuple[int, int]] = set()
    for target, row in enumerate(weights):
        best = max(range(len(row)), key=row.__getitem__, default=-1)
        if best >= 0 and row[best] >= TARGET_THRESHOLD:
            links.add((best, target))
    chosen = {source for source, _ in links}
    for source in range(len(weights[0]) if weights else 0):
        if source in chosen:
            continue
        target = max(range(len(weights)), key=lambda index: weights[index][source])
        if weights[target][source] >= SOURCE_THRESHOLD:
            links.add((source, target))
    return tuple(sorted(links))


def _word_scores(
    log_probabilities: Sequence[float], target_of: Sequence[int], count: int
) -> tuple[float, ...]:
    grouped: list[list[float]] = [[] for _ in range(count)]
    for word, value in zip(target_of, log_probabilities, strict=False):
        if word >= 0:
            grouped[word].append(value)
    return tuple(geometric_mean(values) for values in grouped)
