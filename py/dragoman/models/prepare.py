"""`dragoman model prepare`: sources to encoded, aligned, weighted data on disk."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
import sentencepiece

from dragoman.models.aligner import Link, align
from dragoman.models.augment import augmented
from dragoman.models.corpus import Pair, capped, list_sources, read_pairs
from dragoman.models.prepared import Ragged
from dragoman.models.recipe import Recipe
from dragoman.models.vocabulary import train_vocabulary

AUGMENTED_SHARE = 0.05


def prepare(
    recipe: Recipe, data: Path, output: Path, say: Callable[[str], None] = print
) -> dict[str, object]:
    """Prepare the data of a recipe; returns the report that is also written to ``meta.json``.

    Raises:
        CorpusError: a source is missing or damaged.
    """
    output.mkdir(parents=True, exist_ok=True)
    dropped: Counter[str] = Counter()
    sources = list_sources(data, recipe)
    pairs: list[Pair] = []
    for source in sources:
        pairs += capped(read_pairs(source, dropped), recipe.caps.get(source.name), recipe.seed)
    pairs += augmented(list(pairs), AUGMENTED_SHARE, recipe.seed)
    say(f"{len(pairs)} pairs of {len(sources)} sources; left out: {dict(dropped)}")

    vocabulary = train_vocabulary(
        _vocabulary_sample(pairs, recipe), recipe.vocabulary_size, output / "vocabulary.spm"
    )
    say(f"vocabulary of {vocabulary.get_piece_size()} pieces")
    pairs, first, second = _encode(vocabulary, pairs, recipe.max_pieces, dropped)
    say(f"{len(pairs)} pairs of at most {recipe.max_pieces} pieces; aligning")
    links = align(first, second)

    names = [source.name for source in sources] + ["augmented"]
    numbers = {name: index for index, name in enumerate(names)}
    Ragged.of(first, np.uint16).save(output / "first")
    Ragged.of(second, np.uint16).save(output / "second")
    Ragged.of([list(chain(*row)) for row in links], np.uint8).save(output / "links")
    np.save(output / "sources.npy", np.array([numbers[p.source] for p in pairs], dtype=np.uint8))
    report = _report(recipe, vocabulary, pairs, first, second, links, dropped, names)
    (output / "meta.json").write_text(json.dumps(report, indent=1), encoding="utf-8")
    return report


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
    dropped: Counter[str],
) -> tuple[list[Pair], list[list[int]], list[list[int]]]:
    encoded = zip(
        pairs,
        vocabulary.encode([pair.first for pair in pairs]),
        vocabulary.encode([pair.second for pair in pairs]),
        strict=True,
    )
    fits = range(1, max_pieces + 1)
    kept = [(p, a, b) for p, a, b in encoded if len(a) in fits and len(b) in fits]
    dropped["too many pieces"] += len(pairs) - len(kept)
    return [row[0] for row in kept], [row[1] for row in kept], [row[2] for row in kept]


def _report(
    recipe: Recipe,
    vocabulary: sentencepiece.SentencePieceProcessor,
    pairs: Sequence[Pair],
    first: Sequence[Sequence[int]],
    second: Sequence[Sequence[int]],
    links: Sequence[Sequence[Link]],
    dropped: Counter[str],
    names: Sequence[str],
) -> dict[str, object]:
    ratios = np.array([len(b) / len(a) for a, b in zip(first, second, strict=True)])
    counts = Counter(pair.source for pair in pairs)
    return {
        "recipe": recipe.name,
        "columns": list(recipe.columns),
        "vocabulary_size": vocabulary.get_piece_size(),
        "pairs": len(pairs),
        "dropped": dict(dropped),
        "mean_pieces": [float(np.mean([len(row) for row in side])) for side in (first, second)],
        "length_ratio": {"mean": float(ratios.mean()), "deviation": float(ratios.std())},
        "links_per_pair": float(np.mean([len(row) for row in links])),
        "sources": [
            {"name": name, "pairs": counts[name], "weight": recipe.weight(name)} for name in names
        ],
    }
