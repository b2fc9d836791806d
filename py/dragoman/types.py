"""The values that cross from one stage to the next. All are frozen; new ones are derived.

Spans are half-open and count code points, always. UTF-16 exists in `utf16` and `bridge` only.
"""

from __future__ import annotations

from array import array
from dataclasses import KW_ONLY, dataclass, field
from enum import StrEnum
from typing import NamedTuple

# The piece that ends every row of a model, `</s>`: the same in all formats (formats.md).
EOS_ID = 0


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """``text[start:end]``, in code points."""

    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start

    def shifted(self, by: int) -> Span:
        return Span(self.start + by, self.end + by)

    def of(self, text: str) -> str:
        return text[self.start : self.end]

    def overlaps(self, other: Span) -> bool:
        return self.start < other.end and other.start < self.end


class LanguagePair(NamedTuple):
    """What a model translates: BCP 47 languages, such as "de" and "en"."""

    source: str
    target: str

    def __str__(self) -> str:
        return f"{self.source}-{self.target}"


class AlignmentKind(StrEnum):
    """What a response tells of the alignment. What is not asked for is not computed."""

    NONE = "none"
    HARD = "hard"  # words and the links between them
    SOFT = "soft"  # the same, and the attention matrix of each sentence


class OverlongPolicy(StrEnum):
    """What to do with a sentence of more pieces than the model takes."""

    WRAP = "wrap"  # cut it at a clause, else a word, else a grapheme; with a warning
    REFUSE = "refuse"  # SentenceTooLongError


class Priority(StrEnum):
    """Who goes first, from first to last."""

    INTERACTIVE = "interactive"  # somebody waits for it: a typed sentence
    VISIBLE = "visible"  # on the screen
    NEAR = "near"  # about to be scrolled to
    BACKGROUND = "background"  # the rest of a page, a file

    @property
    def level(self) -> int:
        """0 for the first."""
        return _LEVELS[self]


_LEVELS = {priority: level for level, priority in enumerate(Priority)}


class WhenFull(StrEnum):
    """What a request does that finds no room in the queue."""

    REFUSE = "refuse"  # QueueFullError
    WAIT = "wait"  # until there is room


@dataclass(frozen=True, slots=True)
class TranslationRequest:
    """What a client asks for.

    Attributes:
        source, target: BCP 47 languages, such as "de".
        priority: at the start; a handle can be given another one while it waits.
        deadline: seconds from submitting to the response, or `DeadlineError`; None: no haste.
        when_full: what to do when too much waits at this priority.
        cache: whether sentences may come from the cache, and go into it.
        sentences: where the sentences of `text` stand, when that is known already (the middle of a
            pivot, a stream), in order; what lies between them is copied. None has them found.
    """

    text: str
    source: str
    target: str
    alignment: AlignmentKind = AlignmentKind.HARD
    overlong: OverlongPolicy = OverlongPolicy.WRAP
    _: KW_ONLY
    priority: Priority = Priority.INTERACTIVE
    deadline: float | None = None
    when_full: WhenFull = WhenFull.REFUSE
    cache: bool = True
    sentences: tuple[Span, ...] | None = None


@dataclass(frozen=True, slots=True)
class AnnotatedText:
    """Text to translate, as the language stages see it.

    Attributes:
        original: what the client sent.
        text: the same length, code point by code point, with what no stage can take (lone
            surrogates, NUL) replaced by U+FFFD or a space; spans of one fit the other.
    """

    original: str
    text: str


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
    """

    segment: Segment
    ids: tuple[int, ...]
    log_probabilities: tuple[float, ...]
    attention: array[float]
    finished: bool


@dataclass(frozen=True, slots=True)
class DetokenizedText:
    """Target text of one segment and the span of each piece in it (empty spans are possible)."""

    text: str
    spans: tuple[Span, ...]


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


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that the client should know; the response is there all the same."""

    code: str
    message: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class SoftAlignment:
    """Attention of one sentence: float32 [T, S] row-major, rows sum to 1.

    `source` and `target` are the spans of the pieces in the response's texts. The last column is
    the source EOS, whose span is empty.
    """

    source: tuple[Span, ...]
    target: tuple[Span, ...]
    matrix: array[float]


@dataclass(frozen=True, slots=True)
class SentenceTranslation:
    """A sentence of a response: where it stood, where it stands, how sure the model was.

    `score` is in [0, 1], see `AlignedSegment`; 1 for a sentence that was copied.
    """

    source: Span
    target: Span
    score: float
    soft: SoftAlignment | None = None


@dataclass(frozen=True, slots=True)
class WordAlignment:
    """Words of the whole text and their links, sorted (index in source, index in target).

    `scores` has one a target word, in [0, 1]: see `AlignedSegment`; 1 for one that was copied.
    """

    source_words: tuple[Span, ...] = ()
    target_words: tuple[Span, ...] = ()
    links: tuple[tuple[int, int], ...] = ()
    scores: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Timings:
    """Seconds a stage; `engine` is the time of the mini-batches that the request had a part in."""

    queued: float = 0.0
    tokenize: float = 0.0
    engine: float = 0.0
    assemble: float = 0.0
    total: float = 0.0


@dataclass(frozen=True, slots=True)
class TranslationResponse:
    """The answer to a request.

    Attributes:
        request: as it was asked.
        text: the translation. White space between and around sentences is the source's own.
        sentences: in order; they and the gaps between them cover both texts exactly.
        alignment: words and links; empty for `AlignmentKind.NONE`.
    """

    request: TranslationRequest
    text: str
    sentences: tuple[SentenceTranslation, ...]
    alignment: WordAlignment = WordAlignment()
    warnings: tuple[Notice, ...] = ()
    timings: Timings = field(default=Timings(), compare=False)
