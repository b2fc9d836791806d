from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dragoman.errors import CorpusError
from dragoman.models.data import prepared as prepared_module
from dragoman.models.data.batches import BatchPlan, PreparedData, Ragged, make_batch
from dragoman.models.data.prepare import prepare
from dragoman.models.data.prepared import (
    ShardedData,
    load_prepared,
    load_ragged,
    open_prepared,
    read_meta,
    save_ragged,
)
from dragoman.models.data.recipe import Recipe


def test_ragged_rows_are_the_same_from_a_file(tmp_path: Path) -> None:
    save_ragged(Ragged.of([[1, 2], [], [65_535]], np.uint16), tmp_path / "x")
    loaded = load_ragged(tmp_path / "x")
    assert [loaded.row(n).tolist() for n in range(3)] == [[1, 2], [], [65_535]]


def test_both_directions_of_prepared_data(toy_prepared: Path) -> None:
    forward = load_prepared(toy_prepared, "en", "de")
    backward = load_prepared(toy_prepared, "de", "en")
    assert forward.source.row(0).tolist() == backward.target.row(0).tolist()
    one = make_batch(forward, np.array([3])).guide[0] > 0
    other = make_batch(backward, np.array([3])).guide[0] > 0
    assert np.array_equal(one, other.T)


def test_folders_that_are_no_prepared_data(toy_prepared: Path, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="is not prepared data"):
        load_prepared(tmp_path, "en", "de")
    with pytest.raises(CorpusError, match="holds en-de"):
        load_prepared(toy_prepared, "en", "fr")
    (tmp_path / "meta.json").write_text('{"pairs": 1}')
    with pytest.raises(CorpusError, match="lacks columns, sources, vocabulary_size"):
        load_prepared(tmp_path, "en", "de")
    (tmp_path / "meta.json").write_text((toy_prepared / "meta.json").read_text())
    with pytest.raises(CorpusError, match=r"first\.offsets|first\.flat"):
        load_prepared(tmp_path, "en", "de")


@pytest.fixture
def sharded(toy_data: Path, tmp_path: Path) -> Path:
    """The toy data in several shards."""
    recipe = Recipe("toy", ("en", "de"), vocabulary_size=340, max_pieces=40, shard_pairs=120)
    prepare(recipe, toy_data, tmp_path, lambda _: None)
    return tmp_path


def test_shards_hold_what_one_folder_holds(sharded: Path, toy_prepared: Path) -> None:
    meta, whole = read_meta(sharded), read_meta(toy_prepared)
    assert len(meta["shards"]) >= 3
    assert sum(shard["pairs"] for shard in meta["shards"]) == meta["pairs"]
    assert abs(meta["pairs"] - whole["pairs"]) < 30  # the made-up examples are others
    data = open_prepared(sharded, "de", "en")
    assert isinstance(data, ShardedData)
    assert data.fingerprint()["pairs"] == meta["pairs"]
    with pytest.raises(CorpusError, match="has several shards"):
        load_prepared(sharded, "de", "en")


def test_an_epoch_passes_every_shard_once_and_goes_on_from_any_place(sharded: Path) -> None:
    data = open_prepared(sharded, "en", "de")
    plan = BatchPlan(1, 300)
    places = list(islice(data.batches(plan, 0, 0), 200))
    of_epoch_1 = [batch for epoch, _, batch in places if epoch == 1]
    assert sum(len(batch.source) for batch in of_epoch_1) == data.fingerprint()["pairs"]
    for index in (0, 3, 40, 77):
        epoch, position, _ = places[index]
        rest = islice(data.batches(plan, epoch, position), 5)
        for ours, theirs in zip(rest, places[index + 1 : index + 6], strict=True):
            assert ours[:2] == theirs[:2]
            assert np.array_equal(ours[2].target, theirs[2].target)


def test_one_shard_is_in_memory_at_a_time(sharded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Path] = []
    load = prepared_module.load_shard

    def watched(folder: Path, *arguments: Any) -> PreparedData:
        opened.append(folder)
        return load(folder, *arguments)

    monkeypatch.setattr(prepared_module, "load_shard", watched)
    data = open_prepared(sharded, "en", "de")
    assert isinstance(data, ShardedData)
    batches = data.batches(BatchPlan(1, 300), 0, 0)
    next(batches)
    assert len(opened) == 1
    for epoch, _, _ in batches:
        if epoch:
            break
    assert sorted(opened[: len(data.folders)]) == sorted(data.folders)


def test_damaged_shards_are_named(sharded: Path) -> None:
    folder = sharded / read_meta(sharded)["shards"][0]["folder"]
    (folder / "first.flat.npy").write_bytes(b"damaged")
    data = open_prepared(sharded, "en", "de")
    with pytest.raises(CorpusError, match=folder.name):
        data.fingerprint()
    meta = read_meta(sharded)
    meta["shards"] = [{"pairs": 3}]
    (sharded / "meta.json").write_text(json.dumps(meta))
    with pytest.raises(CorpusError, match="names its shards wrongly"):
        open_prepared(sharded, "en", "de")
