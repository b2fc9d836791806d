"""Glossaries as plain data: `[{"source": "Rechner", "target": "computer"}, {"source": "Anna"}]`."""

from __future__ import annotations

from dragoman.errors import InvalidGlossaryError
from dragoman.types import Glossary, Term


class GlossaryReader:
    """Reads the glossaries of requests; of equal ones in a row the same is given.

    What is made of a glossary to find its terms is then made once, not for each request of a page.
    """

    def __init__(self) -> None:
        self._last: tuple[object, Glossary] = None, Glossary()

    def __call__(self, data: object) -> Glossary | None:
        """The glossary of a request; None if it has none.

        Raises:
            InvalidGlossaryError: it is no list of terms, or a term cannot be used.
        """
        if data is None:
            return None
        known, glossary = self._last
        if data != known:
            glossary = _read(data)
            self._last = data, glossary
        return glossary


def _read(data: object) -> Glossary:
    if not isinstance(data, list):
        raise InvalidGlossaryError("the glossary is not a list of terms")
    return Glossary(tuple(_term(index, item) for index, item in enumerate(data)))


def _term(index: int, data: object) -> Term:
    match data:
        case {"source": str(source), **rest} if rest.keys() <= {"target"}:
            target = rest.get("target")
            if target is None:
                return Term(source, source)
            if isinstance(target, str):
                return Term(source, target)
    raise InvalidGlossaryError("it is no source with a target", index)


read_glossary = GlossaryReader()
