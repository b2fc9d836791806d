"""The glossary of a corpus: told from others in the plan, and cut to what a shard has of it.

A corpus may have more terms than a request: with a shard go those alone that stand in its lines.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator

from dragoman.native.files import Passage
from dragoman.text.split import split_sentences
from dragoman.text.terms.glossary import TermFinder
from dragoman.types import Glossary, Term


def glossary_digest(glossary: Glossary | None) -> str | None:
    """Tells one glossary from another, for a reader too: "2 terms (09ab...)"; None: there is none.

    The order of the terms is part of it: of two for the same words the later one counts.
    """
    if glossary is None:
        return None
    terms = json.dumps([(term.source, term.target) for term in glossary.terms])
    digest = hashlib.sha256(terms.encode()).hexdigest()
    count = len(glossary.terms)
    return f"{count:,} {'term' if count == 1 else 'terms'} ({digest[:16]})"


class CorpusTerms:
    """Finds which terms of a glossary the lines of a shard have, as the pipeline will find them:
    sentence by sentence.

    Args:
        glossary: of any size; None: there is none.
        language: BCP 47, of the lines.
    """

    def __init__(self, glossary: Glossary | None, language: str) -> None:
        self._language = language
        self._finder = TermFinder(glossary.terms if glossary else (), language)

    def of(self, passages: Iterable[Passage]) -> Glossary | None:
        """A glossary of these terms alone, in order of their text; None if there is none."""
        found = {term.source: term for passage in passages for term in self._in(passage.text)}
        return Glossary(tuple(found[source] for source in sorted(found))) if found else None

    def _in(self, text: str) -> Iterator[Term]:
        for span in split_sentences(text, self._language):
            for found in self._finder.find(span.of(text)):
                yield found.term
