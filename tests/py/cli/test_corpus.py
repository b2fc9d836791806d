"""`dragoman corpus` as a process, with the real model."""

from __future__ import annotations

import gzip
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dragoman.cli import app as cli
from dragoman.cli.corpus import Wanted
from dragoman.corpus.plan import STATE
from dragoman.corpus.shards import RowFormat
from tests.support.hosts import interruptible
from tests.support.waiting import until

COMMAND = [sys.executable, "-m", "dragoman", "corpus", "--from", "de", "--to", "en"]
SENTENCES = [
    "Guten Morgen!",
    "Das ist ein ganz gewöhnlicher Satz über das Wetter.",
    "",
    "Wir haben gestern im Park eine alte Freundin getroffen. Sie war froh.",
    "1984",
]


def lines(count: int) -> list[str]:
    return [f"{number}. {SENTENCES[number % 5]}" for number in range(count)]


def command(bundle: Path, *arguments: object) -> list[str]:
    return [*COMMAND, "--models", str(bundle), *map(str, arguments)]


def run(bundle: Path, *arguments: object) -> str:
    words = command(bundle, *arguments)
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    return done.stderr


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "a.txt").write_text("\n".join(lines(2_500)) + "\n", encoding="utf-8")
    (folder / "b.txt.gz").write_bytes(gzip.compress("\n".join(lines(200)).encode()))
    return folder


def until_first_shard(output: Path, process: subprocess.Popen[Any]) -> None:
    shards = output / STATE / "shards"
    until(lambda: list(shards.glob("*/[0-9]*")) or process.poll() is not None)
    assert process.poll() is None


def test_a_killed_run_and_other_numbers_of_processes_give_the_same_bytes(
    real_bundle: Path, source: Path, tmp_path: Path
) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    summary = run(real_bundle, source, "-o", whole, "--workers", 1)
    assert "2 files, 2,700 lines, " in summary
    with subprocess.Popen(
        command(real_bundle, source, "-o", killed, "--workers", 2), stderr=subprocess.PIPE
    ) as process:
        until_first_shard(killed, process)
        process.send_signal(signal.SIGKILL)
    again = run(real_bundle, source, "-o", killed, "--workers", 2)
    assert "shards were there already" in again
    for name, count in {"a.txt": 2_500, "b.txt": 199}.items():
        content = (whole / name).read_bytes()
        assert content.count(b"\n") == count
        assert (killed / name).read_bytes() == content
    nothing = run(real_bundle, source, "-o", killed)
    assert nothing == "dragoman: 2 files; everything was there already\n"


def test_ctrl_c_ends_with_130_and_can_go_on(
    real_bundle: Path, source: Path, tmp_path: Path
) -> None:
    words = command(real_bundle, source, "-o", tmp_path / "out", "--workers", 1)
    with subprocess.Popen(
        words,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=interruptible,
    ) as process:
        until_first_shard(tmp_path / "out", process)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all processes
        _, errors = process.communicate(timeout=60)
    said = "dragoman: the same command goes on from here\ndragoman: interrupted\n"
    assert (errors, process.returncode) == (said, 130)


def test_the_bar_shows_speed_and_time_left(real_bundle: Path, source: Path, tmp_path: Path) -> None:
    words = command(real_bundle, source, "-o", tmp_path / "out", "--workers", 1)
    master, slave = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, env=environment
    ) as process:
        os.close(slave)
        seen = b""
        while True:
            try:
                content = os.read(master, 4096)
            except OSError:  # the other side is closed
                break
            if not content:
                break
            seen += content
    os.close(master)
    assert process.returncode == 0
    for part in b"Translating", b"%", b"words/s", b" left":
        assert part in seen


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.txt", "--to", "en"], "nowhere.txt: No such file or directory"),
        (["nowhere.txt", "--to", "fr"], "there is no model from 'de' to 'fr'; available: de-en"),
        (["nowhere.txt", "--to", "en", "--dask", "nowhere"], "no Dask scheduler at nowhere"),
    ],
)
def test_what_is_wrong_is_one_line(
    real_bundle: Path, tmp_path: Path, arguments: list[str], message: str
) -> None:
    words = ["corpus", "--from", "de", "-o", str(tmp_path / "out"), "--models", str(real_bundle)]
    result = CliRunner().invoke(cli.app, [*words, *arguments])
    assert result.stderr.startswith(f"dragoman: {message}")
    assert result.stderr.count("\n") == 1
    assert result.exit_code == 1


def test_what_is_left_out_is_named_and_counted(real_bundle: Path, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "a.txt").write_text("Guten Morgen!\n")
    (source / "link").symlink_to("nowhere")
    words = command(real_bundle, source, "-o", tmp_path / "out", "--workers", 1)
    for _ in range(2):
        done = subprocess.run(words, capture_output=True, text=True, timeout=300)
        lines = done.stderr.splitlines()
        assert lines[0] == f"dragoman: left out: {source / 'link'}: a symbolic link to nothing"
        assert lines[-1] == "dragoman: 1 left out: see above"
        assert done.returncode == 1
    assert (tmp_path / "out" / "a.txt").read_text() == "Good morning!\n"


def test_a_language_pair_and_an_output_are_required() -> None:
    result = CliRunner().invoke(cli.app, ["corpus", "a.txt", "--from", "de", "--to", "en"])
    assert result.exit_code == 2
    assert "--output" in result.stderr


def test_a_glossary_counts_in_every_line_and_must_stay_the_same(
    real_bundle: Path, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("Der Rechner steht dort.\nEs regnet.\n")
    terms, out = tmp_path / "terms.tsv", tmp_path / "out"
    terms.write_text("Rechner\tworkstation\n")
    arguments = (tmp_path / "a.txt", "-o", out, "--workers", 1, "--glossary", terms)
    run(real_bundle, *arguments)
    first, second = (out / "a.txt").read_text().splitlines()
    assert "workstation" in first
    assert "workstation" not in second
    terms.write_text("Rechner\tabacus\n")
    words = command(real_bundle, *arguments)
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert done.returncode != 0
    assert "was begun with another glossary: 1 term (" in done.stderr


def test_an_encoding_is_not_found_out() -> None:
    words = ["corpus", "a.txt", "--from", "de", "--to", "en", "-o", "out", "--encoding", "auto"]
    result = CliRunner().invoke(cli.app, words)
    assert result.exit_code == 2
    assert "name the encoding: it is not found out for a corpus" in result.stderr


def test_a_narrower_tag_is_served_as_everywhere(real_bundle: Path) -> None:
    """And a run that was begun with one goes on with the other."""
    jobs = [
        Wanted(source, target, RowFormat.LINES, "utf-8", [real_bundle], None, None).job()
        for source, target in (("de", "en"), ("de-AT", "en-GB"))
    ]
    assert jobs[0] == jobs[1]
    assert (jobs[0].model.source, jobs[0].model.target) == ("de", "en")
