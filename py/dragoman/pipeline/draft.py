"""A request on its way through the stages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from dragoman.pipeline.markers import with_marker_apart
from dragoman.pipeline.memory import DraftMemory
from dragoman.pipeline.page import Page
from dragoman.pipeline.terms import DraftTerms
from dragoman.text.abbreviations import rules_for
from dragoman.text.protect import HiddenText
from dragoman.text.split import sentences_bit_by_bit
from dragoman.types import (
    AnnotatedText,
    Search,
    Span,
    TranslationRequest,
)


@dataclass(frozen=True, slots=True)
class Draft:
    """A request that is ready to be split.

    Attributes:
        language: of the text.
        known: its sentences, where the client has said them: spans in the annotated text.
        page: what the response is to be written into, if the request is no plain text.
        shown: sentences as the model sees them, from stage 3 to stage 7.
        terms: of the request's glossary, and names.
        memory: what the request's translation memory has.
        search: of its sentences.
    """

    id: int
    request: TranslationRequest
    annotated: AnnotatedText
    language: str
    terms: DraftTerms
    memory: DraftMemory
    search: Search
    known: tuple[Span, ...] | None = None
    page: Page | None = None
    shown: dict[Span, HiddenText] = field(default_factory=dict, compare=False)

    def prefix(self, span: Span) -> str:
        """What the translation of a sentence, or of a part of one, is to begin with."""
        is_first = self.known and span.start == self.known[0].start
        return (self.request.prefix or "") if is_first else ""

    def sentences(self) -> Iterator[Span | None]:
        """Stage 2, one by one, in order; None: a moment for others (`sentences_bit_by_bit`).

        The marker of an item stands alone, but where a memory has both, and with a prefix, which
        may have the marker too.
        """
        text, rules = self.annotated.text, rules_for(self.language)
        found: Iterable[Span | None] = self.known or ()
        if self.known is None:
            found = sentences_bit_by_bit(text, self.language)
        for sentence in found:
            if sentence is None or self.request.prefix is not None:
                yield sentence
                continue
            parts = with_marker_apart(text, sentence, rules)
            yield from (sentence,) if self.memory.exact(sentence) is not None else parts
