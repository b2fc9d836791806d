"""Shortlists are made of the links of prepared data."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from dragoman.cli.model.app import app
from dragoman.errors import CorpusError
from dragoman.marian.shortlist import read_shortlist
from dragoman.models.data.prepared import read_meta
from dragoman.models.export.shortlist import LinkedPieces, build_shortlist, linked_pieces
from tests.support.workshop import made_data


def test_built_of_links_the_most_frequent_first() -> None:
    def pair(links: list[tuple[int, int]], weight: float = 1.0) -> LinkedPieces:
        source, target = (np.array(side, dtype=np.int64) for side in zip(*links, strict=True))
        return LinkedPieces(source, target, weight)

    aligned = [
        pair([(1, 9), (1, 9), (1, 4), (2, 5)]),
        pair([(1, 8), (1, 7)]),
        pair([(1, 7)], weight=5.0),
    ]
    built = build_shortlist(aligned, 10, first=2, best=2)
    assert built.sources == 10
    assert built.of(1).tolist() == [7, 9]  # 6 times and twice; 4 and 8 once
    assert built.of(2).tolist() == [5]
    assert built.of(0).tolist() == []
    assert build_shortlist(aligned, 10, best=3).of(1).tolist() == [4, 7, 9]  # of 4 and 8 the first
    assert build_shortlist([], 10).targets.tolist() == []


def test_the_pieces_that_are_linked_most_often_are_the_list_of_the_end() -> None:
    """And in no other one; what is never linked is not among them."""
    source, target = np.array([1, 1, 1, 2, 2]), np.array([9, 9, 4, 5, 9])
    aligned = [LinkedPieces(source, target)]
    built = build_shortlist(aligned, 10, first=0, best=2, common=1)
    assert [built.of(piece).tolist() for piece in range(3)] == [[9], [4], [5]]
    assert build_shortlist(aligned, 10, common=10).of(0).tolist() == [4, 5, 9]
    assert built.common(10).tolist() == [0, 1, 2, 3, 4, 5, 6, 9]


@pytest.mark.parametrize("swapped", [False, True])
def test_links_of_prepared_data_have_the_direction_of_the_model(swapped: bool) -> None:
    links = [(1, 0)] if swapped else [(0, 1)]
    data = made_data([([10, 11], [20, 21], links)], [0.5], swapped=swapped)
    (pieces,) = linked_pieces(data)
    assert (pieces.source.tolist(), pieces.target.tolist(), pieces.weight) == ([10], [21], 0.5)


def test_data_without_links_make_none() -> None:
    with pytest.raises(CorpusError, match="have no links of words: take what `prepare` wrote, or"):
        list(linked_pieces(made_data([([10, 11], [20, 21], [])])))


def test_by_command_of_one_shard_or_several(toy_prepared: Path, tmp_path: Path) -> None:
    """Where a pair's links are stored does not matter."""
    meta = read_meta(toy_prepared)
    assert not meta.get("shards")
    sharded = tmp_path / "sharded"
    (sharded / "all").mkdir(parents=True)
    for path in toy_prepared.glob("*.npy"):
        shutil.copy(path, sharded / "all")
    meta["shards"] = [{"folder": "all", "pairs": meta["pairs"]}]
    (sharded / "meta.json").write_text(json.dumps(meta), encoding="utf-8")
    contents = []
    for folder in (toy_prepared, sharded):
        output = tmp_path / "new" / f"{folder.name}.bin"
        given = ("shortlist", folder, "--pair", "en-de", "--output", output, "--best", 4)
        result = CliRunner().invoke(app, list(map(str, given)), catch_exceptions=False)
        assert "340 source pieces" in result.stdout
        contents.append(output.read_bytes())
    assert contents[0] == contents[1]
    built = read_shortlist(contents[0])
    assert 0 < max(len(built.of(source)) for source in range(340)) <= 4
