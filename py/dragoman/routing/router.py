"""Every pair of languages that the models reach: directly, or over a pivot.

    translate(de-fr) --> de-en and en-fr as two dependent requests --> compose --> one response
    start(de-en)     a stream

The legs are requests like others: they share queues and mini-batches with whatever else is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from dragoman import config
from dragoman.config import Limits
from dragoman.errors import InvalidRequestError
from dragoman.markup.bits import in_turns
from dragoman.markup.carry import Carried, carry
from dragoman.routing.compose import compose
from dragoman.routing.emphasis import emphasis_bit_by_bit, may_have_emphasis
from dragoman.routing.fill import fill_bit_by_bit, may_be_filled
from dragoman.routing.graph import DependentRequest, Input, Output
from dragoman.routing.registry import ModelRegistry
from dragoman.routing.stream import TranslationStream
from dragoman.routing.variables import Ended, RunningGraph, VariableScope
from dragoman.service.ticket import Ticket
from dragoman.types import (
    Content,
    Glossary,
    LanguagePair,
    MemoryEntry,
    Span,
    TextFormat,
    TranslationMemory,
    TranslationRequest,
    TranslationResponse,
)

PIVOT = config.PIVOT


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
        self, request: TranslationRequest, ticket: Ticket | None = None
    ) -> TranslationResponse:
        """Translate, over the pivot if there is no model for the pair; cancelling the task that
        waits cancels the request.

        Args:
            ticket: of the request; by default it gets one now.

        Raises:
            InvalidRequestError: the deadline is not within its limits.
            LanguagePairError: the languages are not connected.
            DeadlineError: it was not ready in time, whatever it waited for.
            DragomanError: see `ModelRegistry.translate`.
        """
        ticket = ticket or Ticket.of(request, self._limits)
        async with ticket.scope():
            if len(request.text) > self._limits.text_characters:  # is refused as it is
                return await self._translated(request, ticket)
            if not may_be_filled(request):
                return await self._emphasized(request, ticket)
            fill = await in_turns(fill_bit_by_bit(request))
            response = await self._emphasized(fill.request, ticket)
            return await in_turns(fill.returned_bit_by_bit(response))

    async def _emphasized(self, request: TranslationRequest, ticket: Ticket) -> TranslationResponse:
        if not may_have_emphasis(request):
            return await self._translated(request, ticket)
        emphasis = await in_turns(emphasis_bit_by_bit(request, self._limits.elements))
        response = await self._translated(emphasis.request, ticket)
        return await in_turns(emphasis.returned_bit_by_bit(response))

    async def _translated(self, request: TranslationRequest, ticket: Ticket) -> TranslationResponse:
        legs = self.route(request.source, request.target)
        if len(legs) == 1:
            return await self._registry.translate(request, ticket)
        first, second = await self._follow(request, legs, ticket)
        return replace(compose(first, second), content=second.content)

    async def run(self, graph: RunningGraph) -> dict[str, Ended]:
        """How each output of some dependent requests ended: `RunningGraph.run`."""
        return await graph.run(self.translate, self._limits)

    def start(self, options: TranslationRequest) -> TranslationStream:
        """A stream of text in the languages of `options`; any number share the models.

        Args:
            options: the request that each sentence becomes, but for its text.
        """
        return TranslationStream(self.translate, options, self._limits)

    def _between(self, request: TranslationRequest) -> Limits:
        """What the text between two legs may have: of a page, markup too, which each leg counts."""
        if request.format is TextFormat.TEXT:
            return self._limits
        most = self._limits.page_characters
        return replace(self._limits, text_characters=most, graph_characters=4 * most)

    async def _follow(
        self,
        request: TranslationRequest,
        legs: Sequence[LanguagePair],
        ticket: Ticket,
    ) -> list[TranslationResponse]:
        """The responses of some legs, each of which translates what the one before gave.

        Their content is of the elements of `request`, whichever leg it is.
        """
        left = iter(reversed(range(len(legs))))
        markup, terms = _CarriedMarkup(request), _CarriedTerms(request)
        memory = _CarriedMemory(request)

        async def translate(leg: TranslationRequest) -> TranslationResponse:
            legs_left = next(left)
            ticket.begin_leg(legs_left)
            if legs_left:  # what there is to choose from is in the last language
                leg = replace(leg, alternatives=0, prefix=None)
            leg = memory.of(markup.of(terms.of(leg)))
            response = await self._registry.translate(leg, ticket)
            return memory.after(markup.after(terms.after(response)))

        async with VariableScope(translate, self._between(request)) as session:
            whole = (Span(0, len(request.text)),) if request.prefix is not None else None
            session.set("leg 0", request.text, request.sentences or whole)
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


class _CarriedMemory:
    """What the translation memory of a request becomes: as with terms, the first leg says a
    sentence that is in it in the last language, and the second is given it to keep.

    Raises:
        InvalidRequestError: the request is a page, whose sentences nobody carries to the next leg.
    """

    def __init__(self, request: TranslationRequest) -> None:
        self._memory = request.memory
        if request.memory is not None and request.format is not TextFormat.TEXT:
            raise InvalidRequestError(
                "over a pivot a translation memory is for plain text and its elements, not for "
                f"{request.format}: it needs a model from {request.source!r} to {request.target!r}"
            )

    def of(self, leg: TranslationRequest) -> TranslationRequest:
        return replace(leg, memory=self._memory)

    def after(self, response: TranslationResponse) -> TranslationResponse:
        """Remember the sentences that the next leg is to keep."""
        if self._memory is not None:
            said = (s.target.of(response.text) for s in response.sentences if s.from_memory)
            entries = tuple(MemoryEntry(text, text) for text in dict.fromkeys(said))
            self._memory = TranslationMemory(entries, near=0)
        return response
