"""The loaded models: a service each, loaded at the first request, unloaded when nobody needs them.

    lease(pair) --> source.load (once, whoever waits or leaves) --> TranslationService --> released
                         |                                               |
                         `-- fails: everyone who waits is told,          `-- over the budget the one
                             the next request tries again                    used longest ago goes

States of a model, each a step of one record (`_Slot`):

    loading --> loaded --> unloading --> gone           gone: the next lease loads it again
       `---> failed: gone at once

Invariants: a model is unloaded only while nobody holds a lease on it. A model that is needed is
loaded whatever the budget says, for refusing or waiting could hold up a request that has another
model's lease for good; the budget bounds what is kept beside the models in use. A model is never
in memory twice: a lease waits for the end of an unloading.

Everything here runs on one event loop. `close` is for the owner; it settles everything.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Protocol, TypeVar

from dragoman.config import Limits
from dragoman.engines.port import Engine
from dragoman.errors import BundleError, DragomanError, RequestCancelledError
from dragoman.pipeline.pipeline import Pipeline
from dragoman.service.cache import SentenceCache
from dragoman.service.service import Statistics, TranslationService
from dragoman.service.ticket import Ticket
from dragoman.types import LanguagePair, TranslationRequest, TranslationResponse

T = TypeVar("T")


class LoadedModel(NamedTuple):
    """What a service is made of."""

    pipeline: Pipeline
    engine: Engine


class ModelSource(Protocol):
    """Where models come from: bundles on a disk, the store of a browser."""

    @property
    def pairs(self) -> tuple[LanguagePair, ...]:
        """What there is to load, in order of preference."""
        ...

    def size(self, pair: LanguagePair) -> int:
        """Bytes of the model of a pair, for the budget.

        Raises:
            LanguagePairError: there is no model for the pair.
            BundleError: there is one that cannot be read.
        """
        ...

    async def load(self, pair: LanguagePair) -> LoadedModel:
        """Load the model of a pair. When this is cancelled, what it has made is its own to give
        back.

        Raises:
            BundleError: the model cannot be used.
        """
        ...


class ModelState(StrEnum):
    LOADING = "loading"
    LOADED = "loaded"
    UNLOADING = "unloading"


@dataclass(frozen=True, slots=True)
class ModelUse:
    """How it stands with a model; `leases` is how many use it or wait for it."""

    pair: LanguagePair
    state: ModelState
    bytes: int
    leases: int


@dataclass
class _Slot:
    """A model that is in memory, or on its way in or out; owned by the event loop."""

    pair: LanguagePair
    bytes: int
    service: asyncio.Task[TranslationService]
    unloading: asyncio.Task[None] | None = None
    leases: int = 0

    @property
    def state(self) -> ModelState:
        if self.unloading is not None:
            return ModelState.UNLOADING
        return ModelState.LOADED if self.service.done() else ModelState.LOADING


class ModelRegistry:
    """Services by language pair.

    Args:
        source: where models come from.
        limits: of each model's service; `Limits.model_bytes` and `cache_bytes` of all together.
        cache: of all models; by default the registry has its own.
    """

    def __init__(
        self, source: ModelSource, limits: Limits, cache: SentenceCache | None = None
    ) -> None:
        self._source, self._limits = source, limits
        self._cache = SentenceCache(limits.cache_bytes) if cache is None else cache
        self._unloaded: list[Statistics] = []  # one, that of all models before
        # The one used longest ago is the first.
        self._slots: dict[LanguagePair, _Slot] = {}
        self._closed = asyncio.Event()
        self._closing: asyncio.Task[None] | None = None

    @property
    def pairs(self) -> tuple[LanguagePair, ...]:
        """What there are models for, loaded or not."""
        return self._source.pairs

    @property
    def models(self) -> tuple[ModelUse, ...]:
        """The models in memory, the one used longest ago first."""
        return tuple(
            ModelUse(slot.pair, slot.state, slot.bytes, slot.leases)
            for slot in self._slots.values()
        )

    @asynccontextmanager
    async def lease(self, source: str, target: str) -> AsyncIterator[TranslationService]:
        """The service of a pair, which stays loaded until the block is left.

        Raises:
            LanguagePairError: there is no model for the pair.
            BundleError: the model cannot be used. It is tried again at the next lease.
            RequestCancelledError: the registry is closed.
        """
        slot = await self._enter(LanguagePair(source, target))
        try:
            yield await self._until_closed(slot.service)
        finally:
            slot.leases -= 1
            self._make_room()

    async def translate(
        self, request: TranslationRequest, ticket: Ticket | None = None
    ) -> TranslationResponse:
        """Translate with the model of the request's pair, loading it if need be.

        Args:
            ticket: of the request; by default it gets one now.

        Raises:
            DragomanError: those of `lease` and of `TranslationService.translate`.
        """
        ticket = ticket or Ticket.of(request, self._limits)
        async with self.lease(request.source, request.target) as service:
            return await service.translate(request, ticket)

    async def load(self, source: str, target: str) -> None:
        """Have the model of a pair in memory; nobody holds a lease on it then.

        Raises:
            DragomanError: those of `lease`.
        """
        async with self.lease(source, target):
            pass

    def unload(self, pair: LanguagePair) -> None:
        """Unload the model of a pair, unless it has a lease or is being loaded."""
        slot = self._slots.get(pair)
        if slot is not None and slot.leases == 0 and slot.state is ModelState.LOADED:
            self._unload(slot)

    def statistics(self) -> Statistics:
        """Figures of all models, those that are no longer loaded included."""
        running = [
            slot.service.result().statistics()
            for slot in self._slots.values()
            if slot.state is not ModelState.LOADING and _came(slot.service)
        ]
        return self._sum([*self._unloaded, *running])

    def _sum(self, figures: Sequence[Statistics]) -> Statistics:
        total = {name: sum(getattr(one, name) for one in figures) for name in Statistics.__slots__}
        total |= {"cache_entries": len(self._cache), "cache_bytes": self._cache.bytes}
        return Statistics(**total)

    async def close(self) -> None:
        """Settle every request and everyone who waits for a model as cancelled; unload all."""
        if self._closing is None:
            self._closed.set()
            self._closing = asyncio.ensure_future(self._close())
        await asyncio.shield(self._closing)

    async def _close(self) -> None:
        slots = list(self._slots.values())
        for slot in slots:
            if slot.state is ModelState.LOADING:
                slot.service.cancel()
            self._unload(slot)
        await asyncio.gather(
            *(slot.unloading for slot in slots if slot.unloading), return_exceptions=True
        )

    async def _enter(self, pair: LanguagePair) -> _Slot:
        """The slot of a pair with one lease more; a model that is leaving is waited for."""
        while (slot := self._slots.get(pair)) is not None and slot.unloading is not None:
            await self._until_closed(slot.unloading)
        if self._closed.is_set():
            raise _closed()
        if slot is None:
            slot = self._begin(pair)
        else:
            self._slots[pair] = self._slots.pop(pair)  # the one used last is the last
        slot.leases += 1
        return slot

    def _begin(self, pair: LanguagePair) -> _Slot:
        # The room is made first: two models at their largest would meet otherwise.
        size = self._source.size(pair)
        leaving = self._make_room(size)
        service = asyncio.ensure_future(self._load(pair, leaving))
        slot = self._slots[pair] = _Slot(pair, size, service)

        service.add_done_callback(lambda _: self._loaded(slot))
        return slot

    def _loaded(self, slot: _Slot) -> None:
        if not _came(slot.service) and self._slots.get(slot.pair) is slot:
            del self._slots[slot.pair]
        self._make_room()  # whoever wanted it may have left

    async def _load(
        self, pair: LanguagePair, leaving: list[asyncio.Task[None]]
    ) -> TranslationService:
        if leaving:
            await asyncio.wait(leaving)
        try:
            model = await self._source.load(pair)
            return TranslationService(model.pipeline, model.engine, self._limits, self._cache)
        except DragomanError:
            raise
        except Exception as error:  # A loader is foreign code; its requests get a typed error.
            message = f"the model {pair} could not be loaded ({type(error).__name__})"
            raise BundleError(message, source=pair.source, target=pair.target) from error

    def _make_room(self, needed: int = 0) -> list[asyncio.Task[None]]:
        """Unload what nobody uses, the one used longest ago first, until the budget holds."""
        staying = [slot for slot in self._slots.values() if slot.unloading is None]
        total = needed + sum(slot.bytes for slot in staying)
        leaving = [slot.unloading for slot in self._slots.values() if slot.unloading]
        # The one used last stays, however large it is, unless another one comes.
        for slot in staying if needed else staying[:-1]:
            if total <= self._limits.model_bytes:
                break
            if slot.leases == 0 and slot.state is ModelState.LOADED:
                total -= slot.bytes
                leaving.append(self._unload(slot))
        return leaving

    def _unload(self, slot: _Slot) -> asyncio.Task[None]:
        if slot.unloading is None:
            slot.unloading = asyncio.ensure_future(self._close_service(slot))
        return slot.unloading

    async def _close_service(self, slot: _Slot) -> None:
        try:
            await asyncio.wait((slot.service,))
            if _came(slot.service):
                service = slot.service.result()
                await service.close()
                self._unloaded = [self._sum([*self._unloaded, service.statistics()])]
        except Exception as error:  # An engine that cannot even end takes nobody's room.
            asyncio.get_running_loop().call_exception_handler(
                {"message": f"the model {slot.pair} did not end well", "exception": error}
            )
        finally:
            if self._slots.get(slot.pair) is slot:
                del self._slots[slot.pair]

    async def _until_closed(self, task: asyncio.Task[T]) -> T:
        """The result of a task that others wait for too; closing ends the waiting, not the task."""
        if task.done() and not task.cancelled():
            return task.result()  # at once: a request for a loaded model is in its queue then
        closed = asyncio.ensure_future(self._closed.wait())
        try:
            await asyncio.wait((task, closed), return_when=asyncio.FIRST_COMPLETED)
        finally:
            closed.cancel()
        if self._closed.is_set() and not (task.done() and not task.cancelled()):
            raise _closed()
        return task.result()


def _came(service: asyncio.Task[TranslationService]) -> bool:
    return service.done() and not service.cancelled() and service.exception() is None


def _closed() -> RequestCancelledError:
    return RequestCancelledError("the models are closed")
