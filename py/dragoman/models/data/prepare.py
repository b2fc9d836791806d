"""`dragoman model prepare`: sources to encoded, aligned, weighted shards on disk.

    sources --clean, cap--> spools --sample--> vocabulary
                               '--- a shard at a time: no duplicates, made-up examples, encode,
                                    align, save, count --> shards, meta.json, report.md

Memory is bounded by the largest shard; what is kept of the rest are counts and a sample.
"""

from __future__ import annotations

import json
import random
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path

import numpy as np

from dragoman.errors import CorpusError
from dragoman.models.data.aligner import Link, align, load_eflomal
from dragoman.models.data.augment import augmented
from dragoman.models.data.batches import Ragged
from dragoman.models.data.corpus import (
    MADE_UP,
    Pair,
    SourceFile,
    capped,
    list_sources,
    read_pairs,
)
from dragoman.models.data.prepared import save_ragged
from dragoman.models.data.recipe import Recipe
from dragoman.models.data.report import Statistics, report_table
from dragoman.models.data.spool import Spools
from dragoman.models.data.vocabulary import (
    TAG,
    Vocabulary,
    read_vocabulary,
    train_vocabulary,
)
from dragoman.text.openings import with_openings

AUGMENTED = SourceFile(MADE_UP, "own", "made from the others", Path())
VOCABULARY_PAIRS = 400_000

Dropped = defaultdict[str, Counter[str]]  # source -> rule -> pairs


def prepare(
    recipe: Recipe,
    data: Path,
    output: Path,
    say: Callable[[str], None] = print,
    vocabulary: Path | None = None,
) -> dict[str, object]:
    """Prepare the data of a recipe; returns the report that is also written to ``meta.json``.

    ``report.md`` is the same for the eye: what was kept and dropped of each source, and why.

    Args:
        vocabulary: taken as it is, for models that go on from one that has it; else one is trained.

    Raises:
        CorpusError: a source or the vocabulary is missing or damaged, or nothing is left of them.
        WorkshopError: the aligner is not installed.
    """
    load_eflomal()  # not found out after an hour, nor this
    if vocabulary is not None:
        read_vocabulary(vocabulary)
    sources = list_sources(data, recipe)
    output.mkdir(parents=True, exist_ok=True)
    (output / "meta.json").unlink(missing_ok=True)  # until all is there, this is no prepared data
    dropped: Dropped = defaultdict(Counter)
    workspace = output / "spools"
    try:
        return _prepare(recipe, sources, workspace, output, dropped, say, vocabulary)
    finally:
        shutil.rmtree(workspace, ignore_errors=True)


def _prepare(
    recipe: Recipe,
    sources: Sequence[SourceFile],
    workspace: Path,
    output: Path,
    dropped: Dropped,
    say: Callable[[str], None],
    given: Path | None,
) -> dict[str, object]:
    spools = Spools(workspace, [source.name for source in sources])
    _scatter(sources, recipe, spools, dropped)
    total = sum(spools.counts)
    if not total:
        raise CorpusError(f"no pair is left; dropped: {totals(dropped)}")
    say(f"{total:,} pairs of {len(sources)} sources; dropped: {totals(dropped)}")
    place = output / "vocabulary.spm"
    if given is None:
        sample = _vocabulary_sample(spools, recipe)
        openings = recipe.openings
        vocabulary = train_vocabulary(sample, recipe.vocabulary_size, place, openings=openings)
    else:
        place.write_bytes(with_openings(given.read_bytes(), recipe.openings))
        vocabulary = read_vocabulary(place)
    say(f"vocabulary of {vocabulary.get_piece_size():,} pieces")

    plan = spools.shards(recipe.shard_pairs)
    whole = [*sources, AUGMENTED]
    everything = [*whole, *_banded(whole, recipe)]
    statistics = Statistics()
    shards = []
    for number, members in enumerate(plan):
        name = "." if len(plan) == 1 else f"shard-{number:03}"
        pairs = [pair for spool in members for pair in spools.read(spool, dropped)]
        pairs += _augmented(pairs, recipe, number)
        encoded = _encode(vocabulary, pairs, recipe, dropped)
        say(f"shard {number + 1} of {len(plan)}: {len(encoded):,} pairs; aligning")
        if encoded:
            links = align([row.first for row in encoded], [row.second for row in encoded])
            _save(output / name, encoded, links, everything)
            statistics.add(encoded, links)
            shards.append({"folder": name, "pairs": len(encoded)})
    if not shards:
        raise CorpusError(f"no pair is left; dropped: {totals(dropped)}")
    report = _report(recipe, vocabulary, statistics, dropped, everything, shards)
    (output / "report.md").write_text(report_table(report), encoding="utf-8")
    (output / "meta.json").write_text(json.dumps(report, indent=1), encoding="utf-8")
    say(f"what was kept and dropped, and why: {output / 'report.md'}")
    return report


@dataclass(frozen=True)
class Encoded:
    """A pair in pieces, without EOS."""

    source: str
    first: Sequence[int]
    second: Sequence[int]


def _banded(sources: Sequence[SourceFile], recipe: Recipe) -> Iterator[SourceFile]:
    """What the recipe's bands have of the sources."""
    for source in sources:
        for band in recipe.bands:
            if source.name in band.sources:
                yield replace(source, name=band.source(source.name))


