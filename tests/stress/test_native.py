"""The stress test of `make stress`, small: nothing is lost, doubled or left over."""

import json
import subprocess
import sys

import pytest

from tests.stress import native
from tests.support.paths import ROOT


@pytest.mark.parametrize("seed", [1, 2])
def test_some_hundred_mixed_requests_with_faults(seed: int) -> None:
    command = [sys.executable, "-m", native.__name__, "--faults", "0.2"]
    command += ["--requests", "600", "--seed", str(seed)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=ROOT)
    assert run.returncode == 0, run.stdout + run.stderr
    report = json.loads(run.stdout.splitlines()[-1])
    assert (report["submitted"], report["settled"]) == (600, 600)
    assert (report["lost"], report["doubled"], report["wrong"]) == (0, 0, [])
    assert not any(report["leftovers"].values())
    assert set(report["kinds"]) == {"request", "stream", "graph"}
    for end in "request done", "stream done", "graph done":
        assert report["ends"][end] > 0  # the faults did not end everything
    assert report["outputs"]["done"] > 0
    assert sum(report["faults"].values()) > report["faults"]["none"]
