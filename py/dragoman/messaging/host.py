"""What the extension's messages mean. They are those of the language worker, as far as they fit:

    hello       -> ready                    release, and the directions that there are models for
    translate   -> progress … -> settled    progress only if asked for; exactly one settled
    prioritize, cancel                      of what is under way; unknown ids are ignored
    all else    -> failed

`docs/protocol.md` has the fields. Everything runs on one event loop; `close` is for the owner.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

from dragoman.catalogue.languages import closest_pair
from dragoman.config import Limits
from dragoman.errors import (
    DragomanError,
    InvalidRequestError,
    QueueFullError,
    RequestCancelledError,
    typed,
)
from dragoman.routing.registry import ModelRegistry, ModelSource
from dragoman.routing.router import Router, route
from dragoman.service.progress import Progress, ProgressListener
from dragoman.service.ticket import Ticket
from dragoman.types import LanguagePair, Priority, TranslationRequest, TranslationResponse
from dragoman.wire.requests import request_of
from dragoman.wire.responses import RangeUnit, error_data, outcome_data

# Requests under way at a time: more than a page has blocks on a screen, far less than memory holds.
OPEN_REQUESTS = 10_000

Send = Callable[[dict[str, Any]], None]
_Task = asyncio.Task[TranslationResponse]


class MessagingHost:
    """Answers the messages of one extension.

    Args:
        models: loaded when they are first needed.
        release: what it says of itself, such as "0.5.0".
        send: takes each answer, on the event loop; it must not wait.
    """

    def __init__(self, models: ModelSource, release: str, limits: Limits, send: Send) -> None:
        self._registry = ModelRegistry(models, limits)
        self._router = Router(self._registry, limits)
        self._release, self._limits, self._send = release, limits, send
        self._open: dict[int, tuple[Ticket, _Task]] = {}

    def receive(self, message: object) -> None:
        """Take a message up; never raises for anything that it may be."""
        try:
            self._answer(message)
        except Exception as error:
            self._send({"type": "failed", "error": error_data(typed(error))})

    def _answer(self, message: object) -> None:
        match message:
            case {"type": "hello"}:
                self._send(self._ready())
            case {"type": "translate", "id": int(id_), "request": dict(data), **rest}:
                self._check_free(id_)
                self._translate(id_, data, wants_progress=rest.get("progress") is True)
            case {"type": "prioritize", "id": int(id_), "priority": str(name)}:
                if name not in list(Priority):
                    raise InvalidRequestError("there is no such priority")
                if id_ in self._open:
                    self._open[id_][0].prioritize(Priority(name))
            case {"type": "cancel", "id": int(id_)}:
                if id_ in self._open:
                    self._open[id_][1].cancel()
            case _:
                raise InvalidRequestError("the message is of no known type, or a field is missing")

    def _ready(self) -> dict[str, Any]:
        pairs = self._registry.pairs
        sources, targets = {one for one, _ in pairs}, {two for _, two in pairs}
        directions = [
            {"source": source, "target": target}
            for source, target in product(sorted(sources), sorted(targets))
            if set(pairs).issuperset(route(pairs, source, target))
        ]
        return {"type": "ready", "release": self._release, "directions": directions}

    def _check_free(self, id_: int) -> None:
        if id_ in self._open:
            raise InvalidRequestError(f"the id {id_} is in use")

    def _translate(self, id_: int, data: dict[str, Any], *, wants_progress: bool) -> None:
        try:
            if len(self._open) >= OPEN_REQUESTS:
                raise QueueFullError(len(self._open) + 1, OPEN_REQUESTS, "requests")
            request = self._closest(request_of(data))
            listener = self._listener(id_) if wants_progress else None
            ticket = Ticket.of(request, self._limits, listener)
        except DragomanError as error:
            self._settle(id_, error)
            return
        task = asyncio.ensure_future(self._router.translate(request, ticket))
        self._open[id_] = ticket, task
        task.add_done_callback(partial(self._ended, id_))

    def _closest(self, request: TranslationRequest) -> TranslationRequest:
        """ "de-AT" is served by "de"."""
        pair = LanguagePair(*closest_pair(request.source, request.target, self._registry.pairs))
        return replace(request, **pair._asdict())

    def _listener(self, id_: int) -> ProgressListener:
        def tell(progress: Progress) -> None:
            how_far = {"done": progress.done, "total": progress.total}
            self._send({"type": "progress", "id": id_, "state": str(progress.state), **how_far})

        return tell

    def _ended(self, id_: int, task: _Task) -> None:
        del self._open[id_]
        if task.cancelled():
            self._settle(id_, RequestCancelledError("the request was cancelled"))
        elif error := task.exception():
            self._settle(id_, typed(error))
        else:
            self._settle(id_, task.result())

    def _settle(self, id_: int, outcome: TranslationResponse | DragomanError) -> None:
        data = outcome_data(outcome, RangeUnit.UTF16)
        self._send({"type": "settled", "id": id_, "outcome": data})

    async def close(self) -> None:
        """Settle what is open as cancelled, and let go of models and threads."""
        tasks = [task for _, task in self._open.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._registry.close()
