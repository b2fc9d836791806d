"""What `dragoman detect` and `--from auto` say of the languages of texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

import typer

from dragoman.catalogue.languages import closest, name_of
from dragoman.cli.console import echo, echo_json, reported
from dragoman.cli.inputs import TextGiven, inputs_of, known_encoding
from dragoman.detection.detector import UNKNOWN, Candidate, Detection
from dragoman.detection.shipped import detect, sure_language
from dragoman.documents.charset import AUTO
from dragoman.errors import DragomanError, InvalidRequestError
from dragoman.native.files import InputFile
from dragoman.native.sources import page_text
from dragoman.wire.responses import detection_data

# Of what is still arriving, enough to be sure.
ENOUGH_CHARACTERS = 1_000
MOST_NAMED = 3


def found_source(files: Sequence[InputFile], target: str, html: bool, quiet: bool) -> str:
    """The language that all files are in, said on standard error.

    Raises:
        LanguageNotSureError: that of a file cannot be told.
        InvalidRequestError: they differ, or are in the target's language already.
    """
    languages: dict[str, str] = {}
    for file in files:
        text = file.peek(ENOUGH_CHARACTERS)
        try:
            languages[sure_language(page_text(text) if html else text).language] = file.name
        except DragomanError as error:
            error.message = f"{file.name}: {error.message} with --from"
            raise
    return one_source(languages, target, quiet)


def one_source(files: Mapping[str, str], target: str, quiet: bool) -> str:
    """The language of files, said on standard error.

    Args:
        files: the name of one by its language.

    Raises:
        InvalidRequestError: they differ, or are in the target's language already.
    """
    if len(files) > 1:
        each = ", ".join(f"{name} in {said(tag)}" for tag, name in files.items())
        raise InvalidRequestError(f"the files are in several languages ({each}): one at a time")
    (source, name), *_ = files.items()
    if closest(source, [target]):
        raise InvalidRequestError(f"{name} is in {said(source)} already")
    if not quiet:
        echo(f"dragoman: found to be in {said(source)}", err=True)
    return source


def said(tag: str) -> str:
    """German (de)"""
    return f"{name_of(tag, 'en')} ({tag})"


def detect_texts(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE", help="Default, and -: standard input."),
    ] = None,
    text: TextGiven = None,
    html: Annotated[bool, typer.Option("--html", help="The files are pages in HTML.")] = False,
    json: Annotated[
        bool, typer.Option("--json", help="A JSON object a file, with all likely languages.")
    ] = False,
    encoding: Annotated[
        str, typer.Option(callback=known_encoding, help="Of the files; auto: as for translate.")
    ] = AUTO,
) -> None:
    """Say which language texts are in; offline, no model is needed.

    \b
    Examples:
      dragoman detect --text "Guten Morgen, wie geht es dir?"
      dragoman detect --json brief.txt lettre.txt

    Short and mixed texts are "not sure": then the exit code is 1.
    """
    with reported():
        inputs = inputs_of(files, text, encoding, html)
        sure = [_show(file, html, json, len(inputs) > 1) for file in inputs]
        if not all(sure):
            raise typer.Exit(1)


def _show(file: InputFile, html: bool, json: bool, named: bool) -> bool:
    """Write the language of a file on standard output; False when it is not sure."""
    text = file.peek(ENOUGH_CHARACTERS)
    detection = detect(page_text(text) if html else text)
    if json:
        place = {"file": file.path} if named else {}
        echo_json(place | detection_data(detection))
    else:
        echo((f"{file.name}: " if named else "") + told(detection))
    return detection.language is not None


def told(detection: Detection) -> str:
    """de  German  99 %"""
    if detection.language is not None:
        return (
            f"{detection.language}  {name_of(detection.language, 'en')}  {detection.confidence:.0%}"
        )
    likely = [c for c in detection.candidates if c.language != UNKNOWN][:MOST_NAMED]
    return "not sure" + (f": {', '.join(map(_maybe, likely))}" if likely else "")


def _maybe(candidate: Candidate) -> str:
    return f"{said(candidate.language)} {candidate.confidence:.0%}"
