"""Composes the stages: a request becomes segments, hypotheses become a response.

    request -> annotate -> split -> tokenize (wrap) -> [segments ... engine ... hypotheses]
            -> detokenize -> align -> assemble -> response

No scheduling here and no waiting: `service` decides when what is run.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from dragoman.config import Limits
from dragoman.engines.bundle import Manifest
from dragoman.errors import (
    BundleMismatchError,
    EngineError,
    InvalidElementsError,
    SentenceTooLongError,
    TextTooLongError,
    UnsupportedFormatError,
)
from dragoman.markup.annotate import annotate
from dragoman.markup.elements import tags_of
from dragoman.pipeline import notices as told
from dragoman.pipeline.assemble import assemble
from dragoman.pipeline.stretches import STRETCH_CHARACTERS, stretches
from dragoman.pipeline.terms import DraftTerms, check_glossary
from dragoman.placement import copy_with_markup, place
from dragoman.text.align import align, copy_of, unaligned
from dragoman.text.counterparts import SpanAttention
from dragoman.text.literals import without_literals
from dragoman.text.numbers import with_numbers
from dragoman.text.protect import HiddenText, Protection, hidden, without_inventions
from dragoman.text.script import any_letter, letters_of
from dragoman.text.split import sentences_bit_by_bit, trimmed_sentences
from dragoman.text.terms import TermFinder
from dragoman.text.tokenizer import Tokenizer
from dragoman.text.wrap import wrap
from dragoman.types import (
    AlignedSegment,
    AlignmentKind,
    AnnotatedText,
    Content,
    CopyReason,
    DetokenizedText,
    Element,
    Glossary,
    Hypothesis,
    Notice,
    OverlongPolicy,
    Piece,
    Segment,
    Span,
    TextFormat,
    Timings,
    TranslationRequest,
    TranslationResponse,
    WordAlignment,
)


class Page(Protocol):
    """Text of a format that is not plain: what to translate, and how to write it afterwards."""

    text: str
    elements: tuple[Element, ...]

    def write(self, text: str, content: Content | None, language: str) -> str:
        """The page with a translation of its text, and its elements in their places.

        Args:
            language: of the translation, BCP 47.
        """
        ...


# From the text of a request and its language; a host without a parser has none.
PageReader = Callable[[str, str], Page]


@dataclass(frozen=True, slots=True)
class Draft:
    """A request that is ready to be split.

    Attributes:
        language: of the text.
        known: its sentences, where the client has said them: spans in the annotated text.
        page: what the response is written into, if the request is no plain text.
        shown: sentences as the model sees them, from stage 3 to stage 7.
        terms: of the request's glossary.
    """

    id: int
    request: TranslationRequest
    annotated: AnnotatedText
    language: str
    terms: DraftTerms
    known: tuple[Span, ...] | None = None
    page: Page | None = None
    shown: dict[Span, HiddenText] = field(default_factory=dict, compare=False)

    def sentences(self) -> Iterator[Span | None]:
        """Stage 2, one by one, in order; None: a moment for others (`sentences_bit_by_bit`)."""
        if self.known is not None:
            return iter(self.known)
        return sentences_bit_by_bit(self.annotated.text, self.language)


@dataclass(frozen=True, slots=True)
class Slice:
    """Some sentences of a draft, tokenized.

    Attributes:
        parts: in order: a segment to translate, or the span of a sentence that is copied.
        notices: what the client should know about them.
        is_last: whether that was all. There may be one without parts, and one after the last part.
    """

    parts: tuple[Segment | Span, ...]
    notices: tuple[Notice, ...]
    is_last: bool = False


_ANY_MARKUP = Limits(elements=sys.maxsize, element_depth=sys.maxsize)

# No slice is longer than this and one part more: some milliseconds of tokenizing.
SLICE_CHARACTERS = 4_000

# Part of a sentence and its pieces; without pieces it is copied.
_Tokenized = tuple[Span, tuple[Piece, ...]]


class Pipeline:
    """The stages of one model.

    Args:
        read_html: the host's HTML parser, if it has one.

    Raises:
        BundleMismatchError: the vocabulary is not the one that the model was trained with.
    """

    def __init__(
        self,
        manifest: Manifest,
        tokenizer: Tokenizer,
        limits: Limits,
        read_html: PageReader | None = None,
    ) -> None:
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
        self._read_html = read_html
        self._letters = letters_of(manifest.source)
        self._protection = Protection(manifest.source, manifest.target, tokenizer.has_piece)
        self._model = manifest.model
        self._finder = Glossary(), TermFinder((), manifest.source)

    def draft(self, request_id: int, request: TranslationRequest) -> Draft:
        """Stage 1; stage 2 is the draft's.

        Raises:
            TextTooLongError: over the limit of characters.
            InvalidRequestError: the sentences that it names do not fit the text.
            InvalidElementsError: the elements are none of the text, or not properly nested.
            GlossaryTooLargeError: over a limit of the glossary.
            UnsupportedFormatError: this host has no parser for the format.
        """
        limits = self._limits
        plain = request.format is TextFormat.TEXT
        _check_length(request.text, limits.text_characters if plain else limits.page_characters)
        page = self._page(request)
        if page is not None:
            _check_length(page.text, limits.text_characters)
        if page is None:
            markup = tags_of(request.text, request.elements, self._limits)
            annotated = annotate(request.text, markup)
        else:
            # A page may nest as deep as it likes: its tree is never sent anywhere.
            annotated = annotate(page.text, tags_of(page.text, page.elements, _ANY_MARKUP))
        known, terms = None, self._terms(request.glossary, annotated)
        if request.sentences is not None:
            known = trimmed_sentences(annotated.text, map(annotated.placed, request.sentences))
        return Draft(request_id, request, annotated, self.manifest.source, terms, known, page)

    def _terms(self, glossary: Glossary | None, annotated: AnnotatedText) -> DraftTerms:
        if glossary is None:
            return DraftTerms(None, annotated, self.manifest.target)
        known, finder = self._finder
        if known is not glossary:  # the requests of a client bring the same, again and again
            check_glossary(glossary, self._limits)
            finder = TermFinder(glossary.terms, self.manifest.source)
            self._finder = glossary, finder
        return DraftTerms(finder, annotated, self.manifest.target)

    def _page(self, request: TranslationRequest) -> Page | None:
        if request.format is TextFormat.TEXT:
            return None
        if self._read_html is None:
            raise UnsupportedFormatError(request.format, "send its text with elements")
        if request.elements:
            raise InvalidElementsError(0, "format", "elements belong to plain text")
        return self._read_html(request.text, self.manifest.source)

    def slices(self, draft: Draft) -> Iterator[Slice]:
        """Stages 2 and 3, a little at a time, so that a long text does not hold up others.

        Raises:
            SentenceTooLongError: a sentence is over-long and the request says `REFUSE`.
        """
        parts: list[Segment | Span] = []
        notices: list[Notice] = []
        index = characters = 0
        for item in self._items(draft):
            match item:
                case Notice():
                    notices.append(item)
                    continue
                case (span, pieces):
                    parts.append(self._segment(draft.id, index, span, pieces) if pieces else span)
                    index += 1
                    characters += len(span)
            full = len(parts) == self._limits.slice_sentences or characters > SLICE_CHARACTERS
            if full or item is None:
                yield Slice(tuple(parts), tuple(notices))
                parts, notices, characters = [], [], 0
        yield Slice(tuple(parts), tuple(notices), is_last=True)

    def _items(self, draft: Draft) -> Iterator[_Tokenized | Notice | None]:
        """The parts of the text in order, and what the client should know about them.

        None: others may have their turn.
        """
        copied: Span | None = None  # neighbours in another script make one notice
        for sentence in draft.sentences():
            if sentence is None:
                yield None
                continue
            text = without_literals(draft.annotated.without_stand_ins(sentence))
            if not self._translatable(text) and not self._rewritten(draft, sentence):
                if any_letter(text):
                    copied = Span(copied.start if copied else sentence.start, sentence.end)
                yield sentence, ()
                continue
            if copied:
                yield told.copied(copied, self.manifest.source)
                copied = None
            yield from self._parts(draft, sentence)
        if copied:
            yield told.copied(copied, self.manifest.source)

    def _parts(self, draft: Draft, sentence: Span) -> Iterator[_Tokenized | Notice]:
        """The sentence, or the parts of an over-long one, with the pieces of each."""
        limit = self.manifest.limits.source_pieces
        refuse = draft.request.overlong is OverlongPolicy.REFUSE
        if len(sentence) <= STRETCH_CHARACTERS or refuse:
            pieces = self._encode(draft, sentence)
            if len(pieces) <= limit:
                yield sentence, pieces
                return
            if refuse:
                raise SentenceTooLongError(len(pieces), limit)
        count = 0
        for stretch in stretches(draft.annotated, sentence):
            for part in self._wrapped(draft, stretch, limit - 1):
                count += 1
                yield part
        yield told.wrapped(sentence, count)

    def _wrapped(self, draft: Draft, span: Span, room: int) -> Iterator[_Tokenized]:
        """A stretch of an over-long sentence, in parts of at most `room` pieces of the whole.

        By itself a part may have more than that, where a word was cut: over the limit of the model
        it is wrapped again. Only of a single grapheme over the limit, the model sees but the start.
        """
        annotated = draft.annotated
        bare = without_literals(annotated.without_stand_ins(span))
        if not self._translatable(bare) and not self._rewritten(draft, span):
            yield span, ()
            return
        limit = self.manifest.limits.source_pieces
        pieces = self._encode(draft, span)
        if len(pieces) <= limit:
            yield span, pieces
            return
        ends = [span.start + piece.span.end for piece in pieces]
        parts = wrap(annotated.text, span, annotated.outside_stand_ins(ends), room)
        if room == 1 or parts == (span,):
            yield span, pieces[:limit]
            return
        for part in parts:
            yield from self._wrapped(draft, part, room // 2)

    def _encode(self, draft: Draft, span: Span) -> tuple[Piece, ...]:
        shown = self._shown(draft, span)
        (pieces,) = self._tokenizer.encode([shown.text])
        return shown.in_source(pieces)

    def _shown(self, draft: Draft, span: Span) -> HiddenText:
        found = draft.shown.get(span)
        if found is None:
            text = span.of(draft.annotated.text)
            found = hidden(text, self._protection, draft.terms.hidings(span))
            draft.shown[span] = found
        return found

    def _rewritten(self, draft: Draft, span: Span) -> bool:
        """Whether what has nothing to translate is written in another way: "12,50 €", "3. Mai".

        So are terms in another script than the language's, which a model would not know.
        """
        if draft.terms.hide_all(span):
            return True
        return hidden(draft.annotated.without_stand_ins(span), self._protection).is_rewritten

    def _translatable(self, sentence: str) -> bool:
        return self._letters.search(sentence) is not None

    def _segment(self, request: int, index: int, span: Span, pieces: tuple[Piece, ...]) -> Segment:
        limits = self.manifest.limits
        most = int(len(pieces) * limits.target_factor) + limits.target_extra
        return Segment(request, index, span, pieces, most)

    @property
    def model(self) -> str:
        """What tells its files from those of all other models: their SHA-256."""
        return self._model

    def cache_key(self, draft: Draft, segment: Segment) -> tuple[str, str, str]:
        """All that `finish` makes of a segment depends on this, and on the segment's own pieces."""
        text = segment.span.of(draft.annotated.text)
        options = _markup_key(draft, segment.span) + draft.terms.key(segment.span)
        return self._model, str(draft.request.alignment) + options, text

    def needs_attention(self, draft: Draft, segment: Segment) -> bool:
        """Whether `finish` wants a segment's hypothesis with its attention.

        It does where words are to be aligned, where terms may have to be put in place of words, and
        where several literals or figures look alike.
        """
        return (
            draft.request.needs_alignment
            or self._shown(draft, segment.span).needs_attention
            or draft.terms.of(segment.span) is not None
        )

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
            draft.terms.told(_finished(draft, hypothesis, self._checked(draft, hypothesis, text)))
            for hypothesis, text in zip(found, texts, strict=True)
        ]

    def again(self, draft: Draft, found: AlignedSegment) -> Segment | None:
        """A segment to translate once more, with stand-ins for terms that the model did not say."""
        segment = found.hypothesis.segment
        terms = draft.terms.of(segment.span)
        better = terms.next_try(found.terms) if terms else None
        if terms is None or better is None:
            return None
        draft.terms.put(segment.span, better)
        pieces = self._encode(draft, segment.span)
        if len(pieces) > self.manifest.limits.source_pieces:
            draft.terms.put(segment.span, terms)
            return None
        return self._segment(segment.request, segment.index, segment.span, pieces)

    def _checked(
        self, draft: Draft, hypothesis: Hypothesis, text: DetokenizedText
    ) -> DetokenizedText:
        """What must come through unharmed is in the translation, whatever the model made of it."""
        shown = self._shown(draft, hypothesis.segment.span)
        del draft.shown[hypothesis.segment.span]
        if shown.hidings and text.text != shown.text and not self._translatable(shown.bare):
            whole = Span(0, len(shown.text))
            rest = [Span(whole.end, whole.end)] * (len(text.spans) - 1)
            return shown.revealed(DetokenizedText(shown.text, (whole, *rest)[: len(text.spans)]))
        languages = (self.manifest.source, self.manifest.target)
        text = without_inventions(shown.text, text, self._protection)
        attention = _span_attention(hypothesis) if shown.needs_attention else None
        moved = replace(attention, moved=shown.origins) if attention else None
        text = shown.revealed(with_numbers(shown.text, text, languages, moved), attention)
        return draft.terms.exchange(hypothesis, text)

    def respond(
        self,
        draft: Draft,
        parts: Sequence[Span | AlignedSegment],
        notices: Sequence[Notice],
        timings: Timings,
    ) -> TranslationResponse:
        """Stage 10."""
        notices = (*notices, *told.of_parts(parts))
        response = assemble(
            draft.request, draft.annotated, parts, notices, timings, self.manifest.good_from
        )
        return response if draft.page is None else _written(draft.page, response)


