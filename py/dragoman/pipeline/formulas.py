"""Formulas are said in one way only: greetings, letters, labels, signs ("Auf Lager" is "In stock").

A small model sees each of them hardly ever, and what it makes of one word by word is wrong. A
bundle's list has them as whole sentences of a few words (docs/adr/0060):

    sentence --memory--> as a client has it   --formula--> as the list has it   --else--> the model

Who asks for alternatives, for a prefix, or for attention asks the model; a term of the client's
glossary goes before a formula that it is in.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace

from dragoman.pipeline.draft import Draft
from dragoman.pipeline.letter_case import LetterCase
from dragoman.text.terms.glossary import Origin
from dragoman.text.terms.word_table import WordTable
from dragoman.types import AlignedSegment, AlignmentKind, Span, TagKind

# What a formula may end with in a text, beside what it has in the list.
_END = re.compile(r"(?:\.{3}|[.,:;!…])\Z")
_LONGEST = 80  # characters; no formula has more


@dataclass(frozen=True, slots=True)
class Formula:
    """What a sentence is in the other language."""

    text: str

    def segment(self, draft: Draft, index: int, span: Span) -> AlignedSegment:
        """The sentence with it: each of its words stands for each of the translation's."""
        known = draft.memory.segment(draft.id, index, span, self.text)
        others = range(len(known.target_words))
        links = tuple((one, other) for one in range(len(known.source_words)) for other in others)
        return replace(known, links=links, from_memory=False)


class Formulas:
    """Those of a bundle.

    Args:
        table: sentences and their translations.
        case: looks those up that are all in capitals.
    """

    def __init__(self, table: WordTable, case: LetterCase) -> None:
        self._table, self._case = table, case

    def of(self, draft: Draft, span: Span) -> Formula | None:
        """What the list has for a sentence, if nobody wants to hear it of the model."""
        request, annotated = draft.request, draft.annotated
        if not self._table or len(span) > _LONGEST or request.prefix is not None:
            return None
        if request.alternatives or request.alignment is AlignmentKind.SOFT:
            return None
        said = self._said(span.of(annotated.text))
        if said is None or any(tag.kind is not TagKind.TEXT for tag in annotated.run(span)):
            return None
        return None if _has_own_term(draft, span) else Formula(said)

    def _said(self, text: str) -> str | None:
        text = " ".join(unicodedata.normalize("NFC", text).split())
        said = self._listed(text)
        lowered = None if said else self._case.lowered_text(text)
        if lowered is None:
            return said
        said = self._listed(lowered)
        return said and self._case.raised_text(said)

    def _listed(self, text: str) -> str | None:
        known = self._table.translation(text)
        if known:  # a table of others may have an empty one
            return known
        end = _END.search(text)
        bare = self._table.translation(text[: end.start()]) if end else None
        return bare + end.group() if end and bare and bare[-1].isalnum() else None


def _has_own_term(draft: Draft, span: Span) -> bool:
    if draft.request.glossary is None:
        return False
    terms = draft.terms.of(span)
    return terms is not None and any(one.origin is Origin.GLOSSARY for one in terms.matches)
