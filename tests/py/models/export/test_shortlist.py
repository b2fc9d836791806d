from __future__ import annotations

import gzip
import json
import shutil
import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from dragoman.cli.model.app import app
from dragoman.errors import ModelFileError
from dragoman.models.data.prepared import read_meta
from dragoman.models.export.shortlist import (
    MAGIC,
    LinkedPieces,
    Shortlist,
    build_shortlist,
    checksum,
    linked_pieces,
    read_shortlist,
    write_shortlist,
)
from tests.support.paths import SHARED
from tests.support.workshop import made_data

REAL = SHARED / "formats" / "lex.50.50.ende.s2t.bin.gz"


def shortlist(lists: Sequence[Sequence[int]], first: int = 2, best: int = 3) -> Shortlist:
    offsets = np.cumsum([0, *map(len, lists)]).astype(np.uint64)
    targets = np.array([target for row in lists for target in row], dtype=np.uint32)
    return Shortlist(first, best, offsets, targets)


EXAMPLE = shortlist([[], [4, 9], [5], [3, 4, 11]])


def test_the_bytes_of_a_small_one() -> None:
    content = write_shortlist(EXAMPLE)
    assert len(content) == 48 + 8 * 5 + 4 * 6
    assert struct.unpack_from("<6Q", content)[::2] == (MAGIC, 2, 5)
    assert struct.unpack_from("<5Q", content, 48) == (0, 0, 2, 3, 6)
    assert struct.unpack_from("<6I", content, 88) == (4, 9, 5, 3, 4, 11)


def test_the_checksum_by_hand() -> None:
    """One word 5: 0 ^ (5 + 0x9e3779b9 + 0 + 0); half a word at the end is left out."""
    assert checksum(bytes(16) + struct.pack("<Q", 5) + b"1234567") == 5 + 0x9E3779B9
    two = 5 + 0x9E3779B9
    two ^= (7 + 0x9E3779B9 + (two << 6) + (two >> 2)) % 2**64
    assert checksum(bytes(16) + struct.pack("<QQ", 5, 7)) == two


@given(st.lists(st.lists(st.integers(0, 2**32 - 1), max_size=6), max_size=12), st.integers(0, 99))
def test_round_trip(lists: list[list[int]], first: int) -> None:
    made = shortlist(lists, first)
    found = read_shortlist(write_shortlist(made))
    assert (found.first, found.best, found.sources) == (first, 3, len(lists))
    assert [found.of(source).tolist() for source in range(len(lists))] == lists


@given(st.integers(0, 10_000), st.integers(0, 7))
def test_every_flipped_bit_is_noticed(place: int, bit: int) -> None:
    """But for the last half word, which the format's checksum leaves out."""
    content = bytearray(write_shortlist(shortlist([[1, 2], [3, 4]])))
    content[place % len(content)] ^= 1 << bit
    with pytest.raises(ModelFileError):
        read_shortlist(bytes(content))


@given(st.binary(max_size=120) | st.binary(max_size=80).map(MAGIC.to_bytes(8, "little").__add__))
def test_any_bytes_are_a_typed_error(content: bytes) -> None:
    with pytest.raises(ModelFileError):
        read_shortlist(content)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "no shortlist: 0 bytes"),
        (bytes(60), "it begins with 0x0"),
        (write_shortlist(EXAMPLE)[:-4], "112 bytes are named, 108 are there"),
        (write_shortlist(EXAMPLE).replace(b"\x09", b"\x08"), "its checksum is"),
        (write_shortlist(Shortlist(2, 3, EXAMPLE.offsets[:-1], EXAMPLE.targets)),
         "its lists do not cover it"),
        (write_shortlist(Shortlist(2, 3, EXAMPLE.offsets[[0, 3, 1, 4]], EXAMPLE.targets)),
         "a list ends before it begins"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(content: bytes, words: str) -> None:
    with pytest.raises(ModelFileError, match=words):
        read_shortlist(content)


def test_the_choice_for_a_batch() -> None:
    """The first ones, the lists, the source pieces themselves; filled up to a multiple of 8."""
    assert EXAMPLE.chosen([1, 3], 20).tolist() == [0, 1, 2, 3, 4, 5, 9, 11]
    assert EXAMPLE.chosen([], 20).tolist() == [0, 1, 2, 3, 4, 5, 6, 7]
    assert EXAMPLE.chosen([1], 20).tolist() == [0, 1, 2, 3, 4, 5, 6, 9]
    assert EXAMPLE.chosen([12], 20).tolist() == [0, 1, 2, 3, 4, 5, 6, 12]
    assert EXAMPLE.chosen([12], 20, shared=False).tolist() == [0, 1, 2, 3, 4, 5, 6, 7]
    assert EXAMPLE.chosen([3], 5).tolist() == [0, 1, 2, 3, 4]  # no more pieces than there are


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


@pytest.mark.parametrize("swapped", [False, True])
def test_links_of_prepared_data_have_the_direction_of_the_model(swapped: bool) -> None:
    links = [(1, 0)] if swapped else [(0, 1)]
    data = made_data([([10, 11], [20, 21], links)], [0.5], swapped=swapped)
    (found,) = linked_pieces(data)
    assert (found.source.tolist(), found.target.tolist(), found.weight) == ([10], [21], 0.5)


@pytest.mark.skipif(not REAL.exists(), reason="the folder with published files is not here")
def test_a_published_shortlist_round_trips() -> None:
    content = gzip.decompress(REAL.read_bytes())
    found = read_shortlist(content)
    assert (found.first, found.best, found.sources, len(found.targets)) == (50, 50, 32_000, 701_609)
    assert write_shortlist(found) == content
    assert max(len(found.of(source)) for source in range(found.sources)) <= 50


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
        output = tmp_path / f"{folder.name}.bin"
        given = ("shortlist", folder, "--pair", "en-de", "--output", output, "--best", 4)
        result = CliRunner().invoke(app, list(map(str, given)), catch_exceptions=False)
        assert "340 source pieces" in result.stdout
        contents.append(output.read_bytes())
    assert contents[0] == contents[1]
    built = read_shortlist(contents[0])
    assert 0 < max(len(built.of(source)) for source in range(340)) <= 4
