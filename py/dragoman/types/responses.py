"""What a client gets."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field

from dragoman.types.glossary import TermUse
from dragoman.types.requests import Content, TranslationRequest
from dragoman.types.spans import Span


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
class Alternative:
    """Another translation of a sentence.

    Attributes:
        score: as that of `SentenceTranslation`, as is `doubtful`.
        target_words: in `text`; empty for `AlignmentKind.NONE`, as what follows.
        links: sorted (index in the response's source words, index in `target_words`).
        scores: one a target word.
        memory_source: of an entry of a translation memory, the sentence that it translates, which
            is like the one here; then `score` is its similarity, and there are no links. None: the
            model's.
    """

    text: str
    score: float
    target_words: tuple[Span, ...] = ()
    links: tuple[tuple[int, int], ...] = ()
    scores: tuple[float, ...] = ()
    doubtful: bool = False
    memory_source: str | None = None


@dataclass(frozen=True, slots=True)
class SentenceTranslation:
    """A sentence of a response: where it stood, where it stands, how sure the model was.

    `score` is in [0, 1], see `AlignedSegment`; 1 for a sentence that was copied, or is a memory's.
    `doubtful`: it is below what the model's manifest calls good, so that the translation is likely
    to be bad. `alternatives`: those of a memory, the most similar first, then the most probable
    first, none of them `target`. `from_memory`: the translation is that of a translation memory,
    as it is; its words have no links.
    """

    source: Span
    target: Span
    score: float
    soft: SoftAlignment | None = None
    doubtful: bool = False
    alternatives: tuple[Alternative, ...] = ()
    from_memory: bool = False


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
class SentenceCount:
    """How many sentences a text has.

    Attributes:
        all: of them.
        doubtful: those whose translation is likely to be bad.
    """

    all: int
    doubtful: int


@dataclass(frozen=True, slots=True)
class TranslationResponse:
    """The answer to a request.

    Attributes:
        request: as it was asked.
        text: the translation. White space between and around sentences is the source's own, but in
            a paragraph whose lines were filled.
        sentences: in order; they and the gaps between them cover both texts exactly.
        alignment: words and links; empty for `AlignmentKind.NONE`.
        content: the elements in their places; None when the request has none.
        terms: of the request's glossary that the text has, in order.
        page: of a page, how many sentences it has: it tells of none of them, for their ranges are
            of no text that who sent it knows.
    """

    request: TranslationRequest
    text: str
    sentences: tuple[SentenceTranslation, ...]
    alignment: WordAlignment = WordAlignment()
    warnings: tuple[Notice, ...] = ()
    content: Content | None = None
    terms: tuple[TermUse, ...] = ()
    page: SentenceCount | None = None
    timings: Timings = field(default=Timings(), compare=False)

    @property
    def count(self) -> SentenceCount:
        """Of its sentences."""
        doubtful = sum(sentence.doubtful for sentence in self.sentences)
        return self.page or SentenceCount(len(self.sentences), doubtful)
