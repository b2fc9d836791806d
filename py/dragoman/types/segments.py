"""From a tokenized sentence to its aligned translation."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from enum import StrEnum

from dragoman.types.glossary import TermUse
from dragoman.types.markup import Tag
from dragoman.types.memory import MemoryMatch
from dragoman.types.search import GREEDY, PrefixStep, Search
from dragoman.types.spans import Span

# Of a hypothesis that there is not, as `kernel/src/beam.h` has it.
NO_SCORE = -1e30

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
        pieces: without EOS; never empty, but where a translation memory has the sentence.
        limit: most target pieces that the engine may make, EOS included.
        search: how.
        prefix: how its translation begins.
    """

    request: int
    index: int
    span: Span
    pieces: tuple[Piece, ...]
    limit: int
    search: Search = GREEDY
    prefix: tuple[PrefixStep, ...] = ()

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
        search: the same for all rows.
        prefixes: how their translations begin (`flat_prefixes`); empty if none has a prefix.
    """

    segments: tuple[Segment, ...]
    ids: array[int]
    lengths: array[int]
    limits: array[int]
    width: int
    search: Search = GREEDY
    prefixes: array[int] = field(default_factory=lambda: array("i"))

    @property
    def rows(self) -> int:
        return len(self.segments)

    @property
    def is_greedy(self) -> bool:
        return self.search == GREEDY and not self.prefixes


@dataclass(frozen=True, slots=True)
class EngineOutput:
    """What an engine gives for a mini-batch, row-major and flat.

    Greedy search gives one hypothesis a row, N = 1; else N is the search's `kept`.

    Attributes:
        steps: T, the steps that the longest row took.
        ids: int32 [B, N, T]; a row is over at its first EOS; what follows means nothing.
        log_probabilities: float32 [B, N, T], natural logarithm, of the chosen piece.
        attention: float32 [B, N, T, S]: row t, target piece; column s, source piece; rows sum to 1.
            Empty when it was not asked for.
        scores: float32 [B, N], by which hypotheses are ranked, best first; `NO_SCORE` where there
            are fewer. Empty for greedy search.
    """

    steps: int
    ids: array[int]
    log_probabilities: array[float]
    attention: array[float]
    scores: array[float] = field(default_factory=lambda: array("f"))


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
        others: what the search found beside it, best first.
    """

    segment: Segment
    ids: tuple[int, ...]
    log_probabilities: tuple[float, ...]
    attention: array[float]
    finished: bool
    loop_cut: bool = False
    others: tuple[Hypothesis, ...] = ()


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
        alternatives: other translations that were asked for, the most probable first.
        from_memory: whether it is a translation memory's; then it has no links.
        near: what a memory has that is like it, the most similar first.

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
    alternatives: tuple[AlignedSegment, ...] = ()
    from_memory: bool = False
    near: tuple[MemoryMatch, ...] = ()
