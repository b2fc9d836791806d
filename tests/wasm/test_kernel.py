"""The kernel that is kept, for browsers and as libraries, is what its sources make."""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.paths import ROOT

KERNEL = ROOT / "kernel"
LIBRARIES = ROOT / "py" / "dragoman" / "engines" / "libraries"
VARIANTS = ["plain-one", "plain-shared", "relaxed-one", "relaxed-shared"]


def built_from(record: str) -> dict[str, str]:
    """SHA-256 by path below ``kernel/``, of a build that is kept."""
    lines = (KERNEL / "dist" / record).read_text().splitlines()[1:]
    return {path: digest for digest, path in (line.split() for line in lines)}


def digests(folder: Path, *patterns: str) -> dict[str, str]:
    files = [file for pattern in patterns for file in folder.glob(pattern) if file.is_file()]
    return {
        os.path.relpath(file, KERNEL): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in files
    }


def test_nothing_has_changed_since_it_was_built() -> None:
    found = digests(KERNEL, "build.sh", "src/*", "src/wasm/*", "dist/*.wasm")
    assert found == built_from("BUILDINFO"), "run kernel/build.sh (it takes clang-19 and lld-19)"


def test_nothing_has_changed_since_the_libraries_were_built() -> None:
    found = digests(KERNEL, "build-native.sh", "src/*", "src/native/*")
    found |= digests(LIBRARIES, "*")
    assert found == built_from("BUILDINFO-native"), "run kernel/build-native.sh (it takes ziglang)"


def test_every_library_is_there() -> None:
    assert sorted(path.name for path in LIBRARIES.iterdir()) == [
        "linux-aarch64.so",
        "linux-x86_64.so",
        "macos-aarch64.dylib",
        "macos-x86_64.dylib",
        "windows-x86_64.dll",
    ]


def test_the_libraries_need_no_other() -> None:
    """No name of another one: no C library either, but the system's own on macOS."""
    for path in LIBRARIES.iterdir():
        content = path.read_bytes()
        assert b"kernel_path" in content
        for foreign in (b"libc.", b"libm.", b"KERNEL32", b"msvcrt", b"ucrt", b"malloc"):
            assert foreign not in content, path.name


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
