"""Pairs of some sources weigh more or less by how long their second side is for the first."""

from __future__ import annotations

from dataclasses import dataclass

from dragoman.errors import RecipeError

MOST_PIECES = 256  # of a side, so none has more for each of the other


@dataclass(frozen=True)
class LengthBand:
    """Pairs of `sources` whose second side has from `least` to below `most` pieces for each one of
    the first.

    A model writes as tersely as what it learnt from (docs/adr/0014). The pairs are a source of
    their own from then on, SOURCE_NAME, so that reports count them and their weight can be seen.

    Attributes:
        least: pieces for each of the first side, 0 at least.
        factor: of the weight that the source has, from 0.

    Raises:
        RecipeError: a value is malformed.
    """

    name: str
    sources: tuple[str, ...]
    factor: float
    least: float = 0.0
    most: float = MOST_PIECES + 1.0

    def __post_init__(self) -> None:
        if not self.name or not self.sources:
            raise RecipeError("malformed: a band has a name, and sources")
        figures = (self.factor, self.least, self.most)
        if not all(isinstance(figure, int | float) for figure in figures):
            raise RecipeError(f"malformed: the figures of the band {self.name} are numbers")
        if not (0 <= self.least < self.most and 0 <= self.factor < 1000):
            raise RecipeError(
                f"malformed: the band {self.name} is from 0 to more, its factor from 0 to 1000"
            )

    def has(self, source: str, first: int, second: int) -> bool:
        """Whether a pair of this source and of so many pieces belongs to it."""
        return source in self.sources and self.least <= second / first < self.most

    def source(self, source: str) -> str:
        """What the pairs of a source are called that belong to it."""
        return f"{source}_{self.name}"
