"""The models of a server: loaded at their first use, and every pair of languages they connect.

    router --> ModelRegistry --> load in a thread (once, whoever waits or leaves) --> a service

Everything but the loading runs on the server's event loop. `close` is for the owner of the app.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from dragoman.catalogue.languages import closest_pair
from dragoman.config import Limits
from dragoman.native.bundles import Parts
from dragoman.routing.registry import ModelRegistry, ModelUse
from dragoman.routing.router import Router
from dragoman.types import LanguagePair

LoadFunction = Callable[[str, str], Parts]
SizesFunction = Callable[[], Mapping[LanguagePair, int]]


class ModelPool:
    """Translates between the languages of some models.

    Args:
        load: finds and loads the model of a pair; may block; raises `DragomanError`.
        sizes: the pairs that there are, and the bytes of each; may block a little.
    """

    def __init__(
        self, load: LoadFunction, limits: Limits, sizes: SizesFunction | None = None
    ) -> None:
        self._registry = ModelRegistry(_Source(load, sizes or dict), limits)
        self.router = Router(self._registry, limits)
        self._closed = False

    @property
    def closed(self) -> bool:
        return self._closed

    @property
    def models(self) -> tuple[ModelUse, ...]:
        """The models in memory."""
        return self._registry.models

    async def ready(self, source: str, target: str) -> LanguagePair:
        """Load what a pair needs; the pair as the models name it ("de-AT" is served by "de").

        Raises:
            LanguagePairError: the models do not connect the pair.
            BundleError: a model cannot be used. It is tried again at the next request.
            RequestCancelledError: the pool is closed.
        """
        pair = LanguagePair(*closest_pair(source, target, self._registry.pairs))
        for leg in self.router.route(*pair):
            async with self._registry.lease(*leg):
                pass  # idle again, it stays as long as the budget allows
        return pair

    async def close(self) -> None:
        """Settle every open request as cancelled, and close the engines."""
        self._closed = True
        await self._registry.close()


class _Source:
    """What was found at the last look, which a pair that is not among it makes again."""

    def __init__(self, load: LoadFunction, sizes: SizesFunction) -> None:
        self._load, self._sizes = load, sizes
        self._known: Mapping[LanguagePair, int] = {}

    @property
    def pairs(self) -> tuple[LanguagePair, ...]:
        self._known = self._known or self._sizes()
        return tuple(self._known)

    def size(self, pair: LanguagePair) -> int:
        if pair not in self._known:
            self._known = self._sizes()
        return self._known.get(pair, 0)  # `load` says what is wrong

    async def load(self, pair: LanguagePair) -> Parts:
        return await asyncio.to_thread(self._load, *pair)
