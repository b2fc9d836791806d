"""The vendored wheel and the pins: `wasm/verify.py`, and both hosts give the same pieces."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.support.paths import ROOT

WASM = ROOT / "wasm"
PYODIDE = ROOT / "node_modules" / "pyodide"


def verify(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(folder / "verify.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the pins, the wheel and the script, to be spoilt."""
    for name in ("verify.py", "pinned.json"):
        shutil.copy(WASM / name, tmp_path / name)
    shutil.copytree(WASM / "wheels", tmp_path / "wheels")
    return tmp_path


def the_wheel(folder: Path = WASM) -> Path:
    (wheel,) = (folder / "wheels").glob("*.whl")
    return wheel


def test_the_wheel_is_the_pinned_one() -> None:
    result = verify(WASM, "--wheels-only")
    assert (result.returncode, result.stderr) == (0, "")


def test_a_changed_wheel_is_named_with_both_hashes(copy: Path) -> None:
    wheel = the_wheel(copy)
    expected = hashlib.sha256(wheel.read_bytes()).hexdigest()
    wheel.write_bytes(wheel.read_bytes() + b"x")
    found = hashlib.sha256(wheel.read_bytes()).hexdigest()
    result = verify(copy, "--wheels-only")
    assert result.returncode == 1
    assert wheel.name in result.stderr
    assert f"expected sha256 {expected}" in result.stderr
    assert f"found    sha256 {found}" in result.stderr


def test_a_missing_npm_file_is_named(copy: Path) -> None:
    result = verify(copy, "--only", "onnxruntime-web", str(copy / "node_modules"))
    assert result.returncode == 1
    assert "onnxruntime-web@1.30.0 dist/ort-wasm-simd-threaded.wasm: missing" in result.stderr


def test_an_unknown_name_is_no_success() -> None:
    assert verify(WASM, "--only", "nothing").returncode == 1


def test_the_wheel_carries_its_licences_and_nothing_for_training() -> None:
    names = zipfile.ZipFile(the_wheel()).namelist()
    licences = {Path(name).name for name in names if "/licenses/" in name}
    assert licences == {path.name for path in (WASM / "wheels" / "LICENSES").iterdir()}
    assert not [name for name in names if name.endswith((".bin", "_pb2.py", ".cxx", ".i"))]


def test_pinned_json_and_the_wheel_agree_on_the_abi() -> None:
    pins = json.loads((WASM / "pinned.json").read_text(encoding="utf-8"))
    (pyodide,) = (package for package in pins["npm"] if package["name"] == "pyodide")
    assert f"-{pyodide['abi']}_wasm32.whl" in the_wheel().name


@pytest.mark.skipif(not PYODIDE.is_dir(), reason="npm packages are not installed")
@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
def test_both_hosts_give_the_same_pieces() -> None:
    script = str(WASM / "test_wheel_node.mjs")
    command = ["node", script, "--native", sys.executable, str(PYODIDE)]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert "identical in both hosts" in result.stdout, result.stderr
    assert result.returncode == 0, result.stderr
