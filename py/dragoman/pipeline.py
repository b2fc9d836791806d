"""Composes the stages: a request becomes segments, hypotheses become a response.

    request -> annotate -> split -> tokenize (wrap) -> [segments ... engine ... hypotheses]
            -> detokenize -> align -> assemble -> response

No scheduling here and no waiting: `service` decides when what is run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dragoman.align import align, unaligned
from dragoman.assemble import assemble
from dragoman.bundle import Manifest
from dragoman.config import Limits
from dragoman.errors import BundleMismatchError, SentenceTooLongError, TextTooLongError
from dragoman.markup import annotate
from dragoman.script import any_letter, letters_of
from dragoman.split import split_sentences
from dragoman.tokenizer import Tokenizer
from dragoman.types import (
    AlignedSegment,
    AlignmentKind,
    AnnotatedText,
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
        text = draft.annotated.text
        encoded = iter(
            self._tokenizer.encode([s.of(text) for s in sentences if self._translatable(s.of(text))])
        )
        parts: list[Segment | Span] = []
        notices: list[Notice] = []
        for sentence in sentences:
            if not self._translatable(sentence.of(text)):
                parts.append(sentence)
                if any_letter(sentence.of(text)):
                    notices.append(_copied(sentence, self.manifest.source))
                continue
            pieces = next(encoded)
            if len(pieces) <= self.manifest.limits.source_pieces:
                parts.append(self._segment(draft.id, index + len(parts), sentence, pieces))
                continue
            if draft.request.overlong is OverlongPolicy.REFUSE:
                raise SentenceTooLongError(len(pieces), self.manifest.limits.source_pieces)
            cuts = self._wrapped(text, sentence, pieces)
            notices.append(_wrapped(sentence, len(cuts)))
            for span, cut_pieces in cuts:
                parts.append(self._segment(draft.id, index + len(parts), span, cut_pieces))
        return Slice(tuple(parts), tuple(notices))

    def _translatable(self, sentence: str) -> bool:
        return self._letters.search(sentence) is not None

    def _wrapped(
        self, text: str, sentence: Span, pieces: Sequence[Piece]
    ) -> list[tuple[Span, tuple[Piece, ...]]]:
        limit = self.manifest.limits.source_pieces
        # A part may need a piece more than the whole did where a word was cut.
        ends = [sentence.start + piece.span.end for piece in pieces]
        spans = wrap(text, sentence, ends, limit - 1)
        encoded = self._tokenizer.encode([span.of(text) for span in spans])
        return [
            (span, part[:limit]) for span, part in zip(spans, encoded, strict=True) if part
        ]

    def _segment(
        self, request: int, index: int, span: Span, pieces: tuple[Piece, ...]
    ) -> Segment:
        limits = self.manifest.limits
        most = int(len(pieces) * limits.target_factor) + limits.target_extra
        return Segment(request, index, span, pieces, most)

    def finish(
        self, draft: Draft, found: Sequence[Hypothesis]
    ) -> list[AlignedSegment]:
        """Stages 7 and 8 for hypotheses of one request."""
        texts = self._tokenizer.decode([hypothesis.ids for hypothesis in found])
        if draft.request.alignment is AlignmentKind.NONE:
            return [unaligned(h, text) for h, text in zip(found, texts, strict=True)]
        source = draft.annotated.text
        return [
            align(hypothesis, hypothesis.segment.span.of(source), text)
            for hypothesis, text in zip(found, texts, strict=True)
        ]

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


def _copied(span: Span, language: str) -> Notice:
    return Notice("sentence-copied", f"no letters of {language!r}: copied unchanged", span)


def _wrapped(span: Span, parts: int) -> Notice:
    return Notice("sentence-wrapped", f"an over-long sentence was cut into {parts} parts", span)


def _unfinished(span: Span) -> Notice:
    return Notice("translation-cut", "the translation reached its length limit", span)


def _batched(spans: Sequence[Span], size: int) -> Iterator[Sequence[Span]]:
    for start in range(0, len(spans), size):
        yield spans[start : start + size]
