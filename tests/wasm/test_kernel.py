"""The kernel in `kernel/dist` is what its sources make."""

import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.paths import ROOT

KERNEL = ROOT / "kernel"
VARIANTS = ["plain-one", "plain-shared", "relaxed-one", "relaxed-shared"]


def built_from() -> dict[str, str]:
    """SHA-256 by path below ``kernel/``, of the build that is kept."""
    lines = (KERNEL / "dist" / "BUILDINFO").read_text().splitlines()[1:]
    return {path: digest for digest, path in (line.split() for line in lines)}


def test_nothing_has_changed_since_it_was_built() -> None:
    files = [KERNEL / "build.sh", *KERNEL.glob("src/*"), *KERNEL.glob("dist/*.wasm")]
    found = {
        str(file.relative_to(KERNEL)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in files
    }
    assert found == built_from(), "run kernel/build.sh (it takes clang-19 and lld-19)"


def test_every_variant_is_there() -> None:
    assert sorted(path.stem for path in KERNEL.glob("dist/*.wasm")) == VARIANTS


def test_the_same_compiler_makes_the_same_bytes(tmp_path: Path) -> None:
    compiler = shutil.which("clang-19")
    if compiler is None or shutil.which("wasm-ld-19") is None:
        pytest.skip("clang-19 and lld-19 are for who changes the kernel")
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True)
    if (
        version.stdout.splitlines()[0]
        != (KERNEL / "dist" / "BUILDINFO").read_text().splitlines()[0]
    ):
        pytest.skip("another release of clang-19")
    copy = tmp_path / "kernel"
    shutil.copytree(KERNEL, copy, ignore=shutil.ignore_patterns("dist"))
    subprocess.run(["sh", copy / "build.sh"], check=True)
    for variant in VARIANTS:
        name = Path("dist", f"{variant}.wasm")
        assert (copy / name).read_bytes() == (KERNEL / name).read_bytes(), variant
