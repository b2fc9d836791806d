"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from dragoman.native.options import MOST_THREADS

ModelFolders = Annotated[
    list[Path] | None,
    typer.Option(
        "--models",
        metavar="DIR",
        help="A model bundle, or a folder of them; may be repeated. Default: the folders of "
        "$DRAGOMAN_MODELS, the user's data folder, installed packages, the repository's models/.",
    ),
]
Threads = Annotated[
    int,
    typer.Option(min=0, max=MOST_THREADS, help="Processor cores to use; 0: the engine chooses."),
]
Shortlist = Annotated[
    bool | None,
    typer.Option(
        "--shortlist/--all-pieces",
        help="Whether a model chooses among the words of its shortlist only.",
    ),
]


class EngineOptions(NamedTuple):
    threads: int
    shortlist: bool | None
