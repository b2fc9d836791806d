"""Pairs of which a model makes one side, from the choice of sentences to entries for a recipe.

    sources --selection--> work/chosen/NAME.txt, work/references/NAME.txt
                               '--`corpus`: shards, on all cores--> work/translated
    chosen, translations --closest to the reference, cleaned--> NAME.de, NAME.en, files.toml

The same command gives the same bytes, also after it was killed and begun again: the choice depends
on the seed, what a model makes on a shard's lines alone, and `corpus` keeps the shards that are
done. Whatever has its last name is whole.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from dragoman.corpus.executors import ShardExecutor
from dragoman.corpus.plan import CorpusJob
from dragoman.corpus.run import CorpusListener, translate_corpus
from dragoman.corpus.shards import Model, RowFormat
from dragoman.errors import CorpusError
from dragoman.models.data.corpus import read_lines, reason_to_drop
from dragoman.models.data.recipe import FileSource, Recipe
from dragoman.models.synthesis.fragment import Fragment
from dragoman.models.synthesis.selection import (
    Selection,
    Sentence,
    Text,
    admitted,
    chosen,
    shares,
)
from dragoman.native.files import write_durably

WORK, FRAGMENT = "work", "files.toml"
UNSURE = "score too low"  # why a pair is dropped, beside the rules of `reason_to_drop`


class Purpose(StrEnum):
    """What the pairs are for; the value ends the names of their sources."""

    BACK = "back"  # what was made is a source, for a model of the other direction
    FORWARD = "forward"  # what was made is a target, for a model of this direction
    DISTILLED = "distilled"  # the same, of text that people have translated too


@dataclass(frozen=True)
class Synthesis:
    """What is to be made.

    Attributes:
        data: the folder that the paths of the recipe's files begin in.
        output: where everything goes.
        most: sentences of each source that has a figure of its own.
        weights: of sources, where they are not 1.
        closest: whether the translation is taken that is closest to the reference, of those that
            the beam found (sequence-level interpolation, Kim and Rush 2016); else the best one.
        least_score: in [0, 1]; what the model is less sure of is dropped (`SentenceTranslation`).
    """

    purpose: Purpose
    recipe: Recipe
    data: Path
    output: Path
    model: Model
    selection: Selection
    most: Mapping[str, int] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    closest: bool = False
    least_score: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.least_score <= 1:
            raise CorpusError(f"the least score is {self.least_score:g}, not 0 to 1")
        languages = {self.model.source, self.model.target}
        if languages != set(self.recipe.columns):
            raise CorpusError(
                f"the recipe {self.recipe.name!r} is of {' and '.join(self.recipe.columns)}, the "
                f"model of {self.model.source} and {self.model.target}"
            )


@dataclass(frozen=True)
class Made:
    """What became of a source.

    Attributes:
        pairs: that were kept.
        dropped: pairs by the cleaning rule that they break.
    """

    name: str
    pairs: int
    dropped: Mapping[str, int]


def synthesize(
    wish: Synthesis,
    texts: Sequence[Text],
    executor: ShardExecutor,
    on_progress: CorpusListener = lambda _: None,
    say: Callable[[str], None] = lambda _: None,
) -> list[Made]:
    """Make the pairs, or go on with what was begun in the same folder.

    Raises:
        CorpusError: a source cannot be read, or no sentence of them is taken.
        InvalidRequestError: something else was begun in that folder.
        BundleError: the model cannot be used.
        EngineError: the processes are lost again and again.
    """
    work = wish.output / WORK
    counts = _choose(wish, texts, work)
    taken = [text for text in texts if counts[text.name]]
    say(", ".join(f"{text.name} {counts[text.name]:,}" for text in taken))
    rows = _rows(wish)
    translated = work / "translated"
    paths = [_place(work / "chosen", text) for text in taken]
    translate_corpus(paths, translated, CorpusJob(wish.model, rows), executor, on_progress)
    made = [_join(wish, text, rows) for text in taken]
    content = _fragment(wish, [text for text, one in zip(taken, made, strict=True) if one.pairs])
    write_durably(wish.output / FRAGMENT, [content.toml().encode()])
    return made


def _rows(wish: Synthesis) -> RowFormat:
    if wish.closest:
        return RowFormat.NBEST
    return RowFormat.TSV if wish.least_score else RowFormat.LINES


def _place(folder: Path, text: Text) -> Path:
    return folder / f"{text.name}.txt"


def _choose(wish: Synthesis, texts: Sequence[Text], work: Path) -> dict[str, int]:
    """Write the sentences that are to be translated; how many of each source.

    Each run chooses anew: that is quick, and where a source has changed since the first run, the
    corpus refuses to mix the two.
    """
    there = {text.name: sum(1 for _ in admitted(text, wish.selection)) for text in texts}
    bounded = {name: min(count, wish.most.get(name, count)) for name, count in there.items()}
    weights = {name: wish.weights.get(name, 1.0) for name in there}
    counts = shares(bounded, weights, wish.selection.sentences)
    if not any(counts.values()):
        raise CorpusError("no sentence of the sources is taken: see the limits of words")
    for text in texts:
        if counts[text.name]:
            picked = chosen(text, wish.selection, counts[text.name], there[text.name])
            _write_chosen(text, list(picked), work, wish.closest)
    return counts


def _write_chosen(text: Text, sentences: Sequence[Sentence], work: Path, both: bool) -> None:
    sides = [("chosen", [one.text for one in sentences])]
    if both:
        sides.append(("references", [one.reference for one in sentences]))
    for folder, lines in sides:
        place = _place(work / folder, text)
        place.parent.mkdir(parents=True, exist_ok=True)
        _write_lines(place, lines)


def _write_lines(place: Path, lines: Sequence[str]) -> None:
    write_durably(place, (f"{line}\n".encode() for line in lines))


def _join(wish: Synthesis, text: Text, rows: RowFormat) -> Made:
    """Sentences and what became of them, cleaned as all pairs are."""
    dropped: Counter[str] = Counter()
    kept: dict[str, list[str]] = {wish.model.source: [], wish.model.target: []}
    for source, target, score in _pairs(wish, text, rows):
        unsure = UNSURE if score < wish.least_score else None
        reason = unsure or reason_to_drop(*_in_order(wish, source, target))
        if reason:
            dropped[reason] += 1
        else:
            kept[wish.model.source].append(source)
            kept[wish.model.target].append(target)
    for language, lines in kept.items():
        _write_lines(_side(wish, text, language), lines)
    return Made(text.name, len(kept[wish.model.source]), dict(dropped))


def _in_order(wish: Synthesis, source: str, target: str) -> tuple[str, str]:
    """As the columns of the recipe are."""
    first, _ = wish.recipe.columns
    return (source, target) if wish.model.source == first else (target, source)


def _side(wish: Synthesis, text: Text, language: str) -> Path:
    return wish.output / f"{text.name}.{language}"


def _pairs(wish: Synthesis, text: Text, rows: RowFormat) -> Iterator[tuple[str, str, float]]:
    """A sentence, its translation, and how sure the model is of it: 1 where nobody asks."""
    work = wish.output / WORK
    sources = read_lines(_place(work / "chosen", text))
    made = _place(work / "translated", text)
    if rows is RowFormat.LINES:
        for source, target in zip(sources, read_lines(made), strict=True):
            yield source, target.strip(), 1.0
        return
    written = (row.split("\t") for row in read_lines(made.with_name(f"{made.name}.{rows}")))
    if rows is RowFormat.TSV:
        for source, (_, target, score, _) in zip(sources, written, strict=True):
            yield source, target.strip(), float(score)
        return
    from dragoman.models.synthesis.closest import closest

    references = read_lines(_place(work / "references", text))
    for source, reference, choices in zip(sources, references, written, strict=True):
        yield source, closest(reference, list(map(str.strip, choices))), 1.0


def _fragment(wish: Synthesis, texts: Sequence[Text]) -> Fragment:
    source, target = wish.model.source, wish.model.target
    made = {"synthetic": target} if wish.purpose is Purpose.BACK else {"distilled": target}
    files = [
        FileSource(
            f"{text.name}_{wish.purpose}",
            text.licence,
            text.licence_class,
            tuple(_path(_side(wish, text, one), wish.data) for one in wish.recipe.columns),
            **made,
        )
        for text in texts
    ]
    models = f"{1 + len(wish.model.others)} models" if wish.model.others else "a model"
    among = ", the closest to the reference" if wish.closest else ""
    among += f", with a score from {wish.least_score:g}" if wish.least_score else ""
    about = (
        f"{target} made of {source} by {models}, {wish.model.decoding}{among}.\n"
        f"For the end of the recipe {wish.recipe.name}; weights are its default, or in [weights]."
    )
    return Fragment(about, files)


def _path(path: Path, data: Path) -> str:
    """From the data folder where there is a way, as on another drive there is none."""
    with suppress(ValueError):
        return Path(os.path.relpath(path.resolve(), data.resolve())).as_posix()
    return path.resolve().as_posix()
