"""What several commands of `dragoman model` share: options, and how they tell what they found."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

PairOption = Annotated[str, typer.Option(help="Direction, for example de-en.")]
AsJson = Annotated[bool, typer.Option("--json", help="One line of JSON.")]
Threads = Annotated[int, typer.Option(min=0, help="Processor cores; 0: all.")]
Prepared = Annotated[Path, typer.Option(help="Its prepared data: vocabulary and sources.")]


def tell(facts: Mapping[str, object], as_json: bool) -> None:
    """Facts on standard output: a line each, or one line of JSON."""
    if as_json:
        typer.echo(json.dumps(facts))
        return
    for name, value in facts.items():
        typer.echo(f"{name:18} {value}")


def languages(pair: str) -> tuple[str, str]:
    """Source and target of a direction such as de-en.

    Raises:
        typer.BadParameter: it is none.
    """
    source, _, target = pair.partition("-")
    if not source or not target:
        raise typer.BadParameter(f"{pair!r} is no pair; write it as de-en")
    return source, target
