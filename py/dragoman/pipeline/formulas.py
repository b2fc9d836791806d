"""Formulas are said in one way only: greetings, letters, labels, signs ("Auf Lager" is "In stock").

A small model sees each of them hardly ever, and what it makes of one word by word is wrong. So is
what it makes of many words that somebody asks for alone ("Mann" was "Fire"). A bundle's list has
them as whole sentences of a word or a few (docs/adr/0060):

    sentence --memory--> as a client has it   --formula--> as the list has it   --else--> the model

Who asks for alternatives, for a prefix, or for attention asks the model; a term of the client's
glossary goes before a formula that it is in.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace

from dragoman.pipeline.capitals import with_capital
from dragoman.pipeline.draft import Draft
from dragoman.pipeline.letter_case import WITH_NOUNS, LetterCase
from dragoman.text.terms.names import NameTable
from dragoman.text.terms.word_table import NO_WORDS
from dragoman.types import AlignedSegment, AlignmentKind, DetokenizedText, Span, TagKind

# What a formula may end with in a text, beside what it has in the list.
_END = re.compile(r"(?:\.{3}|[.,:;!…])\Z")
_LONGEST = 80  # characters; no formula has more
# Characters without a width, which the model is not shown either: "Abbre\xadchen".
_UNSEEN = dict.fromkeys(map(ord, "\xad\u200b\u2060\ufeff"))


@dataclass(frozen=True, slots=True)
class Formula:
    """What a sentence is in the other language."""

    text: str

    def segment(self, draft: Draft, index: int, span: Span) -> AlignedSegment:
        """The sentence with it: each of its words stands for each of the translation's."""
        listed = DetokenizedText(self.text, ())
        said = with_capital(draft.annotated.text, span, listed).text
        known = draft.memory.segment(draft.id, index, span, said)
        others = range(len(known.target_words))
        links = tuple((one, other) for one in range(len(known.source_words)) for other in others)
        return replace(known, links=links, from_memory=False)


class Formulas:
    """Those of a bundle.

    Args:
        names: the bundle's table, with sentences, and with words that are all of a text.
        case: looks those up that are all in capitals.
        language: of the sentences, BCP 47.
    """

    def __init__(self, names: NameTable | None, case: LetterCase, language: str) -> None:
        self._table = names.formulas if names else NO_WORDS
        self._alone = names.alone if names else NO_WORDS
        self._case = case
        self._has_nouns = language.partition("-")[0].lower() in WITH_NOUNS

    def of(self, draft: Draft, span: Span) -> Formula | None:
        """What the list has for a sentence, if nobody wants to hear it of the model."""
        request, annotated = draft.request, draft.annotated
        if not (self._table or self._alone) or len(span) > _LONGEST or request.prefix is not None:
            return None
        if request.alternatives or request.alignment is AlignmentKind.SOFT:
            return None
        said = self._said(span.of(annotated.text))
        if said is None or any(tag.kind is not TagKind.TEXT for tag in annotated.run(span)):
            return None
        is_asked = request.glossary is not None and draft.terms.has_asked(span)
        return None if is_asked else Formula(said)

    def _said(self, text: str) -> str | None:
        text = " ".join(unicodedata.normalize("NFC", text).translate(_UNSEEN).split())
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
        if end and bare and bare[-1].isalnum():
            return bare + end.group()
        return self._word(text)

    def _word(self, text: str) -> str | None:
        said = self._alone.translation(text)
        if not said and text[:1].isupper() and not self._has_nouns:
            said = self._alone.translation(text[0].lower() + text[1:])
        return said or None
