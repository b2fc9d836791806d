"""The models of a server: loaded at their first use, and every pair of languages they connect.

    router --> ModelRegistry --> load in a thread (once, whoever waits or leaves) --> a service

Everything but the loading runs on the server's event loop. `close` is for the owner of the app.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from dragoman.catalogue.languages import closest_pair
from dragoman.config import Limits
from dragoman.native.bundles import Parts
from dragoman.routing.registry import ModelRegistry, ModelSource, ModelUse
from dragoman.routing.router import Router
from dragoman.types import LanguagePair

LoadFunction = Callable[[str, str], Parts]


class ModelPool:
    """Translates between the languages of some models."""

    def __init__(self, models: ModelSource, limits: Limits) -> None:
        self._registry = ModelRegistry(models, limits)
        self.router = Router(self._registry, limits)
        self._closed = False

    @property
    def closed(self) -> bool:
        return self._closed

    @property
    def pairs(self) -> tuple[LanguagePair, ...]:
        """What there are models for, loaded or not."""
        return self._registry.pairs

    @property
    def models(self) -> tuple[ModelUse, ...]:
        """The models in memory."""
        return self._registry.models

    @property
    def restarts(self) -> int:
        """Times that the service of a model has failed as a whole and begun anew."""
        return self._registry.statistics().restarts

    @property
    def is_idle(self) -> bool:
        """Whether no text is being translated."""
        return not self._registry.statistics().open_requests

    def pair(self, source: str, target: str) -> LanguagePair:
        """A pair as the models name it ("de-AT" is served by "de"), or as it is."""
        return LanguagePair(*closest_pair(source, target, self._registry.pairs))

    async def ready(self, source: str, target: str) -> LanguagePair:
        """Load what a pair needs; the pair as the models name it.

        Raises:
            LanguagePairError: the models do not connect the pair.
            BundleError: a model cannot be used. It is tried again at the next request.
            RequestCancelledError: the pool is closed.
        """
        pair = self.pair(source, target)
        for leg in self.router.route(*pair):
            async with self._registry.lease(*leg):
                pass  # idle again, it stays as long as the budget allows
        return pair

    async def close(self) -> None:
        """Settle every open request as cancelled, and close the engines."""
        self._closed = True
        await self._registry.close()


class GivenModels:
    """A source of what a function loads: of which pairs, it alone knows."""

    def __init__(self, load: LoadFunction) -> None:
        self._load = load

    @property
    def pairs(self) -> tuple[LanguagePair, ...]:
        return ()

    def size(self, _pair: LanguagePair) -> int:
        return 0

    async def load(self, pair: LanguagePair) -> Parts:
        return await asyncio.to_thread(self._load, *pair)
