"""What README.md tells people to type is typed; its JavaScript: `tests/e2e/test_readme.py`."""

from __future__ import annotations

import gzip
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import dragoman
from dragoman.cli.app import app
from tests.support.documents import samples
from tests.support.hosts import capital_parts
from tests.support.paths import MODELS, ROOT
from tests.support.serving import client

README = (ROOT / "README.md").read_text()
SHELL, PYTHON = (
    "\n".join(re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL))
    for language in ("sh", "python")
)
LINES = SHELL.replace("\\\n", " ").splitlines()
# The tables that show what comes out, each with a kind of text, source and translation a row.
TABLES = re.findall(
    r"^\| \| (\w+) \| (\w+) \|\n\|---\|---\|---\|\n((?:\|.*\n)+)", README, re.MULTILINE
)
TAGS = {"English": "en", "German": "de"}
COMMAND = ".venv/bin/dragoman "
COMMANDS = [line for line in LINES if COMMAND in line]
# They need the internet, or go on until they are ended; that they are understood is tested.
NOT_RUN = ("models get", "--fetch", "dragoman serve")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What the commands read, and the command where they look for it."""
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / COMMAND.strip()).symlink_to(Path(sys.executable).with_name("dragoman"))
    contents = {sample.name: sample.content for sample in samples()}
    (tmp_path / "letter.txt").write_text("Guten Morgen! Ich habe einen Habicht gesehen.\n")
    (tmp_path / "brief.docx").write_bytes(contents["letter.docx"])
    (tmp_path / "readme.md").write_bytes(contents["readme.md"])
    (tmp_path / "terms.tsv").write_text("Morgen\tmorning\n")
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "one.txt").write_text("Guten Morgen!\n")
    (tmp_path / "news.de.gz").write_bytes(gzip.compress(b"Guten Tag!\n"))
    return tmp_path


def environment() -> dict[str, str]:
    return {"PATH": "/usr/bin:/bin", "DRAGOMAN_MODELS": str(MODELS), "PYTHONUTF8": "1"}


@pytest.mark.parametrize(
    "line", [line for line in COMMANDS if not any(part in line for part in NOT_RUN)]
)
def test_a_command(line: str, folder: Path) -> None:
    for name in re.findall(r"\*(\.\w+)", line):
        if not list(folder.glob(f"*{name}")):
            line = line.replace(f"*{name}", "")
    run = subprocess.run(
        ["bash", "-c", line], cwd=folder, env=environment(), capture_output=True, timeout=300
    )
    assert run.returncode == 0, run.stderr.decode()


@pytest.mark.parametrize(
    "line", [line for line in COMMANDS if any(part in line for part in NOT_RUN)]
)
def test_the_options_of_a_command(line: str) -> None:
    words = shlex.split(line.partition(COMMAND)[2], comments=True)
    command = words[:2] if words[0] == "models" else words[:1]
    told = CliRunner().invoke(app, [*command, "--help"], env={"COLUMNS": "200"}).output
    options = set(re.findall(r"--[a-z-]+", told))
    assert {word for word in words if word.startswith("--")} <= options


@pytest.mark.parametrize("line", [line for line in LINES if "curl " in line])
async def test_a_request(line: str) -> None:
    words = shlex.split(line.partition("curl ")[2])
    (address,) = [word for word in words if "127.0.0.1:8765" in word]
    (header,) = [word for word in words if word.startswith("Content-Type: ")]
    body = words[words.index("-d") + 1] if "-d" in words else "Guten Morgen!"
    async with client(lambda *_: capital_parts()) as server:
        response = await server.post(
            address.partition(":8765")[2],
            content=body,
            headers={"Content-Type": header.removeprefix("Content-Type: ")},
        )
    assert response.status_code == 200
    assert "GUTEN MORGEN!" in response.text


def test_the_python_example() -> None:
    run = subprocess.run(
        [sys.executable, "-c", PYTHON],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.stderr == ""
    first, second, third = run.stdout.splitlines()
    assert first == "I have a book. It's new."
    assert second.startswith("Span(start=0, end=18)")
    assert third.startswith("Span(start=19, end=30)")


def test_every_path_is_there() -> None:
    paths = re.findall(r"\]\((?!https?:)([^)#]+)\)", README)
    paths += re.findall(r"^\| `([a-z/]+)`", README, re.MULTILINE)
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_every_task_is_one_of_make() -> None:
    tasks = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", README, re.MULTILINE))
    assert named <= tasks, json.dumps(sorted(named - tasks))


def test_both_directions_are_shown() -> None:
    assert [table[:2] for table in TABLES] == [("English", "German"), ("German", "English")]


@pytest.mark.parametrize(("source", "target", "rows"), TABLES)
def test_what_is_shown_comes_out(source: str, target: str, rows: str) -> None:
    shown = re.findall(r"^\| (?:news|product|everyday) \| (.*) \| (.*) \|$", rows, re.MULTILINE)
    assert len(shown) == len(rows.splitlines()) == 4
    with dragoman.load(TAGS[source], TAGS[target], folders=[MODELS]) as translator:
        made = [translator.translate(text).text for text, _ in shown]
    assert made == [translation for _, translation in shown]
