"""`dragoman model ...`: from parallel text to a bundle, and to and from other formats."""

from __future__ import annotations

import typer

from dragoman.cli.model.bundles import app as bundles
from dragoman.cli.model.carrying import app as carrying
from dragoman.cli.model.quality import app as quality
from dragoman.cli.model.synthesis import app as synthesis
from dragoman.cli.model.training import app as training

app = typer.Typer(
    no_args_is_help=True,
    help="Build models: from parallel text to a bundle.",
    epilog="Example: dragoman model evaluate --pair de-en --data dev.tsv --json",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)
for commands in training, carrying, synthesis, bundles, quality:
    app.add_typer(commands)
