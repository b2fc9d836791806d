"""The values that cross from one stage to the next. All are frozen; new ones are derived.

Spans are half-open and count code points, always. UTF-16 exists in `utf16` and `bridge` only.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import KW_ONLY, dataclass, field, replace
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

    def within(self, other: Span) -> Span:
        """What of it is in `other`, which it overlaps."""
        return Span(max(self.start, other.start), min(self.end, other.end))

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


class TextFormat(StrEnum):
    """What the text of a request is."""

    TEXT = "text"
    HTML = "html"  # a document or a fragment


class ElementKind(StrEnum):
    """What may become of an element in a translation."""

    INLINE = "inline"  # exactly once, never split
    STYLE = "style"  # once, or twice where its words were parted
    OPAQUE = "opaque"  # what is inside is not translated: one unbreakable word
    VOID = "void"  # nothing inside: a place between two words


@dataclass(frozen=True, slots=True)
class Element:
    """An element of a text.

    Attributes:
        span: what it encloses.
        parent: index of the element around it. Without it the spans say; one that begins where
            another ends is then taken to be after it.
    """

    span: Span
    kind: ElementKind = ElementKind.INLINE
    parent: int | None = None


@dataclass(frozen=True, slots=True)
class PlacedElement:
    """An element in a translation; without `content` if it is opaque or void."""

    element: int
    content: tuple[Span | PlacedElement, ...] | None = None


# In order, nested; adjacent text is one span.
Content = tuple[Span | PlacedElement, ...]


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
        elements: of a plain text, in document order, properly nested.
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
    format: TextFormat = TextFormat.TEXT
    elements: tuple[Element, ...] = ()

    @property
    def needs_alignment(self) -> bool:
        """Whether words must be aligned: for the client, or to place elements."""
        markup = self.elements or self.format is TextFormat.HTML
        return bool(markup) or self.alignment is not AlignmentKind.NONE


class TagKind(StrEnum):
    """What an item of flat markup is: most are tags, hence the name."""

    OPEN = "open"
    CLOSE = "close"
    TEXT = "text"
    ATOM = "atom"  # the whole of an opaque or void element


@dataclass(frozen=True, slots=True)
class Tag:
    """Markup as a flat run: tags and the texts between them, in document order.

    Attributes:
        element: index of the element; -1 for a text.
        span: of a text or an atom, what it covers; of a tag, the empty span where it stands.
    """

    kind: TagKind
    element: int
    span: Span


# The word that a model sees in place of what must come through to the letter: the one that the
# shipped models copy best (docs/adr/0011, docs/adr/0014).
STAND_IN = "X1"


@dataclass(frozen=True, slots=True)
class StandIn:
    """A word that the model sees in place of opaque text.

    Attributes:
        span: in the annotated text.
        origin: what it stands for in the original.
        element: index of the opaque element.
    """

    span: Span
    origin: Span
    element: int


@dataclass(frozen=True, slots=True)
class AnnotatedText:
    """Text to translate, as the language stages see it.

    Attributes:
        original: what the client sent.
        text: the same, code point by code point, with what no stage can take (lone surrogates,
            NUL) replaced by U+FFFD or a space, and with stand-ins for opaque text.
        tags: the markup, with spans in `text`; empty when there are no elements.
        stand_ins: in order. Without any, spans of `text` fit the original.
    """

    original: str
    text: str
    tags: tuple[Tag, ...] = ()
    stand_ins: tuple[StandIn, ...] = ()

    def origin(self, span: Span) -> Span:
        """The span of the original for one of `text`."""
        if not self.stand_ins:
            return span
        return Span(self._origin(span.start, 0), self._origin(span.end, 1))

    def placed(self, span: Span) -> Span:
        """The span of `text` for one of the original; it takes in a stand-in that it cuts."""
        if not self.stand_ins:
            return span
        return Span(self._placed(span.start, 0), self._placed(span.end, 1))

    def _placed(self, at: int, edge: int) -> int:
        before = bisect_right(self.stand_ins, at, key=lambda found: found.origin.start) - 1
        if before < 0:
            return at
        found = self.stand_ins[before]
        if found.origin.start < at < found.origin.end:
            return (found.span.start, found.span.end)[edge]
        if at == found.origin.start:
            return found.span.start
        return found.span.end + at - found.origin.end

    def without_stand_ins(self, span: Span) -> str:
        """Text that a client wrote, for a look at its letters."""
        if not self.stand_ins:
            return span.of(self.text)
        first = bisect_right(self.stand_ins, span.start, key=lambda found: found.span.end)
        last = bisect_left(self.stand_ins, span.end, key=lambda found: found.span.start)
        ends = [span.start, *(found.span.end for found in self.stand_ins[first:last])]
        starts = [*(found.span.start for found in self.stand_ins[first:last]), span.end]
        return " ".join(self.text[a:b] for a, b in zip(ends, starts, strict=True))

    def outside_stand_ins(self, offsets: Iterable[int]) -> list[int]:
        """Those offsets of `text` that are not inside a stand-in."""
        if not self.stand_ins:
            return list(offsets)
        inside = {
            at for found in self.stand_ins for at in range(found.span.start + 1, found.span.end)
        }
        return [at for at in offsets if at not in inside]

    def run(self, span: Span) -> tuple[Tag, ...]:
        """The markup of a sentence.

        From its first text or atom to its last, and the tags right before and after it of elements
        that end, or begin, inside the sentence: not of those that enclose it.
        """
        return self._clipped(*self._run(span), span) if self.tags else ()

    def gap(self, before: Span | None, after: Span | None) -> tuple[Tag, ...]:
        """The markup between two sentences, or before the first, or after the last."""
        if not self.tags:
            return ()
        first, last = 0, len(self.tags)
        gap = Span(before.end if before else 0, after.start if after else len(self.text))
        if before:
            first = self._run(before)[1]
            first -= self.tags[first - 1].span.end > gap.start if first else 0
        if after:
            last = self._run(after)[0]
            last += self.tags[last].span.start < gap.end if last < len(self.tags) else 0
        return self._clipped(first, last, gap)

    def _run(self, span: Span) -> tuple[int, int]:
        first = bisect_right(self.tags, span.start, key=lambda tag: tag.span.end)
        last = bisect_left(self.tags, span.end, key=lambda tag: tag.span.start)
        closed = opened = 0  # of elements that begin before, or end after
        for tag in self.tags[first:last]:
            if tag.kind is TagKind.OPEN:
                opened += 1
            elif tag.kind is TagKind.CLOSE:
                closed, opened = (closed, opened - 1) if opened else (closed + 1, 0)
        # Text that reaches beyond the sentence is between it and the next tag.
        if self.tags[first].span.start < span.start:
            closed = 0
        if self.tags[last - 1].span.end > span.end:
            opened = 0
        before = (self.tags[index] for index in range(first - 1, -1, -1))
        after = (self.tags[index] for index in range(last, len(self.tags)))
        return (
            first - _count_tags(before, TagKind.OPEN, closed),
            last + _count_tags(after, TagKind.CLOSE, opened),
        )

    def _clipped(self, first: int, last: int, span: Span) -> tuple[Tag, ...]:
        return tuple(
            tag
            if span.start <= tag.span.start and tag.span.end <= span.end
            else replace(tag, span=tag.span.within(span))
            for tag in self.tags[first:last]
        )

    def _origin(self, at: int, side: int) -> int:
        """Inside a stand-in: the end of its origin that is on this side (0: start, 1: end)."""
        index = bisect_left(self.stand_ins, at, key=lambda found: found.span.end)
        if index < len(self.stand_ins) and self.stand_ins[index].span.start < at:
            found = self.stand_ins[index]
            if at < found.span.end:
                return (found.origin.start, found.origin.end)[side]
            return found.origin.end
        if not index:
            return at
        before = self.stand_ins[index - 1]
        return at - before.span.end + before.origin.end


def _count_tags(tags: Iterator[Tag], kind: TagKind, wanted: int) -> int:
    """How many to take, going away from a sentence, for so many tags of its elements."""
    taken = depth = 0
    for count, tag in enumerate(tags, 1):
        if not wanted or len(tag.span):
            break
        if tag.kind is kind and depth:
            depth -= 1
        elif tag.kind is kind:
            wanted -= 1
            taken = count
        elif tag.kind is not TagKind.ATOM:
            depth += 1
    return taken


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

    `score` is in [0, 1], see `AlignedSegment`; 1 for a sentence that was copied. `doubtful`: it is
    below what the model's manifest calls good, so that the translation is likely to be bad.
    """

    source: Span
    target: Span
    score: float
    soft: SoftAlignment | None = None
    doubtful: bool = False


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
        content: the elements in their places; None when the request has none.
    """

    request: TranslationRequest
    text: str
    sentences: tuple[SentenceTranslation, ...]
    alignment: WordAlignment = WordAlignment()
    warnings: tuple[Notice, ...] = ()
    content: Content | None = None
    timings: Timings = field(default=Timings(), compare=False)
