"""The browser host's half of the parity suite, run in node."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.parity.native import Case
from tests.support.paths import ROOT

HERE = Path(__file__).parent


def in_node(
    bundle: Path, wheel: Path, cases: list[Case], folder: Path, *options: str
) -> list[Case]:
    """The answers of Pyodide and onnxruntime-web."""
    asked, found = folder / "cases.json", folder / "found.json"
    asked.write_text(json.dumps(cases))
    command = [node(), str(HERE / "run_node.mjs"), "--bundle", str(bundle), "--wheel", str(wheel)]
    command += ["--cases", str(asked), "--out", str(found), *options]
    subprocess.run(command, check=True, timeout=1_800, cwd=ROOT)
    answers: list[Case] = json.loads(found.read_text())
    assert [answer["id"] for answer in answers] == [case["id"] for case in cases]
    return answers


def node() -> str:
    return shutil.which("node") or pytest.fail("no node")
