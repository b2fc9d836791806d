"""Words that a translation is to use, as a user wrote them down."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from dragoman.errors import InvalidGlossaryError
from dragoman.types.spans import Span


@dataclass(frozen=True, slots=True)
class Term:
    """A term and its translation; both the same if it is not to be translated.

    No two words of a text are told apart by how much white space is in a term.
    """

    source: str
    target: str

    @property
    def is_kept(self) -> bool:
        """Whether it stays as it stands in the text."""
        return self.source == self.target


@dataclass(frozen=True, slots=True)
class Glossary:
    """Terms of a pair of languages; of two for the same source the later one counts.

    Attributes:
        terms: in no order that matters but that.

    Raises:
        InvalidGlossaryError: a term has no letter or figure, or has a line break or a control.

    >>> Glossary((Term("Rechner", "computer"),)) | Glossary.keeping(["Annaberg"])
    Glossary(terms=(Term(source='Rechner', target='computer'), \
Term(source='Annaberg', target='Annaberg')))
    """

    terms: tuple[Term, ...] = ()

    def __post_init__(self) -> None:
        for index, term in enumerate(self.terms):
            for side, text in (("source", term.source), ("target", term.target)):
                if text != text.strip() or not any(map(str.isalnum, text)):
                    raise InvalidGlossaryError(
                        f"the {side} needs a letter or figure, and no space around it", index
                    )
                if not text.replace(" ", "x").isprintable():
                    raise InvalidGlossaryError(
                        f"the {side} has a line break or another control character", index
                    )

    def __or__(self, other: Glossary) -> Glossary:
        """The terms of both; those of `other` count where both have one."""
        return Glossary((*self.terms, *other.terms))

    @classmethod
    def keeping(cls, words: Iterable[str]) -> Glossary:
        """Words that are not to be translated."""
        return Glossary(tuple(Term(word, word) for word in words))


class TermOutcome(StrEnum):
    """What became of a term that a text has."""

    SAID = "said"  # the model said it by itself
    FORCED = "forced"  # it was put where the model had put something else
    MISSED = "missed"  # it is not in the translation


@dataclass(frozen=True, slots=True)
class TermUse:
    """A term of the glossary that was found in a text.

    Attributes:
        source: where it stands there, in whatever form; None where places mean nothing (HTML).
        target: where its translation stands, in whatever form; None too if it was missed.
    """

    term: Term
    outcome: TermOutcome
    source: Span | None
    target: Span | None
