"""Corpora: nothing lost, nothing doubled, whatever dies when; and what is refused."""

from __future__ import annotations

import gzip
import json
import lzma
import multiprocessing
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dragoman.corpus.executors import LocalProcesses
from dragoman.corpus.plan import STATE, CorpusJob, LeftOut, list_inputs
from dragoman.corpus.run import CorpusProgress, CorpusSummary, translate_corpus
from dragoman.corpus.shards import RowFormat, Shard, TranslatedShard, translate_shard
from dragoman.errors import (
    BundleMismatchError,
    DragomanError,
    EngineError,
    InvalidRequestError,
    LanguagePairError,
)
from tests.support import corpus_host
from tests.support.paths import ROOT

HOST = [sys.executable, "-m", corpus_host.__name__]
JOB = CorpusJob(corpus_host.MODEL, shard_lines=10)


class InThisProcess:
    """Translates at once, where it is asked."""

    size = 2

    def __init__(self) -> None:
        self.submitted: list[Shard] = []

    def submit(self, shard: Shard) -> Future[TranslatedShard]:
        self.submitted.append(shard)
        future: Future[TranslatedShard] = Future()
        try:
            future.set_result(translate_shard(shard, corpus_host.load_capitals))
        except Exception as error:
            future.set_exception(error)
        return future

    def restart(self) -> None:
        raise AssertionError("nothing was lost")

    def close(self) -> None:
        """Nothing to end."""


def run(
    sources: list[Path], output: Path, job: CorpusJob = JOB
) -> tuple[CorpusSummary, list[Shard]]:
    executor = InThisProcess()
    return translate_corpus(sources, output, job, executor), executor.submitted


def written(output: Path) -> dict[str, bytes]:
    """The translations, by name."""
    return {
        path.relative_to(output).as_posix(): path.read_bytes()
        for path in sorted(output.rglob("*"))
        if path.is_file() and STATE not in path.parts
    }


def sentence(number: int) -> str:
    words = random.Random(number).choices(["grüner", "wald", "ist", "ein", "haus", "😀"], k=6)
    return f"{number}: {' '.join(words)}."


def make_corpus(folder: Path, lines: int) -> tuple[Path, dict[str, bytes]]:
    """A folder with a plain, a compressed and a nested file; and what they must become."""
    source = folder / "source"
    (source / "sub").mkdir(parents=True)
    sentences = [sentence(number) for number in range(lines)]
    half, most = lines // 2, lines * 3 // 4
    first = "\n".join(sentences[:half]) + "\n"
    second = "\r\n".join(sentences[half:most]) + "\r\n"
    third = "\n".join(["", *sentences[most:]])  # begins empty, does not end
    (source / "first.txt").write_bytes(first.encode())
    (source / "sub" / "second.txt.gz").write_bytes(gzip.compress(second.encode()))
    (source / "third.xz").write_bytes(lzma.compress(third.encode()))
    (source / ".hidden").write_text("nicht übersetzen")
    texts = {"first.txt": first, "sub/second.txt": second, "third": third}
    return source, {name: text.upper().encode() for name, text in texts.items()}


# --- what comes out --------------------------------------------------------------------------


def test_a_folder_is_translated_line_by_line(tmp_path: Path) -> None:
    source, expected = make_corpus(tmp_path, 100)
    summary, _ = run([source], tmp_path / "out")
    assert written(tmp_path / "out") == expected
    assert (summary.files, summary.lines, summary.skipped) == (3, 101, 0)
    assert summary.words == sum(len(text.split()) for text in expected.values())
    assert [path.name for path in (tmp_path / "out" / STATE / "shards").iterdir()] == []


@pytest.mark.parametrize(
    ("content", "translation"),
    [
        (b"", b""),
        (b"\n", b"\n"),
        (b"\n\n", b"\n\n"),
        (b"ab", b"AB"),
        (b"a\r\nb\rc\n", b"A\r\nB C\n"),
        ("\ufeffü\n".encode(), "Ü\n".encode()),
        (b"x" * 5_000 + b"\n", b"X" * 5_000 + b"\n"),
        (b"ein satz. " * 30_000, b"EIN SATZ. " * 30_000),
    ],
)
def test_every_line_break_is_kept(tmp_path: Path, content: bytes, translation: bytes) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    run([path], tmp_path / "out")
    assert written(tmp_path / "out") == {"a.txt": translation}


