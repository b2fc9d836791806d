"""The wheels and the source distribution, as their users meet them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import dragoman
from dragoman.native.installed import PACKAGED, package_of
from tests.packages.conftest import BUILT, TIMEOUT, Environment, built
from tests.support.paths import MODELS, ROOT

PROGRAMS = Path(__file__).parent / "python"


def test_two_wheels_and_three_lines_are_a_translation(installed: Environment) -> None:
    done = installed.run("python", PROGRAMS / "three_lines.py")
    assert (done.stdout, done.stderr) == ("Good morning!\n", "")


def interpreter(version: str) -> Path | None:
    """One of this machine; pyenv's too, whose names on the path are not always to be run."""
    kept = sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python"))
    found = shutil.which(f"python{version}")
    for path in (*kept, *([Path(found)] if found else [])):
        if subprocess.run([path, "-c", ""], capture_output=True, check=False).returncode == 0:
            return path
    return None


@pytest.mark.parametrize("version", ["3.12", "3.13", "3.14"])
def test_other_versions_of_python(version: str, tmp_path: Path) -> None:
    python = interpreter(version)
    if python is None:
        pytest.skip(f"there is no Python {version} here")
    subprocess.run([python, "-m", "venv", tmp_path], check=True, timeout=TIMEOUT)
    made = Environment(tmp_path)
    made.install(built("dragoman-*.whl"), built("dragoman_model_de_en-*.whl"))
    done = made.run("python", PROGRAMS / "three_lines.py")
    assert (done.stdout, done.stderr) == ("Good morning!\n", "")


def test_the_command_is_there(installed: Environment) -> None:
    done = installed.run(
        "dragoman", "translate", "--from", "de", "--to", "en", text="Guten Morgen!\n"
    )
    assert (done.returncode, done.stdout) == (0, "Good morning!\n")
    version = installed.run("dragoman", "--version")
    assert version.stdout == f"dragoman {dragoman.__version__}\n"


def test_the_installed_model_is_listed_with_its_folder(installed: Environment) -> None:
    done = installed.run("dragoman", "models", "--json")
    (row,) = map(json.loads, done.stdout.splitlines())
    assert row["name"] == "de-en-tiny"
    assert row["path"].endswith("site-packages/dragoman_model_de_en")


def test_nothing_that_is_installed_is_at_odds(installed: Environment) -> None:
    done = installed.run("python", "-m", "pip", "check", "--disable-pip-version-check")
    assert done.stdout == "No broken requirements found.\n"


def test_without_a_model_it_says_what_to_install(bare: Environment) -> None:
    done = bare.run("python", PROGRAMS / "three_lines.py")
    assert done.stderr.splitlines()[-1] == (
        "dragoman.errors.LanguagePairError: there is no model from 'de' to 'en'; available: none. "
        "pip install dragoman-model-de-en installs one; "
        "dragoman models get de-en fetches it: 25.4 MB"
    )
    told = bare.run("dragoman", "translate", "--from", "de", "--to", "en", text="Danke!")
    assert (told.returncode, told.stdout) == (1, "")
    assert told.stderr == (
        "dragoman: there is no model from 'de' to 'en'; available: none. "
        "pip install dragoman-model-de-en installs one; "
        "dragoman models get de-en fetches it: 25.4 MB; or say --fetch\n"
    )


def test_an_extra_that_is_missing_is_named(bare: Environment) -> None:
    done = bare.run("dragoman", "serve")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.endswith("pip install 'dragoman[server]'\n")


# --- types -----------------------------------------------------------------------------------


def test_mypy_finds_the_types_of_the_installed_package(
    installed: Environment, tmp_path: Path
) -> None:
    command = [
        sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--config-file", "",
        "--python-executable", str(installed.python), str(PROGRAMS / "typed.py"),
    ]  # fmt: skip
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=TIMEOUT
    )
    assert done.stdout == "Success: no issues found in 1 source file\n"


def pyright(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """With a `PATH` of the environment, searched first."""
    path = f"{environment.pop('PATH', '')}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["node", ROOT / "node_modules" / "pyright" / "index.js", *arguments],
        env={**os.environ, **environment, "PATH": path},
        capture_output=True, text=True, check=False, timeout=TIMEOUT,
    )  # fmt: skip


