"""The native host: translation from ordinary, synchronous code.

    caller's thread                      thread "dragoman"                    engine's own thread
    Translator.translate -- request ---> Router --> a service -- mini-batch --> KernelEngine
            ^------------- progress, response, error ---<-------- output ---------+

A service is that of one model: the registry loads it at its first request (`registry`). A
`Translator` may be used from several threads. Any of them may close it: what is open then ends as
cancelled, and `close` returns when both threads have let go.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections import deque
from collections.abc import Callable, Coroutine, Generator, Iterable, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from pathlib import Path
from typing import Any, Self, TypeVar, Unpack

from dragoman.catalogue.languages import closest_pair
from dragoman.config import Limits
from dragoman.documents.translate import TranslatedDocument, translate_document
from dragoman.errors import (
    DragomanError,
    LanguagePairError,
    RequestCancelledError,
)
from dragoman.native.advice import advised
from dragoman.native.bundles import BundleSource, Parts
from dragoman.native.documents import DocumentOptions, characters, opened_document
from dragoman.native.options import RequestOptions, check_kinds, check_names, of_several, several
from dragoman.native.origin import Origin
from dragoman.native.sources import source_of
from dragoman.native.streaming import pieces
from dragoman.native.submission import Submission
from dragoman.native.waiting import Running, Waiting, begin, serve, stop_unwanted
from dragoman.routing.graph import DependentRequest
from dragoman.routing.registry import LoadedModel, ModelSource
from dragoman.routing.router import route
from dragoman.routing.stream import StreamPiece, TranslationStream
from dragoman.routing.variables import RunningGraph
from dragoman.service.service import ProgressListener, Statistics, Ticket
from dragoman.types import (
    AlignmentKind,
    Element,
    Glossary,
    LanguagePair,
    OverlongPolicy,
    Priority,
    TextFormat,
    TranslationMemory,
    TranslationRequest,
    TranslationResponse,
    WhenFull,
)

Result = TypeVar("Result")

# What `translate_many` keeps under way: enough to fill mini-batches, little memory.
WINDOW_CHARACTERS = 100_000
WINDOW_REQUESTS = 1_000


def share_interpreter() -> None:
    """Let a thread that waits for the interpreter have it after half a millisecond, not after five.

    The engine's thread needs it at the start and at the end of each mini-batch, and stands still
    for as long. It holds for all threads of the process, so that only who owns the process may want
    it: the command and the server do (ADR 1).
    """
    sys.setswitchinterval(0.000_5)


class _OneModel:
    """A source of a model that is there already."""

    def __init__(self, parts: Parts) -> None:
        manifest = parts.pipeline.manifest
        self._parts, self._pair = parts, LanguagePair(manifest.source, manifest.target)

    @property
    def pairs(self) -> tuple[LanguagePair, ...]:
        return (self._pair,)

    def size(self, pair: LanguagePair) -> int:
        if pair != self._pair:
            raise LanguagePairError(*pair, str(self._pair))
        return 0

    async def load(self, pair: LanguagePair) -> Parts:  # noqa: ARG002 (it has but one)
        return self._parts


class Translator:
    """Translates between the languages of some models; a context manager.

    Args:
        models: where models come from, or a loaded one, whose engine the translator closes.
        pair: the languages of a request that names none, whose models are loaded at once; may be
            left out where there is one pair only.
        limits: what it accepts.

    Attributes:
        source, target: the languages of a request that names none.
        legs: the models that such a request needs: one, or two over the pivot.
        manifest: of the first of them.

    Raises:
        LanguagePairError: the models do not connect the pair.
        BundleError: a model of the pair cannot be used.
        EngineError: there is no thread, or no event loop, to be had.
    """

    def __init__(
        self,
        models: Parts | ModelSource,
        limits: Limits | None = None,
        pair: LanguagePair | None = None,
    ) -> None:
        source_of_models = _OneModel(models) if isinstance(models, LoadedModel) else models
        self.source, self.target = pair or _first(source_of_models.pairs)
        self.legs = route(source_of_models.pairs, self.source, self.target)
        self._limits = limits or Limits()
        self._origin = Origin()
        self._lock = threading.Lock()
        self._closed = False
        running: Future[Running] = Future()
        self._thread = threading.Thread(
            target=lambda: serve(source_of_models, self._limits, self.legs, running),
            name="dragoman",
            daemon=True,  # a translator that nobody closed does not keep the interpreter alive
        )
        begin(self._thread)
        try:
            self._running = running.result()
        except BaseException:  # such as Ctrl-C while a model is loaded, which nobody could close
            running.add_done_callback(stop_unwanted)
            raise
        self.manifest = self._running.manifest

    @property
    def pairs(self) -> tuple[LanguagePair, ...]:
        """What there are models for, loaded or not."""
        return self._running.registry.pairs

    @classmethod
    def load(
        cls,
        source: str,
        target: str,
        folders: Sequence[Path] | None = None,
        threads: int = 0,
        limits: Limits | None = None,
        shortlist: bool | None = None,
    ) -> Self:
        """A translator from `source` to `target` (BCP 47, such as "de"; "de-AT" takes that too).

        Where there is no model for the pair it goes over English, if both legs are there: see
        `legs`.

        Args:
            folders: where to look for bundles; `search_path()` when none are named.
            threads: processor cores to use; 0 leaves the choice to the engine.
            shortlist: whether models choose among the pieces of their shortlists, which is faster;
                None: where that costs next to nothing (docs/adr/0028).

        Raises:
            LanguagePairError: there is no bundle for the pair; it says how to get one.
            BundleError: the bundle cannot be used.
            InvalidRequestError: there are no so many threads.
        """
        bundles = BundleSource(folders, threads, limits, shortlist)
        try:
            return cls(bundles, limits, bundles.closest(source, target))
        except LanguagePairError as error:
            raise error if folders else advised(error) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def translate(
        self,
        text: str,
        *,
        on_progress: ProgressListener | None = None,
        **options: Unpack[RequestOptions],
    ) -> TranslationResponse:
        """Translate a text and wait for it; Ctrl-C, or any exception in `on_progress`, cancels.

        Args:
            on_progress: called in this thread.
            options: see `RequestOptions`.

        Raises:
            RequestError: the text cannot be translated, see `dragoman.errors`.
            RequestCancelledError: the translator is closed.
            DeadlineError: it took longer than `deadline` seconds.
            EngineError: the engine failed.
        """
        check_names("Translator.translate", options)
        waiting = Waiting(on_progress)
        request = self._request(text, **options)
        future = self._submit(request, self._ticket(request, waiting.listener()))
        try:
            return waiting.result(future)
        finally:
            future.cancel()

    def submit(
        self,
        text: str,
        *,
        on_progress: ProgressListener | None = None,
        **options: Unpack[RequestOptions],
    ) -> Submission:
        """Take a text on and return at once.

        Args:
            on_progress: called in the translator's thread; it must not wait for anything.
            options: see `RequestOptions`.

        Raises:
            InvalidRequestError: the deadline is not within its limits.
            RequestCancelledError: the translator is closed.
        """
        check_names("Translator.submit", options)
        ticket = Ticket.of(request := self._request(text, **options), self._limits, on_progress)
        return Submission(ticket, self._submit(request, ticket), self._running.loop)

    def translate_many(
        self,
        texts: Iterable[str],
        *,
        on_progress: ProgressListener | None = None,
        **options: Unpack[RequestOptions],
    ) -> Generator[TranslationResponse]:
        """Responses in the order of `texts`, which share mini-batches.

        Texts are taken as they are needed, so there may be any number of them. Ending the iteration
        early cancels what is under way. Errors are those of `translate`; they come at the place of
        the text they belong to and end the iteration.

        Args:
            on_progress: called in this thread, with the figures of all texts taken so far.
            options: see `RequestOptions`; by default `background`, and texts wait for room. A
                deadline begins when its text is taken.
        """
        several(texts)
        check_names("Translator.translate_many", options)
        waiting = Waiting(on_progress)
        options.setdefault("priority", Priority.BACKGROUND)
        options.setdefault("when_full", WhenFull.WAIT)
        open_: deque[tuple[int, Future[TranslationResponse]]] = deque()
        characters, failure = 0, None
        try:
            for text in texts:
                try:
                    request = of_several(self._request(text, **options))
                except DragomanError as error:  # the texts before it come first
                    failure = error
                    break
                future = self._submit(request, self._ticket(request, waiting.listener()))
                open_.append((len(request.text), future))
                characters += len(request.text)
                while characters >= WINDOW_CHARACTERS or len(open_) >= WINDOW_REQUESTS:
                    yield waiting.result(open_[0][1])
                    characters -= open_.popleft()[0]
            while open_:
                yield waiting.result(open_[0][1])
                open_.popleft()
            if failure is not None:
                raise failure
        finally:
            for _, future in open_:
                future.cancel()

    def stream(
        self, texts: str | Iterable[str], **options: Unpack[RequestOptions]
    ) -> Generator[StreamPiece]:
        """The sentences of a text that arrives in parts, each as soon as it is sure and translated.

        The parts may be cut anywhere; they are read in a thread of their own, no faster than they
        are translated. Ending the iteration early cancels what is under way.

        Args:
            options: see `RequestOptions`; a deadline is that of each sentence.

        Raises:
            DragomanError: a sentence failed, or the translator was closed.
            Exception: what `texts` raises.
        """
        check_names("Translator.stream", options)
        opened = self._open_stream(self._request("", **options)).result()
        chunks = [texts] if isinstance(texts, str) else texts
        return pieces(opened, chunks, self._running.loop, self._wait)

    def graph(
        self, variables: Mapping[str, str], requests: Iterable[DependentRequest]
    ) -> dict[str, TranslationResponse | DragomanError]:
        """Translate with requests that depend on each other, and wait; Ctrl-C cancels all.

        Returns how each output ended, those that others need first.

        Raises:
            GraphError: the requests do not fit together; none was started.
            RequestError: a limit, a name.
            RequestCancelledError: the translator is closed.
        """
        return self._wait(self._running.router.run(RunningGraph(variables, requests)))

    def translate_document(
        self,
        document: str | Path | bytes,
        *,
        on_progress: ProgressListener | None = None,
        **options: Unpack[DocumentOptions],
    ) -> TranslatedDocument:
        """Translate a document and wait for it; its layout, and all that is no text, stay.

        Args:
            document: its path, or its content; of that, `name` or `kind` should say what it is.
            on_progress: called in this thread, with characters done of all.
            options: see `DocumentOptions`; by default `background`.

        Raises:
            UnsupportedFormatError: no reader here knows it.
            DocumentError: it is damaged, encrypted, or made to do harm.
            DocumentTooLargeError: it is over a limit.
            DragomanError: those of `translate`.
        """
        waiting = Waiting(on_progress)
        future = self._submit_document(document, waiting.listener(), options)
        try:
            return waiting.result(future)
        finally:
            future.cancel()

    def statistics(self) -> Statistics:
        """Figures of what was done, and of what is held now.

        Raises:
            RequestCancelledError: the translator is closed.
        """

        async def ask(running: Running) -> Statistics:
            return running.registry.statistics()

        return self._start(ask).result()

    def close(self) -> None:
        """Settle what is open as cancelled, and end the threads. A second call does nothing."""
        if not self._origin.is_here:
            return  # the threads are those of the process that this one was forked from
        with self._lock:
            if not self._closed:
                self._closed = True
                self._running.loop.call_soon_threadsafe(self._running.stop.set)
        self._thread.join()

    def _request(
        self,
        text: str,
        *,
        source: str | None = None,
        target: str | None = None,
        alignment: AlignmentKind | str = AlignmentKind.HARD,
        overlong: OverlongPolicy | str = OverlongPolicy.WRAP,
        priority: Priority | str = Priority.INTERACTIVE,
        deadline: float | None = None,
        when_full: WhenFull | str = WhenFull.REFUSE,
        cache: bool = True,
        text_format: TextFormat | str = TextFormat.TEXT,
        elements: Sequence[Element] = (),
        glossary: Glossary | None = None,
        memory: TranslationMemory | None = None,
        beam: int | None = None,
        alternatives: int = 0,
        prefix: str | None = None,
    ) -> TranslationRequest:
        check_kinds(
            text=text, prefix=prefix, glossary=glossary, memory=memory,
            beam=beam, alternatives=alternatives,
        )  # fmt: skip
        elements = tuple(elements)
        for element in elements:
            if not isinstance(element, Element):  # asked first, for there may be many
                check_kinds(element=element)
        given = source_of(text, source or self.source, text_format)
        return TranslationRequest(
            text,
            *closest_pair(given, target or self.target, self.pairs),
            AlignmentKind(alignment),
            OverlongPolicy(overlong),
            priority=Priority(priority),
            deadline=deadline,
            when_full=WhenFull(when_full),
            cache=cache,
            format=TextFormat(text_format),
            elements=elements,
            glossary=glossary,
            memory=memory,
            beam=beam,
            alternatives=alternatives,
            prefix=prefix,
        )

    def _wait(self, work: Coroutine[Any, Any, Result]) -> Result:
        """The result of work on the loop; whatever ends the waiting cancels it."""

        async def done(_: Running) -> Result:
            return await work

        try:
            future = self._start(done)
        except DragomanError:
            work.close()
            raise
        try:
            return future.result()
        except CancelledError as error:
            raise RequestCancelledError("the request was cancelled") from error
        finally:
            future.cancel()

    def _submit(self, request: TranslationRequest, ticket: Ticket) -> Future[TranslationResponse]:
        return self._start(lambda running: running.router.translate(request, ticket))

    def _ticket(self, request: TranslationRequest, listener: ProgressListener) -> Ticket:
        return Ticket.of(request, self._limits, listener)

    def _submit_document(
        self, document: str | Path | bytes, listener: ProgressListener, options: DocumentOptions
    ) -> Future[TranslatedDocument]:
        options = {
            **options,
            "source": options.get("source") or self.source,
            "target": options.get("target") or self.target,
        }
        pattern, opened = opened_document(document, self.pairs, options)
        heard = characters(listener)
        return self._start(
            lambda running: translate_document(opened, running.router.translate, pattern, heard)
        )

    def _open_stream(self, pattern: TranslationRequest) -> Future[TranslationStream]:
        pattern = of_several(pattern)

        async def open_stream(running: Running) -> TranslationStream:
            opened = running.router.start(pattern)
            running.streams.add(opened)
            return opened

        return self._start(open_stream)

    def _start(self, work: Callable[[Running], Coroutine[Any, Any, Result]]) -> Future[Result]:
        self._origin.check()
        with self._lock:  # nothing reaches the loop after the order to stop
            if self._closed or not self._thread.is_alive():
                raise RequestCancelledError("the translator is closed")
            running = self._running
            return asyncio.run_coroutine_threadsafe(work(running), running.loop)


def _first(pairs: Sequence[LanguagePair]) -> LanguagePair:
    if not pairs:
        raise LanguagePairError("any", "any", "")
    return pairs[0]


def load(
    source: str,
    target: str,
    folders: Sequence[Path] | None = None,
    threads: int = 0,
    limits: Limits | None = None,
    shortlist: bool | None = None,
) -> Translator:
    """`Translator.load`."""
    return Translator.load(source, target, folders, threads, limits, shortlist)
