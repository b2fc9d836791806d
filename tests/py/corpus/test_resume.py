"""Corpora: whatever dies when, a run goes on where it was."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dragoman.corpus.plan import STATE, LeftOut
from dragoman.corpus.run import CorpusProgress, translate_corpus
from dragoman.corpus.shards import RowFormat
from dragoman.errors import (
    InvalidRequestError,
)
from tests.support.processes.corpora import HOST, JOB, InThisProcess, make_corpus, run, written
from tests.support.waiting import until


def test_what_is_done_is_not_done_again(tmp_path: Path) -> None:
    source, expected = make_corpus(tmp_path, 100)
    run([source], tmp_path / "out")
    summary, submitted = run([source], tmp_path / "out")
    assert submitted == []
    assert (summary.lines, summary.words) == (0, 0)
    assert written(tmp_path / "out") == expected


class _Interrupt(BaseException):
    pass


@pytest.mark.parametrize("moment", range(0, 14, 2))
def test_an_interrupted_run_loses_and_doubles_nothing(tmp_path: Path, moment: int) -> None:
    source, expected = make_corpus(tmp_path, 100)
    reports = 0

    def interrupt(_: CorpusProgress) -> None:
        nonlocal reports
        reports += 1
        if reports > moment:
            raise _Interrupt

    first = InThisProcess()
    with pytest.raises(_Interrupt):
        translate_corpus([source], tmp_path / "out", JOB, first, interrupt)
    for name, content in written(tmp_path / "out").items():
        assert content == expected[name]
    summary, submitted = run([source], tmp_path / "out")
    assert written(tmp_path / "out") == expected
    assert len(submitted) < 12
    assert summary.lines + 10 * summary.skipped <= 110


def test_leftovers_of_a_death_between_two_steps_do_no_harm(tmp_path: Path) -> None:
    source, expected = make_corpus(tmp_path, 100)
    run([source], tmp_path / "out")
    shards = tmp_path / "out" / STATE / "shards" / "0"  # the file was renamed, these not removed
    shards.mkdir()
    (shards / "000000000").write_bytes(b"old")
    (tmp_path / "out" / "third").unlink()
    (tmp_path / "out" / ".third.part").write_bytes(b"half")
    third = tmp_path / "out" / STATE / "shards" / "2"
    third.mkdir()
    (third / ".000000001.part").write_bytes(b"half")
    run([source], tmp_path / "out")
    assert written(tmp_path / "out") == expected
    assert not shards.exists()


def test_rows_say_their_own_file_when_files_come_in_another_order(tmp_path: Path) -> None:
    files = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for path in files:
        path.write_text("eins\nzwei\n" * 15)
    job = replace(JOB, rows=RowFormat.JSONL)

    def interrupt(progress: CorpusProgress) -> None:
        if progress.lines:
            raise _Interrupt

    with pytest.raises(_Interrupt):
        translate_corpus(files, tmp_path / "out", job, InThisProcess(), interrupt)
    run(files[::-1], tmp_path / "out", job)
    for path in files:
        rows = (tmp_path / "out" / f"{path.name}.jsonl").read_text().splitlines()
        assert [json.loads(row)["file"] for row in rows] == [path.name] * 30


def test_a_run_that_is_killed_again_and_again(tmp_path: Path) -> None:
    _killed_again_and_again(tmp_path, lines=5_000, shard_lines=100, kills=4)


@pytest.mark.slow
@pytest.mark.skipif("DRAGOMAN_STRESS" not in os.environ, reason="make stress-corpus runs it")
def test_100_000_sentences_and_a_kill_in_the_middle(tmp_path: Path) -> None:
    _killed_again_and_again(tmp_path, lines=100_000, shard_lines=1_000, kills=3)


def _killed_again_and_again(folder: Path, lines: int, shard_lines: int, kills: int) -> None:
    source, expected = make_corpus(folder, lines)
    output = folder / "out"
    arguments = [output, 2, "lines", shard_lines, source]
    shards = lines // shard_lines
    for number in range(kills):
        with started(arguments) as process:
            alive_until(process, lambda n=number: _progress(output, shards) * (kills + 1) > n + 0.5)
            process.send_signal(signal.SIGKILL)
        for name, content in written(output).items():
            if not Path(name).name.startswith("."):
                assert content == expected[name]
    last = subprocess.run(
        [*HOST, *map(str, arguments)], capture_output=True, text=True, timeout=600, check=True
    )
    match = re.search(r"lines=(\d+)", last.stdout)
    assert match is not None
    assert int(match[1]) < lines  # not all over again
    assert written(output) == expected


# Files in the order in which they are worked at, and their shares of all lines.
JOINED = {"first.txt": 0.5, "sub/second.txt": 0.25, "third": 0.25}


def _progress(output: Path, shards: int) -> float:
    """The share of the shards that is on the disk, in files or by themselves."""
    share = 0.0
    for index, (name, part) in enumerate(JOINED.items()):
        waiting = len(list((output / STATE / "shards" / str(index)).glob("[0-9]*")))
        share += part if (output / name).exists() else waiting / shards
    return share


class started:  # noqa: N801
    """A host process that is gone when the context ends."""

    def __init__(self, arguments: list[Any]) -> None:
        self.process = subprocess.Popen(
            [*HOST, *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )

    def __enter__(self) -> subprocess.Popen[bytes]:
        return self.process

    def __exit__(self, *_: Any) -> None:
        self.process.kill()
        self.process.communicate()


def alive_until(process: subprocess.Popen[bytes], condition: Any) -> None:
    until(lambda: condition() or process.poll() is not None)
    assert process.poll() is None, "it ended before it could be killed"


def test_no_process_outlives_a_run_that_was_killed(tmp_path: Path) -> None:
    import psutil

    source, _ = make_corpus(tmp_path, 5_000)
    with started([tmp_path / "out", 2, "lines", 10, source]) as process:
        alive_until(process, lambda: _progress(tmp_path / "out", 500) > 0)
        children = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGKILL)
    assert len(children) >= 2
    _, alive = psutil.wait_procs(children, timeout=60)
    assert alive == []


def test_a_shard_of_a_text_that_was_put_back_is_not_taken_for_another(tmp_path: Path) -> None:
    """The file is another while it is read, which is refused, and then what it was again."""
    path = tmp_path / "a.txt"
    text = "".join(f"eins {number}\n" for number in range(100))
    path.write_text(text)
    edited = InThisProcess()
    hashed: list[Any] = []

    def edit(_: LeftOut) -> None:
        """Between the hash and the reading: there is a dangling link to hear of."""
        path.write_text(text.replace("eins", "zwei"))
        hashed.append(path)

    folder = tmp_path / "source"
    folder.mkdir()
    path = path.rename(folder / "a.txt")
    (folder / "link").symlink_to("nowhere")
    with pytest.raises(InvalidRequestError, match=r"a\.txt has changed"):
        translate_corpus([folder], tmp_path / "out", JOB, edited, on_left_out=edit)
    assert hashed
    assert len(edited.submitted) == 10
    path.write_text(text)
    summary, submitted = run([folder], tmp_path / "out")
    assert written(tmp_path / "out") == {"a.txt": text.upper().encode()}
    assert (summary.skipped, len(submitted)) == (0, 10)
