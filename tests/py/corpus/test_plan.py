"""What a run of a corpus refuses before it begins, and while it reads."""

from __future__ import annotations

import gzip
import lzma
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dragoman.corpus.plan import STATE, CorpusJob, LeftOut, list_inputs
from dragoman.corpus.run import CorpusProgress, translate_corpus
from dragoman.corpus.shards import RowFormat
from dragoman.errors import (
    InvalidRequestError,
)
from tests.support.processes.corpora import JOB, InThisProcess, make_corpus, run, written


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
        (replace(JOB, shard_lines=20), "was begun with another shard_lines: 10, now 20"),
        (replace(JOB, rows=RowFormat.TSV), "was begun with another rows: lines, now tsv"),
        (replace(JOB, encoding="latin-1"), "was begun with another encoding: utf-8, now latin-1"),
        (
            replace(JOB, model=replace(JOB.model, target="fr")),
            "was begun with another target: en, now fr",
        ),
        (replace(JOB, model=replace(JOB.model, digest="0")), "now 0"),
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


def test_a_file_that_may_not_be_read_is_left_out_of_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, expected = make_corpus(tmp_path, 20)
    secret = source / "secret.txt"
    secret.write_text("eins")
    opened = Path.open

    def closed(path: Path, *arguments: Any, **options: Any) -> Any:
        if path == secret:  # the tests may run as root, who may read all
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *arguments, **options)

    monkeypatch.setattr(Path, "open", closed)
    summary, _ = run([source], tmp_path / "out")
    assert summary.left_out == (LeftOut(secret, "Permission denied"),)
    assert written(tmp_path / "out") == expected
    assert refused([secret], tmp_path / "other") == f"{secret}: Permission denied"


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
        (
            "a.gz",
            gzip.compress(b"gut\n" * 5_000, mtime=0)[:-20],
            "is damaged: Compressed file ended",
        ),
        ("a.xz", b"no xz", "is damaged"),
        ("a.xz", lzma.compress(b"gut\n" * 50)[:-20], "is damaged: Compressed file ended"),
        ("a.gz", gzip.compress(b"gr\xfcn", mtime=0), "is not utf-8: byte 0xFC at offset 2"),
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


def test_links_in_circles(tmp_path: Path) -> None:
    source, _ = make_corpus(tmp_path, 10)
    circle = tmp_path / "circle"
    circle.symlink_to("circle")
    assert refused([circle], tmp_path / "out") == f"{circle}: Too many levels of symbolic links"
    with pytest.raises(OSError, match="Too many levels of symbolic links"):
        run([source], circle)
