"""Pyodide's door to the core: plain data in, plain data out, UTF-16 outside.

The contract is ``docs/protocol.md``. Text crosses as JSON, which keeps lone surrogates intact in
both directions; ranges are UTF-16 code units.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Container, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from dragoman.bridge.models import SessionModels, pipeline_of, restore
from dragoman.bridge.turns import take_turns
from dragoman.config import Limits
from dragoman.engines.browser import BrowserEngine, LoadFunction, RunFunction, TypedArray
from dragoman.engines.bundle import parse_manifest
from dragoman.engines.described import Described, describe
from dragoman.engines.port import Engine
from dragoman.errors import (
    BundleError,
    BundleMismatchError,
    InvalidRequestError,
    ModelFileError,
    RequestCancelledError,
    typed,
)
from dragoman.pipeline.pipeline import Pipeline
from dragoman.routing.registry import LoadedModel, ModelRegistry
from dragoman.routing.router import Router
from dragoman.routing.stream import TranslationStream
from dragoman.routing.variables import Ended, RunningGraph
from dragoman.service.cache import Journal, SentenceCache
from dragoman.service.progress import Progress, ProgressListener, RequestState
from dragoman.service.ticket import Ticket
from dragoman.types import (
    LanguagePair,
    Priority,
    TranslationMemory,
    TranslationResponse,
)
from dragoman.wire.memory import parse_memory
from dragoman.wire.requests import UNREADABLE, read_graph, read_limits, read_options, read_request
from dragoman.wire.responses import (
    PieceWriter,
    RangeUnit,
    error_data,
    outcome_data,
    response_data,
    statistics_data,
)

if TYPE_CHECKING:
    from dragoman.documents.translate import TranslatedDocument

Result = TypeVar("Result")
# What can be told of what is under way: of a document nothing.
_Running = Ticket | RunningGraph | None
ProgressFunction = Callable[[str, int, int], object]
OutputFunction = Callable[[str, str], object]
BeginningFunction = Callable[[str], object]
ContentFunction = Callable[[bytes], object]


def open_session(
    manifest_json: str,
    vocabulary: bytes,
    run: RunFunction,
    limits_json: str | None = None,
    kept_json: str | None = None,
    names: bytes | None = None,
    memory_json: str | None = None,
) -> Session:
    """Make the core ready; must be called on the event loop that will be used.

    Args:
        names: the bundle's table of names, if it has one.
        kept_json: the model's sentences that the host has kept, the one used last first:
            `[[options, text, line] ...]`. Without it the host keeps none.
        memory_json: the memory of requests that say `"memory": true`: see `parse_memory`.

    Raises:
        BundleError: the manifest or the vocabulary cannot be used, or they do not fit.
        InvalidRequestError: a limit has an unknown name, or is not a whole number above 0.
    """
    take_turns(asyncio.get_running_loop())
    limits = read_limits(limits_json) if limits_json else Limits()
    table = None if names is None else bytes(names)
    pipeline = pipeline_of(parse_manifest(manifest_json), bytes(vocabulary), limits, table)
    memory = parse_memory(memory_json, limits) if memory_json else None
    return Session(pipeline, BrowserEngine(run), limits, kept_json, memory)


def describe_published(
    manifest_json: str,
    vocabulary: bytes,
    target_vocabulary: bytes | None,
    read: Callable[[int, int], TypedArray],
    size: int,
) -> Described:
    """What an engine places, and a session needs, of a published model.

    Args:
        manifest_json: `architecture` and `limits` may be missing.
        read, size: of the model file, which is JavaScript's: bytes from one place up to another.

    Raises:
        BundleMismatchError: the files are damaged or do not fit each other.
        BundleError: the manifest is not JSON.
    """
    try:
        manifest = json.loads(manifest_json)
        target = None if target_vocabulary is None else bytes(target_vocabulary)
        return describe(
            manifest, bytes(vocabulary), target, lambda *part: read(*part).to_bytes(), size
        )
    except ModelFileError as error:
        raise BundleMismatchError(error.message, **error.details) from error
    except UNREADABLE as error:
        raise BundleError(f"the manifest cannot be read: {error!r:.200}") from error


class Session:
    """Models behind JSON: the one that was there first, and those that are loaded on demand."""

    def __init__(
        self,
        pipeline: Pipeline,
        engine: Engine,
        limits: Limits,
        kept_json: str | None = None,
        memory: TranslationMemory | None = None,
    ) -> None:
        self._memory = memory
        self._journal = None if kept_json is None else Journal()
        self._cache = SentenceCache(limits.cache_bytes, self._journal)
        self._models = SessionModels(LoadedModel(pipeline, engine), limits, self._cache)
        restore(self._cache, pipeline, kept_json)
        self._registry = ModelRegistry(self._models, limits, self._cache)
        self._router = Router(self._registry, limits)
        self._limits = limits
        self._open: dict[int, tuple[_Running, asyncio.Task[Any]]] = {}
        self._streams: dict[int, tuple[TranslationStream, PieceWriter]] = {}

    def offer(self, models_json: str, load: LoadFunction) -> None:
        """Name the models that there are; a request that needs one has it loaded.

        Args:
            models_json: `[{"bundle", "source", "target", "bytes"} ...]`, as in `models/index.json`.
            load: fetches and checks a bundle by its name.

        Raises:
            InvalidRequestError: the list cannot be read.
        """
        self._models.offer(models_json, load)

    def load(self, client_id: int, source: str, target: str) -> Coroutine[Any, Any, str]:
        """Load the model of a pair before a request needs it; its outcome is that alone."""
        work = partial(self._registry.load, source, target)
        return self._begin(client_id, lambda: (None, work()), lambda _: {})

    async def unload(self, source: str, target: str) -> None:
        """Give back the memory of a model, unless a request uses it or it is being loaded."""
        pair = LanguagePair(source, target)
        self._registry.unload(pair)
        await self._models.forget(pair)

    def translate(
        self, client_id: int, request_json: str, on_progress: ProgressFunction | None = None
    ) -> Coroutine[Any, Any, str]:
        """The outcome of a request, as JSON; never raises for anything a client can cause.

        The request can be cancelled from now on, awaited or not.
        """

        def begin() -> tuple[Ticket, Coroutine[Any, Any, TranslationResponse]]:
            request = read_request(request_json, self._memory)
            ticket = Ticket.of(request, self._limits, _listener(on_progress))
            return ticket, self._router.translate(request, ticket)

        def told(response: TranslationResponse) -> dict[str, Any]:
            return {"response": response_data(response, RangeUnit.UTF16)}

        return self._begin(client_id, begin, told)

    def graph(
        self, client_id: int, graph_json: str, on_output: OutputFunction | None = None
    ) -> Coroutine[Any, Any, str]:
        """The outcomes of dependent requests, as JSON; never raises, as `translate`.

        The answer is `{"ok": true, "outputs": {name: outcome ...}}`.

        Args:
            on_output: gets each output's name and outcome (JSON), as soon as it has one.
        """

        def ended(name: str, end: Ended) -> None:
            if on_output is not None:
                on_output(name, json.dumps(outcome_data(end, RangeUnit.UTF16)))

        def begin() -> tuple[RunningGraph, Coroutine[Any, Any, dict[str, Ended]]]:
            running = RunningGraph(*read_graph(graph_json, self._memory), ended)
            return running, self._router.run(running)

        def told(ends: dict[str, Ended]) -> dict[str, Any]:
            outputs = {name: outcome_data(end, RangeUnit.UTF16) for name, end in ends.items()}
            return {"outputs": outputs}

        return self._begin(client_id, begin, told)

    def document(
        self,
        client_id: int,
        content: TypedArray,
        asked_json: str,
        on_progress: ProgressFunction,
        on_beginning: BeginningFunction,
        on_content: ContentFunction,
    ) -> Coroutine[Any, Any, str]:
        """The outcome of a document, as JSON; never raises, as `translate`.

        The answer is `{"ok": true, "document": {...}}`: see `wire.documents`, which the host must
        have put beside the core by now.

        Args:
            on_progress: gets "running", characters done and of all.
            on_beginning: gets the beginning of its text (JSON), once it is read.
            on_content: gets the translated file, before the outcome.
        """
        told: dict[str, Any] = {}

        def begin() -> tuple[_Running, Coroutine[Any, Any, TranslatedDocument]]:
            from dragoman.documents.translate import translate_document
            from dragoman.wire.documents import document_data, open_document

            opened = open_document(content.to_bytes(), asked_json, self._memory)
            on_beginning(json.dumps(opened.beginning))

            def heard(done: int, total: int) -> None:
                on_progress(str(RequestState.RUNNING), done, total)

            async def work() -> TranslatedDocument:
                translate = self._router.translate
                done = await translate_document(opened.document, translate, opened.pattern, heard)
                told["document"] = document_data(opened, done)
                return done

            return None, work()

        def end(done: TranslatedDocument) -> dict[str, Any]:
            on_content(done.content)
            return told

        return self._begin(client_id, begin, end)

    # --- streams -----------------------------------------------------------------------------

    def start(self, client_id: int, options_json: str) -> str:
        """Open a stream: `{"ok": true}`, or its error, as JSON."""
        try:
            options = read_options(options_json, self._memory)
            _check_free(client_id, self._open, self._streams)
            self._streams[client_id] = self._router.start(options), PieceWriter(RangeUnit.UTF16)
            return json.dumps({"ok": True})
        except Exception as error:
            return _failure(error)

    async def feed(self, client_id: int, text_json: str) -> bool:
        """Take the next part of a stream's text, which waits for room.

        Returns whether more may come; if not, `next_piece` says why.
        """
        return await self._fed(client_id, lambda stream: stream.feed(json.loads(text_json)))

    async def finish(self, client_id: int) -> bool:
        """Take what is left as the end of a stream's text; the same."""
        return await self._fed(client_id, lambda stream: stream.finish())

    async def next_piece(self, client_id: int) -> str:
        """The next sentence of a stream: `{"ok": true, "piece": {...}}`, or its error, as JSON.

        The piece is null at the end. After that, and after an error, the stream is gone.
        """
        if client_id not in self._streams:
            return _failure(RequestCancelledError("the stream has ended"))
        stream, writer = self._streams[client_id]
        try:
            piece = await anext(stream, None)
            if piece is not None:
                return json.dumps({"ok": True, "piece": writer.data(piece.response)})
            answer = json.dumps({"ok": True, "piece": None})
        except Exception as error:
            answer = _failure(error)
        self._streams.pop(client_id, None)
        return answer

    async def _fed(
        self, client_id: int, work: Callable[[TranslationStream], Awaitable[None]]
    ) -> bool:
        if client_id not in self._streams:
            return False
        stream, _ = self._streams[client_id]
        try:
            await work(stream)
        except Exception as error:
            stream.fail(error)
            return False
        return True

    # --- all of them -------------------------------------------------------------------------

    def cancel(self, client_id: int, output: str | None = None) -> None:
        """Take back a request, a stream, a graph, or of a graph one output and what depends on it.

        What is unknown or has ended is ignored.
        """
        if client_id in self._streams:
            stream, _ = self._streams.pop(client_id)
            stream.cancel()
        if client_id not in self._open:
            return
        running, task = self._open[client_id]
        if output is None:
            task.cancel()
        elif isinstance(running, RunningGraph):
            running.cancel(output)

    def prioritize(self, client_id: int, priority: str) -> None:
        """Give a request another priority; an unknown or ended one is ignored.

        Raises:
            ValueError: there is no such priority.
        """
        running = self._open[client_id][0] if client_id in self._open else None
        if isinstance(running, Ticket):
            running.prioritize(Priority(priority))

    def statistics(self) -> str:
        """Figures of all models, and what this table holds, as JSON."""
        open_graphs = sum(isinstance(running, RunningGraph) for running, _ in self._open.values())
        tables = {"open_streams": len(self._streams), "open_graphs": open_graphs}
        kept = {"kept_hits": self._journal.hits if self._journal else 0}
        return json.dumps(statistics_data(self._registry.statistics()) | tables | kept)

    def news(self, most: int) -> str:
        """What the host should do about the sentences that it keeps, up to so many, as JSON.

        `[{"model", "options", "text", "line": … or null, "dropped": bool} ...]`: see `cache.News`.
        """
        return json.dumps(
            [
                dict(zip(("model", "options", "text"), news.key, strict=True))
                | {"line": news.line, "dropped": news.dropped}
                for news in self._cache.news(most)
            ]
        )

    def clear_cache(self) -> None:
        """Forget all translated sentences; there is nothing to tell about them any more."""
        self._cache.clear()

    async def close(self) -> None:
        """Settle what is open as cancelled."""
        for client_id in list(self._streams):
            self.cancel(client_id)
        await self._registry.close()

    def _begin(
        self,
        client_id: int,
        begin: Callable[[], tuple[_Running, Coroutine[Any, Any, Result]]],
        told: Callable[[Result], dict[str, Any]],
    ) -> Coroutine[Any, Any, str]:
        """Start some work, which `cancel` finds from now on; what is returned waits for its end."""
        try:
            _check_free(client_id, self._open, self._streams)
            running, work = begin()
        except Exception as error:
            return _at_once(_failure(error))
        task = asyncio.ensure_future(work)
        self._open[client_id] = running, task
        return self._outcome(client_id, task, told)

    async def _outcome(
        self, client_id: int, task: asyncio.Task[Result], told: Callable[[Result], dict[str, Any]]
    ) -> str:
        try:
            await asyncio.wait((task,))
            if task.cancelled():
                raise RequestCancelledError("the request was cancelled")
            return json.dumps({"ok": True, **told(task.result())})
        except Exception as error:
            return _failure(error)
        finally:
            self._open.pop(client_id, None)
            task.cancel()


def _check_free(client_id: int, *tables: Container[int]) -> None:
    if any(client_id in table for table in tables):
        raise InvalidRequestError(f"the id {client_id!r} is in use")


async def _at_once(outcome: str) -> str:
    return outcome


def _failure(error: Exception) -> str:
    """An outcome. What nobody foresaw, such as MemoryError, must reach the page all the same."""
    return json.dumps({"ok": False, "error": error_data(typed(error))})


def _listener(on_progress: ProgressFunction | None) -> ProgressListener | None:
    if on_progress is None:
        return None

    def report(progress: Progress) -> None:
        on_progress(str(progress.state), progress.done, progress.total)

    return report
