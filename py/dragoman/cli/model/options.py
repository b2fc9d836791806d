"""What several commands of `dragoman model` share: options, and how they tell what they found."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from inspect import Parameter
from pathlib import Path
from typing import Annotated, Any, get_type_hints

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


def placed(file: Path) -> Path:
    """A file that is to be written, in a folder that is there: minutes of work went into it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    return file


def option_a_field(command: Callable[..., None]) -> Callable[..., None]:
    """A command that has an option for each field of a parameter that is a dataclass.

    A field is an option if it is annotated with its help, and with its name where that is another:
    ``steps: Annotated[int, "Updates in all."] = 12_000``.
    """
    given = inspect.signature(command, eval_str=True).parameters.values()
    grouped: dict[str, Any] = {
        one.name: one.annotation for one in given if is_dataclass(one.annotation)
    }
    options = {name: list(_options(kind)) for name, kind in grouped.items()}

    @functools.wraps(command)
    def run(**values: Any) -> None:
        for name, kind in grouped.items():
            values[name] = kind(**{one.name: values.pop(one.name) for one in options[name]})
        command(**values)

    shown = [option for one in given for option in options.get(one.name, [one])]
    only = [one.replace(kind=Parameter.KEYWORD_ONLY) for one in shown]
    run.__signature__ = inspect.Signature(only)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in only}
    return run


def _options(group: Any) -> Iterator[Parameter]:
    annotations = get_type_hints(group, include_extras=True)
    for field in fields(group):
        told = getattr(annotations[field.name], "__metadata__", ())
        if told:
            option = typer.Option(field.default, *told[1:], help=told[0])
            kind = annotations[field.name].__origin__
            yield Parameter(field.name, Parameter.KEYWORD_ONLY, default=option, annotation=kind)
