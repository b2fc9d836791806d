"""What `make packages` built, installed into fresh environments."""

from __future__ import annotations

import os
import subprocess
import venv
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.pages import browser as browser
from tests.support.pages import downloads as downloads
from tests.support.pages import playwright as playwright
from tests.support.paths import ROOT

BUILT = Path(os.environ.get("DRAGOMAN_PACKAGES", ROOT / "build" / "packages"))
# Longer than pip takes on a machine that has much else to do.
TIMEOUT = 600


def built(pattern: str) -> Path:
    """The one file of what was built."""
    found = sorted(BUILT.glob(pattern))
    if len(found) != 1:
        pytest.fail(f"{len(found)} files {pattern} in {BUILT}: run `make packages`")
    return found[0]


@dataclass(frozen=True)
class Environment:
    """A virtual environment without anything of the checkout."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    def run(self, *command: str | Path, text: str = "") -> subprocess.CompletedProcess[str]:
        """A command of the environment, in an empty folder, for a user who has nothing yet."""
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        program = self.folder / "bin" / command[0]
        kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG")}
        return subprocess.run(
            [program, *command[1:]], input=text, capture_output=True, text=True, cwd=home,
            env={**kept, "HOME": str(home), "PYTHONUTF8": "1"}, check=False, timeout=TIMEOUT,
        )  # fmt: skip

    def install(self, *packages: str | Path, lock: str = "dragoman") -> None:
        """With pip, beside what a file of `locks/` has: without an index, so that it is all."""
        command: list[str | Path] = [self.python, "-m", "pip", "install", "--quiet"]
        command += ["--disable-pip-version-check"]
        locked: tuple[str | Path, ...] = ("--require-hashes", "-r", ROOT / "locks" / f"{lock}.txt")
        own: tuple[str | Path, ...] = ("--no-index", *packages)
        for arguments in (locked, own):
            done = subprocess.run(
                [*command, *arguments],
                capture_output=True, text=True, check=False, timeout=TIMEOUT,
            )  # fmt: skip
            assert done.returncode == 0, done.stderr


@pytest.fixture(scope="session")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """`pip install dragoman`, and no model."""
    made = Environment(tmp_path_factory.mktemp("bare"))
    venv.create(made.folder, with_pip=True)
    made.install(built("dragoman-*.whl"))
    return made


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """`pip install dragoman dragoman-model-de-en`."""
    made = Environment(tmp_path_factory.mktemp("installed"))
    venv.create(made.folder, with_pip=True)
    made.install(built("dragoman-*.whl"), built("dragoman_model_de_en-*.whl"))
    return made
