"""Requests that depend on each other, and what is checked before any of them starts.

A request is a template: constant text, inputs and outputs, each of these two bound to a variable by
name (semantic variables, after Parrot, OSDI 2024). An output of one request that is an input of
another makes the second depend on the first; nobody draws the graph.

    template      "# " {title} -> {heading}   {body} -> {text}
                  `------ chain ---------'    `---- chain ---'

A template is read as chains that end in an output. The value of the output is what stands before it
in its chain: constant text as it is, never translated, and the translation of each input. A chain
starts when its own inputs are there, so the two of this example run side by side.

Worked, for requests from "de" to "en":

    [Input("x"), Output("y")]                 y is the translation of x
    [Constant("> "), Input("x"), Output("y")] y is "> " and the translation of x
    [Constant("z."), Output("y")]             y is "z."
    [Input("x")]                              GraphError: leads to no output
    [Output("y")]                             GraphError: y has nothing before it
    [Input("y"), Output("y")]                 GraphCycleError: y -> y
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from dragoman.errors import (
    GraphCycleError,
    GraphError,
    InvalidRequestError,
    UnboundVariableError,
    WrittenTwiceError,
)
from dragoman.pipeline.choices import without_prefix
from dragoman.types import TranslationRequest

NAME_CHARACTERS = 100


@dataclass(frozen=True, slots=True)
class Constant:
    """Text that is never translated."""

    text: str


@dataclass(frozen=True, slots=True)
class Input:
    """The place of a variable's value, which is translated."""

    name: str


@dataclass(frozen=True, slots=True)
class Output:
    """A variable that gets what stands before it."""

    name: str


Chunk = Constant | Input | Output


@dataclass(frozen=True, slots=True)
class DependentRequest:
    """A template, and how its inputs are translated.

    Attributes:
        options: the request that each input becomes, but for its text.
    """

    template: tuple[Chunk, ...]
    options: TranslationRequest


@dataclass(frozen=True, slots=True)
class Chain:
    """What leads to one output; made by `chains`."""

    output: str
    parts: tuple[Constant | Input, ...]
    options: TranslationRequest

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names, in order of first use, each once."""
        return tuple(dict.fromkeys(part.name for part in self.parts if isinstance(part, Input)))


def chains(request: DependentRequest) -> Iterator[Chain]:
    """The chains of a template, in its order.

    Raises:
        GraphError: an output has nothing before it, or a chunk leads to no output.
        InvalidRequestError: a name is empty or over-long, or the options have a prefix.
    """
    options = without_prefix(request.options)
    parts: list[Constant | Input] = []
    for chunk in request.template:
        if not isinstance(chunk, Constant):
            check_name(chunk.name)
        if not isinstance(chunk, Output):
            parts.append(chunk)
            continue
        if not parts:
            raise GraphError(f"the output {chunk.name!r} has nothing before it", output=chunk.name)
        yield Chain(chunk.name, tuple(parts), options)
        parts = []
    if parts:
        raise GraphError("the end of a template leads to no output")


def check_name(name: str) -> None:
    """Raises InvalidRequestError: a variable cannot be called so."""
    if not 0 < len(name) <= NAME_CHARACTERS:
        raise InvalidRequestError(
            f"a variable's name has 1 to {NAME_CHARACTERS} characters, not {len(name):,}",
            requested=len(name),
            allowed=NAME_CHARACTERS,
        )


def plan(requests: Iterable[DependentRequest], known: Collection[str]) -> tuple[Chain, ...]:
    """The chains of some requests, each after those that it needs.

    Args:
        known: variables that have, or will have, a value from elsewhere.

    Raises:
        WrittenTwiceError: a variable is the output of two chains, or known already.
        UnboundVariableError: an input is neither known nor an output.
        GraphCycleError: outputs need each other.
        GraphError, InvalidRequestError: see `chains`.
    """
    made: dict[str, Chain] = {}
    for request in requests:
        for chain in chains(request):
            if chain.output in made or chain.output in known:
                raise WrittenTwiceError(chain.output)
            made[chain.output] = chain
    for chain in made.values():
        for name in chain.inputs:
            if name not in made and name not in known:
                raise UnboundVariableError(name, chain.output)
    return _in_order(made)


def _in_order(made: Mapping[str, Chain]) -> tuple[Chain, ...]:
    """What needs nothing that is left comes first."""
    order = TopologicalSorter(
        {name: [one for one in chain.inputs if one in made] for name, chain in made.items()}
    )
    try:
        return tuple(made[name] for name in order.static_order())
    except CycleError as error:
        _, [*names, _] = error.args  # in the direction of the values, the first at the end again
        first = names.index(min(names))
        raise GraphCycleError(*names[first:], *names[: first + 1]) from None