def test_tsv_has_source_translation_score_and_links(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("guten\ttag\n\nzwei", encoding="utf-8")
    run([path], tmp_path / "out", replace(JOB, rows=RowFormat.TSV))
    assert written(tmp_path / "out") == {
        "a.txt.tsv": b"guten tag\tGUTEN TAG\t1.0000\t0-5:0-5 6-9:6-9\n"
        b"\t\t1.0000\t\n"
        b"zwei\tZWEI\t1.0000\t0-4:0-4\n"
    }


def test_json_lines_have_everything_but_what_differs_from_run_to_run(tmp_path: Path) -> None:
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress("eins\n😀 zwei\n".encode()))
    run([path], tmp_path / "out", replace(JOB, rows=RowFormat.JSONL))
    (content,) = written(tmp_path / "out").values()
    _, second = (json.loads(line) for line in content.decode().splitlines())
    assert second == {
        "file": "a.txt.gz",
        "line": 2,
        "source": "😀 zwei",
        "text": "😀 ZWEI",
        "unit": "codepoint",
        "sentences": [{"source": [0, 6], "target": [0, 6], "score": 1.0, "doubtful": False}],
        "alignment": {
            "sourceWords": [[0, 1], [2, 6]],
            "targetWords": [[0, 1], [2, 6]],
            "links": [[0, 0], [1, 1]],
            "scores": [1.0, 1.0],
        },
        "soft": None,
        "content": None,
        "terms": None,
        "warnings": [],
    }


def test_progress_reaches_the_whole_and_counts_words(tmp_path: Path) -> None:
    source, expected = make_corpus(tmp_path, 100)
    seen: list[CorpusProgress] = []
    translate_corpus([source], tmp_path / "out", JOB, InThisProcess(), seen.append)
    listing = list_inputs([source], tmp_path / "out", JOB.rows)
    total = sum(file.bytes for file in listing.inputs)
    assert (seen[-1].done, seen[-1].total, seen[-1].skipped) == (total, total, 0)
    assert seen[-1].words == sum(len(text.split()) for text in expected.values())
    assert seen[-1].seconds_left == 0
    assert [p.done for p in seen] == sorted(p.done for p in seen)


# --- going on --------------------------------------------------------------------------------


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
            until(lambda n=number: _progress(output, shards) * (kills + 1) > n + 0.5, process)
            process.send_signal(signal.SIGKILL)
        for name, content in written(output).items():
            if not Path(name).name.startswith("."):
                assert content == expected[name]
    last = subprocess.run(
        [*HOST, *map(str, arguments)], capture_output=True, text=True, timeout=600, check=True
    )
    found = re.search(r"lines=(\d+)", last.stdout)
    assert found is not None
    assert int(found[1]) < lines  # not all over again
    assert written(output) == expected


# Files in the order in which they are worked at, and their shares of all lines.
JOINED = {"first.txt": 0.5, "sub/second.txt": 0.25, "third": 0.25}


def _progress(output: Path, shards: int) -> float:
    """The share of the shards that is on the disk, in files or by themselves."""
    found = 0.0
    for index, (name, part) in enumerate(JOINED.items()):
        waiting = len(list((output / STATE / "shards" / str(index)).glob("[0-9]*")))
        found += part if (output / name).exists() else waiting / shards
    return found


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


