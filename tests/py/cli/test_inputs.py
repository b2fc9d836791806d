"""What the command is given to read, and what it says of what it cannot read."""

from __future__ import annotations

import codecs
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
    ],
)
def test_bytes_that_are_no_text_are_named(content: bytes, message: str) -> None:
    result = translate(stdin=content)
    assert result.stderr.startswith(f"dragoman: standard input is not utf-8: {message}")
    assert result.stderr.count("\n") == 1
    assert result.exit_code == 1


@pytest.mark.usefixtures("capitals")
def test_bytes_that_are_none_of_the_encoding_that_was_named() -> None:
    result = translate("--encoding", "utf-8", stdin="Grüße".encode("utf-16"))
    said = "byte 0xFF at offset 0; it looks like UTF-16: try --encoding utf-16"
    assert result.stderr == f"dragoman: standard input is not utf-8: {said}\n"


_LITTLE, _BIG = codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE


@pytest.mark.usefixtures("capitals")
@pytest.mark.parametrize(
    ("content", "options", "written"),
    [
        (_LITTLE + "für\n".encode("utf-16-le"), (), _LITTLE + "FÜR\n".encode("utf-16-le")),
        (_BIG + "für\n".encode("utf-16-be"), (), _BIG + "FÜR\n".encode("utf-16-be")),
        (
            codecs.BOM_UTF32_LE + "für\n".encode("utf-32-le"),
            (),
            codecs.BOM_UTF32_LE + "FÜR\n".encode("utf-32-le"),
        ),
        (codecs.BOM_UTF8 + "für\n".encode(), (), codecs.BOM_UTF8 + "FÜR\n".encode()),
        ("für\n".encode(), (), "FÜR\n".encode()),
        (_BIG + "für\n".encode("utf-16-be"), ("utf-16",), _BIG + "FÜR\n".encode("utf-16-be")),
        ("für\n".encode("utf-16-be"), ("utf-16-be",), "FÜR\n".encode("utf-16-be")),
        ("für\n".encode("latin-1"), ("latin-1",), "FÜR\n".encode()),
    ],
)
def test_a_text_stays_in_its_encoding(
    tmp_path: Path, content: bytes, options: tuple[str, ...], written: bytes
) -> None:
    source, output = tmp_path / "brief.txt", tmp_path / "letter.txt"
    source.write_bytes(content)
    named = ("--encoding", *options) if options else ()
    assert translate(source, *named, "--output", output).exit_code == 0
    assert output.read_bytes() == written
    # What a terminal or a pipe gets is UTF-8.
    assert translate(source, *named).stdout_bytes == "FÜR\n".encode()


@pytest.mark.usefixtures("capitals")
def test_an_output_of_several_files_is_encoded_as_the_first(tmp_path: Path) -> None:
    first, second, output = tmp_path / "a.txt", tmp_path / "b.txt", tmp_path / "out.txt"
    first.write_bytes(_BIG + "für\n".encode("utf-16-be"))
    second.write_text("zwei\n")
    assert translate(first, second, "--output", output).exit_code == 0
    assert output.read_bytes() == _BIG + "FÜR\nZWEI\n".encode("utf-16-be")


@pytest.mark.usefixtures("capitals")
@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-16-le", "cp1252", "utf-8-sig"])
def test_other_encodings(encoding: str) -> None:
    result = translate("--encoding", encoding, stdin="für zwei\n".encode(encoding))
    assert result.stdout_bytes == "FÜR ZWEI\n".encode()
