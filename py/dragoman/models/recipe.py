"""A recipe: which sources a model is trained on, and how much each one weighs."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from dragoman.errors import RecipeError


@dataclass(frozen=True)
class Recipe:
    """What `dragoman model prepare` reads from a TOML file.

    Attributes:
        columns: language of each TSV column, in file order, for example ``("en", "de")``.
        classes: licence classes that may be used; a source of another class is left out.
        default_weight: expected copies of each pair an epoch, for sources not named in `weights`.
        weights: the same by source name; 0 leaves a source out, 2.5 means two or three copies.
        caps: largest number of pairs taken from a source (a fixed random choice).
        vocabulary_size: number of SentencePiece pieces, shared by both languages.
        max_pieces: longest sentence, in pieces, on either side.
    """

    name: str
    columns: tuple[str, str]
    classes: tuple[str, ...] = ("free", "copyleft")
    default_weight: float = 1.0
    weights: dict[str, float] = field(default_factory=dict)
    caps: dict[str, int] = field(default_factory=dict)
    vocabulary_size: int = 8000
    max_pieces: int = 96
    seed: int = 1

    def weight(self, source: str) -> float:
        return self.weights.get(source, self.default_weight)


def read_recipe(path: Path) -> Recipe:
    """Read a recipe.

    Raises:
        RecipeError: the file is missing, is not TOML, or has an unknown or malformed key.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        first, second = table.pop("columns")
        table["columns"] = (str(first), str(second))
        if "classes" in table:
            table["classes"] = tuple(str(name) for name in table["classes"])
        return Recipe(**table)
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise RecipeError(f"{path}: {error}") from error