def _finished(draft: Draft, hypothesis: Hypothesis, text: DetokenizedText) -> AlignedSegment:
    # What goes to a model has letters; a mark alone, or nothing, is no translation of them.
    if any(map(str.isalnum, text.text)):
        return _placed(draft, _aligned(draft, hypothesis, text))
    span = hypothesis.segment.span
    copy = copy_of(hypothesis, span.of(draft.annotated.text), CopyReason.WORDLESS)
    if not draft.annotated.tags:
        return copy
    return copy_with_markup(draft.annotated, draft.annotated.run(span), copy)


def _aligned(draft: Draft, hypothesis: Hypothesis, text: DetokenizedText) -> AlignedSegment:
    kind = draft.request.alignment
    if not draft.request.needs_alignment:
        return unaligned(_without_attention(hypothesis), text)
    aligned = align(hypothesis, hypothesis.segment.span.of(draft.annotated.text), text)
    if kind is AlignmentKind.SOFT:
        return aligned
    return replace(aligned, hypothesis=_without_attention(hypothesis))


def _placed(draft: Draft, aligned: AlignedSegment) -> AlignedSegment:
    if not draft.annotated.tags:
        return aligned
    run = draft.annotated.run(aligned.hypothesis.segment.span)
    return place(draft.annotated, run, aligned)


