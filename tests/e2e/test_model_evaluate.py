"""`dragoman model evaluate --browser`: the built site answers as the native core does."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROWS = ["de\ten", "Das ist gut.\tThat is good.", "Wir gehen nach Hause.\tWe are going home."]


def evaluate(data: Path, output: Path, *options: str) -> dict[str, object]:
    command = [sys.executable, "-m", "dragoman", "model", "evaluate", "--pair", "de-en"]
    command += ["--data", str(data), "--output", str(output), "--json", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    found: dict[str, object] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("browser", ["chromium", "firefox"])
def test_a_browser_scores_as_the_native_core(tmp_path: Path, browser: str) -> None:
    data = tmp_path / "dev.tsv"
    data.write_text("\n".join(ROWS) + "\n", encoding="utf-8")
    native = evaluate(data, tmp_path / "native.txt")
    found = evaluate(data, tmp_path / "browser.txt", "--browser", browser)
    assert found["sentences"] == 2
    assert found["bleu"] == native["bleu"]
    assert (tmp_path / "browser.txt").read_text() == (tmp_path / "native.txt").read_text()
