"""What is learned from, and what is translated, at each stage.

    stage      learned from                                              weight
    teacher    pairs, in both directions                                 their own
    finish     these, and back-translations of texts, tagged             BACK_TEACHES
    student    pairs that people wrote: their own target, the teacher's  1 - TAUGHT, TAUGHT
               other pairs, or not translated yet                        their own
               texts in its source language, translated                  1
               back-translations of texts in its target language         BACK

A translation is used where its length is not out of proportion to its source's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import TrainingError
from dragoman.models.data.batches import NO_TAG, PreparedData, Ragged
from dragoman.models.data.prepared import load_prepared, read_meta
from dragoman.models.data.rows import Examples, Mix
from dragoman.models.distillation.translations import Task, translations
from dragoman.models.network.teacher import TeacherSizes

MADE_UP = "augmented"
BACK_TEACHES, TAUGHT, BACK = 1.2, 0.7, 0.6
Pair = tuple[str, str]


class Material:
    """Pairs and texts of one run.

    Args:
        prepared: of the pack.
        direction: the student's.
        folder: of the translations.
        texts: by language, sentences as pieces; those of a language may be missing.

    Raises:
        CorpusError: the data cannot be read, or are of other languages.
        TrainingError: their pieces are too many for rows of 16-bit numbers.
    """

    def __init__(
        self,
        prepared: Path,
        direction: Pair,
        sizes: TeacherSizes,
        folder: Path,
        shard: int,
        texts: Mapping[str, Ragged],
    ) -> None:
        self.meta: dict[str, Any] = read_meta(prepared)
        self.languages: list[str] = list(self.meta["columns"])
        self.direction, self.sizes, self.texts = direction, sizes, dict(texts)
        self.folder, self.shard = folder, shard
        there = load_prepared(prepared, *direction)
        back = load_prepared(prepared, *reversed(direction))
        # The same arrays on both sides, so that a mix has them once.
        self.pairs = {direction: there}
        self.pairs[back_of(direction)] = replace(back, source=there.target, target=there.source)
        if sizes.made >= 1 << 15:
            raise TrainingError(f"{sizes.vocabulary_size:,} pieces are too many for packed rows")

    def towards(self, language: str) -> int:
        """The teacher's tag."""
        return self.sizes.towards(self.languages.index(language))

    # What is translated.

    def back(self) -> list[Task]:
        """The texts, each towards the other language."""
        other = dict(zip(self.languages, reversed(self.languages), strict=True))
        return [
            Task(f"back.{language}", rows, np.arange(len(rows)), self.towards(other[language]))
            for language, rows in self.texts.items()
        ]

    def for_student(self) -> list[Task]:
        """Sources that people wrote: of the pairs, and texts that no pair has."""
        pairs = self.pairs[self.direction]
        tag = self.towards(self.direction[1])
        wanted = self.by_people & (pairs.weights > 0)[pairs.source_of]
        tasks = [Task("pairs", pairs.source, np.flatnonzero(wanted), tag)]
        texts = self.texts.get(self.direction[0])
        if texts is not None:
            tasks.append(Task("texts", texts, self._new(texts), tag))
        return tasks

    @cached_property
    def by_people(self) -> NDArray[np.bool_]:
        """By pair: whether people wrote its source, so that the teacher's target teaches more."""
        human = [
            not row.get("author") and not row.get("synthetic") and row["name"] != MADE_UP
            for row in self.meta["sources"]
        ]
        by_people: NDArray[np.bool_] = np.array(human)[self.pairs[self.direction].source_of]
        return by_people

    def _new(self, texts: Ragged) -> NDArray[np.int64]:
        """Numbers of the texts that no pair with another author has a translation of."""
        sources = self.pairs[self.direction].source
        known = {sources.row(n).tobytes() for n in np.flatnonzero(~self.by_people).tolist()}
        new = [texts.row(n).tobytes() not in known for n in range(len(texts))]
        return np.flatnonzero(new)

    def translations(self, task: Task) -> Ragged:
        return translations(task, self.folder, self.shard)

    # What is learned from.

    def for_teacher(self, with_back: bool) -> Mix:
        """Both directions, and what was translated of the texts."""
        examples = [self._for_teacher(direction) for direction in self.pairs]
        for task in self.back() if with_back else ():
            made = self.translations(task)
            language = task.name.removeprefix("back.")
            tags = np.array(self.towards(language)), np.array(self.sizes.made)
            weights = BACK_TEACHES * in_proportion(task.sources, made)
            examples.append(Examples.of(made, task.sources, weights, *tags))
        return Mix(examples)

    def _for_teacher(self, direction: Pair) -> Examples:
        pairs = self.pairs[direction]
        made = np.where(pairs.tags != NO_TAG, self.sizes.made, NO_TAG)[pairs.source_of]
        tag = np.array(self.towards(direction[1]))
        return Examples.of(pairs.source, pairs.target, _weights(pairs), tag, made)

    def mix_for_student(self) -> Mix:
        """Its direction.

        Raises:
            TrainingError: nothing is translated yet.
        """
        pairs, tasks = self.pairs[self.direction], self.for_student()
        if not any(self.folder.glob(f"{tasks[0].name}.*")):
            raise TrainingError(f"{self.folder} has no translations: make them first")
        made = [self.translations(task) for task in tasks]
        weights, tags = _weights(pairs), pairs.tags[pairs.source_of]
        there = in_proportion(pairs.source, made[0], least=1) > 0
        own = np.where(there, (1 - TAUGHT) * weights, weights)
        examples = [
            Examples.of(pairs.source, pairs.target, own, tags),
            Examples.of(pairs.source, made[0], np.where(there, TAUGHT * weights, 0), tags),
        ]
        for task, rows in zip(tasks[1:], made[1:], strict=True):
            examples.append(Examples.of(task.sources, rows, in_proportion(task.sources, rows)))
        for task in self.back():
            if task.name == f"back.{self.direction[1]}":
                rows = self.translations(task)
                good = BACK * in_proportion(task.sources, rows)
                tag = np.array(self.meta.get("tag", NO_TAG))
                examples.append(Examples.of(rows, task.sources, good, tag))
        return Mix(examples)


def back_of(direction: Pair) -> Pair:
    return direction[1], direction[0]


def in_proportion(sources: Ragged, made: Ragged, least: int = 3) -> NDArray[np.float32]:
    """1 for a translation of a length that can be right: half to twice the source's, and no less
    than `least`; else 0."""
    source, target = sources.lengths() + 3, made.lengths() + 3
    good = (made.lengths() >= least) & (2 * target > source) & (target < 2 * source)
    return good.astype(np.float32)


def _weights(pairs: PreparedData) -> NDArray[np.float64]:
    weights: NDArray[np.float64] = pairs.weights[pairs.source_of]
    return weights
