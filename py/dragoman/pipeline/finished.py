"""Stages 7 to 9 for a sentence: a hypothesis becomes text, words and links, placed elements.

hypothesis --decode--> text --what is kept, terms--> text --align, place--> AlignedSegment
    `-- others --> the same ---------------------------------------------> its alternatives
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import replace

from dragoman.pipeline.articles import with_articles
from dragoman.pipeline.capitals import with_capital
from dragoman.pipeline.choices import distinct
from dragoman.pipeline.draft import Draft
from dragoman.pipeline.end_marks import with_end_marks
from dragoman.pipeline.hypotheses import with_steps
from dragoman.pipeline.letter_case import LetterCase
from dragoman.pipeline.phrases import repeated_phrases, steps_outside
from dragoman.placement import copy_with_markup, place
from dragoman.text.align import align, copy_of, unaligned
from dragoman.text.counterparts import SpanAttention
from dragoman.text.numbers import with_numbers
from dragoman.text.prefix import Start, shown_prefix, with_prefix
from dragoman.text.protect import (
    HiddenText,
    Protection,
    with_marks_joined,
    without_inventions,
)
from dragoman.text.terms.misread import with_short_forms
from dragoman.text.tokenizer import Tokenizer
from dragoman.types import (
    AlignedSegment,
    AlignmentKind,
    CopyReason,
    DetokenizedText,
    Hypothesis,
    LengthReward,
    Span,
)


class Finishing:
    """Of one model.

    Args:
        translatable: whether a text has letters of the source's script.
        length: what a hypothesis is worth beyond its probability, of models that say it.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        protection: Protection,
        case: LetterCase,
        translatable: Callable[[str], bool],
        length: LengthReward | None = None,
    ) -> None:
        self._tokenizer, self._protection, self._case = tokenizer, protection, case
        self._translatable, self._length = translatable, length

    def translated(self, draft: Draft, hypothesis: Hypothesis, shown: HiddenText) -> AlignedSegment:
        """A sentence with its alternatives, each made of the same shown text and the same terms."""
        hypothesis = self._weighed(hypothesis)
        span, others = hypothesis.segment.span, []
        del draft.shown[span]
        terms = draft.terms.of(span)
        first = replace(hypothesis, others=()) if hypothesis.others else hypothesis
        best = self._one(draft, first, shown)
        chosen = draft.terms.of(span)
        for other in hypothesis.others if draft.request.alternatives else ():
            if terms and chosen:
                of_next_word = bool(hypothesis.segment.prefix)
                draft.terms.put(span, terms.of_alternatives(chosen, of_next_word=of_next_word))
            own = self._one(draft, other, shown)
            others.append(replace(own, hypothesis=_without_attention(own.hypothesis)))
        if chosen:
            draft.terms.put(span, chosen)
        if not others:
            return best
        return replace(best, alternatives=distinct(best, others, draft.request))

    def _weighed(self, hypothesis: Hypothesis) -> Hypothesis:
        """What is worth most of what the search found; the others behind it, in their order.

        What takes the place of the first has more words, and has ended by itself, uncut.
        """
        length = self._length
        if length is None or not hypothesis.others or hypothesis.segment.prefix:
            return hypothesis
        written = self._tokenizer.written
        source = len(written([piece.id for piece in hypothesis.segment.pieces]))
        first = replace(hypothesis, others=())
        found = [first, *hypothesis.others]
        texts = [written(one.ids) for one in found]
        words = texts[0].count(" ")

        def worth(index: int) -> float:
            scores = found[index].log_probabilities
            return sum(scores) / max(1, len(scores)) + length.of(source, len(texts[index]))

        says_more = (
            index
            for index, (one, text) in enumerate(zip(found, texts, strict=True))
            if one is first or (text.count(" ") > words and one.finished and not one.loop_cut)
        )
        best = found.pop(max(says_more, key=worth))
        return replace(best, others=tuple(found))

    def _one(self, draft: Draft, hypothesis: Hypothesis, shown: HiddenText) -> AlignedSegment:
        (text,) = self._tokenizer.decode([hypothesis.ids])
        repeated = repeated_phrases(text.text, shown.text)
        if repeated and not hypothesis.segment.prefix:  # what is asked for is said as often
            hypothesis = with_steps(hypothesis, steps_outside(text, repeated))
            (text,) = self._tokenizer.decode([hypothesis.ids])
        checked = self._checked(draft, hypothesis, shown, text)
        return draft.terms.told(_finished(draft, hypothesis, checked))

    def _checked(
        self, draft: Draft, hypothesis: Hypothesis, shown: HiddenText, text: DetokenizedText
    ) -> DetokenizedText:
        """What must come through unharmed is in the translation, whatever the model made of it."""
        prefix = draft.prefix(hypothesis.segment.span)
        if not prefix:
            return self._kept(draft, hypothesis, shown, text)
        given = self._tokenizer.normalized(shown_prefix(prefix, shown))
        # A translation has no space before its first word: one that is asked for is put there.
        start = Start.of(text, len(given) if given.strip() else 0)
        return with_prefix(self._kept(draft, hypothesis, shown, text), prefix, start)

    def _kept(
        self, draft: Draft, hypothesis: Hypothesis, shown: HiddenText, text: DetokenizedText
    ) -> DetokenizedText:
        if shown.hidings and text.text != shown.text and not self._translatable(shown.bare):
            whole = Span(0, len(shown.text))
            rest = [Span(whole.end, whole.end)] * (len(text.spans) - 1)
            return shown.revealed(DetokenizedText(shown.text, (whole, *rest)[: len(text.spans)]))
        languages = (self._protection.source, self._protection.target)
        text = without_inventions(shown.text, text, self._protection)
        attention = _span_attention(hypothesis) if shown.needs_attention else None
        moved = replace(attention, moved=shown.origins) if attention else None
        text = with_short_forms(shown.text, text, languages)
        text = shown.revealed(with_numbers(shown.text, text, languages, moved), attention)
        text = with_end_marks(shown.source, with_marks_joined(shown.source, text))
        kept = [hiding.text for hiding in shown.hidings]
        text = with_capital(draft.annotated.text, hypothesis.segment.span, text, kept)
        text = draft.terms.exchange(hypothesis, text)
        if languages[1] == "en":
            text = with_articles(shown.source, text)
        as_it_was = [one.text for one in shown.hidings if one.text == one.span.of(shown.source)]
        return self._case.raised(
            shown, text, [*as_it_was, *draft.terms.asked_for(hypothesis.segment.span)]
        )


def _finished(draft: Draft, hypothesis: Hypothesis, text: DetokenizedText) -> AlignedSegment:
    # What goes to a model has letters; a mark alone, or nothing, is no translation of them.
    if any(map(str.isalnum, text.text)) or draft.prefix(hypothesis.segment.span):
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
    source = hypothesis.segment.span.of(draft.annotated.text)
    aligned = align(hypothesis, source, text, draft.terms.linked(text))
    if kind is AlignmentKind.SOFT:
        return aligned
    return replace(aligned, hypothesis=_without_attention(hypothesis))


def _placed(draft: Draft, aligned: AlignedSegment) -> AlignedSegment:
    if not draft.annotated.tags:
        return aligned
    run = draft.annotated.run(aligned.hypothesis.segment.span)
    return place(draft.annotated, run, aligned)


def _span_attention(hypothesis: Hypothesis) -> SpanAttention | None:
    if not hypothesis.attention:
        return None
    return SpanAttention(hypothesis.attention, [piece.span for piece in hypothesis.segment.pieces])


def _without_attention(hypothesis: Hypothesis) -> Hypothesis:
    """Attention is most of a long request's memory; only soft alignment needs it to the end."""
    return replace(hypothesis, attention=array("f")) if hypothesis.attention else hypothesis
