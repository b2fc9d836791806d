"""`--beam`, `--alternatives`, `--prefix`: how a command is to search, and for what."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from dragoman.config import Limits

_MOST = Limits().beam


def within(what: str, least: int, most: int) -> Callable[[int | None], int | None]:
    """A check of an option that says figure and limits; Typer's own says what its library says."""

    def check(value: int | None) -> int | None:
        if value is not None and not least <= value <= most:
            raise typer.BadParameter(f"{what} {value:,}, not {least:,} to {most:,}")
        return value

    return check


beam_in_range = within("the beam is", 1, _MOST)

Beam = Annotated[
    int | None,
    typer.Option(
        callback=beam_in_range,
        help=f"Hypotheses that the search follows at a time, up to {_MOST}: more is slower, and a "
        "little better. Default: the model's, or what --alternatives needs.",
    ),
]
Alternatives = Annotated[
    int,
    typer.Option(
        callback=within("the alternatives are", 0, _MOST - 1),
        help="With --json: most other translations of each sentence, fewer than --beam.",
    ),
]
Prefix = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="What the translation is to begin with; the input is one sentence then, and "
        "alternatives differ in the next word.",
    ),
]


def check_search(
    alternatives: int, prefix: str | None, json: bool, structured: bool, lines: bool
) -> None:
    """Whether they go with the other options.

    Raises:
        BadParameter: they do not.
    """
    if alternatives and not json:
        raise typer.BadParameter("--alternatives are told by --json only")
    if structured and (alternatives or prefix is not None):
        raise typer.BadParameter("--alternatives and --prefix are for plain text")
    if lines and prefix is not None:
        raise typer.BadParameter("--prefix is for one sentence, and --lines are many")
