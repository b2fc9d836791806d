"""The command as a process: pipes, signals, a terminal, a full disk."""

from __future__ import annotations

import os
import pty
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dragoman import __version__
from dragoman.native.bundles import read_manifest
from tests.support.hosts import interruptible
from tests.support.waiting import until

COMMAND = [sys.executable, "-m", "dragoman"]


SCRIPT = Path(sys.executable).with_name("dragoman")


def process(*arguments: Any, stdin: bytes = b"", **options: Any) -> tuple[str, str, int]:
    words = [*COMMAND, *map(str, arguments)]
    run = subprocess.run(words, input=stdin, capture_output=True, timeout=120, **options)
    return run.stdout.decode(), run.stderr.decode(), run.returncode


def test_the_script_is_installed() -> None:
    run = subprocess.run([SCRIPT, "--version"], capture_output=True, text=True, check=True)
    assert run.stdout == f"dragoman {__version__}\n"


def test_the_real_model_on_a_pipe(real_bundle: Path) -> None:
    words = ["translate", "--from", "de", "--to", "en", "--models", real_bundle, "--threads", 1]
    output, errors, code = process(*words, "--lines", stdin=b"Guten Morgen!\n\nDanke.\n")
    assert code == 0, errors
    first, second, third, rest = output.split("\n")
    assert first.strip()
    assert second == ""
    assert third.strip()
    assert rest == ""


def test_a_wrong_pair_a_corrupt_model_and_bad_bytes(real_bundle: Path, tmp_path: Path) -> None:
    words = ["translate", "--models", real_bundle, "--from", "fr", "--to", "en"]
    _, errors, code = process(*words)
    assert (errors, code) == (
        "dragoman: there is no model from 'fr' to 'en'; available: de-en\n",
        1,
    )
    broken = tmp_path / "de-en"
    shutil.copytree(real_bundle, broken)
    path = broken / read_manifest(broken).file("graph").path
    path.write_bytes(path.read_bytes()[:-1])
    _, errors, code = process("translate", "--models", broken, "--from", "de", "--to", "en")
    assert "bytes, the manifest says" in errors
    assert errors.count("\n") == 1
    assert code == 1
    words = ["translate", "--models", real_bundle, "--from", "de", "--to", "en"]
    _, errors, code = process(*words, stdin=b"\xff")
    assert errors.startswith("dragoman: standard input is not utf-8: byte 0xFF at offset 0")
    assert code == 1


def test_a_reader_that_has_had_enough(real_bundle: Path, tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text("Guten Tag.\n" * 20_000)
    words = [*COMMAND, "translate", "--from", "de", "--to", "en", "--models", real_bundle]
    command = " ".join(map(str, [*words, "--lines", path])) + " | head -n 1"
    run = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, timeout=120
    )
    assert run.stdout.count("\n") == 1
    assert (run.stderr, run.returncode) == ("", 0)


@pytest.mark.parametrize(
    ("number", "said", "code"),
    [(signal.SIGINT, "dragoman: interrupted\n", 130), (signal.SIGTERM, "", -signal.SIGTERM)],
)
def test_a_signal_leaves_nothing_half_written(
    real_bundle: Path, tmp_path: Path, number: int, said: str, code: int
) -> None:
    path, output = tmp_path / "long.txt", tmp_path / "out.txt"
    path.write_text("Das ist ein ganz gewöhnlicher Satz.\n" * 20_000)
    words = ["translate", "--from", "de", "--to", "en", "--models", real_bundle, path, "-o", output]
    with subprocess.Popen(
        [*COMMAND, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=interruptible,
    ) as run:
        until(lambda: any(part.stat().st_size for part in tmp_path.glob(".out.txt.*.part")))
        run.send_signal(number)
        out, errors = run.communicate(timeout=30)
    assert (out, errors, run.returncode) == ("", said, code)
    assert list(tmp_path.iterdir()) == [path]


def test_a_signal_ends_the_host_of_the_extension() -> None:
    words = [*COMMAND, "host", "--extension-id", "a" * 32, f"chrome-extension://{'a' * 32}/"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as run:
        if run.stdin is None or run.stdout is None:
            raise RuntimeError("no pipes")
        run.stdin.write(b"\x02\x00\x00\x00{}")
        run.stdin.flush()
        assert run.stdout.read(4)  # it answers, and waits for more
        run.send_signal(signal.SIGTERM)
        assert run.wait(timeout=30) == -signal.SIGTERM


def test_the_bar_is_on_a_terminal_only(real_bundle: Path, tmp_path: Path) -> None:
    path, output = tmp_path / "a.txt", tmp_path / "out.txt"
    path.write_text("Das ist ein Satz.\n" * 300)
    words = ["translate", "--from", "de", "--to", "en", "--models", real_bundle, path, "-o", output]
    out, errors, _ = process(*words)
    assert out == ""
    assert "Translating" not in errors
    assert "\x1b" not in errors
    master, slave = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen(
        [*COMMAND, *map(str, words), "--threads", "1"],
        stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, env=environment,
    ) as run:  # fmt: skip
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
    assert run.returncode == 0
    assert b"Translating" in seen
    assert b"%" in seen
    assert output.read_text().count("\n") == 300


def test_a_full_disk_and_closed_streams_are_one_line(real_bundle: Path) -> None:
    words = ["translate", "--from", "de", "--to", "en", "--models", real_bundle]
    command = " ".join(map(str, [*COMMAND, *words]))
    for redirection, message in {
        ">/dev/full": "No space left on device",
        ">&-": "standard output is closed",
        "<&-": "standard input is closed",
    }.items():
        run = subprocess.run(
            ["bash", "-c", f"{command} {redirection}"], input=b"Hallo", capture_output=True
        )
        assert run.stderr.decode() == f"dragoman: {message}\n"
        assert run.returncode == 1


def test_nothing_in_nothing_out(real_bundle: Path) -> None:
    words = ["translate", "--from", "de", "--to", "en", "--models", real_bundle]
    assert process(*words, "--json") == ("", "", 0)


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_a_full_disk_is_one_line_of_what_no_command_answers_too(option: str) -> None:
    with Path("/dev/full").open("wb") as full:
        run = subprocess.run([*COMMAND, option], stdout=full, stderr=subprocess.PIPE)
    assert run.stderr == b"dragoman: No space left on device\n"
    assert run.returncode == 1
