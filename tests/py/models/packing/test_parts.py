from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.errors import CorpusError
from dragoman.models.packing.parts import megabytes, read_parts, write_parts


def test_a_file_that_fits_is_one(tmp_path: Path) -> None:
    path = tmp_path / "new" / "de-en.pack"
    assert write_parts(path, b"x" * 68, part_bytes=100) == [path]
    assert path.stat().st_size == 100
    assert read_parts(path) == b"x" * 68


def test_a_larger_one_is_in_parts(tmp_path: Path) -> None:
    path = tmp_path / "de-en.pack"
    write_parts(path, b"old")
    parts = write_parts(path, bytes(range(200)), part_bytes=100)
    assert [part.name for part in parts] == ["de-en.pack.01", "de-en.pack.02", "de-en.pack.03"]
    assert [part.stat().st_size for part in parts] == [100, 100, 32]
    assert sorted(tmp_path.iterdir()) == parts
    assert read_parts(path) == bytes(range(200))
    assert write_parts(path, b"short", part_bytes=100) == [path]
    assert sorted(tmp_path.iterdir()) == [path]


def test_more_than_99_parts_are_in_order(tmp_path: Path) -> None:
    path = tmp_path / "de-en.pack"
    parts = write_parts(path, bytes(range(250)), part_bytes=2)
    assert parts[100].name == "de-en.pack.101"
    assert read_parts(path) == bytes(range(250))


def test_what_is_missing_or_damaged_is_told(tmp_path: Path) -> None:
    path = tmp_path / "de-en.pack"
    with pytest.raises(CorpusError, match=r"there is no such file, nor parts of it"):
        read_parts(path)
    _, second, _ = write_parts(path, bytes(range(200)), part_bytes=100)
    content = second.read_bytes()
    second.write_bytes(content[:-1] + b"!")
    with pytest.raises(CorpusError, match="its 3 parts do not match the checksum"):
        read_parts(path)
    second.unlink()
    with pytest.raises(CorpusError, match="damaged or not whole"):
        read_parts(path)


def test_sizes_as_people_write_them() -> None:
    assert megabytes(29_640_000) == "29.6 MB"
