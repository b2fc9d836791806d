from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from dragoman.errors import TrainingError
from dragoman.models.training import host

FOUND = {"LD_PRELOAD": "libjemalloc.so.2", "MALLOC_CONF": host.JEMALLOC}


@pytest.fixture(autouse=True)
def linux(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("LD_PRELOAD", raising=False)


def offer(monkeypatch: pytest.MonkeyPatch, library: str | None) -> None:
    monkeypatch.setattr(host, "find_library", lambda _: library)


def test_jemalloc_is_used_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, "libjemalloc.so.2")
    assert host.environment() == host.SHAPES | FOUND


def test_without_it_the_c_library_keeps_its_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, None)
    assert host.environment() == host.SHAPES | host.KEEPING


def test_what_somebody_preloads_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, "libjemalloc.so.2")
    monkeypatch.setenv("LD_PRELOAD", "libtcmalloc.so.4")
    assert host.environment() == host.SHAPES


def test_a_process_starts_again_once(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, "libjemalloc.so.2")
    started: list[dict[str, str]] = []
    monkeypatch.setattr(os, "execve", lambda *given: started.append(given[2]))
    host.use_environment()
    (variables,) = started
    values: dict[str, Any] = {name: variables[name] for name in host.SHAPES | FOUND}
    assert values == host.SHAPES | FOUND
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    host.use_environment()
    assert len(started) == 1


def test_on_windows_the_process_stays_the_one_that_the_shell_waits_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(os, "execve", lambda *_: pytest.fail("it was started again"))
    for name in host.SHAPES | host.KEEPING:
        monkeypatch.setenv(name, "before")
    host.use_environment()
    for name, value in (host.SHAPES | host.KEEPING).items():
        assert os.environ[name] == value


def test_two_do_not_train_in_one_folder(tmp_path: Path) -> None:
    run = tmp_path / "runs" / "de-en"
    refused = pytest.raises(TrainingError, match=f"another process trains in {run}")
    with host.alone(run), refused, host.alone(run):
        pass
    with host.alone(run):  # what the first left is no lock
        pass
