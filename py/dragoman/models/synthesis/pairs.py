"""The pairs of a recipe as texts of one language, with the other language's as references."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from dragoman.models.data.corpus import SourceFile, list_sources, read_pairs
from dragoman.models.data.recipe import Recipe
from dragoman.models.synthesis.selection import Sentence, Text


def parallel(data: Path, recipe: Recipe, language: str) -> list[Text]:
    """The sources of a recipe that people wrote, cleaned, in one of its languages.

    Raises:
        CorpusError: there is none, or the manifest cannot be read.
    """
    swapped = recipe.columns[0] != language
    return [
        Text(
            source.name,
            source.licence,
            source.licence_class,
            partial(_sentences, source, swapped),
        )
        for source in list_sources(data, recipe)
        if not source.synthetic and not source.distilled
    ]


def _sentences(source: SourceFile, swapped: bool) -> Iterator[Sentence]:
    for pair in read_pairs(source, Counter()):
        sides = (pair.second, pair.first) if swapped else (pair.first, pair.second)
        text, reference = (" ".join(side.split()) for side in sides)
        yield Sentence(text, reference)
