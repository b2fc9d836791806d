"""What a terminal is told."""

import pytest
import typer

from dragoman.cli.console import echo, end


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
