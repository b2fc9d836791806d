"""Documents name what is there: paths, stages, decisions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.paths import ROOT

PACKAGE = ROOT / "py" / "dragoman"
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text()
WEB = ROOT / "web" / "src"
# Where names begin, as the line says on which they stand.
BASES = (ROOT, WEB, WEB / "workers", WEB / "dom", PACKAGE, ROOT / "web", ROOT / "tests")
# Written while the site is built, out of comments in the sources; `make docs` follows such links.
MADE = "reference/javascript/"
DOCUMENTS = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_every_path_of_the_architecture_is_there() -> None:
    named = re.findall(r"`([a-zA-Z_.\-]+(?:/[a-zA-Z_.\-]+)*/?)`", ARCHITECTURE)
    paths = [name for name in named if "/" in name]
    assert len(paths) > 40
    gone = [
        name
        for name in paths
        if not any((base / name).exists() for base in (*BASES, *PACKAGE.iterdir()))
    ]
    assert gone == []


def test_every_stage_is_a_function_that_is_there() -> None:
    stages = re.findall(r"^(?: +\d+| {3}) (\w+)\.(\w+) +[A-Z]", ARCHITECTURE, re.MULTILINE)
    assert len(stages) >= 8
    for module, function in stages:
        sources = [path.read_text() for path in PACKAGE.rglob(f"{module}.py")]
        sources += [path.read_text() for path in (PACKAGE / module).glob("*.py")]
        if module == "engine":
            sources.append((PACKAGE / "engines" / "port.py").read_text())
        assert any(re.search(rf"def {function}\b", text) for text in sources), (module, function)


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_every_decision_that_is_named_is_recorded(path: Path) -> None:
    recorded = {int(record.name[:4]) for record in (ROOT / "docs" / "adr").glob("*.md")}
    named = {int(number) for number in re.findall(r"\bADR (\d+)", path.read_text())}
    assert named <= recorded


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_every_link_leads_somewhere(path: Path) -> None:
    links = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", path.read_text())
    gone = [link for link in links if not (path.parent / link).exists() and MADE not in link]
    assert gone == []
