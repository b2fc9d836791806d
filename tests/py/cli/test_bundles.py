"""`dragoman models` and `models list`: which options go where, and what cannot be read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from dragoman.cli import app as cli


def dragoman(*words: Any) -> Result:
    return CliRunner().invoke(cli.app, [str(word) for word in words])


@pytest.mark.parametrize("option", [["--models", "nowhere"], ["--json"], ["--check"]])
@pytest.mark.parametrize("command", ["list", "available", "verify"])
def test_an_option_before_the_command_is_not_left_aside(option: list[str], command: str) -> None:
    result = dragoman("models", *option, command)
    assert result.exit_code == 2
    assert f"stand behind a command: dragoman models {command} ..." in result.stderr


@pytest.mark.parametrize("option", ["--json", "--check"])
def test_licences_go_alone(option: str) -> None:
    result = dragoman("models", "list", "--licences", option)
    assert result.exit_code == 2
    assert "--licences goes with neither --json nor --check" in result.stderr


def test_licences_of_a_bundle_that_cannot_be_read(real_bundle: Path, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("{")
    result = dragoman("models", "list", "--licences", "--models", tmp_path, "--models", real_bundle)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"dragoman: {tmp_path}: ")
    assert result.stdout.startswith("de-en: de-en-tiny, CC-BY-SA-4.0\n")


def test_licences_of_no_models(tmp_path: Path) -> None:
    result = dragoman("models", "list", "--licences", "--models", tmp_path)
    assert (result.exit_code, result.stderr) == (0, f"dragoman: no models in {tmp_path}\n")


@pytest.mark.parametrize(
    ("changes", "words", "line"),
    [
        ({"source": "???"}, ["list"], "???"),
        ({"published": 3}, ["list", "--licences"], "was not published by others"),
    ],
)
def test_one_odd_manifest_does_not_hide_the_others(
    real_bundle: Path, tmp_path: Path, changes: dict[str, Any], words: list[str], line: str
) -> None:
    data = json.loads((real_bundle / "manifest.json").read_text()) | changes
    (tmp_path / "manifest.json").write_text(json.dumps(data))
    result = dragoman("models", *words, "--models", tmp_path, "--models", real_bundle)
    first, rest = result.output.split("\n", 1)
    assert line in first
    assert str(tmp_path) in first
    assert rest.startswith("de-en")
