"""A scope of variables: dependent requests, each started when its inputs are there.

    submit(requests) --> plan (all checks) --> a task a chain:
                                                 wait for its inputs
                                                 translate them, all at once
                                                 put them together --> its output's value

States of a variable: `VariableState`. Each ends in exactly one of: a value, a typed error,
cancelled; and that end reaches exactly those that depend on it. A scope keeps its variables until
it is closed; closing cancels what is under way. Everything here runs on one event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Self, TypeVar

from dragoman.config import Limits
from dragoman.errors import (
    DependencyError,
    DragomanError,
    GraphTooLargeError,
    RequestCancelledError,
    TextTooLongError,
    UnboundVariableError,
    WrittenTwiceError,
    typed,
)
from dragoman.routing.compose import join
from dragoman.routing.graph import Chain, Constant, DependentRequest, check_name, plan
from dragoman.types import Span, TranslationRequest, TranslationResponse

TranslateFunction = Callable[[TranslationRequest], Awaitable[TranslationResponse]]
Ended = TranslationResponse | DragomanError
EndListener = Callable[[str, Ended], object]
T = TypeVar("T")


class VariableState(StrEnum):
    DECLARED = "declared"  # somebody will set it
    WAITING = "waiting"  # for its inputs
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Value:
    """What a variable holds.

    Attributes:
        sentences: where its sentences stand; None when nobody has looked for them. A translation
            keeps the sentences of its source, and its constants lie between them.
        response: of the request that it is the output of.
    """

    text: str
    sentences: tuple[Span, ...] | None = None
    response: TranslationResponse | None = None


@dataclass
class _Variable:
    """A variable; owned by the event loop."""

    name: str
    value: asyncio.Future[Value]
    task: asyncio.Task[None] | None = None
    running: bool = False

    @property
    def state(self) -> VariableState:
        if not self.value.done():
            if self.task is None:
                return VariableState.DECLARED
            return VariableState.RUNNING if self.running else VariableState.WAITING
        error = self.value.exception()
        if error is None:
            return VariableState.DONE
        cancelled = isinstance(error, RequestCancelledError)
        return VariableState.CANCELLED if cancelled else VariableState.FAILED

    def fail(self, error: DragomanError) -> None:
        if not self.value.done():
            self.value.set_exception(error)
            self.value.exception()  # nobody may ever look: no unhandled error of the event loop


class VariableScope:
    """Variables and the requests that connect them; an async context manager.

    Args:
        translate: serves every pair of languages that is asked for.
    """

    def __init__(self, translate: TranslateFunction, limits: Limits) -> None:
        self._translate, self._limits = translate, limits
        self._variables: dict[str, _Variable] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._chunks = self._characters = 0
        self._closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    # --- variables -----------------------------------------------------------------------------

    @property
    def states(self) -> Mapping[str, VariableState]:
        """How it stands with each variable, by name."""
        return {name: variable.state for name, variable in self._variables.items()}

    def declare(self, name: str) -> None:
        """Announce a variable that `set` gives a value later: requests may name it as an input.

        Raises:
            WrittenTwiceError: there is one of this name.
        """
        self._check_open()
        check_name(name)
        if name in self._variables:
            raise WrittenTwiceError(name)
        self._variables[name] = _Variable(name, asyncio.get_running_loop().create_future())

    def set(self, name: str, text: str, sentences: tuple[Span, ...] | None = None) -> None:
        """Give a variable its value, for good; `sentences` as in `TranslationRequest`.

        Raises:
            WrittenTwiceError: it has one, or is the output of a request.
            TextTooLongError: it is over `Limits.text_characters`, or the scope's values are over
                `Limits.graph_characters`.
        """
        variable = self._variables.get(name)
        if variable and variable.state is not VariableState.DECLARED:
            raise WrittenTwiceError(name)
        if len(text) > self._limits.text_characters:
            raise TextTooLongError(len(text), self._limits.text_characters)
        self._count(len(text))
        if variable is None:
            self.declare(name)
        self._variables[name].value.set_result(Value(text, sentences))

    async def value(self, name: str) -> Value:
        """The value of a variable, once it is there.

        Raises:
            UnboundVariableError: there is no such variable.
            DependencyError: an input of its request failed.
            DragomanError: its request failed; `RequestCancelledError`: it was cancelled.
        """
        variable = self._variables.get(name)
        if variable is None:
            raise UnboundVariableError(name, name)
        return await asyncio.shield(variable.value)

    async def end(self, name: str) -> Ended:
        """How the request of an output ended, without raising.

        Raises:
            UnboundVariableError: no request has this output.
        """
        try:
            value = await self.value(name)
        except UnboundVariableError:
            raise
        except DragomanError as error:
            return error
        if value.response is None:
            raise UnboundVariableError(name, name)
        return value.response

    # --- requests ------------------------------------------------------------------------------

    def submit(self, requests: Iterable[DependentRequest]) -> tuple[str, ...]:
        """Check some requests together, then start them; the names of their outputs, in an order
        in which each comes after those that it needs.

        Nothing is started when something is wrong.

        Raises:
            GraphError: see `graph.plan`.
            GraphTooLargeError: the scope's templates are over `Limits.graph_chunks`.
            RequestCancelledError: the scope is closed.
        """
        self._check_open()
        requests = tuple(requests)
        chunks = self._chunks + sum(len(request.template) for request in requests)
        if chunks > self._limits.graph_chunks:
            raise GraphTooLargeError(chunks, self._limits.graph_chunks)
        order = plan(requests, self._variables)
        self._chunks = chunks
        for chain in order:
            self.declare(chain.output)
        for chain in order:
            self._start(chain)
        return tuple(chain.output for chain in order)

    def cancel(self, name: str) -> None:
        """Take back the request that a variable is the output of, and so all that need it.

        What has ended, or is no output, is left as it is.
        """
        variable = self._variables.get(name)
        if variable and variable.task:
            variable.fail(RequestCancelledError(f"the request for {name!r} was cancelled"))
            variable.task.cancel()

    async def close(self) -> None:
        """Cancel what is under way, and forget the variables."""
        self._closed = True
        for variable in self._variables.values():
            variable.fail(RequestCancelledError("the scope was closed"))
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._variables.clear()

    def _check_open(self) -> None:
        if self._closed:
            raise RequestCancelledError("the scope is closed")

    def _count(self, characters: int) -> None:
        total = self._characters + characters
        if total > self._limits.graph_characters:
            raise TextTooLongError(total, self._limits.graph_characters)
        self._characters = total

    def _start(self, chain: Chain) -> None:
        variable = self._variables[chain.output]
        task = variable.task = asyncio.ensure_future(self._run(chain, variable))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, chain: Chain, variable: _Variable) -> None:
        try:
            values = await together(self._input(chain, name) for name in chain.inputs)
            inputs = dict(zip(chain.inputs, values, strict=True))
            variable.running = True
            value = await self._value(chain, inputs)
            if not variable.value.done():
                variable.value.set_result(value)
        except Exception as error:  # Stages and engines are foreign code; one request ends.
            variable.fail(typed(error))

    async def _input(self, chain: Chain, name: str) -> Value:
        """The value of an input; its failure becomes one of the chain's own."""
        try:
            return await self.value(name)
        except RequestCancelledError as error:
            message = f"{chain.output!r} needs {name!r}: {error.message}"
            raise RequestCancelledError(message) from error
        except DependencyError:
            raise  # of where it began
        except DragomanError as error:
            raise DependencyError(name, error.code, error.message) from error

    async def _value(self, chain: Chain, inputs: Mapping[str, Value]) -> Value:
        filled = sum(
            len(part.text if isinstance(part, Constant) else inputs[part.name].text)
            for part in chain.parts
        )
        if filled > self._limits.text_characters:  # doubling again and again ends here
            raise TextTooLongError(filled, self._limits.text_characters)
        requests = [
            replace(chain.options, text=value.text, sentences=value.sentences)
            for value in inputs.values()
        ]
        translated = dict(zip(inputs, await together(map(self._translated, requests)), strict=True))
        response = join(
            chain.options,
            [
                part.text if isinstance(part, Constant) else translated[part.name]
                for part in chain.parts
            ],
        )
        self._count(len(response.text))
        sentences = tuple(sentence.target for sentence in response.sentences)
        return Value(response.text, sentences, response)

    async def _translated(self, request: TranslationRequest) -> TranslationResponse:
        return await self._translate(request)


