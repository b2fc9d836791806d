"""`dragoman model prepare`: sources to encoded, aligned, weighted data on disk."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import sentencepiece

from dragoman.errors import CorpusError
from dragoman.models.aligner import Link, align, load_eflomal
from dragoman.models.augment import augmented
from dragoman.models.corpus import Pair, SourceFile, capped, list_sources, read_pairs, unique
from dragoman.models.prepared import Ragged
from dragoman.models.recipe import Recipe
from dragoman.models.vocabulary import train_vocabulary

AUGMENTED_SHARE = 0.05
AUGMENTED = SourceFile("augmented", "own", "made from the others", Path())

Dropped = defaultdict[str, Counter[str]]  # source -> rule -> pairs


def prepare(
    recipe: Recipe, data: Path, output: Path, say: Callable[[str], None] = print
) -> dict[str, object]:
    """Prepare the data of a recipe; returns the report that is also written to ``meta.json``.

    ``report.md`` is the same for the eye: what was kept and dropped of each source, and why.

    Raises:
        CorpusError: a source is missing or damaged, or nothing is left of them.
        WorkshopError: the aligner is not installed.
    """
    load_eflomal()  # not found out after an hour
    output.mkdir(parents=True, exist_ok=True)
    dropped: Dropped = defaultdict(Counter)
    sources = list_sources(data, recipe)
    pairs = _read(sources, recipe, dropped)
    pairs += augmented(list(pairs), AUGMENTED_SHARE, recipe.seed, recipe.weight)
    say(f"{len(pairs):,} pairs of {len(sources)} sources; dropped: {_totals(dropped)}")

    vocabulary = train_vocabulary(
        _vocabulary_sample(pairs, recipe), recipe.vocabulary_size, output / "vocabulary.spm"
    )
    say(f"vocabulary of {vocabulary.get_piece_size():,} pieces")
    pairs, first, second = _encode(vocabulary, pairs, recipe.max_pieces, dropped)
    if not pairs:
        raise CorpusError(f"no pair is left; dropped: {_totals(dropped)}")
    say(f"{len(pairs):,} pairs of at most {recipe.max_pieces} pieces; aligning")
    links = align(first, second)

    sources = [*sources, AUGMENTED]
    _save(output, pairs, first, second, links, sources)
    report = _report(recipe, vocabulary, pairs, first, second, links, dropped, sources)
    (output / "meta.json").write_text(json.dumps(report, indent=1), encoding="utf-8")
    (output / "report.md").write_text(report_table(report), encoding="utf-8")
    say(f"what was kept and dropped, and why: {output / 'report.md'}")
    return report


def _read(sources: Sequence[SourceFile], recipe: Recipe, dropped: Dropped) -> list[Pair]:
    pairs: list[Pair] = []
    seen: set[int] = set()
    for source in sources:
        counts = dropped[source.name]
        good = list(unique(read_pairs(source, counts), seen, counts))
        kept = capped(good, recipe.caps.get(source.name), recipe.seed)
        counts["over the cap"] += len(good) - len(kept)
        pairs += kept
    if not pairs:
        raise CorpusError(f"no pair is left; dropped: {_totals(dropped)}")
    return pairs


def _save(
    output: Path,
    pairs: Sequence[Pair],
    first: Sequence[Sequence[int]],
    second: Sequence[Sequence[int]],
    links: Sequence[Sequence[Link]],
    sources: Sequence[SourceFile],
) -> None:
    numbers = {source.name: index for index, source in enumerate(sources)}
    small = np.uint8 if len(sources) <= 256 else np.uint16
    Ragged.of(first, np.uint16).save(output / "first")
    Ragged.of(second, np.uint16).save(output / "second")
    Ragged.of([list(chain(*row)) for row in links], np.uint8).save(output / "links")
    np.save(output / "sources.npy", np.array([numbers[p.source] for p in pairs], dtype=small))


def _vocabulary_sample(pairs: Sequence[Pair], recipe: Recipe) -> list[str]:
    """Both sides of a weighted choice of pairs: the vocabulary should see what training sees."""
    rng = np.random.default_rng(recipe.seed)
    weight = np.array([min(recipe.weight(pair.source), 1.0) for pair in pairs])
    chosen = np.flatnonzero(rng.random(len(pairs)) < weight)
    if len(chosen) > 400_000:
        chosen = rng.choice(chosen, 400_000, replace=False)
    return [text for index in chosen.tolist() for text in (pairs[index].first, pairs[index].second)]


def _encode(
    vocabulary: sentencepiece.SentencePieceProcessor,
    pairs: list[Pair],
    max_pieces: int,
    dropped: Dropped,
) -> tuple[list[Pair], list[list[int]], list[list[int]]]:
    encoded = zip(
        pairs,
        vocabulary.encode([pair.first for pair in pairs]),
        vocabulary.encode([pair.second for pair in pairs]),
        strict=True,
    )
    fits = range(1, max_pieces + 1)
    kept: list[tuple[Pair, list[int], list[int]]] = []
    for pair, first, second in encoded:
        if len(first) in fits and len(second) in fits:
            kept.append((pair, first, second))
        else:
            dropped[pair.source]["too many pieces"] += 1
    return [row[0] for row in kept], [row[1] for row in kept], [row[2] for row in kept]


def _report(
    recipe: Recipe,
    vocabulary: sentencepiece.SentencePieceProcessor,
    pairs: Sequence[Pair],
    first: Sequence[Sequence[int]],
    second: Sequence[Sequence[int]],
    links: Sequence[Sequence[Link]],
    dropped: Dropped,
    sources: Sequence[SourceFile],
) -> dict[str, object]:
    ratios = np.array([len(b) / len(a) for a, b in zip(first, second, strict=True)])
    counts = Counter(pair.source for pair in pairs)
    return {
        "recipe": recipe.name,
        "settings": asdict(recipe),
        "columns": list(recipe.columns),
        "vocabulary_size": vocabulary.get_piece_size(),
        "max_pieces": recipe.max_pieces,
        "pairs": len(pairs),
        "dropped": dict(_totals(dropped)),
        "mean_pieces": [float(np.mean([len(row) for row in side])) for side in (first, second)],
        "length_ratio": {"mean": float(ratios.mean()), "deviation": float(ratios.std())},
        "links_per_pair": float(np.mean([len(row) for row in links])),
        "sources": [
            {
                "name": source.name,
                "licence_class": source.licence_class,
                "licence": source.licence,
                "pairs": counts[source.name],
                "weight": recipe.weight(source.name),
                "dropped": {rule: n for rule, n in dropped[source.name].items() if n},
            }
            for source in sources
        ],
    }


def _totals(dropped: Mapping[str, Counter[str]]) -> dict[str, int]:
    """Pairs by rule, the commonest first."""
    total: Counter[str] = Counter()
    for counts in dropped.values():
        total.update(counts)
    return {rule: n for rule, n in total.most_common() if n}


def report_table(report: Mapping[str, Any]) -> str:
    """The report as Markdown: a row a source, a column a rule that dropped something."""
    rules = list(report["dropped"])
    rows = [["source", "licence", "class", "weight", "kept", *rules]]
    for source in report["sources"]:
        figures = [f"{source['dropped'].get(rule, 0):,}" for rule in rules]
        facts = [source["name"], source["licence"], source["licence_class"]]
        rows.append([*facts, f"{source['weight']:g}", f"{source['pairs']:,}", *figures])
    totals = [f"{count:,}" for count in report["dropped"].values()]
    rows.append(["all", "", "", "", f"{report['pairs']:,}", *totals])
    lines = ["| " + " | ".join(cell.replace("|", "/") for cell in row) + " |" for row in rows]
    lines.insert(1, "|" + "---|" * 3 + "---:|" * (2 + len(rules)))
    return f"# Data of {report['recipe']}\n\n" + "\n".join(lines) + "\n"
