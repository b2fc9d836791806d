"""Composes the stages: a request becomes segments, hypotheses become a response.

    request -> annotate -> split -> tokenize (wrap) -> [segments ... engine ... hypotheses]
            -> detokenize -> align -> assemble -> response

No scheduling here and no waiting: `service` decides when what is run.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from dragoman.config import Limits
from dragoman.engines.bundle import Manifest
from dragoman.errors import (
    BundleMismatchError,
    EngineError,
    InvalidRequestError,
    SentenceTooLongError,
)
from dragoman.markup.annotate import annotated_bit_by_bit
from dragoman.markup.bits import Work, at_once
from dragoman.markup.elements import tags_bit_by_bit
from dragoman.pipeline import notices as told
from dragoman.pipeline.assemble import assembled_bit_by_bit
from dragoman.pipeline.capitals import is_whole
from dragoman.pipeline.choices import check_choices, choices_key, search_of
from dragoman.pipeline.draft import Draft
from dragoman.pipeline.finished import Finishing
from dragoman.pipeline.formulas import Formula, Formulas
from dragoman.pipeline.letter_case import LetterCase, LoweringFinder
from dragoman.pipeline.markers import is_marker
from dragoman.pipeline.memory import Memories
from dragoman.pipeline.page import Page, PageReader, Pages, check_length
from dragoman.pipeline.stretches import STRETCH_CHARACTERS, stretches
from dragoman.pipeline.terms import DraftTerms, Finder, Finders
from dragoman.text.literals import without_literals
from dragoman.text.prefix import shown_prefix
from dragoman.text.protect import HiddenText, Protection, hidden
from dragoman.text.script import any_letter, letters_of
from dragoman.text.split import trimmed_sentences
from dragoman.text.terms.compounds import CompoundFinder
from dragoman.text.terms.lexicon import LexiconFinder
from dragoman.text.terms.names import NameFinder, NameTable
from dragoman.text.terms.surnames import SurnameFinder
from dragoman.text.tokenizer import Tokenizer
from dragoman.text.wrap import wrap
from dragoman.types import (
    AlignedSegment,
    Element,
    Hypothesis,
    Notice,
    OverlongPolicy,
    Piece,
    PrefixStep,
    Segment,
    Span,
    Timings,
    TranslationRequest,
    TranslationResponse,
)


@dataclass(frozen=True, slots=True)
class Slice:
    """Some sentences of a draft, tokenized.

    Attributes:
        parts: in order: a segment to translate, one that a translation memory has, or the span of
            a sentence that is copied.
        notices: what the client should know about them.
        is_last: whether that was all. There may be one without parts, and one after the last part.
    """

    parts: tuple[Segment | AlignedSegment | Span, ...]
    notices: tuple[Notice, ...]
    is_last: bool = False


_ANY_DEPTH = sys.maxsize

# No slice is longer than this and one part more: some milliseconds of tokenizing.
SLICE_CHARACTERS = 4_000

# Part of a sentence and its pieces; without pieces it is copied.
_Tokenized = tuple[Span, tuple[Piece, ...]]
# A sentence and the translation that a memory has of it, or the list of formulas.
_Remembered = tuple[Span, str | Formula]


def _finders(
    names: NameTable | None,
    languages: tuple[str, str],
    tokenizer: Tokenizer,
    case: LetterCase,
) -> tuple[Finder, ...]:
    if names is None:
        return ()

    def is_common(word: str) -> bool:
        return len(tokenizer.encode([word])[0]) == 1

    finders: list[Finder] = [NameFinder(names, languages[0])]
    if names.lexicon:
        finders.insert(0, LoweringFinder(LexiconFinder(names.lexicon, languages), case))
    finders.insert(0, SurnameFinder(names, is_common))  # which the lists would take for words
    if names.firsts:
        parts = names.firsts, names.heads, names.wholes
        compounds = CompoundFinder(names.lexicon, *parts, languages)
        finders.append(LoweringFinder(compounds, case))
    return tuple(finders)


class Pipeline:
    """The stages of one model.

    Attributes:
        model: what tells its files from those of all other models: their SHA-256.
        pages: reads those of requests.

    Args:
        read_html: the host's HTML parser, if it has one.
        names: of the bundle, if it has such a table; perhaps with rare words.

    Raises:
        BundleMismatchError: the vocabulary is not the one that the model was trained with.
    """

    def __init__(
        self,
        manifest: Manifest,
        tokenizer: Tokenizer,
        limits: Limits,
        read_html: PageReader | None = None,
        names: NameTable | None = None,
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
        self._beam = min(manifest.beam, limits.beam)
        self.pages = Pages(manifest.source, limits, read_html)
        self._letters = letters_of(manifest.source)
        self._protection = Protection(manifest.source, manifest.target, tokenizer.has_piece)
        self.model = manifest.model
        languages = (manifest.source, manifest.target)
        self._case = LetterCase(tokenizer, languages, names)
        self._finishing = Finishing(
            tokenizer, self._protection, self._case, self._translatable, manifest.length
        )
        bundled = _finders(names, languages, tokenizer, self._case)
        self._finders = Finders(manifest.source, limits, bundled)
        self._memories = Memories(limits)
        self._formulas = Formulas(names, self._case, manifest.source)

    def draft(
        self, request_id: int, request: TranslationRequest, page: Page | None = None
    ) -> Draft:
        """Stage 1; stage 2 is the draft's.

        Args:
            page: of the request (`Pages.of`).

        Raises:
            TextTooLongError: over the limit of characters.
            InvalidRequestError: the sentences that it names do not fit the text.
            InvalidElementsError: the elements are none of the text, or not properly nested.
            GlossaryTooLargeError: over a limit of the glossary.
            TranslationMemoryTooLargeError: over a limit of the translation memory.
        """
        return at_once(self.drafting(request_id, request, page))

    def drafting(
        self, request_id: int, request: TranslationRequest, page: Page | None = None
    ) -> Work[Draft]:
        """The same, bit by bit."""
        text, limits = request.text, self._limits
        check_choices(request, limits)
        elements: Sequence[Element] = request.elements
        if page is None:
            check_length(text, limits.text_characters)
        else:
            # A page may nest as deep as it likes: its tree is never sent anywhere.
            text, elements = page.text, page.elements
            limits = replace(limits, elements=limits.page_elements, element_depth=_ANY_DEPTH)
        tags = yield from tags_bit_by_bit(text, elements, limits)
        annotated = yield from annotated_bit_by_bit(text, tags)
        finders = self._finders.of(request.glossary)
        known, terms = None, DraftTerms(finders, annotated, self.manifest.target)
        memory = yield from self._memories.of(request, annotated)
        if request.sentences is not None:
            known = trimmed_sentences(annotated.text, map(annotated.placed, request.sentences))
        elif request.prefix is not None:
            known = trimmed_sentences(annotated.text, (Span(0, len(annotated.text)),))
        if request.prefix and not known:
            raise InvalidRequestError("a prefix is of a text, and this one is empty")
        search = search_of(request, self._beam, weighed=self.manifest.length is not None)
        language = self.manifest.source
        return Draft(request_id, request, annotated, language, terms, memory, search, known, page)

    def slices(self, draft: Draft) -> Iterator[Slice]:
        """Stages 2 and 3, a little at a time, so that a long text does not hold up others.

        Raises:
            SentenceTooLongError: a sentence is over-long and the request says `REFUSE`.
        """
        parts: list[Segment | AlignedSegment | Span] = []
        notices: list[Notice] = []
        index = characters = 0
        for item in self._items(draft):
            match item:
                case Notice():
                    notices.append(item)
                    continue
                case (span, str(target)):
                    parts.append(draft.memory.segment(draft.id, index, span, target))
                    index += 1
                    characters += len(span)
                case (span, Formula() as said):
                    parts.append(said.segment(draft, index, span))
                    index += 1
                    characters += len(span)
                case (span, pieces):
                    parts.append(self._segment(draft, index, span, pieces) if pieces else span)
                    index += 1
                    characters += len(span)
            full = len(parts) == self._limits.slice_sentences or characters > SLICE_CHARACTERS
            if full or item is None:
                yield Slice(tuple(parts), tuple(notices))
                parts, notices, characters = [], [], 0
        yield Slice(tuple(parts), tuple(notices), is_last=True)

    def _items(self, draft: Draft) -> Iterator[_Tokenized | _Remembered | Notice | None]:
        """The parts of the text in order, and what the client should know about them.

        None: others may have their turn.
        """
        copied: Span | None = None  # neighbours in another script make one notice
        for sentence in draft.sentences():
            if sentence is None:
                yield None
                continue
            remembered: str | Formula | None = draft.memory.exact(sentence)
            if remembered is None:
                remembered = self._formulas.of(draft, sentence)
            text = without_literals(draft.annotated.without_stand_ins(sentence))
            if remembered is None and self._copied(draft, sentence, text):
                if any_letter(text) and not is_marker(text):
                    copied = Span(copied.start if copied else sentence.start, sentence.end)
                yield sentence, ()
                continue
            if copied:
                yield told.copied(copied, self.manifest.source)
                copied = None
            if draft.memory.look(sentence):
                yield None
            if remembered is None:
                yield from self._parts(draft, sentence)
            else:
                yield sentence, remembered
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
        if self._copied(draft, span, without_literals(annotated.without_stand_ins(span))):
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
        shown = draft.shown.get(span)
        if shown is None:
            text = span.of(draft.annotated.text)
            terms, is_free = draft.terms.hidings(span), draft.request.prefix is None
            worded = is_free and not draft.terms.has_asked(span)
            shown = hidden(text, self._protection, terms, worded=worded)
            small = self._case.lowered(shown) if is_free else None
            if small is not None:  # "UM HALB DREI" is no time before
                shown = hidden(small, self._protection, terms, worded=worded)
                shown = replace(shown, source=text, in_capitals=True)
            draft.shown[span] = shown
        return shown

    def _copied(self, draft: Draft, span: Span, bare: str) -> bool:
        """Whether there is nothing to translate in a sentence, or a part of one.

        Args:
            bare: what it has beside literals.
        """
        copied = not self._translatable(bare) and not self._rewritten(draft, span)
        copied = copied or is_marker(bare)
        return copied and not draft.prefix(span)

    def _rewritten(self, draft: Draft, span: Span) -> bool:
        """Whether what has nothing to translate is written in another way: "12,50 €", "3. Mai".

        So are terms in another script than the language's, which a model would not know.
        """
        if draft.terms.hide_all(span):
            return True
        shown = hidden(draft.annotated.without_stand_ins(span), self._protection)
        return shown.is_rewritten or self._translatable(shown.bare)

    def _translatable(self, sentence: str) -> bool:
        return self._letters.search(sentence) is not None

    def _segment(self, draft: Draft, index: int, span: Span, pieces: tuple[Piece, ...]) -> Segment:
        limits = self.manifest.limits
        most = int(len(pieces) * limits.target_factor) + limits.target_extra
        prefix = self._prefix(draft, span)
        if prefix:
            most = min(most + len(prefix), limits.positions)
        return Segment(draft.id, index, span, pieces, most, draft.search, prefix)

    def _prefix(self, draft: Draft, span: Span) -> tuple[PrefixStep, ...]:
        text = draft.prefix(span)
        if not text:
            return ()
        steps = self._tokenizer.prefix(shown_prefix(text, self._shown(draft, span)))
        allowed = self.manifest.limits.positions - 1
        if len(steps) > allowed:
            raise InvalidRequestError(
                f"the prefix has {len(steps):,} pieces; the model says up to {allowed:,}",
                requested=len(steps),
                allowed=allowed,
            )
        return steps

    def cache_key(self, draft: Draft, segment: Segment) -> tuple[str, str, str]:
        """All that `finish` makes of a segment depends on this, and on the segment's own pieces."""
        text = segment.span.of(draft.annotated.text)
        options = _markup_key(draft, segment.span) + draft.terms.key(segment.span)
        options += choices_key(draft.request, self._beam)
        options += " whole" if is_whole(draft.annotated.text, segment.span) else ""
        return self.model, str(draft.request.alignment) + options, text

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

    def finish(self, draft: Draft, hypotheses: Sequence[Hypothesis]) -> list[AlignedSegment]:
        """Stages 7 and 8 for hypotheses of one request.

        Raises:
            EngineError: a piece is not in the vocabulary.
        """
        size = self._tokenizer.size
        if any(
            not 0 <= piece < size
            for hypothesis in hypotheses
            for one in (hypothesis, *hypothesis.others)
            for piece in one.ids
        ):
            raise EngineError("the engine gave a piece that is not in the vocabulary")
        return [
            self._finishing.translated(draft, one, self._shown(draft, one.segment.span))
            for one in hypotheses
        ]

    def again(self, draft: Draft, translated: AlignedSegment) -> Segment | None:
        """A segment to translate once more, with stand-ins for terms that the model did not say."""
        segment = translated.hypothesis.segment
        terms = draft.terms.of(segment.span)
        better = terms.next_try(translated.target.text) if terms else None
        if terms is None or better is None:
            return None
        draft.terms.put(segment.span, better)
        pieces = self._encode(draft, segment.span)
        if len(pieces) > self.manifest.limits.source_pieces:
            draft.terms.put(segment.span, terms)
            return None
        return self._segment(draft, segment.index, segment.span, pieces)

    def respond(
        self,
        draft: Draft,
        parts: Sequence[Span | AlignedSegment],
        notices: Sequence[Notice],
        timings: Timings,
    ) -> TranslationResponse:
        """Stage 10; that of a page is still to be `written`."""
        return at_once(self.responding(draft, parts, notices, timings))

    def responding(
        self,
        draft: Draft,
        parts: Sequence[Span | AlignedSegment],
        notices: Sequence[Notice],
        timings: Timings,
    ) -> Work[TranslationResponse]:
        """The same, bit by bit."""
        notices = (*notices, *told.of_parts(parts))
        parts = [part if isinstance(part, Span) else draft.memory.with_near(part) for part in parts]
        return assembled_bit_by_bit(
            draft.request, draft.annotated, parts, notices, timings, self.manifest.good_from
        )


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