def test_pyright_finds_the_types_of_the_installed_package(
    installed: Environment, tmp_path: Path
) -> None:
    settings = {
        "typeCheckingMode": "strict",
        "include": [str(PROGRAMS / "typed.py")],
        "venvPath": str(installed.folder.parent),
        "venv": installed.folder.name,
    }
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    done = pyright("--project", tmp_path)
    assert done.stdout.splitlines()[-1] == "0 errors, 0 warnings, 0 informations", done.stdout


def test_every_public_name_has_a_type(installed: Environment) -> None:
    """Those of `dragoman.__all__` and their members; rooms of the package are not for users."""
    environment = {"VIRTUAL_ENV": str(installed.folder), "PATH": f"{installed.folder}/bin"}
    found = pyright("--verifytypes", "dragoman", "--ignoreexternal", "--outputjson", **environment)
    symbols = json.loads(found.stdout)["typeCompleteness"]["symbols"]
    homes = {
        f"{value.__module__}.{name}" for name, value in public() if hasattr(value, "__module__")
    }
    ours = [s for s in symbols if any(_within(s["name"], home) for home in homes)]
    assert len(ours) > len(homes)
    assert [s["name"] for s in ours if not s["isTypeKnown"] and not s["isTypeAmbiguous"]] == []


def public() -> list[tuple[str, object]]:
    return [(name, getattr(dragoman, name)) for name in dragoman.__all__]


def _within(name: str, home: str) -> bool:
    return name == home or name.startswith(f"{home}.")


# --- what is in them ---------------------------------------------------------------------------


def metadata(wheel: Path) -> list[Requirement]:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [n for n in archive.namelist() if n.endswith(".dist-info/METADATA")]
        found = Parser().parsestr(archive.read(name).decode())
    return [Requirement(line) for line in found.get_all("Requires-Dist") or ()]


def test_pyodide_takes_sentencepiece_alone() -> None:
    pyodide = {"sys_platform": "emscripten", "platform_machine": "wasm32", "extra": ""}
    wanted = [r for r in metadata(built("dragoman-*.whl")) if _wanted(r, pyodide)]
    assert [str(r) for r in wanted] == ["sentencepiece==0.2.1"]


def test_macs_with_intel_do_without_onnxruntime() -> None:
    mac = {"sys_platform": "darwin", "platform_machine": "x86_64", "extra": ""}
    names = {r.name for r in metadata(built("dragoman-*.whl")) if _wanted(r, mac)}
    assert "numpy" in names
    assert "onnxruntime" not in names


def _wanted(requirement: Requirement, environment: dict[str, str]) -> bool:
    return requirement.marker is None or requirement.marker.evaluate(environment)


def test_the_wheel_has_the_kernel_of_every_platform() -> None:
    with zipfile.ZipFile(built("dragoman-*.whl")) as archive:
        libraries = [n.rpartition("/")[2] for n in archive.namelist() if "/libraries/" in n]
    assert sorted(libraries) == [
        "linux-aarch64.so", "linux-x86_64.so", "macos-aarch64.dylib", "macos-x86_64.dylib",
        "windows-x86_64.dll",
    ]  # fmt: skip


def test_the_source_distribution_builds_the_same_wheel(tmp_path: Path) -> None:
    with tarfile.open(built("dragoman-*.tar.gz")) as archive:
        archive.extractall(tmp_path, filter="data")
    (project,) = tmp_path.iterdir()
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", "."]
    subprocess.run(
        [*command, str(project)], cwd=tmp_path, capture_output=True, check=True, timeout=TIMEOUT
    )
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.read_bytes() == built("dragoman-*.whl").read_bytes()


@pytest.mark.parametrize("pair", PACKAGED)
def test_a_model_has_its_licence_and_its_card_with_it(pair: str) -> None:
    module = package_of(pair).replace("-", "_")
    with zipfile.ZipFile(built(f"{module}-*.whl")) as archive:
        names = archive.namelist()
        for file in ("manifest.json", "model.onnx", "vocabulary.spm", "MODEL_CARD.md"):
            found = archive.read(f"{module}/{file}")
            assert found == (MODELS / pair / file).read_bytes(), file
        (licence,) = [n for n in names if n.endswith("/licenses/LICENSE")]
        assert archive.read(licence).startswith(b"Attribution-ShareAlike 4.0 International")


def test_every_model_that_ships_is_packaged() -> None:
    shipped = {path.parent.name for path in MODELS.glob("*/manifest.json")}
    assert shipped == set(PACKAGED)
    assert len(list(BUILT.glob("dragoman_model_*.whl"))) == len(PACKAGED)