def _scatter(
    sources: Sequence[SourceFile], recipe: Recipe, spools: Spools, dropped: Dropped
) -> None:
    with spools:
        for source in sources:
            cap = recipe.caps.get(source.name)
            counts: Counter[str] = Counter()
            kept = 0
            for pair in capped(partial(_read, source, counts), cap, recipe.seed):
                spools.add(pair)
                kept += 1
            dropped[source.name].update(counts - Counter({"good": counts["good"]}))
            dropped[source.name]["over the cap"] += counts["good"] - kept


def _read(source: SourceFile, counts: Counter[str]) -> Iterator[Pair]:
    """The good pairs of a source; counts are those of the last reading."""
    counts.clear()
    for pair in read_pairs(source, counts):
        counts["good"] += 1
        yield pair


def _vocabulary_sample(spools: Spools, recipe: Recipe) -> Iterator[str]:
    """Both sides of a weighted choice of pairs: the vocabulary should see what training sees."""
    rng = random.Random(recipe.seed)
    share = min(1.0, VOCABULARY_PAIRS / sum(spools.counts))
    ignored: Dropped = defaultdict(Counter)
    for spool in range(len(spools.paths)):
        pairs = list(spools.read(spool, ignored))
        pairs += _augmented(pairs, recipe, spool)
        for pair in pairs:
            if rng.random() < share * min(recipe.weight(pair.source), 1.0):
                yield pair.first
                yield pair.second


def _augmented(pairs: Sequence[Pair], recipe: Recipe, number: int) -> Iterator[Pair]:
    seed = recipe.seed + number
    # Where marks do not stand apart, a word behind one has other pieces than it has elsewhere.
    columns = recipe.columns if recipe.openings else ()
    one_way = {file.name for file in recipe.files if file.synthetic or file.distilled}
    return augmented(pairs, recipe.augmented_share, seed, recipe.weight, columns, one_way)


def _encode(
    vocabulary: Vocabulary,
    pairs: Sequence[Pair],
    recipe: Recipe,
    dropped: Dropped,
) -> list[Encoded]:
    encoded = zip(
        pairs,
        vocabulary.encode([pair.first for pair in pairs]),
        vocabulary.encode([pair.second for pair in pairs]),
        strict=True,
    )
    fits = range(1, recipe.max_pieces + 1)
    kept: list[Encoded] = []
    for pair, first, second in encoded:
        if len(first) in fits and len(second) in fits:
            source = recipe.banded(pair.source, len(first), len(second))
            kept.append(Encoded(source, first, second))
        else:
            dropped[pair.source]["too many pieces"] += 1
    return kept


def _save(
    folder: Path,
    rows: Sequence[Encoded],
    links: Sequence[Sequence[Link]],
    sources: Sequence[SourceFile],
) -> None:
    folder.mkdir(exist_ok=True)
    numbers = {source.name: index for index, source in enumerate(sources)}
    small = np.uint8 if len(sources) <= 256 else np.uint16
    save_ragged(Ragged.of([row.first for row in rows], np.uint16), folder / "first")
    save_ragged(Ragged.of([row.second for row in rows], np.uint16), folder / "second")
    flat = [list(chain(*pairs)) for pairs in links]
    save_ragged(Ragged.of(flat, np.uint8), folder / "links")
    np.save(folder / "sources.npy", np.array([numbers[row.source] for row in rows], dtype=small))


def _report(
    recipe: Recipe,
    vocabulary: Vocabulary,
    statistics: Statistics,
    dropped: Dropped,
    sources: Sequence[SourceFile],
    shards: Sequence[Mapping[str, object]],
) -> dict[str, object]:
    report: dict[str, object] = {
        "recipe": recipe.name,
        "settings": _settings(recipe),
        "columns": list(recipe.columns),
        "vocabulary_size": vocabulary.get_piece_size(),
        "tag": vocabulary.piece_to_id(TAG),
        "max_pieces": recipe.max_pieces,
        "dropped": totals(dropped),
        **statistics.facts(),
        "sources": [
            {
                "name": source.name,
                "licence_class": source.licence_class,
                "licence": source.licence,
                "pairs": statistics.sources[source.name],
                "weight": recipe.weight(source.name),
                **({"synthetic": source.synthetic} if source.synthetic else {}),
                **({"distilled": source.distilled} if source.distilled else {}),
                **({"author": source.author} if source.author else {}),
                "dropped": {rule: n for rule, n in dropped[source.name].items() if n},
            }
            for source in sources
        ],
    }
    if shards[0]["folder"] != ".":
        report["shards"] = list(shards)
    return report


def _settings(recipe: Recipe) -> dict[str, object]:
    """The recipe's values; of files the names alone, for folders are those of one machine."""
    files = [{**asdict(f), "paths": [Path(path).name for path in f.paths]} for f in recipe.files]
    return {**asdict(recipe), "files": files}


def totals(dropped: Mapping[str, Counter[str]]) -> dict[str, int]:
    """Pairs by rule, the commonest first."""
    total: Counter[str] = Counter()
    for counts in dropped.values():
        total.update(counts)
    return {rule: n for rule, n in total.most_common() if n}
