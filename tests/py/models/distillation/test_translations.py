from __future__ import annotations

from pathlib import Path

from dragoman.models.data.prepared import load_prepared, read_meta
from dragoman.models.distillation.translations import (
    Translating,
    shards_of,
    taught_data,
    translate_shards,
)
from dragoman.models.network.checkpoint import load_model

HOW = Translating(shard=120, beam=2, pieces=2_000)


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
    changed = sum(made.target.row(n).tolist() != data.target.row(n).tolist() for n in range(pairs))
    assert 0 < changed <= taught
    assert made.links.flat.size == 0
