"""`--glossary` and `--keep`: the terms that a command was given."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from dragoman.native.glossary import Glossary
from dragoman.types import Glossary as AnyGlossary

GlossaryFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--glossary",
        metavar="FILE",
        help="Terms to use: .tsv (source, tabulator, target) or .tbx; may be repeated, the later "
        "one counts.",
    ),
]
KeptWords = Annotated[
    list[str] | None,
    typer.Option("--keep", metavar="WORD", help="Leave a word as it is; may be repeated."),
]


def read_glossaries(
    files: Sequence[Path] | None, kept: Sequence[str] | None, source: str, target: str
) -> AnyGlossary | None:
    """All terms as one glossary, in which the later ones count; None if there are none."""
    if not files and not kept:
        return None
    glossary = AnyGlossary()
    for file in files or ():
        glossary |= Glossary.read(file, source, target)
    return glossary | AnyGlossary.keeping(kept or ())
