"""From a tokenized sentence to its aligned translation."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from enum import StrEnum

from dragoman.types.glossary import TermUse
from dragoman.types.markup import Tag
from dragoman.types.spans import Span

# The piece that ends every row of a model, `</s>`: the same in all formats (formats.md).
EOS_ID = 0


@dataclass(frozen=True, slots=True)
class Piece:
    """A SentencePiece piece and what it stands for in the annotated text."""

    id: int
    span: Span


@dataclass(frozen=True, slots=True)
class Segment:
    """A tokenized sentence (or part of an over-long one): what a mini-batch is made of.

    Attributes:
        request: identity of the request that it belongs to.
        index: its place among the request's segments.
        span: the sentence in the annotated text, without surrounding white space.
        pieces: without EOS; never empty.
        limit: most target pieces that the engine may make, EOS included.
    """

    request: int
    index: int
    span: Span
    pieces: tuple[Piece, ...]
    limit: int

    @property
    def width(self) -> int:
        """Source pieces with EOS: the columns that the segment needs in a mini-batch."""
        return len(self.pieces) + 1


@dataclass(frozen=True, slots=True)
class MiniBatch:
    """Segments of similar length, padded: the engine's input.

    Attributes:
        segments: row by row.
        ids: int32 [B, S] row-major; each row ends in EOS and is padded with EOS.
        lengths: int32 [B], pieces of each row, EOS included.
        limits: int32 [B], most target pieces of each row, EOS included.
        width: S.
    """

    segments: tuple[Segment, ...]
    ids: array[int]
    lengths: array[int]
    limits: array[int]
    width: int

    @property
    def rows(self) -> int:
        return len(self.segments)


@dataclass(frozen=True, slots=True)
class EngineOutput:
    """What an engine gives for a mini-batch, row-major and flat.

    Attributes:
        steps: T, the steps that the longest row took.
        ids: int32 [B, T]; a row is over at its first EOS; what follows means nothing.
        log_probabilities: float32 [B, T], natural logarithm, of the chosen piece.
        attention: float32 [B, T, S]: row t, target piece; column s, source piece; rows sum to 1.
            Empty when it was not asked for.
    """

    steps: int
    ids: array[int]
    log_probabilities: array[float]
    attention: array[float]


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """The translation of one segment, in pieces.

    Attributes:
        segment: whose translation it is; identity travels with the value.
        ids: without EOS.
        log_probabilities: of each id, and of the EOS if the sentence ended by itself.
        attention: float32 [T, S] of the T ids and the S source pieces, EOS column included,
            row-major; empty when it was not asked for.
        finished: whether EOS came before the limit.
        loop_cut: whether pieces were left out that the search said again and again.
    """

    segment: Segment
    ids: tuple[int, ...]
    log_probabilities: tuple[float, ...]
    attention: array[float]
    finished: bool
    loop_cut: bool = False


@dataclass(frozen=True, slots=True)
class DetokenizedText:
    """Target text of one segment and the span of each piece in it (empty spans are possible)."""

    text: str
    spans: tuple[Span, ...]


class CopyReason(StrEnum):
    """Why the source stands in place of a translation; the value is the code of the notice."""

    MARKUP = "markup-kept"  # its translation cannot hold its elements
    WORDLESS = "sentence-kept"  # its translation has no word: "Make" -> ")"


@dataclass(frozen=True, slots=True)
class AlignedSegment:
    """A translated segment with its words; spans are relative to the segment's own texts.

    Attributes:
        hypothesis: where it came from.
        target: the translation.
        source_words, target_words: words and punctuation marks, in order, never overlapping.
        links: sorted (index in source_words, index in target_words).
        word_scores: one a target word, in [0, 1]: the geometric mean of its pieces' probabilities,
            ``exp(mean(log_probabilities))``. A word without a piece of its own has 1.
        score: the same over all pieces of the segment, EOS included when it came.
        tags: the markup of the target, with spans in it; empty before placement.
        copied: why it is a copy of the source after all, if it is.
        terms: of a glossary that the segment has.

    Scores are monotone: when a piece gets more probable and no other less, no score gets lower.
    They say how sure the model was, not how good the translation is; compare them within a model.
    """

    hypothesis: Hypothesis
    target: DetokenizedText
    source_words: tuple[Span, ...]
    target_words: tuple[Span, ...]
    links: tuple[tuple[int, int], ...]
    word_scores: tuple[float, ...]
    score: float
    tags: tuple[Tag, ...] = ()
    copied: CopyReason | None = None
    terms: tuple[TermUse, ...] = ()
