"""`dragoman install-host` and `dragoman host`, as people and browsers call them."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dragoman import __version__
from dragoman.cli.app import app
from dragoman.messaging.extension import FIREFOX_ID

MANIFEST = ".mozilla/native-messaging-hosts/dragoman.host.json"
LAUNCHER = ".local/share/dragoman/host/dragoman-host"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def install_host(*words: str) -> tuple[str, int]:
    result = CliRunner().invoke(app, ["install-host", *words])
    return result.output, result.exit_code


def test_it_says_what_it_wrote_and_removes_it_again(home: Path) -> None:
    (home / ".mozilla").mkdir()
    output, code = install_host()
    assert output == (
        f"written: {home / LAUNCHER}\nwritten: {home / MANIFEST}\n"
        'Now switch on "Use the engine of this computer" in the settings of the extension.\n'
    )
    assert code == 0
    output, code = install_host("--remove")
    assert output == f"removed: {home / MANIFEST}\nremoved: {home / LAUNCHER}\n"
    assert code == 0
    assert install_host("--remove") == ("there is nothing to remove\n", 0)


def test_printing_writes_nothing(home: Path) -> None:
    output, code = install_host("--print", "--browser", "firefox")
    assert f"{home / LAUNCHER}:\n#!/bin/sh\n" in output
    assert f'{home / MANIFEST}:\n{{\n  "name": "dragoman.host"' in output
    assert code == 0
    assert list(home.iterdir()) == []


def test_printing_removes_nothing_either(home: Path) -> None:
    install_host("--browser", "firefox", "--browser", "chromium")
    written = sorted(path for path in home.rglob("*") if path.is_file())
    assert len(written) == 3
    for words in ["--browser", "firefox"], []:
        shown, code = install_host("--print", "--remove", *words)
        assert code == 0
        assert sorted(path for path in home.rglob("*") if path.is_file()) == written
        assert install_host("--remove", *words) == (shown.replace("would be removed", "removed"), 0)
        written = sorted(path for path in home.rglob("*") if path.is_file())
    assert written == []
    assert install_host("--print", "--remove") == ("there is nothing to remove\n", 0)


def test_without_a_browser_it_asks_for_one(home: Path) -> None:
    names = "chrome, chromium, edge, firefox"
    expected = f"dragoman: no browser was found; name one of {names} with --browser\n"
    assert install_host() == (expected, 1)
    assert list(home.iterdir()) == []


def frame(message: object) -> bytes:
    content = json.dumps(message).encode()
    return struct.pack("=I", len(content)) + content


def messages(output: bytes) -> list[Any]:
    result = []
    while output:
        (length,) = struct.unpack("=I", output[:4])
        result.append(json.loads(output[4 : 4 + length]))
        output = output[4 + length :]
    return result


def host(*words: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-P", "-m", "dragoman", "host", *words]
    return subprocess.run(command, input=stdin, capture_output=True, timeout=120, check=False)


def test_the_process_speaks_in_frames_and_ends_with_its_input(real_bundle: Path) -> None:
    run = host("--models", str(real_bundle), "--", "x.json", FIREFOX_ID,
               stdin=frame({"type": "hello"}) + frame({"type": "stop"}))  # fmt: skip
    ready, failed = messages(run.stdout)
    directions = [{"source": "de", "target": "en"}]
    assert ready == {"type": "ready", "release": __version__, "directions": directions}
    assert failed["error"]["code"] == "invalid-request"
    assert (run.stderr, run.returncode) == (b"", 0)


def test_a_wrong_caller_gets_nothing() -> None:
    run = host("--", "chrome-extension://other/", stdin=frame({"type": "hello"}))
    assert run.stdout == b""
    message = "the host is for Dragoman's extension, not for chrome-extension://other/"
    assert run.stderr.decode() == f"dragoman: {message}\n"
    assert run.returncode == 1


def test_help_does_not_name_what_browsers_start() -> None:
    help_ = CliRunner().invoke(app, ["--help"]).output
    assert "install-host" in help_
    assert "  host " not in help_
