"""`locks/` has what pyproject.toml asks for, on every platform, each with its hashes."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from scripts.lock import FILES, LOCKS, PYTORCH, Pin, changes, read_lock, without_pytorch
from tests.support.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
EXTRAS = PROJECT["project"]["optional-dependencies"]
GROUPS = PROJECT["dependency-groups"]

VERSIONS = ("3.11.2", "3.12.0", "3.13.0", "3.14.0")  # 3.11.2 is Debian 12's
PLATFORMS = (
    ("linux", "Linux", "x86_64"),
    ("linux", "Linux", "aarch64"),
    ("darwin", "Darwin", "arm64"),
    ("darwin", "Darwin", "x86_64"),
    ("win32", "Windows", "AMD64"),
)
ENVIRONMENTS = [
    {
        "python_full_version": version,
        "python_version": version.rpartition(".")[0],
        "sys_platform": platform,
        "platform_system": system,
        "platform_machine": machine,
        "platform_python_implementation": "CPython",
        "implementation_name": "cpython",
        "extra": "",
    }
    for version in VERSIONS
    for platform, system, machine in PLATFORMS
]
A, B, C = "a" * 64, "b" * 64, "c" * 64


def pins(name: str) -> tuple[Pin, ...]:
    return read_lock((LOCKS / f"{name}.txt").read_text())


def wanted(name: str) -> Iterator[Requirement]:
    """What a file is for, the project's own extras opened."""
    if name in GROUPS:
        yield from map(Requirement, GROUPS[name])
        return
    yield from map(Requirement, PROJECT["project"]["dependencies"])
    yield from _of_extra(name) if name in EXTRAS else ()


def _of_extra(name: str) -> Iterator[Requirement]:
    for line in EXTRAS[name]:
        requirement = Requirement(line)
        if requirement.name == "dragoman":
            for extra in requirement.extras:
                yield from _of_extra(extra)
        else:
            yield requirement


def taken(name: str, environment: dict[str, str]) -> list[Pin]:
    return [p for p in pins(name) if not p.marker or Marker(p.marker).evaluate(environment)]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("environment", ENVIRONMENTS, ids=lambda e: "-".join(list(e.values())[:5]))
def test_a_lock_fits_the_project(name: str, environment: dict[str, str]) -> None:
    versions = {pin.name: pin.version for pin in taken(name, environment)}
    assert len(versions) == len(taken(name, environment))  # one version of each
    for requirement in wanted(name):
        if requirement.name == "torch":  # for who installs it to choose
            continue
        if requirement.marker is None or requirement.marker.evaluate(environment):
            version = versions[canonicalize_name(requirement.name)]
            assert requirement.specifier.contains(version), requirement


@pytest.mark.parametrize("name", FILES)
def test_a_lock_has_hashes_and_no_index(name: str) -> None:
    text = (LOCKS / f"{name}.txt").read_text()
    assert "://" not in text
    assert "--index" not in text
    assert [pin.name for pin in read_lock(text) if not pin.hashes] == []


def test_no_version_has_other_files_in_another_lock() -> None:
    known: dict[tuple[str, str], tuple[str, ...]] = {}
    for name in FILES:
        for pin in pins(name):
            assert known.setdefault((pin.name, pin.version), pin.hashes) == pin.hashes, pin.name


def test_every_extra_has_a_lock_that_holds_it() -> None:
    """Of `dask` and `browser`: that of `dev`."""
    locked = {pin.name for name in FILES for pin in pins(name)}
    others = EXTRAS.keys() - {"page"}  # whose package is our own
    asked = {canonicalize_name(r.name) for extra in others for r in _of_extra(extra)}
    assert asked - locked == {"torch"}


def test_pins_are_read_and_written() -> None:
    text = (
        f"# Made\n"
        f"a-b==1.0 ; python_full_version < '3.12' \\\n"
        f"    --hash=sha256:{A} \\\n"
        f"    --hash=sha256:{B}\n"
    )
    (pin,) = read_lock(text)
    assert pin == Pin("a-b", "1.0", "python_full_version < '3.12'", (A, B))
    assert f"# Made\n{pin}\n" == text
    with pytest.raises(ValueError, match="not a line of a lock file: --index-url x"):
        read_lock("--index-url x\n")


def test_changes_are_told() -> None:
    before = [Pin("a", "1", "", (A,)), Pin("b", "1", "", (A, B)), Pin("c", "1", "", (A,))]
    after = [Pin("a", "2", "", (C,)), Pin("b", "1", "", (A, C)), Pin("d", "1", "x", (A,))]
    assert changes(before, after) == [
        "  a 1 -> 2", "  b 1: 1 files more, 1 less", "- c 1", "+ d ; x 1",
    ]  # fmt: skip
    assert changes(before, before) == []


def test_pytorch_is_for_who_installs_it_to_choose() -> None:
    left_out = [Pin(name, "2", "", (A,)) for name in ("torch", "triton", "nvidia-nccl-cu13")]
    sympy = Pin("sympy", "1", "", (B,))
    assert without_pytorch([*left_out, sympy]) == (sympy,)
    assert [pin.name for name in FILES for pin in pins(name) if PYTORCH.match(pin.name)] == []
