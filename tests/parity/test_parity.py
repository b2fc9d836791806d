"""One core, two hosts: the same texts give the same tokens, ranges and translations in both.

Natively with onnxruntime; under Pyodide with onnxruntime-web, in node here and in Chromium and
Firefox (`test_browsers.py`). Scores may differ by `TOLERANCE`; the largest difference is printed.

    DRAGOMAN_TEST_BUNDLE    folder of a bundle, in place of models/de-en
    DRAGOMAN_PARITY_TEXTS   a file of more texts, one a line (or source<TAB>target)
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from zipfile import ZipFile

import pytest
import write_cases
from compare import TOLERANCE, Comparison
from native import CASES, Case, read_cases, translate

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def wheel() -> Path:
    """The core's wheel, made of the sources as they are now."""
    found = sorted((ROOT / "build" / "wheel").glob("dragoman-*.whl"))
    if len(found) != 1:
        pytest.fail("build/wheel holds no wheel of the core: run `make wheel`")
    with ZipFile(found[0]) as archive:
        for path in (ROOT / "py" / "dragoman").glob("*.py"):
            name = f"dragoman/{path.name}"
            if name not in archive.namelist() or archive.read(name) != path.read_bytes():
                pytest.fail(f"build/wheel is older than {path.name}: run `make wheel`")
    return found[0]


@pytest.fixture(scope="module")
def expected(bundle: Path) -> list[Case]:
    return translate(bundle, [*read_cases(), *more_cases()])


def more_cases() -> list[Case]:
    path = os.environ.get("DRAGOMAN_PARITY_TEXTS")
    if not path:
        return []
    lines = Path(path).read_text("utf-8").split("\n")
    texts = [line.split("\t")[0] for line in lines if line]
    return [{"id": f"more-{number:05}", "text": text} for number, text in enumerate(texts, 1)]


def test_the_cases_are_those_of_their_generator():
    assert CASES.read_text("utf-8") == "".join(map(write_cases.line, write_cases.cases()))
    assert len({case["text"] for case in read_cases()}) >= 600


def test_native_and_pyodide_in_node(
    bundle: Path, wheel: Path, expected: list[Case], tmp_path: Path, capsys
):
    cases, found = tmp_path / "cases.json", tmp_path / "found.json"
    asked = [{name: case[name] for name in ("id", "text", "substrings")} for case in expected]
    cases.write_text(json.dumps(asked))
    node = shutil.which("node") or pytest.fail("no node")
    subprocess.run(
        [
            node,
            HERE / "run_node.mjs",
            "--bundle",
            bundle,
            "--wheel",
            wheel,
            "--cases",
            cases,
            "--out",
            found,
        ],
        check=True,
        timeout=1_200,
        cwd=ROOT,
    )
    actual = json.loads(found.read_text())
    assert [case["id"] for case in actual] == [case["id"] for case in expected]
    problems = [f"{case['id']} {problem}" for case in actual for problem in case["problems"]]
    comparison = Comparison()
    for native, other in zip(expected, actual, strict=True):
        comparison.add(native, other)
    with capsys.disabled():
        print(f"\n{len(actual)} texts, native and Pyodide; largest differences: ", end="")  # noqa: T201
        print(comparison.report())  # noqa: T201
    assert problems == []
    assert comparison.unlike == []
    assert max(comparison.largest.values()) <= TOLERANCE
