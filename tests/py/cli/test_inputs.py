"""What the command is given to read, and what it says of what it cannot read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.processes.command import translate


@pytest.mark.usefixtures("capitals")
def test_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    missing = translate(tmp_path / "nothing.txt")
    assert missing.stderr == f"dragoman: {tmp_path}/nothing.txt: No such file or directory\n"
    assert (missing.stdout, missing.exit_code) == ("", 1)
    folder = translate(tmp_path)
    assert folder.stderr == f"dragoman: {tmp_path}: Is a directory\n"
    assert folder.exit_code == 1


@pytest.mark.usefixtures("capitals")
def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise PermissionError(13, "Permission denied")

    path = tmp_path / "secret.txt"
    path.write_text("x")
    monkeypatch.setattr(Path, "open", refuse)  # the tests may run as root, who may read all
    result = translate(path)
    assert result.stderr == f"dragoman: {path}: Permission denied\n"
    assert result.exit_code == 1


@pytest.mark.usefixtures("capitals")
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"gr\xfc\xdfe", "byte 0xFC at offset 2; name its encoding with --encoding"),
        (b"\xef\xbb\xbfab\xff", "byte 0xFF at offset 5; name its encoding with --encoding"),
        (b"a" * 100_001 + b"\xe4", "byte 0xE4 at offset 100,001; name its encoding"),
        (b"\xed\xa0\x80", "byte 0xED at offset 0; name its encoding with --encoding"),
        ("Grüße".encode("utf-16"), "byte 0xFF at offset 0; it looks like UTF-16: try --encoding"),
    ],
)
def test_bytes_that_are_no_text_are_named(content: bytes, message: str) -> None:
    result = translate(stdin=content)
    assert result.stderr.startswith(f"dragoman: standard input is not utf-8: {message}")
    assert result.stderr.count("\n") == 1
    assert result.exit_code == 1


@pytest.mark.usefixtures("capitals")
@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-16-le", "cp1252", "utf-8-sig"])
def test_other_encodings(encoding: str) -> None:
    result = translate("--encoding", encoding, stdin="für zwei\n".encode(encoding))
    assert result.stdout_bytes == "FÜR ZWEI\n".encode()
