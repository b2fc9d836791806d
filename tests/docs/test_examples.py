"""The programs of `examples/`; those in JavaScript run in tests/packages, with what is packed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.workspace import Workspace, environment, workspace
from tests.support.paths import ROOT

EXAMPLES = ROOT / "examples"


@pytest.fixture
def there(tmp_path: Path) -> Iterator[Workspace]:
    with workspace(tmp_path) as made:
        yield made


def run(folder: Path, name: str, *arguments: str, text: str = "") -> str:
    done = subprocess.run(
        [sys.executable, EXAMPLES / name, *arguments], input=text, capture_output=True, text=True,
        cwd=folder, env=environment(folder), check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_a_text(tmp_path: Path) -> None:
    told = run(tmp_path, "text.py", "Ich habe ein Buch.").splitlines()
    assert told[0] == "I have a book."
    assert told[1].endswith("  I have a book.")
    assert "Buch → book" in told


def test_a_page(tmp_path: Path) -> None:
    assert run(tmp_path, "page.py") == (
        '<p>The <b>old</b> house is <a href="/karte">on the river</a>.</p>'
        "<script>var x = 1</script>\n"
    )


def test_documents(there: Workspace) -> None:
    (there.folder / "in").mkdir()
    for name in ("brief.docx", "notes.md", "catalogue.json"):
        (there.folder / "in" / name).write_bytes((there.folder / name).read_bytes())
    (there.folder / "in" / "old.doc").write_bytes(b"\xd0\xcf\x11\xe0")
    told = run(there.folder, "documents.py", "in", "out").splitlines()
    assert [line.partition(":")[0] for line in told] == [
        "brief.docx", "catalogue.json", "notes.md", "old.doc",
    ]  # fmt: skip
    assert told[3] == "old.doc: unsupported-format"
    assert {path.name for path in (there.folder / "out").iterdir()} == {
        "brief.docx", "catalogue.json", "notes.md",
    }  # fmt: skip


def test_a_glossary(tmp_path: Path) -> None:
    told = run(tmp_path, "glossary.py").splitlines()
    assert "workstation" in told[0]
    assert "Habicht" in told[0]
    assert told[1].startswith("Rechner → workstation")


def test_a_stream(tmp_path: Path) -> None:
    told = run(tmp_path, "stream.py", text="Guten Morgen! Wo ist der Bahnhof?\n")
    assert told.split("\n")[0] == "Good morning!"


def test_many_at_once(tmp_path: Path) -> None:
    told = run(tmp_path, "at_once.py").splitlines()
    assert told == ["Good morning!", "Where is the station?", "I have a book.", "taken back"]


def test_curl(there: Workspace) -> None:
    done = there.shell(f"sh {EXAMPLES / 'server.sh'} {there.address}")
    assert (done.returncode, done.stderr) == (0, "")
    one, batch, detected, piece, end, *document = done.stdout.splitlines()
    assert json.loads(one)["text"] == "Good morning!"
    assert [outcome["ok"] for outcome in json.loads(batch)["outcomes"]] == [True, True]
    assert json.loads(detected)["language"] == "de"
    assert json.loads(piece)["piece"]["text"] == "Good morning!"
    assert document
    assert end
