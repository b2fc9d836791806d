"""What a terminal is told."""

import io
import sys

import pytest
import typer

from dragoman.cli.console import echo, echo_json, end


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("größe 😀.txt", "größe 😀.txt"),
        ("a\x1b]0;title\x07b", "a\\x1b]0;title\\x07b"),
        ("a\rb\x9b2Jc", "a\\rb\\x9b2Jc"),
        ("exe.\u202etxt", "exe.\\u202etxt"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
    ],
)
def test_a_name_is_shown_and_not_obeyed(
    capsys: pytest.CaptureFixture[str], name: str, shown: str
) -> None:
    echo(name)
    echo(name, err=True)
    assert capsys.readouterr() == (shown + "\n", shown + "\n")


def test_the_last_word_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit):
        end("no\x1b[2J\nfile", 1)
    assert capsys.readouterr().err == "dragoman: no\\x1b[2J file\n"


@pytest.mark.parametrize(
    ("encoding", "written"),
    [
        ("utf-8", "Łódź.txt: größe\n".encode()),
        ("cp1252", b"\\u0141\xf3d\\u017a.txt: gr\xf6\xdfe\n"),
    ],
)
def test_a_name_that_the_pipe_has_no_letters_for(
    monkeypatch: pytest.MonkeyPatch, encoding: str, written: bytes
) -> None:
    """A pipe on Windows is of an old code page."""
    stream = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(stream, encoding, newline="\n"))
    echo("Łódź.txt: größe")
    assert stream.getvalue() == written


def test_json_is_utf_8_whatever_the_locale(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(stream, "cp1252", newline="\r\n"))
    echo_json({"file": "Łódź.txt"})
    assert stream.getvalue() == '{"file":"Łódź.txt"}\n'.encode()
