from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from dragoman.models.data.prepared import load_prepared, read_meta
from dragoman.models.distillation.translations import (
    Translating,
    shards_of,
    taught_data,
    translate_shards,
)
from dragoman.models.network.checkpoint import load_model

HOW = Translating(shard=120, beam=2, pieces=2_000)


def _translated_rows(folder: Path) -> Iterator[tuple[int, list[int]]]:
    """By the pair's number; those whose search ended."""
    for path in folder.glob("*.npz"):
        with np.load(path) as shard:
            rows = np.split(shard["flat"], np.cumsum(shard["lengths"])[:-1])
            for number, row in zip(shard["numbers"].tolist(), rows, strict=True):
                if len(row):
                    yield number, row.tolist()


def test_the_students_targets_are_the_teachers(
    toy_trained: Path, toy_prepared: Path, tmp_path: Path
) -> None:
    model = load_model(toy_trained).eval()
    data = load_prepared(toy_prepared, "en", "de")
    names = [row["name"] for row in read_meta(toy_prepared)["sources"]]
    shards = shards_of(data, names, HOW)
    assert [len(shard) for shard in shards] == [120, 120, 60]  # none of the made-up examples
    stops = iter([False] * 5 + [True] * 99)
    done, of = translate_shards(model, data, names, tmp_path / "t", HOW, lambda: next(stops))
    assert done < of == 3
    assert translate_shards(model, data, names, tmp_path / "t", HOW, lambda: False) == (3, 3)
    taught, pairs = taught_data(toy_prepared, "en", "de", tmp_path / "t", tmp_path / "taught")
    assert pairs == len(data.target)
    assert 100 < taught <= 300
    made = load_prepared(tmp_path / "taught", "en", "de")
    assert made.source.flat.tolist() == data.source.flat.tolist()
    own = dict(_translated_rows(tmp_path / "t"))
    assert len(own) == taught
    for n in range(pairs):
        assert made.target.row(n).tolist() == own.get(n, data.target.row(n).tolist())
    assert made.links.flat.size == 0
