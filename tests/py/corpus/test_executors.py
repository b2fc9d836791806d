"""Where shards are translated: processes, a cluster, and what is lost there."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from dragoman.corpus.executors import LocalProcesses
from dragoman.corpus.run import CorpusProgress, translate_corpus
from dragoman.errors import (
    BundleMismatchError,
    DragomanError,
    EngineError,
    LanguagePairError,
)
from tests.support.paths import ROOT
from tests.support.processes import corpus_host
from tests.support.processes.corpora import JOB, make_corpus, written


@pytest.fixture
def processes() -> Iterator[LocalProcesses]:
    made = LocalProcesses(2, corpus_host.load_capitals)
    yield made
    made.close()


def test_processes_give_the_same_bytes(tmp_path: Path, processes: LocalProcesses) -> None:
    source, expected = make_corpus(tmp_path, 300)
    translate_corpus([source], tmp_path / "out", JOB, processes)
    assert written(tmp_path / "out") == expected


def test_a_process_that_is_lost_is_made_up_for(tmp_path: Path, processes: LocalProcesses) -> None:
    source, expected = make_corpus(tmp_path, 500)
    killed: list[int] = []

    def kill(_: CorpusProgress) -> None:
        children = [c for c in multiprocessing.active_children() if c.pid not in killed]
        if len(killed) < 2 and children and children[0].pid:
            killed.append(children[0].pid)
            os.kill(children[0].pid, signal.SIGKILL)

    summary = translate_corpus([source], tmp_path / "out", JOB, processes, kill)
    assert len(killed) == 2
    assert written(tmp_path / "out") == expected
    assert summary.lines == 501


def test_processes_that_are_lost_again_and_again_are_an_error(tmp_path: Path) -> None:
    source, _ = make_corpus(tmp_path, 20)
    executor = LocalProcesses(1, corpus_host.load_and_die)
    try:
        with pytest.raises(EngineError, match="the processes were lost 3 times"):
            translate_corpus([source], tmp_path / "out", JOB, executor)
    finally:
        executor.close()


def test_windows_has_at_most_61_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr("dragoman.corpus.executors.cores", lambda: 96)
    for wanted in 0, 100:
        executor = LocalProcesses(wanted, corpus_host.load_capitals)
        executor.close()
        assert executor.size == 61


def test_an_error_of_a_line_names_its_place_and_crosses_processes(
    tmp_path: Path, processes: LocalProcesses
) -> None:
    other = replace(JOB, model=replace(JOB.model, digest="another"))
    path = tmp_path / "a.txt"
    path.write_text("eins\n")
    with pytest.raises(BundleMismatchError, match="another model from 'de' to 'en'") as caught:
        translate_corpus([path], tmp_path / "out", other, processes)
    assert caught.value.details["expected"] == "another"


def test_what_is_wrong_in_a_process_is_said_as_it_is(tmp_path: Path) -> None:
    """A model that was removed, an error of a library that cannot be pickled: no lost process."""
    path = tmp_path / "a.txt"
    path.write_text("eins\n")
    removed = LocalProcesses(1, corpus_host.load_nothing)
    try:
        with pytest.raises(LanguagePairError, match="no model from 'de' to 'en'; available: none"):
            translate_corpus([path], tmp_path / "out", JOB, removed)
    finally:
        removed.close()
    odd = LocalProcesses(1, corpus_host.load_and_fail_oddly)
    try:
        with pytest.raises(DragomanError, match="unforeseen reason") as caught:
            translate_corpus([path], tmp_path / "out", JOB, odd)
        assert "OddError" in repr(caught.value.__cause__)
    finally:
        odd.close()


def test_a_dask_cluster_gives_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from distributed import LocalCluster

    from dragoman.corpus.executors import DaskCluster

    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    source, expected = make_corpus(tmp_path, 300)
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None,
        host="127.0.0.1",
    ) as cluster:  # fmt: skip
        executor = DaskCluster(cluster.scheduler_address, corpus_host.load_capitals)
        try:
            assert executor.size == 2
            translate_corpus([source], tmp_path / "out", JOB, executor)
        finally:
            executor.close()
    assert written(tmp_path / "out") == expected


@pytest.mark.parametrize("address", ["no-address", "tcp://10.0.0.5", "http://127.0.0.1:8786"])
def test_what_is_no_address_of_a_cluster_begins_no_client(
    monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    """One that was begun waits 20 seconds to be closed, and writes a traceback."""
    import distributed

    from dragoman.corpus.executors import DaskCluster

    monkeypatch.setattr(distributed, "Client", lambda *_, **__: pytest.fail("it was begun"))
    with pytest.raises(EngineError, match=f"no Dask scheduler at {address}: "):
        DaskCluster(address)