async def together(works: Iterable[Coroutine[Any, Any, T]]) -> Sequence[T]:
    """The results of some work done at once; when one fails, the others are cancelled.

    Raises:
        Exception: that of the first that failed.
    """
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class RunningGraph:
    """Dependent requests from beginning to end, of which single outputs may be taken back.

    Args:
        on_end: hears how each output ended, as soon as it has; what it raises ends the graph.
    """

    def __init__(
        self,
        variables: Mapping[str, str],
        requests: Iterable[DependentRequest],
        on_end: EndListener | None = None,
    ) -> None:
        self._variables, self._requests, self._on_end = variables, requests, on_end
        self._scope: VariableScope | None = None
        self._unwanted: list[str] = []  # taken back before there was a scope

    async def run(self, translate: TranslateFunction, limits: Limits) -> dict[str, Ended]:
        """How each output ended, those that others need first.

        Cancelling the task that waits cancels all of it.

        Raises:
            GraphError: the requests do not fit together; none was started.
            RequestError: a limit, a name.
        """
        async with VariableScope(translate, limits) as scope:
            for name, text in self._variables.items():
                scope.set(name, text)
            names = scope.submit(self._requests)
            self._scope = scope
            for name in self._unwanted:
                scope.cancel(name)
            ends = await together(self._end(scope, name) for name in names)
            return dict(zip(names, ends, strict=True))

    def cancel(self, output: str) -> None:
        """Take back an output, and so all that need it; others go on."""
        if self._scope is None:
            self._unwanted.append(output)
        else:
            self._scope.cancel(output)

    async def _end(self, scope: VariableScope, name: str) -> Ended:
        end = await scope.end(name)
        if self._on_end is not None:
            self._on_end(name, end)
        return end
