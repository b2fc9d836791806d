"""`dragoman models catalogue`: what is no index takes no catalogue's place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from dragoman.catalogue.models import catalogue_of, shipped
from dragoman.cli import app as cli

HASHES = {"model": "a" * 64, "vocab": "c" * 64}


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DRAGOMAN_STORE", str(tmp_path / "store"))
    monkeypatch.delenv("DRAGOMAN_CATALOGUE", raising=False)
    return tmp_path / "store"


def catalogue(*words: Any) -> Result:
    return CliRunner().invoke(cli.app, ["models", "catalogue", *map(str, words)])


def index(path: Path, **changes: object) -> Path:
    records = [
        {
            "name": f"{kind}.bin", "version": "3.1", "fileType": kind, "architecture": "tiny",
            "sourceLanguage": "xx", "targetLanguage": "en", "decompressedSize": 99,
            "decompressedHash": sha256,
            "attachment": {"hash": "e" * 64, "size": 77, "filename": kind, "location": kind},
        } | changes
        for kind, sha256 in HASHES.items()
    ]  # fmt: skip
    path.write_text(json.dumps({"data": records}))
    return path


def test_a_newer_one_is_taken_and_written(tmp_path: Path, store: Path) -> None:
    output = tmp_path / "new.json"
    result = catalogue(index(tmp_path / "a.json"), "--write", "--output", output)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == "new      xx-en        xx-en/tiny/aaaaaaaaaaaa, 0.0 MB\n"
    assert result.stderr == "101 directions, 1 differences\n"
    assert output.read_bytes() == (store / "catalogue.json").read_bytes()
    assert len(catalogue_of(output).models) == len(shipped().models) + 1


@pytest.mark.parametrize(
    "changes", [{"name": "../model.bin"}, {"decompressedHash": "no hash"}, {"name": 7}]
)
def test_one_that_could_not_be_read_again_is_not_taken(
    tmp_path: Path, store: Path, changes: dict[str, object]
) -> None:
    result = catalogue(index(tmp_path / "a.json", **changes), "--write")
    assert result.exit_code == 1
    assert result.stderr.startswith("dragoman: the catalogue cannot be read: ")
    assert not (store / "catalogue.json").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff\xfe{\0}\0", "a.json is not UTF-8"),
        (b"[" * 100_000, "the index cannot be read: RecursionError("),
        (b'{"data": [{"version": "3.1", "fileType": "model", "sourceLanguage": "xx", '
         b'"targetLanguage": "en", "architecture": "tiny", "name": "m", "decompressedHash": "a", '
         b'"decompressedSize": Infinity, "attachment": {"filename": "m", "location": "m", '
         b'"size": 1, "hash": "a"}}]}', "the index cannot be read: OverflowError("),
    ],
)  # fmt: skip
def test_what_is_no_index_is_one_line(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "a.json").write_bytes(content)
    result = catalogue(tmp_path / "a.json")
    assert result.exit_code == 1
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("content", [b"\xff", b"[" * 100_000, b"[]", b"{"])
def test_a_named_catalogue_that_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    named = tmp_path / "named.json"
    named.write_bytes(content)
    monkeypatch.setenv("DRAGOMAN_CATALOGUE", str(named))
    result = CliRunner().invoke(cli.app, ["models", "available"])
    assert result.exit_code == 1
    assert result.stderr.startswith(f"dragoman: {named}")
