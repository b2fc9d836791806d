"""Glossaries from files: `.tsv`, and TBX, which terminology programs exchange (ISO 30042).

TSV is UTF-8, a term a line: source, tabulator, target; without a target the term is not translated.
Further columns are notes. Of TBX, in either of its forms (`martif`, `tbx`), each concept gives its
terms in the source language the first of its terms in the target language that is not deprecated;
a concept without one in both languages gives nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Self
from xml.etree.ElementTree import Element

from dragoman.config import Limits
from dragoman.errors import GlossaryTooLargeError, InvalidGlossaryError
from dragoman.native.exchange import language_of, local_name, numbered_lines, units
from dragoman.native.files import reason
from dragoman.types import Glossary as AnyGlossary
from dragoman.types import Term

LARGEST_FILE = 64_000_000  # bytes

_CONCEPTS = ("termEntry", "conceptEntry")
_LANGUAGES = ("langSet", "langSec")
_GROUPS = ("tig", "ntig", "termSec")
_NOTES = ("termNote", "administrativeStatus")
_GONE = ("deprecated", "superseded")


class Glossary(AnyGlossary):
    """A glossary, which can be read from a file."""

    __slots__ = ()

    @classmethod
    def read(
        cls,
        path: str | Path,
        source: str | None = None,
        target: str | None = None,
        limits: Limits | None = None,
    ) -> Self:
        """The glossary of a file.

        Args:
            path: `.tbx` or `.xml` is TBX, anything else is TSV.
            source: a language, BCP 47, which TBX needs; "de" takes "de-AT" too.
            target: the same of the other side.

        Raises:
            InvalidGlossaryError: it cannot be read, or has a term that cannot be used.
            GlossaryTooLargeError: it is over a limit.
        """
        path = Path(path)
        most = (limits or Limits()).glossary_terms
        try:
            size = path.stat().st_size
            if size > LARGEST_FILE:
                raise GlossaryTooLargeError(size, LARGEST_FILE, "bytes")
            with path.open("rb") as file:
                if path.suffix.lower() in (".tbx", ".xml"):
                    entries = _read_tbx(file, path.name, source, target)
                else:
                    entries = _read_tsv(file, path.name)
                terms = tuple(islice(entries, most + 1))
        except (OSError, ValueError) as error:  # ValueError: a NUL in the path
            raise _invalid(path.name, reason(error)) from error
        if len(terms) > most:
            raise GlossaryTooLargeError(len(terms), most)
        try:
            return cls(terms)
        except InvalidGlossaryError as error:
            raise _invalid(path.name, error.message) from error


def _invalid(name: str, message: str) -> InvalidGlossaryError:
    return InvalidGlossaryError(f"{name}: {message}", file=name)


def _read_tsv(file: BinaryIO, name: str) -> Iterator[Term]:
    for number, text in numbered_lines(file, partial(_invalid, name)):
        source, target = [*map(str.strip, text.split("\t")), ""][:2]
        if not any(map(str.isalnum, source)):
            raise _invalid(name, f"line {number} has no term in its first column")
        yield Term(source, target or source)


# --- TBX ---------------------------------------------------------------------------------------


def _read_tbx(file: BinaryIO, name: str, source: str | None, target: str | None) -> Iterator[Term]:
    if source is None or target is None:
        raise _invalid(name, "TBX has many languages: say from which to which")
    for concept in units(file, _CONCEPTS, partial(_invalid, name)):
        yield from _terms(concept, source, target)


def _terms(concept: Element, source: str, target: str) -> Iterator[Term]:
    sources = list(_terms_of(concept, source))
    targets = list(_terms_of(concept, target))
    for term in sources if targets else ():
        yield Term(term, targets[0])


def _terms_of(concept: Element, language: str) -> Iterator[str]:
    """Of a concept in a language, without those that are not to be used any more."""
    for section in _named(concept, _LANGUAGES):
        if _primary(language_of(section)) != _primary(language):
            continue
        for group in _named(section, _GROUPS):
            notes = " ".join(note.text or "" for note in _named(group, _NOTES)).lower()
            if any(gone in notes for gone in _GONE):
                continue
            for term in _named(group, ("term",)):
                text = " ".join("".join(term.itertext()).split())
                if text:
                    yield text


def _named(element: Element, names: Iterable[str]) -> Iterator[Element]:
    """The elements of some names within one; none that is within another of them, or a file of
    many in each other would be read again for each."""
    left = list(reversed(element))
    while left:
        one = left.pop()
        if local_name(one) in names:
            yield one
        else:
            left.extend(reversed(one))


def _primary(language: str) -> str:
    return language.replace("_", "-").partition("-")[0].lower()