def until(condition: Any, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 300
    while not condition():
        assert process.poll() is None, "it ended before it could be killed"
        assert time.monotonic() < end
        time.sleep(0.005)


def test_no_process_outlives_a_run_that_was_killed(tmp_path: Path) -> None:
    import psutil

    source, _ = make_corpus(tmp_path, 5_000)
    with started([tmp_path / "out", 2, "lines", 10, source]) as process:
        until(lambda: _progress(tmp_path / "out", 500) > 0, process)
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


# --- processes -------------------------------------------------------------------------------


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
        with pytest.raises(DragomanError, match="an unforeseen error: OddError"):
            translate_corpus([path], tmp_path / "out", JOB, odd)
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


def test_a_cluster_that_is_not_there_is_a_typed_error() -> None:
    from dragoman.corpus.executors import DaskCluster

    with pytest.raises(EngineError, match="no Dask scheduler at no-address"):
        DaskCluster("no-address")


# --- what is refused -------------------------------------------------------------------------


def refused(sources: list[Path], output: Path, job: CorpusJob = JOB) -> str:
    with pytest.raises(InvalidRequestError) as caught:
        run(sources, output, job)
    return caught.value.message


def test_an_input_that_has_changed_is_refused(tmp_path: Path) -> None:
    source, expected = make_corpus(tmp_path, 100)
    output = tmp_path / "out"
    run([source], output)
    path = source / "first.txt"
    content = path.read_bytes()
    path.write_bytes(content + b"mehr\n")
    assert refused([source], output) == (
        "first.txt has changed since its translation was begun "
        f"({len(content):,} bytes then, {len(content) + 5:,} now); "
        "name another folder with --output"
    )
    path.write_bytes(b"x" + content[1:])
    assert refused([source], output).startswith("first.txt has changed")
    path.unlink()
    assert refused([source], output) == (
        f"first.txt is no longer among the inputs of what was begun in {output}"
    )
    path.write_bytes(content)
    (source / "fourth.txt").write_text("neu")
    assert refused([source], output) == (
        f"fourth.txt is new among the inputs of what was begun in {output}"
    )
    (source / "fourth.txt").unlink()
    run([source], output)
    assert written(output) == expected


def test_an_input_that_changes_while_it_is_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("eins\n" * 100)
    agreed = list_inputs

    def hashed_before_the_change(*arguments: Any) -> Any:
        found = agreed(*arguments)
        path.write_text("zwei\n" * 100)
        return found

    monkeypatch.setattr("dragoman.corpus.run.list_inputs", hashed_before_the_change)
    assert refused([path], tmp_path / "out").startswith("a.txt has changed")
    assert written(tmp_path / "out") == {}


@pytest.mark.parametrize(
    ("job", "message"),
    [
        (replace(JOB, shard_lines=20), "was begun with shard_lines 10, not 20"),
        (replace(JOB, rows=RowFormat.TSV), "was begun with rows lines, not tsv"),
        (replace(JOB, encoding="latin-1"), "was begun with encoding utf-8, not latin-1"),
        (
            replace(JOB, model=replace(JOB.model, target="fr")),
            "was begun with target en, not fr",
        ),
        (replace(JOB, model=replace(JOB.model, digest="0")), "not 0"),
    ],
)
def test_other_settings_are_refused(tmp_path: Path, job: CorpusJob, message: str) -> None:
    source, _ = make_corpus(tmp_path, 20)
    run([source], tmp_path / "out")
    assert message in refused([source], tmp_path / "out", job)


def test_what_is_already_there_is_not_overwritten(tmp_path: Path) -> None:
    source, _ = make_corpus(tmp_path, 20)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "third").write_text("precious")
    assert refused([source], tmp_path / "out") == (
        f"{tmp_path}/out/third exists already; name an empty folder with --output"
    )
    assert (tmp_path / "out" / "third").read_text() == "precious"


def test_two_files_of_one_name_and_an_output_inside_of_a_source(tmp_path: Path) -> None:
    source, _ = make_corpus(tmp_path, 20)
    (source / "third").write_text("x")
    assert "would both be written to third" in refused([source], tmp_path / "out")
    assert "is inside of the source" in refused([source], source / "out")
    assert "is inside of the source" in refused([source], source)


