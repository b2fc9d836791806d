from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.parity.native import Case, read_cases
from tests.parity.node_host import in_node
from tests.support.paths import ROOT


@pytest.fixture(scope="session")
def bundle() -> Path:
    """The bundle whose translations are compared."""
    folder = Path(os.environ.get("DRAGOMAN_TEST_BUNDLE", ROOT / "models" / "de-en")).resolve()
    if not (folder / "manifest.json").is_file():
        pytest.fail(f"no bundle in {folder}: set DRAGOMAN_TEST_BUNDLE")
    return folder


@pytest.fixture(scope="session")
def wheel() -> Path:
    """The core's wheel, made of the sources as they are now."""
    found = sorted((ROOT / "build" / "wheel").glob("dragoman-*.whl"))
    if len(found) != 1:
        pytest.fail("build/wheel holds no wheel of the core: run `make wheel`")
    with ZipFile(found[0]) as archive:
        for path in (ROOT / "py" / "dragoman").rglob("*.py"):
            name = path.relative_to(ROOT / "py").as_posix()
            if name not in archive.namelist() or archive.read(name) != path.read_bytes():
                pytest.fail(f"build/wheel is older than {name}: run `make wheel`")
    return found[0]


@pytest.fixture(scope="session")
def cases() -> list[Case]:
    path = os.environ.get("DRAGOMAN_PARITY_TEXTS")
    lines = Path(path).read_text("utf-8").split("\n") if path else []
    texts = [line.split("\t")[0] for line in lines if line]
    more = [{"id": f"more-{number:05}", "text": text} for number, text in enumerate(texts, 1)]
    return [*read_cases(), *more]


@pytest.fixture(scope="session")
def answers(
    bundle: Path, wheel: Path, cases: list[Case], tmp_path_factory: pytest.TempPathFactory
) -> list[Case]:
    return in_node(bundle, wheel, cases, tmp_path_factory.mktemp("node"))


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Callable[[str], None]:
    """Print a line past pytest: measured figures are part of the result."""

    def say(line: str) -> None:
        with capsys.disabled():
            print(f"\n    {line}", end="")  # noqa: T201

    return say
