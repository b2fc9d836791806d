"""Parallel text: reading sources, and the cleaning rules, each of which is named and counted."""

from __future__ import annotations

import bz2
import csv
import gzip
import lzma
import random
import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import IO

from dragoman.errors import CorpusError
from dragoman.models.data.recipe import Recipe

MADE_UP = "augmented"  # the source of made-up examples (`augment`)
OPENERS: dict[str, Callable[..., IO[str]]] = {".gz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open}


@dataclass(frozen=True)
class Pair:
    """Two sentences that translate each other, in the column order of the recipe."""

    first: str
    second: str
    source: str


@dataclass(frozen=True)
class SourceFile:
    """A source: a TSV, or two files that run line by line side by side.

    Attributes:
        synthetic: the language whose text a model made, to be learned from as a source; "" if none.
        distilled: the language whose text a model made, to be learned as a target; "" if none.
        author: who wrote both sides, if no person did; "" else.
    """

    name: str
    licence_class: str
    licence: str
    path: Path
    second: Path | None = None
    synthetic: str = ""
    distilled: str = ""
    author: str = ""


# No mark on a letter, and no wide character, is outside of these.
_MARKS, _WIDE = (re.compile(f"[{first}-\U0010ffff]") for first in "\u0300\u1100")


def _letters(text: str) -> int:
    """With marks on letters: in many scripts vowels are such, and half of a text in Burmese."""
    marks = (unicodedata.category(char)[0] == "M" for char in _MARKS.findall(text))
    return sum(map(str.isalpha, text)) + sum(marks)


def _length(text: str) -> int:
    """Characters, wide ones twice: a Chinese one says as much as several letters."""
    wide = (unicodedata.east_asian_width(char) in "WF" for char in _WIDE.findall(text))
    return len(text) + sum(wide)


def _differ_in_length(first: str, second: str) -> bool:
    shorter, longer = sorted((_length(first), _length(second)))
    return longer > 12 + 2.2 * shorter


_MOJIBAKE = re.compile("Ã[¤¶¼Ÿ„–œ©]|â€[™œž“]|�")

# Each rule drops the pair when it holds; order matters only for the counts.
CLEANING_RULES: dict[str, Callable[[str, str], bool]] = {
    "empty": lambda a, b: not a or not b,
    "too long": lambda a, b: len(a) > 600 or len(b) > 600,
    "no letters": lambda a, b: not _letters(a) or not _letters(b),
    "mostly not letters": lambda a, b: (
        2 * _letters(a) < len(a.replace(" ", "")) or 2 * _letters(b) < len(b.replace(" ", ""))
    ),
    "length ratio": _differ_in_length,
    "untranslated": lambda a, b: a == b and len(a.split()) > 3,
    "wrong encoding": lambda a, b: bool(_MOJIBAKE.search(a) or _MOJIBAKE.search(b)),
    "numbers differ": lambda a, b: len(a) > 20 and _digits(a) != _digits(b),
}


def _digits(text: str) -> list[str]:
    # Separators and order differ between languages ("1,000" and "1.000"; dates): compare digits,
    # by what they are worth: Arabic has ones of its own.
    return sorted(str(unicodedata.digit(char)) for char in text if char.isdigit())


def reason_to_drop(first: str, second: str) -> str | None:
    """The first cleaning rule that a pair breaks, or None for a good pair."""
    for name, broken in CLEANING_RULES.items():
        if broken(first, second):
            return name
    return None


def read_lines(path: Path) -> Iterator[str]:
    """Lines of a plain or compressed UTF-8 file, without their line ends.

    Raises:
        CorpusError: the file is missing, damaged, or not UTF-8.
    """
    opener = OPENERS.get(path.suffix, open)
    try:
        with opener(path, mode="rt", encoding="utf-8-sig", newline="\n") as lines:
            for line in lines:
                yield line.rstrip("\r\n")
    except FileNotFoundError as error:
        raise CorpusError(f"{path}: there is no such file") from error
    except UnicodeDecodeError as error:
        raise CorpusError(f"{path}: it is not UTF-8") from error
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise CorpusError(f"{path}: {reason}") from error


def list_sources(data: Path, recipe: Recipe) -> list[SourceFile]:
    """The sources that the recipe admits, of itself and of `data/train`, sorted by name.

    Raises:
        CorpusError: there is none, two have the same name, or the manifest cannot be read.
    """
    first, second = recipe.columns
    folder = data / "train" / f"{first}-{second}"
    listed = [
        SourceFile(
            file.name,
            file.licence_class,
            file.licence,
            data / file.paths[0],
            data / file.paths[1] if len(file.paths) == 2 else None,
            file.synthetic,
            file.distilled,
            file.author,
        )
        for file in recipe.files
    ]
    manifest = data / "train" / "manifest.tsv"
    if manifest.exists() or not listed:
        listed += [
            SourceFile(row["name"], row["class"], row["licence"], folder / f"{row['name']}.tsv.xz")
            for row in read_manifest(manifest)
            if row["pair"] == folder.name
        ]
    sources = [
        source
        for source in listed
        if source.licence_class in recipe.classes and recipe.weight(source.name) > 0
    ]
    if not sources:
        raise CorpusError(f"{folder}: no source of the classes {', '.join(recipe.classes)}")
    banded = (band.source(name) for band in recipe.bands for name in band.sources)
    names = Counter([*(source.name for source in sources), *banded, MADE_UP])
    if (name := names.most_common(1)[0])[1] > 1:
        raise CorpusError(f"two sources have the name {name[0]!r}")
    return sorted(sources, key=lambda source: source.name)


def read_manifest(path: Path, of: str = "pair") -> list[dict[str, str]]:
    """Rows of a manifest of sources: at least pair, name, class and licence.

    Args:
        of: the column that says what a source is in: its pair, or its language.

    Raises:
        CorpusError: the file cannot be read, or a column is not there.
    """
    # Notes hold quotation marks: they are text here, no syntax.
    table = csv.DictReader(read_lines(path), delimiter="\t", quoting=csv.QUOTE_NONE, restval="")
    rows = list(table)
    for column in (of, "name", "class", "licence"):
        if column not in (table.fieldnames or ()):
            raise CorpusError(f"{path}: no column {column!r}")
    return rows


def read_pairs(source: SourceFile, dropped: Counter[str]) -> Iterator[Pair]:
    """The good pairs of one source; what is left out is counted in `dropped` by rule."""
    for columns in _rows_of(source):
        if len(columns) < 2:
            dropped["not two columns"] += 1
            continue
        # No tab is left inside: what is kept is written as lines of columns again.
        first, second = (" ".join(column.split("\t")).strip() for column in columns[:2])
        reason = reason_to_drop(first, second)
        if reason:
            dropped[reason] += 1
        else:
            yield Pair(first, second, source.name)


def _rows_of(source: SourceFile) -> Iterator[list[str]]:
    if source.second is None:
        for line in read_lines(source.path):
            yield line.split("\t")
        return
    both = zip_longest(read_lines(source.path), read_lines(source.second))
    for number, (first, second) in enumerate(both, start=1):
        if first is None or second is None:
            shorter = source.path if first is None else source.second
            raise CorpusError(f"{shorter} ends before line {number} of the other language")
        yield [first, second]


def capped(pairs: Callable[[], Iterable[Pair]], cap: int | None, seed: int) -> Iterator[Pair]:
    """At most `cap` pairs, a random choice that depends on the seed alone, in file order.

    Args:
        pairs: reads them; called twice if there is a cap, so that they need not be kept.
    """
    if cap is None:
        yield from pairs()
        return
    count = sum(1 for _ in pairs())
    chosen = set(random.Random(seed).sample(range(count), min(cap, count)))
    for number, pair in enumerate(pairs()):
        if number in chosen:
            yield pair


def read_tsv_columns(path: Path, first: str, second: str) -> list[tuple[str, str]]:
    """Two columns of a TSV with a header row that names languages.

    Raises:
        CorpusError: a column is not there, a row is too short, or there is none.
    """
    header, lines = read_rows(path)
    missing = [language for language in (first, second) if language not in header]
    if missing:
        raise CorpusError(f"{path}: no column {missing[0]!r}; it has {', '.join(header)}")
    a, b = header.index(first), header.index(second)
    rows: list[tuple[str, str]] = []
    for number, cells in enumerate(lines, start=2):
        if len(cells) <= max(a, b):
            raise CorpusError(f"{path}: line {number} has {len(cells)} columns")
        rows.append((cells[a], cells[b]))
    if not rows:
        raise CorpusError(f"{path}: no sentence")
    return rows


def read_rows(path: Path) -> tuple[list[str], list[list[str]]]:
    """Header and rows of a TSV without quoting."""
    lines = read_lines(path)
    header = next(lines, "").split("\t")
    return header, [line.split("\t") for line in lines]
