"""Every pair of languages that the models reach: directly, or over a pivot.

    translate(de-fr) --> de-en and en-fr as two dependent requests --> compose --> one response
    start(de-en)     a stream

The legs are requests like others: they share queues and mini-batches with whatever else is there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Sequence
from dataclasses import replace
from typing import Any

from dragoman.config import Limits
from dragoman.errors import DeadlineError
from dragoman.markup.carry import Carried, carry
from dragoman.routing.compose import compose
from dragoman.routing.graph import DependentRequest, Input, Output
from dragoman.routing.registry import HandleListener, ModelRegistry
from dragoman.routing.stream import TranslationStream
from dragoman.routing.variables import Ended, RunningGraph, VariableScope
from dragoman.service.service import Progress, ProgressListener, TranslationHandle
from dragoman.types import (
    Content,
    Glossary,
    LanguagePair,
    Priority,
    TextFormat,
    TranslationRequest,
    TranslationResponse,
)

PIVOT = "en"

# Seconds by which a service is given the first word about a deadline.
_GRACE = 0.05


def route(
    pairs: Iterable[LanguagePair], source: str, target: str, pivot: str = PIVOT
) -> tuple[LanguagePair, ...]:
    """The legs from `source` to `target`: one if there is a model, else two over the pivot.

    Where neither is there it is the one leg that is missing.
    """
    direct, known = LanguagePair(source, target), set(pairs)
    legs = LanguagePair(source, pivot), LanguagePair(pivot, target)
    if direct not in known and source != target and known.issuperset(legs):
        return legs
    return (direct,)


class Router:
    """Translates between all languages that a registry's models connect."""

    def __init__(self, registry: ModelRegistry, limits: Limits, pivot: str = PIVOT) -> None:
        self._registry, self._limits, self._pivot = registry, limits, pivot

    def route(self, source: str, target: str) -> tuple[LanguagePair, ...]:
        """The legs that a translation takes."""
        return route(self._registry.pairs, source, target, self._pivot)

    async def translate(
        self,
        request: TranslationRequest,
        listener: ProgressListener | None = None,
        on_handle: HandleListener | None = None,
    ) -> TranslationResponse:
        """Translate, over the pivot if there is no model for the pair; cancelling the task that
        waits cancels the request.

        Args:
            on_handle: gets the handle of each leg, when that begins.

        Raises:
            LanguagePairError: the languages are not connected.
            DragomanError: see `ModelRegistry.translate`.
        """
        legs = self.route(request.source, request.target)
        deadline = request.deadline
        if deadline is not None and not 0 < deadline <= self._limits.deadline_seconds:
            deadline = None  # the service refuses it
        if len(legs) == 1:
            work = self._registry.translate(request, listener, on_handle)
        else:
            # Both legs have one deadline, so it is kept here.
            whole = replace(request, deadline=None) if deadline else request
            work = self._pivot_over(legs, whole, listener, on_handle)
        return await self._within(deadline, work)

    async def _pivot_over(
        self,
        legs: Sequence[LanguagePair],
        request: TranslationRequest,
        listener: ProgressListener | None,
        on_handle: HandleListener | None,
    ) -> TranslationResponse:
        first, second = await self._follow(request, legs, listener, on_handle)
        return replace(compose(first, second), content=second.content)

    async def _within(
        self, deadline: float | None, work: Coroutine[Any, Any, TranslationResponse]
    ) -> TranslationResponse:
        """The response, unless the deadline is over before: a model takes long to load, a pivot.

        A service keeps the deadline of what it has, with the figures; so it has the first word.
        """
        if deadline is None:
            return await work
        try:
            async with asyncio.timeout(deadline + _GRACE):
                return await work
        except TimeoutError as error:
            raise DeadlineError(deadline, 0, 0) from error

    async def run(self, graph: RunningGraph) -> dict[str, Ended]:
        """How each output of some dependent requests ended: `RunningGraph.run`."""
        return await graph.run(self.translate, self._limits)

    def start(self, options: TranslationRequest) -> TranslationStream:
        """A stream of text in the languages of `options`; any number share the models.

        Args:
            options: the request that each sentence becomes, but for its text.
        """
        return TranslationStream(self.translate, options, self._limits)

    async def _follow(
        self,
        request: TranslationRequest,
        legs: Sequence[LanguagePair],
        listener: ProgressListener | None = None,
        on_handle: HandleListener | None = None,
    ) -> list[TranslationResponse]:
        """The responses of some legs, each of which translates what the one before gave.

        Their content is of the elements of `request`, whichever leg it is.
        """
        progress = _Legs(len(legs), listener)
        markup, terms = _CarriedMarkup(request), _CarriedTerms(request)

        async def translate(leg: TranslationRequest) -> TranslationResponse:
            response = await self.translate(markup.of(terms.of(leg)), progress.next(), on_handle)
            return markup.after(terms.after(response))

        async with VariableScope(translate, self._limits) as session:
            session.set("leg 0", request.text, request.sentences)
            names = session.submit(
                DependentRequest(
                    (Input(f"leg {number}"), Output(f"leg {number + 1}")),
                    replace(request, text="", **leg._asdict()),
                )
                for number, leg in enumerate(legs)
            )
            values = [await session.value(name) for name in names]
        responses = [value.response for value in values if value.response]
        return [
            replace(response, content=content)
            for response, content in zip(responses, markup.contents, strict=True)
        ]


