"""Which sentences a model is to translate: how long, how many of each source, by what chance."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

from dragoman.errors import CorpusError
from dragoman.models.data.corpus import OPENERS, read_lines, read_manifest
from dragoman.models.data.recipe import Recipe

MOST_CHARACTERS = 600  # as pairs are cleaned by


class Sentence(NamedTuple):
    """A sentence on one line, and what people made of it in the other language; "" if nothing."""

    text: str
    reference: str = ""


@dataclass(frozen=True)
class Text:
    """A source of sentences.

    Attributes:
        name: its files are called by it.
        read: its sentences, the same ones each time.

    Raises:
        CorpusError: no file in a folder can have this name.
    """

    name: str
    licence: str
    licence_class: str
    read: Callable[[], Iterator[Sentence]]

    def __post_init__(self) -> None:
        if not self.name or Path(self.name).name != self.name:
            raise CorpusError(f"a source cannot be called {self.name!r}: its files are named so")


@dataclass(frozen=True)
class Selection:
    """What of the sources is taken.

    Attributes:
        sentences: in all; each source gives its share of what it has, times its weight.

    Raises:
        CorpusError: a figure cannot be.
    """

    sentences: Annotated[int, "Most sentences in all; 0: all that there are."] = 0
    least_words: Annotated[int, "Shorter sentences are left out."] = 3
    most_words: Annotated[int, "Longer sentences are left out."] = 60
    seed: Annotated[int, "Of the choice of sentences, and of sampling."] = 1

    def __post_init__(self) -> None:
        if self.sentences < 0 or self.seed < 0:
            raise CorpusError(
                f"the sentences are {self.sentences:,} and the seed {self.seed:,}; both are 0 or "
                "more"
            )
        if not 1 <= self.least_words <= self.most_words:
            raise CorpusError(
                f"sentences have {self.least_words:,} to {self.most_words:,} words; the first is "
                "at least 1, the second no less"
            )

    def takes(self, sentence: Sentence) -> bool:
        words = len(sentence.text.split())
        return (
            self.least_words <= words <= self.most_words and len(sentence.text) <= MOST_CHARACTERS
        )


def monolingual(data: Path, recipe: Recipe, language: str) -> list[Text]:
    """The texts of a language that the recipe admits, of ``DATA/mono/manifest.tsv``.

    Raises:
        CorpusError: there is none, or a file that the manifest names is not there.
    """
    folder = data / "mono"
    rows = [
        row
        for row in read_manifest(folder / "manifest.tsv", "language")
        if row["language"] == language and row["class"] in recipe.classes
    ]
    if not rows:
        classes = ", ".join(recipe.classes)
        raise CorpusError(f"{folder}: no text of {language!r} and the classes {classes}")
    return [
        Text(row["name"], row["licence"], row["class"], _lines(folder / language / row["name"]))
        for row in sorted(rows, key=lambda row: row["name"])
    ]


def _lines(stem: Path) -> Callable[[], Iterator[Sentence]]:
    """Reads ``STEM.txt``, plain or packed."""
    names = [stem.with_name(f"{stem.name}.txt{suffix}") for suffix in ("", *OPENERS)]
    existing = [name for name in names if name.exists()]
    if not existing:
        raise CorpusError(f"{names[0]}: there is no such file, nor a packed one")
    return lambda: (Sentence(" ".join(line.split())) for line in read_lines(existing[0]))


def named(texts: Sequence[Text], wanted: Sequence[str]) -> tuple[list[Text], dict[str, int]]:
    """Those of the texts that are wanted, and how many sentences at most, where that is said.

    Args:
        wanted: ``NAME`` or ``NAME=SENTENCES``; none wants all.

    Raises:
        CorpusError: one is not there, or its figure is no number.
    """
    most: dict[str, int] = {}
    names: list[str] = []
    for one in wanted:
        name, equals, figure = one.partition("=")
        if equals and not figure.isdecimal():
            raise CorpusError(f"{one!r}: after the name comes a number of sentences")
        names.append(name)
        if equals:
            most[name] = int(figure)
    known = {text.name: text for text in texts}
    for name in names:
        if name not in known:
            raise CorpusError(f"there is no source {name!r}; there are {', '.join(known)}")
    return [text for text in texts if not names or text.name in names], most


def shares(
    counts: Mapping[str, int], weights: Mapping[str, float], sentences: int
) -> dict[str, int]:
    """How many sentences of each source are taken.

    Args:
        counts: what each has.
        weights: of each, 0 or more.
        sentences: in all; 0: everything of a weight above 0.

    A source of few gives all of them, and the others more for that:

    >>> shares({"a": 10, "b": 1000}, {"a": 50, "b": 1}, 110)
    {'a': 10, 'b': 100}
    """
    taken = dict.fromkeys(counts, 0)
    open_ = [name for name in counts if counts[name] and weights[name] > 0]
    if not sentences:
        return taken | {name: counts[name] for name in open_}
    left = sentences
    while open_:
        total = sum(weights[name] * counts[name] for name in open_)
        whole = {name: left * weights[name] * counts[name] / total for name in open_}
        full = [name for name in open_ if whole[name] >= counts[name]]
        if not full:
            return taken | {name: int(whole[name]) for name in open_}
        for name in full:
            taken[name] = counts[name]
            left -= counts[name]
        open_ = [name for name in open_ if name not in full]
    return taken


def chosen(text: Text, selection: Selection, count: int, of: int) -> Iterator[Sentence]:
    """A random choice of a source's sentences, in their order, the same for the same seed.

    Args:
        count: how many.
        of: how many there are that the selection takes.
    """
    chance = random.Random(f"{selection.seed} {text.name}")
    picked = set(chance.sample(range(of), min(count, of)))
    for number, sentence in enumerate(admitted(text, selection)):
        if number in picked:
            yield sentence


def admitted(text: Text, selection: Selection) -> Iterator[Sentence]:
    """The sentences of a source that the selection takes, each once."""
    seen: set[str] = set()
    for sentence in text.read():
        if selection.takes(sentence) and sentence.text not in seen:
            seen.add(sentence.text)
            yield sentence
