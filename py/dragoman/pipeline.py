"""Composes the stages: a request becomes segments, hypotheses become a response.

    request -> annotate -> split -> tokenize (wrap) -> [segments ... engine ... hypotheses]
            -> detokenize -> align -> assemble -> response

No scheduling here and no waiting: `service` decides when what is run.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from dragoman.align import align, unaligned
from dragoman.assemble import assemble
from dragoman.bundle import Manifest
from dragoman.config import Limits
from dragoman.errors import (
    BundleMismatchError,
    EngineError,
    SentenceTooLongError,
    TextTooLongError,
)
from dragoman.markup import annotate
from dragoman.script import any_letter, letters_of
from dragoman.split import split_sentences
from dragoman.tokenizer import Tokenizer
from dragoman.types import (
    AlignedSegment,
    AlignmentKind,
    AnnotatedText,
    DetokenizedText,
    Hypothesis,
    Notice,
    OverlongPolicy,
    Piece,
    Segment,
    Span,
    Timings,
    TranslationRequest,
    TranslationResponse,
)
from dragoman.wrap import wrap


@dataclass(frozen=True, slots=True)
class Draft:
    """A request that has been split.

    Attributes:
        sentences: spans in the annotated text, in order.
    """

    id: int
    request: TranslationRequest
    annotated: AnnotatedText
    sentences: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Slice:
    """Some sentences of a draft, tokenized.

    Attributes:
        parts: in order: a segment to translate, or the span of a sentence that is copied.
        notices: what the client should know about them.
    """

    parts: tuple[Segment | Span, ...]
    notices: tuple[Notice, ...]


# Part of a sentence and its pieces; without pieces it is copied.
_Part = tuple[Span, tuple[Piece, ...]]


class Pipeline:
    """The stages of one model.

    Raises:
        BundleMismatchError: the vocabulary is not the one that the model was trained with.
    """

    def __init__(self, manifest: Manifest, tokenizer: Tokenizer, limits: Limits) -> None:
        expected = manifest.architecture.vocabulary_size
        if tokenizer.size != expected:
            raise BundleMismatchError(
                f"the vocabulary has {tokenizer.size:,} pieces, the model {expected:,}",
                vocabulary=tokenizer.size,
                model=expected,
            )
        self.manifest = manifest
        self._tokenizer = tokenizer
        self._limits = limits
        self._letters = letters_of(manifest.source)

    def draft(self, request_id: int, request: TranslationRequest) -> Draft:
        """Stages 1 and 2.

        Raises:
            TextTooLongError: over the limit of characters.
        """
        allowed = self._limits.text_characters
        if len(request.text) > allowed:
            raise TextTooLongError(len(request.text), allowed)
        annotated = annotate(request.text)
        sentences = split_sentences(annotated.text, self.manifest.source)
        return Draft(request_id, request, annotated, sentences)

    def slices(self, draft: Draft) -> Iterator[Slice]:
        """Stage 3, a few sentences at a time, so that a long text does not hold up others.

        Raises:
            SentenceTooLongError: a sentence is over-long and the request says `REFUSE`.
        """
        index = 0
        for sentences in _batched(draft.sentences, self._limits.slice_sentences):
            made = self._slice(draft, sentences, index)
            index += len(made.parts)
            yield made

    def _slice(self, draft: Draft, sentences: Sequence[Span], index: int) -> Slice:
        parts: list[Segment | Span] = []
        notices: list[Notice] = []
        for sentence in sentences:
            for span, pieces in self._parts(draft, sentence, notices):
                place = index + len(parts)
                parts.append(self._segment(draft.id, place, span, pieces) if pieces else span)
        return Slice(tuple(parts), tuple(notices))

    def _parts(self, draft: Draft, sentence: Span, notices: list[Notice]) -> list[_Part]:
        """The sentence, or the parts of an over-long one, with the pieces of each."""
        text, limit = draft.annotated.text, self.manifest.limits.source_pieces
        if not self._translatable(sentence.of(text)):
            if any_letter(sentence.of(text)):
                notices.append(_copied(sentence, self.manifest.source))
            return [(sentence, ())]
        (pieces,) = self._tokenizer.encode([sentence.of(text)])
        if len(pieces) <= limit:
            return [(sentence, pieces)]
        if draft.request.overlong is OverlongPolicy.REFUSE:
            raise SentenceTooLongError(len(pieces), limit)
        parts = list(self._wrapped(text, sentence, pieces, limit - 1))
        notices.append(_wrapped(sentence, len(parts)))
        return parts

    def _translatable(self, sentence: str) -> bool:
        return self._letters.search(sentence) is not None

    def _wrapped(
        self, text: str, span: Span, pieces: Sequence[Piece], room: int
    ) -> Iterator[_Part]:
        """Parts of at most `room` pieces as they were in the whole.

        By itself a part may have more than that, where a word was cut: over the limit of the model
        it is wrapped again. Only of a single grapheme over the limit, the model sees but the start.
        """
        limit = self.manifest.limits.source_pieces
        spans = wrap(text, span, [span.start + piece.span.end for piece in pieces], room)
        for part in spans:
            if not self._translatable(part.of(text)):
                yield part, ()
                continue
            (encoded,) = self._tokenizer.encode([part.of(text)])
            if len(encoded) <= limit or room == 1:
                yield part, encoded[:limit]
            else:
                yield from self._wrapped(text, part, encoded, room // 2)

    def _segment(self, request: int, index: int, span: Span, pieces: tuple[Piece, ...]) -> Segment:
        limits = self.manifest.limits
        most = int(len(pieces) * limits.target_factor) + limits.target_extra
        return Segment(request, index, span, pieces, most)

    def finish(self, draft: Draft, found: Sequence[Hypothesis]) -> list[AlignedSegment]:
        """Stages 7 and 8 for hypotheses of one request.

        Raises:
            EngineError: a piece is not in the vocabulary.
        """
        size = self._tokenizer.size
        if any(not 0 <= piece < size for hypothesis in found for piece in hypothesis.ids):
            raise EngineError("the engine gave a piece that is not in the vocabulary")
        texts = self._tokenizer.decode([hypothesis.ids for hypothesis in found])
        return [
            self._aligned(draft, hypothesis, text)
            for hypothesis, text in zip(found, texts, strict=True)
        ]

    def _aligned(
        self, draft: Draft, hypothesis: Hypothesis, text: DetokenizedText
    ) -> AlignedSegment:
        kind = draft.request.alignment
        if kind is AlignmentKind.NONE:
            return unaligned(_without_attention(hypothesis), text)
        aligned = align(hypothesis, hypothesis.segment.span.of(draft.annotated.text), text)
        if kind is AlignmentKind.SOFT:
            return aligned
        return replace(aligned, hypothesis=_without_attention(hypothesis))

    def respond(
        self,
        draft: Draft,
        parts: Sequence[Span | AlignedSegment],
        notices: Sequence[Notice],
        timings: Timings,
    ) -> TranslationResponse:
        """Stage 9."""
        cut = [
            _unfinished(part.hypothesis.segment.span)
            for part in parts
            if isinstance(part, AlignedSegment) and not part.hypothesis.finished
        ]
        return assemble(draft.request, draft.annotated, parts, (*notices, *cut), timings)


def _without_attention(hypothesis: Hypothesis) -> Hypothesis:
    """Attention is most of a long request's memory; only soft alignment needs it to the end."""
    return replace(hypothesis, attention=array("f"))


def _copied(span: Span, language: str) -> Notice:
    return Notice("sentence-copied", f"no letters of {language!r}: copied unchanged", span)


def _wrapped(span: Span, parts: int) -> Notice:
    return Notice("sentence-wrapped", f"an over-long sentence was cut into {parts} parts", span)


def _unfinished(span: Span) -> Notice:
    return Notice("translation-cut", "the translation reached its length limit", span)


def _batched(spans: Sequence[Span], size: int) -> Iterator[Sequence[Span]]:
    for start in range(0, len(spans), size):
        yield spans[start : start + size]