class _CarriedMarkup:
    """What the markup of a request becomes from leg to leg.

    HTML is read and written by each leg itself, and its sentences with it.
    """

    def __init__(self, request: TranslationRequest) -> None:
        elements = request.elements
        self._elements = elements
        self._carried = Carried(elements, tuple(range(len(elements))))
        self.contents: list[Content | None] = []

    def of(self, leg: TranslationRequest) -> TranslationRequest:
        """A leg, with the elements that its text has."""
        if leg.format is TextFormat.HTML:
            return replace(leg, sentences=None)
        return replace(leg, elements=self._carried.elements)

    def after(self, response: TranslationResponse) -> TranslationResponse:
        """Remember what the next leg needs of the response of this one."""
        content = response.content
        if content is not None:
            content = self._carried.returned(content)
            self._carried = carry(content, self._elements)
        self.contents.append(content)
        return response


class _CarriedTerms:
    """What the glossary of a request becomes: a leg is given the last language's words to keep.

    The first leg says them in a text of the middle language, where the second leaves them alone.
    """

    def __init__(self, request: TranslationRequest) -> None:
        self._glossary = request.glossary

    def of(self, leg: TranslationRequest) -> TranslationRequest:
        return replace(leg, glossary=self._glossary)

    def after(self, response: TranslationResponse) -> TranslationResponse:
        """Remember which terms the next leg is to keep."""
        if self._glossary is not None:
            said = (use.term.target for use in response.terms)
            self._glossary = Glossary.keeping(dict.fromkeys(said))
        return response


class RunningRequest:
    """A request that can be given another priority, before it is submitted and between its legs."""

    def __init__(self, request: TranslationRequest, listener: ProgressListener | None) -> None:
        self.request, self._listener = request, listener
        self._priority: Priority | None = None
        self._handle: TranslationHandle | None = None

    async def run(self, router: Router) -> TranslationResponse:
        """Submit and wait; cancelling the task that waits cancels the request."""
        return await router.translate(self.request, self._listener, self._submitted)

    def prioritize(self, priority: Priority) -> None:
        """For the leg under way, and for those to come."""
        self._priority = priority
        if self._handle is not None:
            self._handle.prioritize(priority)

    def _submitted(self, handle: TranslationHandle) -> None:
        self._handle = handle
        if self._priority is not None:
            handle.prioritize(self._priority)


class _Legs:
    """The progress of legs as that of one request: a leg that has not begun counts as the last."""

    def __init__(self, count: int, listener: ProgressListener | None) -> None:
        self._left, self._listener = count, listener
        self._before = self._latest = 0

    def next(self) -> ProgressListener | None:
        """What the next leg reports to."""
        self._left -= 1
        self._before += self._latest
        self._latest = 0
        return self._report if self._listener else None

    def _report(self, progress: Progress) -> None:
        self._latest = progress.total
        total = self._before + progress.total * (self._left + 1)
        if self._listener:
            self._listener(Progress(progress.state, self._before + progress.done, total))
