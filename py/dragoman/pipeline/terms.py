"""Terms of a glossary, names, and rare words on their way through the pipeline.

    sentence --find--> terms     as it is --model--> are all said?  yes: done, and as fluent as ever
                                      ^                   | no
                                      `-- stand-ins for --'   those that were missed; then for all

A stand-in costs fluency, so that a term has one only where the model says something else by itself
(docs/adr/0026). Where constrained decoding comes into an engine, it takes the place of the second
pass: `SentenceTerms.next_try` is where that would be asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import exp, inf
from typing import Protocol

from dragoman.config import Limits
from dragoman.errors import GlossaryTooLargeError
from dragoman.pipeline.capitals import first_letter
from dragoman.text.align import LinkedWords, linked
from dragoman.text.literals import literals
from dragoman.text.protect import replaced, stand_ins
from dragoman.text.terms.genitives import bare, placed
from dragoman.text.terms.glossary import FoundTerm, Origin, TermFinder, may_have
from dragoman.text.terms.lexicon import fitted
from dragoman.types import (
    AlignedSegment,
    AnnotatedText,
    DetokenizedText,
    Glossary,
    Hypothesis,
    Span,
    Term,
    TermOutcome,
    TermUse,
)

# A model that gives its own word such a probability knows better than a list (docs/adr/0051), and
# than a first name before it (docs/adr/0057).
SURE = {Origin.LEXICON: 0.6, Origin.SURNAME: 0.5}
_FUNCTION_LENGTH = 3  # letters of "the", "und": words that carry no term's sense


def check_glossary(glossary: Glossary, limits: Limits) -> None:
    """Whether a glossary is within its limits.

    Raises:
        GlossaryTooLargeError: it has too many terms, or one that is too long.
    """
    if len(glossary.terms) > limits.glossary_terms:
        raise GlossaryTooLargeError(len(glossary.terms), limits.glossary_terms)
    longest = max(
        (len(side) for term in glossary.terms for side in (term.source, term.target)), default=0
    )
    if longest > limits.term_characters:
        raise GlossaryTooLargeError(longest, limits.term_characters, "characters of a term")


@dataclass(frozen=True, slots=True)
class SentenceTerms:
    """The terms of a sentence.

    Attributes:
        source: the sentence.
        matches: in order.
        free: indexes of those that may be put there: no markup begins or ends inside.
        forced: of those that have one.
        exchanged: of those that were put where the model had put its own word for them.
        language: of the translation.
        listed: of the list's words, those that may take the place of the model's own; None: all.
        found: places of the terms by translation, as far as they have been looked for.
    """

    source: str
    matches: tuple[FoundTerm, ...]
    free: frozenset[int]
    language: str
    forced: frozenset[int] = frozenset()
    exchanged: frozenset[int] = frozenset()
    listed: frozenset[int] | None = None
    found: dict[str, list[Span | None]] = field(default_factory=dict, compare=False, repr=False)

    @property
    def hideable(self) -> frozenset[int]:
        """Those that may have a stand-in. A rare word is not worth what that costs the others."""
        return frozenset(i for i in self.free if self.matches[i].origin not in SURE)

    @property
    def hidings(self) -> tuple[tuple[Span, str], ...]:
        """What a stand-in stands for, and what is put back."""
        return tuple(
            (match.span, _put_back(match, self.source))
            for index, match in enumerate(self.matches)
            if index in self.forced
        )

    @property
    def key(self) -> str:
        """What becomes of the sentence depends on this, and on its text."""
        return "".join(
            f" term {match.span.start} {match.span.end} {match.term.target!r} {match.origin}"
            f" {index in self.forced:d}"
            for index, match in enumerate(self.matches)
        )

    def uses(self, target: str) -> tuple[TermUse, ...]:
        """What became of each, in the translation."""
        places = self._places(target)
        return tuple(
            TermUse(match.term, self._outcome(index, place), match.span, place)
            for index, (match, place) in enumerate(zip(self.matches, places, strict=True))
        )

    def told(self, target: str) -> tuple[TermUse, ...]:
        """What became of the terms of the glossary: the bundle's own are nobody's request."""
        if not any(match.origin is Origin.GLOSSARY for match in self.matches):
            return ()
        uses = zip(self.matches, self.uses(target), strict=True)
        return tuple(use for match, use in uses if match.origin is Origin.GLOSSARY)

    def next_try(self, target: str) -> SentenceTerms | None:
        """With stand-ins for what a translation lacks; None if nothing more can be done."""
        hideable = self.hideable
        if not hideable:
            return None
        missed = {i for i, place in enumerate(self._places(target)) if place is None} & hideable
        if not missed:
            return None
        # A term that was said without stand-ins may be lost beside them.
        wanted = hideable if self.forced else frozenset(missed)
        if wanted <= self.forced:
            return None
        return replace(self, forced=wanted, exchanged=frozenset())

    def exchange(
        self, hypothesis: Hypothesis, target: DetokenizedText
    ) -> tuple[SentenceTerms, DetokenizedText, LinkedWords | None]:
        """Terms in place of the words that the model has for them, where the links are sure of it.

        A word of the bundle's list only where the model is not sure of its own.

        Args:
            hypothesis: with its attention.

        Returns:
            The links, too, if it took them and all words are as they were.
        """
        places = self._places(target.text)
        missed = [i for i, place in enumerate(places) if not place and i in self.free]
        if not missed or not hypothesis.attention:
            return self, target, None
        both, hideable = linked(hypothesis, self.source, target), self.hideable
        taken = [place for place in places if place]
        wanted: dict[Span, int] = {}
        for index in missed:
            place = _own_words(both, target.text, self.matches[index])
            if place is None or any(map(place.overlaps, [*taken, *wanted])):
                continue
            is_listed = self.listed is None or index in self.listed
            sure = SURE.get(self.matches[index].origin, 0.0)
            unsure = is_listed and _probability(hypothesis, target, place) < sure
            if index in hideable or unsure or self._lacks_of(index, place.of(target.text)):
                wanted[place] = index
        for place in sorted(wanted, reverse=True):
            match = self.matches[wanted[place]]
            text = _put_back(match, self.source)
            if match.is_genitive:
                text = placed(text, target.text[: place.start])
            elif match.origin is Origin.LEXICON:
                text = fitted(text, target.text[: place.start], target.text[place.end :])
            target = replaced(target, place, text)
        exchanged = frozenset(wanted.values())
        own = self if exchanged == self.exchanged else replace(self, exchanged=exchanged)
        return own, target, None if wanted else both

    def _lacks_of(self, index: int, own: str) -> bool:
        """Whether the model has a genitive as a name: "the army Syria", "the end of Obamas"."""
        match = self.matches[index]
        return match.is_genitive and own in (bare(match.term.target), match.span.of(self.source))

    def of_alternatives(self, best: SentenceTerms, *, of_next_word: bool) -> SentenceTerms:
        """For what else the search found: a word that the list has for the best one too.

        Args:
            best: these terms, as the best translation has them.
            of_next_word: whether it is asked which words may come next, which are the model's.
        """
        return replace(self, listed=frozenset() if of_next_word else best.exchanged)

    def with_capital(self, target: DetokenizedText) -> DetokenizedText:
        """The translation with a capital at its start, if a term that was put there has none."""
        text, at = target.text, first_letter(target.text)
        source = self.source[first_letter(self.source) :]
        if not self.forced | self.exchanged or not source[:1].isupper():
            return target
        if text[at : at + 1].isupper():  # then its first word is not in small letters
            return target
        starts = [place for place in self._places(text) if place and place.start == at]
        if not starts:
            return target
        word, capital = starts[0].of(text).partition(" ")[0], text[at].upper()
        if not word.islower() or len(capital) != 1:  # "iPhone", "ßß"
            return target
        return DetokenizedText(text[:at] + capital + text[at + 1 :], target.spans)

    def _outcome(self, index: int, place: Span | None) -> TermOutcome:
        if place is None:
            return TermOutcome.MISSED
        own = index not in self.forced | self.exchanged
        return TermOutcome.SAID if own else TermOutcome.FORCED

    def _places(self, target: str) -> list[Span | None]:
        """Of each term, its place in the translation; of equals the first has the first."""
        if target not in self.found:
            self.found[target] = self._find(target)
        return self.found[target]

    def _find(self, target: str) -> list[Span | None]:
        # Most are not there, as most words have several translations: one look tells.
        forms = [
            Term(match.term.target, form)
            for match in self.matches
            for form in dict.fromkeys((match.term.target, _put_back(match, self.source)))
            if may_have(target, form)
        ]
        places: dict[str, list[Span]] = {}
        for one in TermFinder(forms, self.language, "target").find(target) if forms else ():
            places.setdefault(one.term.source, []).append(one.span)
        rest = {key: iter(spans) for key, spans in places.items()}
        return [next(rest.get(match.term.target, iter(())), None) for match in self.matches]


def _own_words(aligned: LinkedWords, target: str, match: FoundTerm) -> Span | None:
    """The words of a translation that stand for a term and for nothing else; None if unsure."""
    inside = {i for i, word in enumerate(aligned.source_words) if word.overlaps(match.span)}
    linked = sorted({t for s, t in aligned.links if s in inside})
    words = [aligned.target_words[t].of(target) for t in linked]
    has_number = match.term.target[0].isdecimal()
    # "the house" for "Haus"
    while len(words) > 1 and len(words[0]) <= _FUNCTION_LENGTH:
        if has_number and words[0].isdecimal():
            break
        del words[0], linked[0]
    if not linked or linked[-1] - linked[0] >= len(linked):
        return None
    if not all(text[0].isalpha() or (has_number and text[0].isdecimal()) for text in words):
        return None
    others = {s for s, t in aligned.links if t in linked} - inside
    if others:
        return None
    return Span(aligned.target_words[linked[0]].start, aligned.target_words[linked[-1]].end)


def _probability(hypothesis: Hypothesis, target: DetokenizedText, place: Span) -> float:
    """Of the least probable piece of some words of a translation; 0 if they have none."""
    pieces = zip(target.spans, hypothesis.log_probabilities, strict=False)  # EOS has no place
    return exp(min((one for span, one in pieces if span.overlaps(place)), default=-inf))


def _put_back(match: FoundTerm, source: str) -> str:
    """What is not translated stays in the form in which it stands."""
    return match.span.of(source) if match.term.is_kept else match.term.target


class Finder(Protocol):
    """Finds terms in a sentence: of a glossary (`TermFinder`), names, words of a list."""

    def find(self, text: str, /) -> tuple[FoundTerm, ...]: ...


class Finders:
    """What finds terms in the texts of requests.

    Args:
        language: of the texts.
        bundled: what the bundle finds; the first counts where two find something.
    """

    def __init__(self, language: str, limits: Limits, bundled: Sequence[Finder]) -> None:
        self._language, self._limits, self._bundled = language, limits, tuple(bundled)
        self._latest = Glossary(), TermFinder((), language)

    def of(self, glossary: Glossary | None) -> tuple[Finder, ...]:
        """Those of a request with a glossary, or without one.

        Raises:
            GlossaryTooLargeError: over a limit of the glossary.
        """
        own = () if glossary is None else (self._glossary(glossary),)
        return (*own, *self._bundled)

    def _glossary(self, glossary: Glossary) -> TermFinder:
        known, finder = self._latest
        if known is not glossary:  # the requests of a client bring the same, again and again
            check_glossary(glossary, self._limits)
            finder = TermFinder(glossary.terms, self._language)
            self._latest = glossary, finder
        return finder


class DraftTerms:
    """The terms of a request's text, sentence by sentence, from stage 3 to stage 7.

    Args:
        finders: of the request's glossary and of the bundle, as far as there are any; where two
            find something at the same place the first one counts.
        annotated: the text.
        language: of the translation.
    """

    def __init__(self, finders: Sequence[Finder], annotated: AnnotatedText, language: str) -> None:
        self._finders, self._annotated, self._language = finders, annotated, language
        self._sentences: dict[Span, SentenceTerms | None] = {}
        self._linked: tuple[DetokenizedText, LinkedWords] | None = None

    def of(self, span: Span) -> SentenceTerms | None:
        """The terms of a sentence or a part of one; None if it has none."""
        if not self._finders:
            return None
        if span not in self._sentences:
            self._sentences[span] = self._terms_in(span)
        return self._sentences[span]

    def put(self, span: Span, terms: SentenceTerms) -> None:
        self._sentences[span] = terms

    def hidings(self, span: Span) -> tuple[tuple[Span, str], ...]:
        """What of a sentence has stand-ins, and what is put back."""
        terms = self.of(span)
        return terms.hidings if terms else ()

    def has_asked(self, span: Span) -> bool:
        """Whether a term of the client's glossary is in a sentence."""
        terms = self.of(span)
        return terms is not None and any(one.origin is Origin.GLOSSARY for one in terms.matches)

    def key(self, span: Span) -> str:
        """What becomes of a sentence depends on this, and on its text."""
        terms = self.of(span)
        return terms.key if terms else ""

    def asked_for(self, span: Span) -> list[str]:
        """What the glossary wants to be said in a sentence."""
        terms = self.of(span)
        matches = terms.matches if terms else ()
        return [match.term.target for match in matches if match.origin is Origin.GLOSSARY]

    def hide_all(self, span: Span) -> bool:
        """Give stand-ins to all terms of a sentence that says nothing else; whether that helps."""
        terms = self.of(span)
        if terms is None or all(terms.matches[i].term.is_kept for i in terms.hideable):
            return False
        self.put(span, replace(terms, forced=terms.hideable))
        return True

    def exchange(self, hypothesis: Hypothesis, target: DetokenizedText) -> DetokenizedText:
        """A sentence's translation, with terms in place of the model's own words for them."""
        span = hypothesis.segment.span
        terms = self.of(span)
        if terms is None:
            return target
        terms, target, links = terms.exchange(hypothesis, target)
        self.put(span, terms)
        self._linked = (target, links) if links else None
        return terms.with_capital(target)

    def linked(self, target: DetokenizedText) -> LinkedWords | None:
        """The links of the translation that `exchange` gave last, if it took them."""
        known, self._linked = self._linked, None
        return known[1] if known and known[0] is target else None

    def told(self, aligned: AlignedSegment) -> AlignedSegment:
        """A translated sentence, and what became of its terms."""
        terms = self.of(aligned.hypothesis.segment.span)
        told = terms.told(aligned.target.text) if terms else ()
        return replace(aligned, terms=told) if told else aligned

    def _terms_in(self, span: Span) -> SentenceTerms | None:
        text = span.of(self._annotated.text)
        literals_: dict[bool, list[Span]] = {}  # with those that have words, and without
        matches: list[FoundTerm] = []
        for finder in self._finders:
            found = finder.find(text)
            worded = not found or found[0].origin is not Origin.GLOSSARY
            if found and worded not in literals_:
                literals_[worded] = [*literals(text, worded=worded), *stand_ins(text)]
            kept = literals_.get(worded, [])
            taken = [one.span for one in matches]
            matches += [
                one
                for one in found
                if _is_outside(one.span, kept) and not any(map(one.span.overlaps, taken))
            ]
        if not matches:
            return None
        matches.sort(key=lambda one: one.span)
        cuts = [tag.span.start - span.start for tag in self._annotated.run(span)]
        free = frozenset(
            index
            for index, one in enumerate(matches)
            if not any(one.span.start < cut < one.span.end for cut in cuts)
        )
        return SentenceTerms(text, tuple(matches), free, self._language)


def _is_outside(span: Span, literals_: Sequence[Span]) -> bool:
    """Whether a term is in no literal; it may have one inside ("Windows 3.11")."""
    return not any(
        span.overlaps(one) and not (span.start <= one.start and one.end <= span.end)
        for one in literals_
    )
