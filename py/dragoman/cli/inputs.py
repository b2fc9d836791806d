"""Options that several commands have: languages, texts, encodings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from dragoman.catalogue.languages import tag_of
from dragoman.documents.charset import AUTO as AUTO_ENCODING
from dragoman.documents.charset import BY_MARK
from dragoman.errors import InvalidRequestError
from dragoman.native.files import STANDARD, GivenText, InputFile, check_encoding
from dragoman.native.sources import AUTO


def named_language(value: str) -> str:
    """The tag of a language of the command line: "de", "DE", "de_AT", "German", "auto"."""
    if value.lower() == AUTO:
        return AUTO
    try:
        return tag_of(value)
    except InvalidRequestError as error:
        raise typer.BadParameter(error.message) from error


def one_language(value: str) -> str:
    """The same, but for "auto"."""
    tag = named_language(value)
    if tag == AUTO:
        raise typer.BadParameter(
            "name the language: only --from of dragoman translate finds it out"
        )
    return tag


def known_encoding(value: str) -> str:
    """Python's name of an encoding, or "auto"."""
    try:
        return value if value == AUTO_ENCODING else check_encoding(value)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


def one_encoding(value: str) -> str:
    """The same, but for "auto", which takes a page as a whole."""
    encoding = known_encoding(value)
    if encoding == AUTO_ENCODING:
        raise typer.BadParameter("name the encoding: it is not found out for a corpus")
    return encoding


Source = Annotated[
    str,
    typer.Option(
        "--from",
        metavar="LANG",
        callback=named_language,
        help="Such as de or German; auto: found out, and refused where it is not sure.",
    ),
]
Target = Annotated[
    str,
    typer.Option("--to", metavar="LANG", callback=one_language, help="Such as en or English."),
]
TextGiven = Annotated[
    str | None, typer.Option("--text", metavar="TEXT", help="This text, in the place of files.")
]


def inputs_of(
    files: Sequence[str] | None, text: str | None, encoding: str, html: bool, ending: str = ""
) -> list[InputFile]:
    """What a command reads: files, standard input where none is named, or a text.

    Args:
        ending: of the text.
    """
    if text is not None:
        if files:
            raise typer.BadParameter("--text and files do not go together")
        return [GivenText(text, ending)]
    read_as = BY_MARK if encoding == AUTO_ENCODING and not html else encoding
    return [InputFile(path, read_as) for path in files or [STANDARD]]
