from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from dragoman.errors import CorpusError
from dragoman.models.data.batches import BatchPlan
from dragoman.models.data.prepared import load_prepared, open_prepared, read_meta
from dragoman.models.packing.pack import Wish, open_pack, pack, read_pairs, unpack

ALL = Wish(limit=1_000_000, links=True)


def _rows(folder: Path) -> list[tuple[object, ...]]:
    pairs = read_pairs(folder, read_meta(folder))
    return sorted(
        (
            pairs.first.row(n).tolist(),
            pairs.second.row(n).tolist(),
            sorted(tuple(link) for link in pairs.links.row(n).reshape(-1, 2).tolist()),
            [int(pairs.source_of[n])],
        )
        for n in range(len(pairs))
    )


def test_everything_comes_back(toy_prepared: Path, tmp_path: Path) -> None:
    packed = pack(toy_prepared, tmp_path / "toy.pack", ALL, part_bytes=4_000)
    assert packed.pairs == packed.of == read_meta(toy_prepared)["pairs"]
    assert len(packed.files) == -(-packed.size // 4_000) > 1
    unpack(tmp_path / "toy.pack", tmp_path / "again")
    assert _rows(tmp_path / "again") == _rows(toy_prepared)
    meta, before = read_meta(tmp_path / "again"), read_meta(toy_prepared)
    assert meta["settings"] == before["settings"]
    assert [row["weight"] for row in meta["sources"]] == [
        row["weight"] for row in before["sources"]
    ]
    assert (tmp_path / "again" / "vocabulary.spm").read_bytes() == (
        toy_prepared / "vocabulary.spm"
    ).read_bytes()
    for direction in (("en", "de"), ("de", "en")):
        batch = next(load_prepared(tmp_path / "again", *direction).batches(BatchPlan(1, 99), 0, 0))
        assert batch[2].guide.any()


def test_equal_data_give_equal_bytes(toy_prepared: Path, tmp_path: Path) -> None:
    one = pack(toy_prepared, tmp_path / "one", ALL)
    other = pack(toy_prepared, tmp_path / "other", ALL)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()
    assert one.sha256 == other.sha256 == open_pack(tmp_path / "one").sha256


def test_what_does_not_fit_is_left_out_and_told(toy_prepared: Path, tmp_path: Path) -> None:
    whole = pack(toy_prepared, tmp_path / "whole", Wish(1_000_000))
    limit = whole.size - 1_000
    packed = pack(toy_prepared, tmp_path / "part", Wish(limit))
    assert packed.size <= limit
    assert 0 < packed.pairs < packed.of == whole.pairs
    assert sum(count for count, _ in packed.sources.values()) == packed.pairs
    meta = open_pack(tmp_path / "part").meta
    assert meta["pairs_before"] == whole.pairs
    for row in meta["sources"]:
        if row["pairs"]:  # an epoch shows as much of the source as before
            assert row["weight"] * row["pairs"] == pytest.approx(row["pairs_before"])
    with pytest.raises(CorpusError, match="hold no pair of these data beside their vocabulary"):
        pack(toy_prepared, tmp_path / "none", Wish(10_000))
    with pytest.raises(CorpusError, match=r"the least is 0\.01 MB"):
        Wish(5)


def test_links_are_left_out_where_nobody_asks(toy_prepared: Path, tmp_path: Path) -> None:
    whole = pack(toy_prepared, tmp_path / "whole", ALL)
    less = pack(toy_prepared, tmp_path / "less", Wish(1_000_000))
    assert less.size < whole.size
    unpack(tmp_path / "less", tmp_path / "again")
    data = open_prepared(tmp_path / "again", "en", "de")
    for _, _, batch in islice(data.batches(BatchPlan(1, 300), 0, 0), 5):
        assert (batch.guide > 0).sum() == len(batch.source)  # an end with an end, no more


def test_a_direction_leaves_out_what_trains_the_other(toy_prepared: Path, tmp_path: Path) -> None:
    folder = tmp_path / "made"
    folder.mkdir()
    for file in toy_prepared.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    meta = json.loads((folder / "meta.json").read_text())
    meta["sources"][0]["synthetic"] = "de"
    (folder / "meta.json").write_text(json.dumps(meta))
    there = int((np.load(folder / "sources.npy") != 0).sum())
    to_german = pack(folder, tmp_path / "a", Wish(1_000_000, direction=("en", "de")))
    to_english = pack(folder, tmp_path / "b", Wish(1_000_000, direction=("de", "en")))
    assert to_german.pairs == there
    assert to_english.pairs == to_english.of
    with pytest.raises(CorpusError, match="holds en-de, not fr-en"):
        pack(folder, tmp_path / "c", Wish(1_000_000, direction=("fr", "en")))
    assert not (tmp_path / "c").exists()


def test_texts_to_validate_on_go_along(toy_prepared: Path, tmp_path: Path) -> None:
    pack(toy_prepared, tmp_path / "p", Wish(1_000_000, validation=[("one", "eins")]))
    assert open_pack(tmp_path / "p").meta["validation"] == [["one", "eins"]]


def test_other_files_and_other_folders_are_refused(toy_prepared: Path, tmp_path: Path) -> None:
    from dragoman.models.packing.parts import write_parts

    write_parts(tmp_path / "x", b"something else")
    with pytest.raises(CorpusError, match="is no pack of this program"):
        open_pack(tmp_path / "x")
    write_parts(tmp_path / "y", b"dragoman-pack 1\n{}\n")
    with pytest.raises(CorpusError, match="is damaged"):
        open_pack(tmp_path / "y")
    pack(toy_prepared, tmp_path / "p", ALL)
    unpack(tmp_path / "p", tmp_path / "folder")
    unpack(tmp_path / "p", tmp_path / "folder")
    pack(toy_prepared, tmp_path / "q", Wish(1_000_000))
    with pytest.raises(CorpusError, match="holds other prepared data"):
        unpack(tmp_path / "q", tmp_path / "folder")
