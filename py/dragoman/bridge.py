"""Pyodide's door to the core: plain data in, plain data out, UTF-16 outside.

The contract is ``docs/protocol.md``. Text crosses as JSON, which keeps lone surrogates intact in
both directions; ranges are UTF-16 code units.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from dragoman.bundle import parse_manifest
from dragoman.config import Limits
from dragoman.engine import Engine
from dragoman.engines.browser import BrowserEngine, RunFunction
from dragoman.errors import DragomanError, InvalidRequestError
from dragoman.pipeline import Pipeline
from dragoman.service import Progress, TranslationHandle, TranslationService
from dragoman.tokenizer import SentencePieceTokenizer
from dragoman.types import (
    AlignmentKind,
    OverlongPolicy,
    Priority,
    TextFormat,
    TranslationRequest,
    WhenFull,
)
from dragoman.wire import (
    RangeUnit,
    error_data,
    read_elements,
    response_data,
    statistics_data,
)

# What JSON of any kind can make of reading a request.
_UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)

ProgressFunction = Callable[[str, int, int], object]


def open_session(
    manifest_json: str, vocabulary: bytes, run: RunFunction, limits_json: str | None = None
) -> Session:
    """Make the core ready; must be called on the event loop that will be used.

    Raises:
        BundleError: the manifest or the vocabulary cannot be used, or they do not fit.
        InvalidRequestError: a limit has an unknown name, or is not a whole number above 0.
    """
    limits = read_limits(limits_json) if limits_json else Limits()
    manifest = parse_manifest(manifest_json)
    pipeline = Pipeline(manifest, SentencePieceTokenizer(bytes(vocabulary)), limits)
    return Session(pipeline, BrowserEngine(run), limits)


class Session:
    """One loaded model behind JSON."""

    def __init__(self, pipeline: Pipeline, engine: Engine, limits: Limits) -> None:
        self._service = TranslationService(pipeline, engine, limits)
        self._open: dict[int, TranslationHandle] = {}

    async def translate(
        self, client_id: int, request_json: str, on_progress: ProgressFunction | None = None
    ) -> str:
        """The outcome of a request, as JSON; never raises for anything a client can cause."""
        try:
            request = read_request(request_json)
            if client_id in self._open:
                raise InvalidRequestError(f"the id {client_id!r} is in use")
            handle = self._service.submit(request, _listener(on_progress))
            self._open[client_id] = handle
            try:
                response = await handle.response
            finally:
                self._open.pop(client_id, None)
            return json.dumps({"ok": True, "response": response_data(response, RangeUnit.UTF16)})
        except DragomanError as error:
            return json.dumps({"ok": False, "error": error_data(error)})
        except Exception as error:  # Such as MemoryError: the page must hear of it all the same.
            unforeseen = DragomanError(f"an unforeseen error: {error!r}")
            return json.dumps({"ok": False, "error": error_data(unforeseen)})

    def cancel(self, client_id: int) -> None:
        """Cancel a request; an unknown or ended one is ignored."""
        handle = self._open.get(client_id)
        if handle:
            handle.cancel()

    def prioritize(self, client_id: int, priority: str) -> None:
        """Give a request another priority; an unknown or ended one is ignored.

        Raises:
            ValueError: there is no such priority.
        """
        handle = self._open.get(client_id)
        if handle:
            handle.prioritize(Priority(priority))

    def statistics(self) -> str:
        """Figures of the service, as JSON."""
        return json.dumps(statistics_data(self._service.statistics()))

    async def close(self) -> None:
        await self._service.close()


def _listener(on_progress: ProgressFunction | None) -> Callable[[Progress], None] | None:
    if on_progress is None:
        return None

    def report(progress: Progress) -> None:
        on_progress(str(progress.state), progress.done, progress.total)

    return report


def read_request(request_json: str) -> TranslationRequest:
    """Parse a request.

    Raises:
        InvalidRequestError: it is not JSON, lacks a field, or a field has an unknown value.
        InvalidElementsError: an element is not in the text, or begins inside a character.
    """
    try:
        data = json.loads(request_json)
        for name in ("text", "source", "target"):
            if not isinstance(data[name], str):
                raise InvalidRequestError(f"{name!r} is not a string")
        elements = read_elements(data.get("elements") or [], data["text"], RangeUnit.UTF16)
        return TranslationRequest(
            text=data["text"],
            source=data["source"],
            target=data["target"],
            alignment=AlignmentKind(data.get("alignment", "hard")),
            overlong=OverlongPolicy(data.get("overlong", "wrap")),
            priority=Priority(data.get("priority", "interactive")),
            deadline=_read_deadline(data.get("deadline")),
            when_full=WhenFull(data.get("whenFull", "refuse")),
            cache=_read_flag(data.get("cache", True)),
            format=TextFormat(data.get("format", "text")),
            elements=elements,
        )
    except _UNREADABLE as error:
        raise InvalidRequestError(f"the request cannot be read: {error!r:.200}") from error


def _read_deadline(value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    raise InvalidRequestError(f"the deadline is no number: {value!r:.50}")


def _read_flag(value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise InvalidRequestError(f"'cache' is neither true nor false: {value!r:.50}")


def read_limits(limits_json: str) -> Limits:
    """Parse limits; those that are not named have their defaults.

    Raises:
        InvalidRequestError: a limit has an unknown name, or is not a whole number above 0.
    """
    try:
        data: dict[str, Any] = json.loads(limits_json)
        named = data.items()
    except (ValueError, AttributeError, RecursionError) as error:
        raise InvalidRequestError(f"the limits cannot be read: {error!r:.200}") from error
    known = {limit.name for limit in fields(Limits)}
    for name, value in named:
        if name not in known or type(value) is not int or value < 1:
            raise InvalidRequestError(f"no limit: {name!r} of {value!r}")
    return Limits(**data)
