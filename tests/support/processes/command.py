"""The command, called in this process."""

from __future__ import annotations

from typing import Any

from typer.testing import CliRunner, Result

from dragoman.cli import app as cli


def translate(*arguments: Any, stdin: bytes | None = b"") -> Result:
    words = ["translate", "--from", "de", "--to", "en", *map(str, arguments)]
    return CliRunner().invoke(cli.app, words, input=stdin)