def _check_length(text: str, allowed: int) -> None:
    if len(text) > allowed:
        raise TextTooLongError(len(text), allowed)


def _markup_key(draft: Draft, span: Span) -> str:
    """What placement makes of a segment depends on this."""
    annotated = draft.annotated
    if not annotated.tags:
        return " aligned" if draft.request.needs_alignment else ""
    return "".join(
        f" {tag.kind} {tag.element} {tag.span.start - span.start}"
        f" {annotated.origin(tag.span).of(annotated.original)!r}"
        for tag in annotated.run(span)
    )


def _written(page: Page, response: TranslationResponse) -> TranslationResponse:
    """Ranges in the text of a page mean nothing to who sent HTML."""
    return replace(
        response,
        text=page.write(response.text, response.content, response.request.target),
        sentences=(),
        alignment=WordAlignment(),
        warnings=tuple(replace(notice, span=None) for notice in response.warnings),
        content=None,
        terms=tuple(replace(use, source=None, target=None) for use in response.terms),
    )


def _span_attention(hypothesis: Hypothesis) -> SpanAttention | None:
    if not hypothesis.attention:
        return None
    return SpanAttention(hypothesis.attention, [piece.span for piece in hypothesis.segment.pieces])


def _without_attention(hypothesis: Hypothesis) -> Hypothesis:
    """Attention is most of a long request's memory; only soft alignment needs it to the end."""
    return replace(hypothesis, attention=array("f"))
