"""The image of the server: linted, and its steps run: what builds images is not everywhere."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.packages.conftest import BUILT, TIMEOUT
from tests.support.paths import ROOT

IMAGE = ROOT / "image"
DOCKERFILE = (IMAGE / "Dockerfile").read_text()
# The image may have 350 MB, of which python:3.11-slim-bookworm has 130.
APP_MB = 220
USER = 10001


@pytest.fixture(scope="module")
def app() -> Iterator[Path]:
    """What `install.sh` makes, where every user may read it."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    command = [IMAGE / "install.sh", BUILT, ROOT / "locks" / "server.txt", folder / "app"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIMEOUT)
    assert done.returncode == 0, done.stderr
    yield folder / "app"
    shutil.rmtree(folder)


def words(instruction: str) -> list[str]:
    """Of an instruction that has them as JSON; the health check's begins with spaces."""
    found = re.findall(rf"^{instruction} (\[.*\])$", DOCKERFILE, re.MULTILINE)
    return list(json.loads(found[0]))


def test_hadolint_finds_nothing() -> None:
    done = subprocess.run(
        [Path(sys.executable).parent / "hadolint", IMAGE / "Dockerfile"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_it_runs_as_nobody_and_writes_nowhere_but_in_its_volume() -> None:
    service = yaml.safe_load((IMAGE / "compose.yaml").read_text())["services"]["dragoman"]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["ports"] == ["127.0.0.1:8765:8765"]
    assert service["volumes"] == ["models:/models"]
    assert DOCKERFILE.count("\nUSER ") == 1
    assert f"\nUSER {USER}\n" in DOCKERFILE


def test_it_is_small_enough(app: Path) -> None:
    size = sum(path.lstat().st_size for path in app.rglob("*"))
    assert size < APP_MB * 1_000_000


def test_the_server_translates_and_the_health_check_passes(app: Path, tmp_path: Path) -> None:
    """By the words of the Dockerfile; it leaves no file behind."""
    before = {path for path in app.rglob("*") if "__pycache__" not in path.parts}
    command = [word.replace("8765", "0") for word in words("CMD")]
    environment = {"DRAGOMAN_STORE": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    with subprocess.Popen(
        [app / "bin" / "dragoman", *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, cwd="/", env=environment,
    ) as server:  # fmt: skip
        assert server.stdout is not None
        try:
            told = []
            for line in server.stdout:
                told.append(line)
                if "Application startup complete" in line:
                    break
            port = re.search(r"http://[\w.]+:(\d+)", "".join(told))
            assert port, told
            health = [word.replace("8765", port[1]) for word in words("  CMD")]
            health[0] = str(app / "bin" / "python")
            done = subprocess.run(health, capture_output=True, text=True, check=False, timeout=60)
            assert (done.returncode, done.stderr) == (0, "")
            asked = urllib.request.Request(
                f"http://127.0.0.1:{port[1]}/v1/translate",
                b'{"text": "Guten Morgen!", "source": "de", "target": "en"}',
                {"Content-Type": "application/json"},
            )
            with urllib.request.urlopen(asked, timeout=60) as answer:
                assert json.load(answer)["text"] == "Good morning!"
        finally:
            server.terminate()
    assert {path for path in app.rglob("*") if "__pycache__" not in path.parts} == before
