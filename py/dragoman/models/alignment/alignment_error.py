"""`dragoman model align-error`: how well a model's attention finds the links of words.

The model is run with teacher forcing on hand-aligned sentences, in PyTorch: the shipped graph
chooses its target pieces itself, but its weights can be taken out of it. Links are made by the
product's own rule, `align.hard_links`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from dragoman.errors import CorpusError
from dragoman.models.data.corpus import read_rows
from dragoman.models.network.student import EOS, Student
from dragoman.text.align import LinkThresholds, hard_links
from dragoman.types import Span

Link = tuple[int, int]  # index of a source word, index of a target word

LINKS_COLUMN = re.compile(r"sure_links_(?P<source>\w+)-(?P<target>\w+)_0based")
# Marks that stand without a space before or after them.
CLOSING = re.compile(r"[,.;:!?)\]}%…]+|'s|'|’s")
OPENING = re.compile(r"[(\[{]")


class PieceEncoder(Protocol):
    """What is needed of `SentencePieceTokenizer`."""

    def encode(self, sentences: Sequence[str]) -> list[tuple[Any, ...]]: ...


@dataclass(frozen=True)
class AlignedPair:
    """A hand-aligned sentence pair, in words as the file has them."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    links: frozenset[Link]


@dataclass(frozen=True)
class AlignmentScore:
    """Och and Ney (2003) with sure links only, so ``aer`` is 1 - F1.

    Attributes:
        precision: share of the found links that are right; 1 if none was found.
        recall: share of the right links that were found; 1 if there is none.
    """

    aer: float
    precision: float
    recall: float
    found: int
    expected: int
    sentences: int


def links_column(header: Sequence[str]) -> str | None:
    """Name of the column with links, such as ``sure_links_de-en_0based``, if there is one."""
    return next((name for name in header if LINKS_COLUMN.fullmatch(name)), None)


def read_aligned(path: Path, source: str, target: str) -> list[AlignedPair]:
    """Sentences of a TSV with their links, turned round where the file has the other direction.

    Raises:
        CorpusError: there is no such column, or a link is malformed or out of range.
    """
    header, rows = read_rows(path)
    column = links_column(header)
    match = LINKS_COLUMN.fullmatch(column or "")
    if column is None or match is None:
        raise CorpusError(f"{path}: no column of links, such as sure_links_de-en_0based")
    languages = (match["source"], match["target"])
    if sorted(languages) != sorted((source, target)):
        raise CorpusError(f"{path}: its links are {'-'.join(languages)}")
    swapped = languages != (source, target)
    places = [header.index(name) for name in (source, target, column) if name in header]
    if len(places) < 3:
        raise CorpusError(f"{path}: it needs columns {source} and {target}")
    pairs = []
    for number, row in enumerate(rows, start=2):
        if len(row) <= max(places):
            raise CorpusError(f"{path}: line {number} has {len(row)} columns")
        first, second, links = (tuple(row[place].split()) for place in places)
        try:
            pairs.append(AlignedPair(first, second, _links(links, swapped, first, second)))
        except ValueError as error:
            raise CorpusError(f"{path}: line {number}: {error}") from error
    return pairs


def _links(
    items: Sequence[str], swapped: bool, source: Sequence[str], target: Sequence[str]
) -> frozenset[Link]:
    links = set()
    for item in items:
        first, _, second = item.partition("-")
        link = (int(second), int(first)) if swapped else (int(first), int(second))
        if not (0 <= link[0] < len(source) and 0 <= link[1] < len(target)):
            raise ValueError(f"link {item!r} is outside of the sentences")
        links.add(link)
    return frozenset(links)


def score(links: Sequence[frozenset[Link]], expected: Sequence[frozenset[Link]]) -> AlignmentScore:
    """Alignment error rate over all sentences."""
    right = sum(len(a & b) for a, b in zip(links, expected, strict=True))
    made, wanted = sum(map(len, links)), sum(map(len, expected))
    return AlignmentScore(
        aer=round(1 - 2 * right / (made + wanted), 4) if made + wanted else 0.0,
        precision=round(right / made if made else 1.0, 4),
        recall=round(right / wanted if wanted else 1.0, 4),
        found=made,
        expected=wanted,
        sentences=len(expected),
    )


def word_weights(
    model: Student, tokenizer: PieceEncoder, pairs: Sequence[AlignedPair]
) -> list[list[list[float]]]:
    """[target words, source words] of each pair: the mean over the pieces of a target word of the
    attention summed over the pieces of a source word (what `align.align` does)."""
    weights = []
    for pair in pairs:
        source_text, source_words = laid_out(pair.source)
        target_text, target_words = laid_out(pair.target)
        source, target = tokenizer.encode([source_text, target_text])
        ids = torch.tensor([[*(piece.id for piece in source), EOS]])
        gold = torch.tensor([[*(piece.id for piece in target), EOS]])
        with torch.no_grad():
            forced = model(ids, torch.ones_like(ids, dtype=torch.bool), gold)
            attention = model.aligned(forced)[0, :-1, :-1].exp().numpy()  # EOS has no word
        columns = _membership([piece.span for piece in source], source_words)
        rows = _membership([piece.span for piece in target], target_words)
        rows /= np.maximum(rows.sum(axis=0), 1)
        weights.append((rows.T @ attention @ columns).tolist())
    return weights


def laid_out(words: Sequence[str]) -> tuple[str, list[Span]]:
    """The words as a writer would set them, and where each one stands.

    Models never saw the spaces that a corpus puts around marks: ("hello", ",", "you", "!") is
    "Hello, you!".
    """
    text, spans, open_ = "", [], True
    for word in words:
        if not open_ and not CLOSING.fullmatch(word):
            text += " "
        spans.append(Span(len(text), len(text) + len(word)))
        text += word
        open_ = bool(OPENING.fullmatch(word))
    first = text[:1].upper()
    return (first if len(first) == 1 else text[:1]) + text[1:], spans


def _membership(pieces: Sequence[Span], words: Sequence[Span]) -> NDArray[np.float32]:
    """[pieces, words]: 1 where the piece belongs to the word (of several, the last)."""
    matrix = np.zeros((len(pieces), len(words)), dtype=np.float32)
    for row, span in enumerate(pieces):
        end = max(span.end, span.start + 1)
        inside = [n for n, word in enumerate(words) if word.start < end and span.start < word.end]
        if inside:
            matrix[row, inside[-1]] = 1
    return matrix


def alignment_error(
    weights: Sequence[Sequence[Sequence[float]]],
    pairs: Sequence[AlignedPair],
    thresholds: LinkThresholds = LinkThresholds(),
) -> AlignmentScore:
    """Score of the product's links."""
    hypotheses = [frozenset(hard_links(matrix, thresholds)) for matrix in weights]
    return score(hypotheses, [pair.links for pair in pairs])


def threshold_table(
    weights: Sequence[Sequence[Sequence[float]]],
    pairs: Sequence[AlignedPair],
    target_thresholds: Sequence[float],
    source_thresholds: Sequence[float],
) -> dict[tuple[float, float], AlignmentScore]:
    """Scores by (target threshold, source threshold)."""
    return {
        (target, source): alignment_error(weights, pairs, LinkThresholds(target, source))
        for target in target_thresholds
        for source in source_thresholds
    }
