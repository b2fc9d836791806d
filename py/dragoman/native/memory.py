"""Translation memories from files: `.tsv`, and TMX, which translation programs exchange (1.4b).

TSV is UTF-8, an entry a line: source, tabulator, target; a line without a target gives nothing. A
first row that names both languages says which column is which, else the first is the source.

Of TMX each unit gives an entry: of each language the variant whose tag is nearest ("de" for
"de-AT", else the first "de-..."); a unit that lacks one gives nothing. White space is as XML has it
elsewhere: a run of it is a space. Of what is marked within a sentence,

    hi                  its text counts
    bpt, ept, it        codes of formats: they and their codes are left out
    ph, ut, sub         stand for what an entry does not say: the unit gives nothing
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Self
from xml.etree.ElementTree import Element

from dragoman.config import Limits
from dragoman.errors import InvalidTranslationMemoryError, TranslationMemoryTooLargeError
from dragoman.native.exchange import language_of, local_name, numbered_lines, units
from dragoman.native.files import reason
from dragoman.pipeline.memory import check_memory
from dragoman.types import MemoryEntry
from dragoman.types import TranslationMemory as AnyMemory

LARGEST_FILE = 256_000_000  # bytes
DEEPEST_FILE = 64  # levels of elements

_CODES = ("bpt", "ept", "it")
_SPACE = re.compile("[ \t\r\n]+")
_TAG = re.compile("[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")


class TranslationMemory(AnyMemory):
    """A translation memory, which can be read from a file."""

    __slots__ = ()

    @classmethod
    def read(
        cls,
        path: str | Path,
        source: str | None = None,
        target: str | None = None,
        limits: Limits | None = None,
    ) -> Self:
        """The memory of a file.

        Args:
            path: `.tmx` or `.xml` is TMX, anything else is TSV.
            source: a language, BCP 47, which TMX needs, and TSV whose first row names languages.
            target: the same of the other side.

        Raises:
            InvalidTranslationMemoryError: it cannot be read, has an entry that cannot be used, or
                is of other languages.
            TranslationMemoryTooLargeError: it is over a limit.
        """
        path, limits = Path(path), limits or Limits()
        pair = None if source is None or target is None else (source, target)
        try:
            size = path.stat().st_size
            if size > LARGEST_FILE:
                raise TranslationMemoryTooLargeError(size, LARGEST_FILE, "bytes")
            with path.open("rb") as file:
                if path.suffix.lower() in (".tmx", ".xml"):
                    entries_read = _read_tmx(file, path.name, pair)
                else:
                    entries_read = _read_tsv(file, path.name, pair)
                entries = tuple(islice(entries_read, limits.memory_entries + 1))
        except (OSError, ValueError) as error:  # ValueError: a NUL in the path
            raise _invalid(path.name, reason(error)) from error
        try:
            memory = cls(entries)
        except InvalidTranslationMemoryError as error:
            raise _invalid(path.name, error.message) from error
        check_memory(memory, limits)
        return memory


def _invalid(name: str, message: str) -> InvalidTranslationMemoryError:
    return InvalidTranslationMemoryError(f"{name}: {message}", file=name)


# --- TSV ---------------------------------------------------------------------------------------


def _read_tsv(file: BinaryIO, name: str, pair: tuple[str, str] | None) -> Iterator[MemoryEntry]:
    columns = 0, 1
    for row, (number, text) in enumerate(numbered_lines(file, partial(_invalid, name))):
        cells = [_spaced(cell) for cell in text.rstrip("\r\n").split("\t")]
        named = None if row else _columns(cells, pair)
        if named:
            columns = named
            continue
        if len(cells) < 2:
            raise _invalid(name, f"line {number} has no tabulator")
        source, target = (cells[at] if at < len(cells) else "" for at in columns)
        if source and target:
            yield MemoryEntry(source, target)


def _columns(cells: Sequence[str], pair: tuple[str, str] | None) -> tuple[int, int] | None:
    """Which columns are the source's and the target's, by a row that names languages."""
    if pair is None or not all(not cell or _TAG.fullmatch(cell) for cell in cells):
        return None
    source, target = (_nearest(cells, language) for language in pair)
    return None if source is None or target is None else (source, target)


# --- TMX ---------------------------------------------------------------------------------------


def _read_tmx(file: BinaryIO, name: str, pair: tuple[str, str] | None) -> Iterator[MemoryEntry]:
    if pair is None:
        raise _invalid(name, "TMX has many languages: say from which to which")
    is_empty = True
    for unit in units(file, ("tu",), partial(_invalid, name), _check_level):
        entry = _entry(unit, pair)
        if entry is not None:
            is_empty = False
            yield entry
    if is_empty:
        raise _invalid(name, f"it has no entry from {pair[0]!r} to {pair[1]!r}")


def _check_level(level: int) -> None:
    if level > DEEPEST_FILE:
        raise TranslationMemoryTooLargeError(level, DEEPEST_FILE, "levels of elements")


def _entry(unit: Element, pair: tuple[str, str]) -> MemoryEntry | None:
    variants = [variant for variant in unit if local_name(variant) == "tuv"]
    tags = list(map(language_of, variants))
    sides: list[str] = []
    for language in pair:
        at = _nearest(tags, language)
        segment = None if at is None else _child(variants[at], "seg")
        text = None if segment is None else _text(segment)
        if text is None:
            return None
        sides.append(_spaced(text))
    source, target = sides
    return MemoryEntry(source, target) if source and target else None


def _text(element: Element) -> str | None:
    """What a sentence says; None if something in it is not said."""
    texts = [element.text or ""]
    for child in element:
        kind = local_name(child)
        inner = _text(child) if kind == "hi" else "" if kind in _CODES else None
        if inner is None or any(local_name(one) == "sub" for one in child.iter()):
            return None
        texts += inner, child.tail or ""
    return "".join(texts)


def _child(element: Element, name: str) -> Element | None:
    return next((child for child in element if local_name(child) == name), None)


# --- both --------------------------------------------------------------------------------------


def _spaced(text: str) -> str:
    """White space of XML is one space; others, such as that of French marks, stay."""
    return _SPACE.sub(" ", text).strip()


def _nearest(tags: Sequence[str], language: str) -> int | None:
    """The place of the tag that has most in common with a language, of its parts from the first on.

    Of "de-AT" that is "de-AT", else "de", else the first of "de-DE" and "de-CH".
    """
    wanted = _parts(language)

    def rank(at: int) -> tuple[int, int, int]:
        own = _parts(tags[at])
        alike = next(
            (n for n, (one, other) in enumerate(zip(own, wanted, strict=False)) if one != other),
            min(len(own), len(wanted)),
        )
        return -alike, len(own), at

    fitting = [at for at, tag in enumerate(tags) if _parts(tag)[0] == wanted[0]]
    return min(fitting, key=rank, default=None)


def _parts(tag: str) -> list[str]:
    return tag.replace("_", "-").lower().split("-")
