"""The loaded models of a server: one service a pair of languages, made at its first use.

    service(pair) --> load in a thread (once, whoever waits or leaves) --> TranslationService

Everything but the loading runs on the server's event loop. `close` is for the owner of the app.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from dragoman.config import Limits
from dragoman.errors import RequestCancelledError
from dragoman.native import Parts
from dragoman.service import TranslationService

LoadFunction = Callable[[str, str], Parts]


class ModelPool:
    """Services by pair.

    Args:
        load: finds and loads the model of a pair; may block; raises `DragomanError`.
    """

    def __init__(self, load: LoadFunction, limits: Limits) -> None:
        self._load, self._limits = load, limits
        self._services: dict[tuple[str, str], asyncio.Task[TranslationService]] = {}
        self._closed = False

    @property
    def closed(self) -> bool:
        return self._closed

    async def service(self, source: str, target: str) -> TranslationService:
        """The service of a pair.

        Raises:
            LanguagePairError: there is no model for it.
            BundleError: the model cannot be used. It is tried again at the next request.
            RequestCancelledError: the pool is closed.
        """
        if self._closed:
            raise RequestCancelledError("the server is closing")
        pair = source, target
        task = self._services.get(pair)
        if task is None or (task.done() and _failed(task)):
            task = self._services[pair] = asyncio.create_task(self._open(pair))
            task.add_done_callback(self._forget_failed(pair))
        # One client that leaves does not take the model from those who wait with it.
        return await asyncio.shield(task)

    async def close(self) -> None:
        """Settle every open request as cancelled, and close the engines."""
        self._closed = True
        # A model that failed to load was told to those who asked for it.
        opened = await asyncio.gather(*self._services.values(), return_exceptions=True)
        services = [service for service in opened if isinstance(service, TranslationService)]
        await asyncio.gather(*(service.close() for service in services))
        self._services.clear()

    async def _open(self, pair: tuple[str, str]) -> TranslationService:
        parts = await asyncio.to_thread(self._load, *pair)
        return TranslationService(parts.pipeline, parts.engine, self._limits)

    def _forget_failed(
        self, pair: tuple[str, str]
    ) -> Callable[[asyncio.Task[TranslationService]], None]:
        def forget(task: asyncio.Task[TranslationService]) -> None:
            if _failed(task) and self._services.get(pair) is task:
                del self._services[pair]

        return forget


def _failed(task: asyncio.Task[TranslationService]) -> bool:
    return task.cancelled() or task.exception() is not None
