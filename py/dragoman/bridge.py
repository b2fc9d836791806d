"""Pyodide's door to the core: plain data in, plain data out, UTF-16 outside.

The contract is ``docs/protocol.md``. Text crosses as JSON, which keeps lone surrogates intact in
both directions; ranges are UTF-16 code units.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import fields
from typing import Any, Protocol, TypeVar

from dragoman.bundle import parse_manifest
from dragoman.config import Limits
from dragoman.engine import Engine
from dragoman.engines.browser import BrowserEngine, RunFunction, TypedArray
from dragoman.errors import (
    BundleError,
    DragomanError,
    InvalidRequestError,
    LanguagePairError,
    RequestCancelledError,
)
from dragoman.graph import Chunk, Constant, DependentRequest, Input, Output
from dragoman.pipeline import Pipeline
from dragoman.registry import LoadedModel, ModelRegistry
from dragoman.router import Router, RunningRequest
from dragoman.service import Progress, ProgressListener
from dragoman.tokenizer import SentencePieceTokenizer
from dragoman.types import (
    AlignmentKind,
    LanguagePair,
    OverlongPolicy,
    Priority,
    TextFormat,
    TranslationRequest,
    TranslationResponse,
    WhenFull,
)
from dragoman.wire import (
    RangeUnit,
    error_data,
    outcome_data,
    read_elements,
    response_data,
    statistics_data,
)

# What JSON of any kind can make of reading a request.
_UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)

Result = TypeVar("Result")
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
    """Models behind JSON: the one that was there first, and those that are loaded on demand."""

    def __init__(self, pipeline: Pipeline, engine: Engine, limits: Limits) -> None:
        self._models = _Models(LoadedModel(pipeline, engine), limits)
        self._registry = ModelRegistry(self._models, limits)
        self._router = Router(self._registry, limits)
        self._open: dict[int, tuple[RunningRequest | None, asyncio.Task[Any]]] = {}

    def offer(self, models_json: str, load: LoadFunction) -> None:
        """Name the models that there are; a request that needs one has it loaded.

        Args:
            models_json: `[{"bundle", "source", "target", "bytes"} ...]`, as in `models/index.json`.
            load: fetches and checks a bundle by its name.

        Raises:
            InvalidRequestError: the list cannot be read.
        """
        self._models.offer(models_json, load)

    async def translate(
        self, client_id: int, request_json: str, on_progress: ProgressFunction | None = None
    ) -> str:
        """The outcome of a request, as JSON; never raises for anything a client can cause."""
        try:
            request = read_request(request_json)
            response = await self._run(client_id, request, _listener(on_progress))
            return json.dumps({"ok": True, "response": response_data(response, RangeUnit.UTF16)})
        except DragomanError as error:
            return json.dumps({"ok": False, "error": error_data(error)})
        except Exception as error:  # Such as MemoryError: the page must hear of it all the same.
            unforeseen = DragomanError(f"an unforeseen error: {error!r}")
            return json.dumps({"ok": False, "error": error_data(unforeseen)})

    async def graph(self, client_id: int, graph_json: str) -> str:
        """The outcomes of dependent requests, as JSON; never raises, as `translate`.

        The answer is `{"ok": true, "outputs": {name: outcome ...}}`.
        """
        try:
            variables, requests = read_graph(graph_json)
            ends = await self._keep(client_id, None, self._router.run_graph(variables, requests))
            outputs = {name: outcome_data(end, RangeUnit.UTF16) for name, end in ends.items()}
            return json.dumps({"ok": True, "outputs": outputs})
        except DragomanError as error:
            return json.dumps({"ok": False, "error": error_data(error)})
        except Exception as error:  # See above.
            unforeseen = DragomanError(f"an unforeseen error: {error!r}")
            return json.dumps({"ok": False, "error": error_data(unforeseen)})

    def cancel(self, client_id: int) -> None:
        """Cancel a request; an unknown or ended one is ignored."""
        if client_id in self._open:
            self._open[client_id][1].cancel()

    def prioritize(self, client_id: int, priority: str) -> None:
        """Give a request another priority; an unknown or ended one is ignored.

        Raises:
            ValueError: there is no such priority.
        """
        running = self._open[client_id][0] if client_id in self._open else None
        if running:
            running.prioritize(Priority(priority))

    def statistics(self) -> str:
        """Figures of all models, as JSON."""
        return json.dumps(statistics_data(self._registry.statistics()))

    async def close(self) -> None:
        await self._registry.close()

    async def _run(
        self, client_id: int, request: TranslationRequest, listener: ProgressListener | None
    ) -> TranslationResponse:
        running = RunningRequest(request, listener)
        return await self._keep(client_id, running, running.run(self._router))

    async def _keep(
        self, client_id: int, running: RunningRequest | None, work: Coroutine[Any, Any, Result]
    ) -> Result:
        """The result of some work, which `cancel` finds meanwhile."""
        if client_id in self._open:
            work.close()
            raise InvalidRequestError(f"the id {client_id!r} is in use")
        task = asyncio.ensure_future(work)
        self._open[client_id] = running, task
        try:
            await asyncio.wait((task,))
        finally:
            self._open.pop(client_id, None)
            task.cancel()
        if task.cancelled():
            raise RequestCancelledError("the request was cancelled")
        return task.result()


class LoadedBundle(Protocol):
    """What a `LoadFunction` resolves to."""

    manifest: str
    vocabulary: TypedArray
    run: RunFunction


class LoadFunction(Protocol):
    """Fetches a bundle, checks it, and hands its graph to the engine."""

    def __call__(self, bundle: str) -> Awaitable[LoadedBundle]: ...


class _Models:
    """The models of a site, for a registry."""

    def __init__(self, first: LoadedModel, limits: Limits) -> None:
        manifest = first.pipeline.manifest
        self._first_pair = LanguagePair(manifest.source, manifest.target)
        self._first: LoadedModel | None = first
        self._limits = limits
        size = sum(file.bytes for file in manifest.files.values())
        self._sizes = {self._first_pair: size}
        self._bundles: dict[LanguagePair, str] = {}
        self._load: LoadFunction | None = None

    def offer(self, models_json: str, load: LoadFunction) -> None:
        try:
            for model in json.loads(models_json):
                pair = LanguagePair(str(model["source"]), str(model["target"]))
                self._sizes.setdefault(pair, int(model["bytes"]))
                self._bundles.setdefault(pair, str(model["bundle"]))
        except _UNREADABLE as error:
            raise InvalidRequestError(f"the models cannot be read: {error!r:.200}") from error
        self._load = load

    @property
    def pairs(self) -> tuple[LanguagePair, ...]:
        return tuple(self._sizes)

    def size(self, pair: LanguagePair) -> int:
        if pair not in self._sizes:
            raise LanguagePairError(*pair, ", ".join(map(str, self._sizes)))
        return self._sizes[pair]

    async def load(self, pair: LanguagePair) -> LoadedModel:
        first, self._first = self._first, None
        if first is not None and pair == self._first_pair:
            return first
        self._first = first
        if self._load is None or pair not in self._bundles:
            raise BundleError(f"the model {pair} is no longer there", **pair._asdict())
        found = await self._load(self._bundles[pair])
        tokenizer = SentencePieceTokenizer(found.vocabulary.to_bytes())
        pipeline = Pipeline(parse_manifest(found.manifest), tokenizer, self._limits)
        return LoadedModel(pipeline, BrowserEngine(found.run))


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


def read_graph(graph_json: str) -> tuple[dict[str, str], list[DependentRequest]]:
    """Parse dependent requests: `{"variables": {name: text}, "requests": [...]}`.

    Raises:
        InvalidRequestError: it is not JSON, lacks a field, or a field has an unknown value.
    """
    try:
        data = json.loads(graph_json)
        variables = dict(data.get("variables", {}))
        if not all(isinstance(text, str) for text in variables.values()):
            raise InvalidRequestError("a variable's value is not a string")
        requests = [
            DependentRequest(
                tuple(_read_chunk(chunk) for chunk in request["template"]),
                read_request(json.dumps({**request, "text": ""})),
            )
            for request in data["requests"]
        ]
    except _UNREADABLE as error:
        raise InvalidRequestError(f"the requests cannot be read: {error!r:.200}") from error
    return variables, requests


def _read_chunk(chunk: object) -> Chunk:
    match chunk:
        case str():
            return Constant(chunk)
        case {"input": str(name), **rest} if not rest:
            return Input(name)
        case {"output": str(name), **rest} if not rest:
            return Output(name)
    raise InvalidRequestError(f"no chunk of a template: {chunk!r:.100}")


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