@pytest.mark.parametrize("first", ["news.gz", "news"])
def test_no_output_is_a_folder_of_another(tmp_path: Path, first: str) -> None:
    source = tmp_path / "source"
    (source / "news").mkdir(parents=True)
    (source / "news" / "a.txt").write_text("eins")
    other = tmp_path / first
    other.write_bytes(gzip.compress(b"zwei") if first == "news.gz" else b"zwei")
    for sources in [source, other], [other, source]:
        assert refused(sources, tmp_path / "out") == (
            f"{other} would be written to news, which {source / 'news' / 'a.txt'} needs as a folder"
        )
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", [STATE, ".a.txt.part"])
def test_no_output_is_where_work_is_kept(tmp_path: Path, name: str) -> None:
    for path in tmp_path / "a.txt", tmp_path / name:
        path.write_text("eins")
    message = refused([tmp_path / "a.txt", tmp_path / name], tmp_path / "out")
    assert message == (
        f"{tmp_path / name} would be written to {name}, where work under way is kept"
    )


def test_a_file_where_a_folder_is_needed(tmp_path: Path) -> None:
    source, _ = make_corpus(tmp_path, 20)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "sub").write_text("precious")
    assert refused([source], tmp_path / "out") == (
        f"{tmp_path}/out/sub exists already; name an empty folder with --output"
    )


def test_what_is_no_file_is_left_out_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, expected = make_corpus(tmp_path, 20)
    (source / "dangling").symlink_to("nowhere")
    (source / "folder").symlink_to(tmp_path)
    (source / "circle").symlink_to("circle")
    os.mkfifo(source / "pipe")
    (source / "closed").mkdir()
    (source / "linked.txt").symlink_to("first.txt")
    scandir = os.scandir

    def closed(path: Any) -> Any:
        if path == str(source / "closed"):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", closed)
    heard: list[LeftOut] = []
    summary = translate_corpus(
        [source], tmp_path / "out", JOB, InThisProcess(), on_left_out=heard.append
    )
    assert {item.path.name: item.why for item in heard} == {
        "closed": "Permission denied",
        "dangling": "a symbolic link to nothing",
        "folder": "a symbolic link to a folder",
        "circle": "a symbolic link to nothing",
        "pipe": "not a regular file",
    }
    assert summary.left_out == tuple(heard)
    assert written(tmp_path / "out") == {**expected, "linked.txt": expected["first.txt"]}


def test_a_pipe_is_no_source(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert refused([tmp_path / "pipe"], tmp_path / "out") == (
        f"{tmp_path / 'pipe'} is not a regular file"
    )
    assert refused([Path("/dev/zero")], tmp_path / "out") == "/dev/zero is not a regular file"


def test_nothing_and_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert refused([tmp_path / "empty"], tmp_path / "out") == "there is no file to translate"
    missing = tmp_path / "nowhere"
    assert refused([missing], tmp_path / "out") == f"{missing}: No such file or directory"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", b"gut\n" * 50 + b"gr\xfcn\n", "is not utf-8: byte 0xFC at offset 202"),
        ("a.gz", b"no gzip", "is damaged: Not a gzipped file"),
        ("a.gz", gzip.compress(b"gut\n" * 5_000)[:-20], "is damaged: Compressed file ended"),
        ("a.xz", b"no xz", "is damaged"),
        ("a.xz", lzma.compress(b"gut\n" * 50)[:-20], "is damaged: Compressed file ended"),
        ("a.gz", gzip.compress(b"gr\xfcn"), "is not utf-8: byte 0xFC at offset 2"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    found = refused([path], tmp_path / "out")
    assert found.startswith(str(path))
    assert message in found


def test_two_runs_at_once_are_refused(tmp_path: Path) -> None:
    source, expected = make_corpus(tmp_path, 20)
    nested: list[str] = []

    def again(_: CorpusProgress) -> None:
        if not nested:
            nested.append(refused([source], tmp_path / "out"))

    translate_corpus([source], tmp_path / "out", JOB, InThisProcess(), again)
    assert nested == [f"another run is at work in {tmp_path}/out"]
    assert written(tmp_path / "out") == expected


@pytest.mark.parametrize("plan", ["{", "[]", '{"format": 2}'])
def test_a_plan_that_cannot_be_read(tmp_path: Path, plan: str) -> None:
    source, _ = make_corpus(tmp_path, 20)
    run([source], tmp_path / "out")
    (tmp_path / "out" / STATE / "plan.json").write_text(plan)
    assert "plan.json" in refused([source], tmp_path / "out")
