"""A recipe: which sources a model is trained on, and how much each one weighs."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from dragoman.errors import RecipeError
from dragoman.models.data.bands import LengthBand


@dataclass(frozen=True)
class FileSource:
    """A source that the recipe itself names, for data without a manifest.

    Attributes:
        paths: one TSV of two columns, or one file a column, line by line the same sentence; plain,
            ``.gz``, ``.xz`` or ``.bz2``; relative to the data folder, and to the recipe's own if
            they begin with ``./``.
        synthetic: the language whose text a model made of the other's (back-translation, Sennrich
            et al. 2016), if so. Such pairs train towards the other language only, and their source
            begins with a tag (Caswell et al. 2019).
        distilled: the language whose text a model made for others to learn (forward translation;
            sequence-level distillation, Kim and Rush 2016), if so. Such pairs train towards it
            only.
        author: who wrote both sides, if no person did: model cards say so.
    """

    name: str
    licence: str
    licence_class: str
    paths: tuple[str, ...]
    synthetic: str = ""
    distilled: str = ""
    author: str = ""


@dataclass(frozen=True)
class Recipe:
    """What `dragoman model prepare` reads from a TOML file.

    Raises:
        RecipeError: a value is malformed.

    Attributes:
        columns: language of each TSV column, in file order, for example ``("en", "de")``.
        classes: licence classes that may be used; a source of another class is left out.
        default_weight: expected copies of each pair an epoch, for sources not named in `weights`.
        weights: the same by source name; 0 leaves a source out, 2.5 means two or three copies.
        caps: largest number of pairs taken from a source (a fixed random choice).
        vocabulary_size: number of SentencePiece pieces, shared by both languages.
        openings: marks that the vocabulary wants apart from the words behind them, such as ``„"(``
            (`text.openings`); "": those of the vocabulary that is given, or none.
        max_pieces: longest sentence, in pieces, on either side.
        files: sources beside, or instead of, those of the data's manifest.
        shard_pairs: pairs of one shard, about; one shard at a time is in memory.
        augmented_share: made-up examples for each pair (`augment`), in [0, 1].
        bands: pairs that weigh otherwise than their source; the first that has a pair counts.
    """

    name: str
    columns: tuple[str, str]
    classes: tuple[str, ...] = ("free", "copyleft")
    default_weight: float = 1.0
    weights: dict[str, float] = field(default_factory=dict)
    caps: dict[str, int] = field(default_factory=dict)
    vocabulary_size: int = 8000
    openings: str = ""
    max_pieces: int = 96
    seed: int = 1
    files: tuple[FileSource, ...] = ()
    shard_pairs: int = 1_000_000
    augmented_share: float = 0.05
    bands: tuple[LengthBand, ...] = ()

    def __post_init__(self) -> None:
        _check(isinstance(self.name, str) and bool(self.name), "name is a text")
        _check(len(set(self.columns)) == 2 and all(self.columns), "columns are two languages")
        _check(bool(self.classes), "classes names at least one licence class")
        weights = {**self.weights, "default_weight": self.default_weight}
        for name, weight in weights.items():
            good = isinstance(weight, int | float) and 0 <= weight < 1000
            _check(good, f"the weight of {name} is a number from 0 to 1000")
        for name, cap in self.caps.items():
            _check(_whole(cap) and cap > 0, f"the cap of {name} is a whole number above 0")
        marks = isinstance(self.openings, str) and re.fullmatch(r"[^\w\s]{0,24}", self.openings)
        _check(bool(marks), "openings are marks, no letters, figures or spaces, at most 24")
        # Piece ids are stored in 16 bits, places of pieces in 8 (see `prepared`).
        size = self.vocabulary_size
        _check(_whole(size) and 300 <= size <= 65_536, "vocabulary_size is from 300 to 65,536")
        _check(_whole(self.max_pieces) and 1 <= self.max_pieces <= 256, "max_pieces is 1 to 256")
        shard = self.shard_pairs
        _check(_whole(shard) and shard >= 1, "shard_pairs is a whole number above 0")
        _check(
            all(len(file.paths) in (1, 2) for file in self.files),
            "the paths of a file source are one TSV or two texts",
        )
        for file in self.files:
            sides = {file.synthetic, file.distilled}
            _check(sides <= {"", *self.columns}, f"what a model made of {file.name} is a column")
            _check("" in sides, f"{file.name} is either synthetic or distilled")
        share = self.augmented_share
        _check(isinstance(share, int | float) and 0 <= share <= 1, "augmented_share is 0 to 1")
        _check(_whole(self.seed) and self.seed >= 0, "seed is a whole number from 0")

    def weight(self, source: str) -> float:
        """Of a source, or of what a band has of one."""
        for band in self.bands:
            for whole in band.sources:
                if source == band.source(whole):
                    return band.factor * self.weight(whole)
        return self.weights.get(source, self.default_weight)

    def banded(self, source: str, first: int, second: int) -> str:
        """The source of a pair of so many pieces: its own, or that of its band."""
        for band in self.bands:
            if band.has(source, first, second):
                return band.source(source)
        return source


def read_recipe(path: Path) -> Recipe:
    """Read a recipe.

    Raises:
        RecipeError: the file is missing, is not TOML, or has an unknown or malformed key.
    """
    try:
        recipe = _recipe(tomllib.loads(path.read_text(encoding="utf-8-sig")))
    except FileNotFoundError as error:
        raise RecipeError(f"{path}: there is no such file") from error
    except OSError as error:
        raise RecipeError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise RecipeError(f"{path}: it is not UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise RecipeError(f"{path}: it is not TOML: {error}") from error
    except RecipeError as error:
        raise RecipeError(f"{path}: {error.message}") from error
    return replace(recipe, files=tuple(_from(path.parent, file) for file in recipe.files))


def _from(folder: Path, file: FileSource) -> FileSource:
    paths = (str(folder.resolve() / p) if p.startswith("./") else p for p in file.paths)
    return replace(file, paths=tuple(paths))


def _recipe(table: dict[str, Any]) -> Recipe:
    known = {field.name for field in fields(Recipe)}
    unknown = sorted(table.keys() - known)
    if unknown:
        raise RecipeError(f"unknown key {unknown[0]!r}; known: {', '.join(sorted(known))}")
    for key in ("name", "columns"):
        if key not in table:
            raise RecipeError(f"no {key!r}")
    for key in ("columns", "classes"):
        if key in table:
            table[key] = _texts(table[key], f"{key} is a list of texts")
    _check(len(table["columns"]) == 2, "columns are two languages")
    for key in ("weights", "caps"):
        _check(isinstance(table.get(key, {}), dict), f"{key} is a table of numbers")
    lists: dict[str, tuple[Any, ...]] = {}
    for key, made in (("files", _file), ("bands", _band)):
        entries = table.get(key, [])
        _check(isinstance(entries, list), f"{key} are tables, each under [[{key}]]")
        lists[key] = tuple(map(made, entries))
    return Recipe(**{**table, **lists})


def _band(entry: object) -> LengthBand:
    known = {field.name for field in fields(LengthBand)}
    if not isinstance(entry, dict) or not {"name", "sources", "factor"} <= entry.keys() <= known:
        raise RecipeError("a band has the keys factor, name, sources, and may have least and most")
    sources = _texts(entry["sources"], "the sources of a band are a list of texts")
    return LengthBand(**{**entry, "name": str(entry["name"]), "sources": sources})


def _file(entry: object) -> FileSource:
    needed = {"name", "licence", "class", "paths"}
    possible = {"synthetic", "distilled", "author"}
    if not isinstance(entry, dict) or entry.keys() - possible != needed:
        keys = ", ".join(sorted(needed))
        may = "may have synthetic or distilled, and author"
        raise RecipeError(f"a file source has the keys {keys}, and {may}")
    return FileSource(
        str(entry["name"]),
        str(entry["licence"]),
        str(entry["class"]),
        _texts(entry["paths"], "the paths of a file source are a list of texts"),
        str(entry.get("synthetic", "")),
        str(entry.get("distilled", "")),
        str(entry.get("author", "")),
    )


def _texts(values: object, wanted: str) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise RecipeError(f"malformed: {wanted}")
    return tuple(values)


def _check(good: bool, wanted: str) -> None:
    if not good:
        raise RecipeError(f"malformed: {wanted}")


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
