"""The native host for asyncio: the names of `Translator`, awaited.

    caller's event loop                     thread "dragoman"
    await translate(...)  -- request -----> Router --> a service --> engine
           ^--- progress, response, error ----'

The language work is done in the translator's own thread, as for ordinary code: the caller's loop
only waits. Cancelling what waits (`asyncio.timeout`, a task group that fails) cancels the request.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    Awaitable,
    Callable,
    Coroutine,
    Generator,
    Iterable,
    Mapping,
    Sequence,
)
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any, Generic, Self, TypeVar, Unpack

from dragoman.config import Limits
from dragoman.documents.translate import TranslatedDocument
from dragoman.engines.bundle import Manifest
from dragoman.errors import DragomanError, RequestCancelledError
from dragoman.native.documents import DocumentOptions
from dragoman.native.options import RequestOptions, check_names, of_several, several
from dragoman.native.submission import Submission
from dragoman.native.translator import (
    WINDOW_CHARACTERS,
    WINDOW_REQUESTS,
    Translator,
)
from dragoman.routing.graph import DependentRequest
from dragoman.routing.stream import StreamPiece, TranslationStream
from dragoman.routing.variables import RunningGraph
from dragoman.service.service import Progress, ProgressListener, Statistics
from dragoman.types import LanguagePair, Priority, TranslationResponse, WhenFull

Result = TypeVar("Result")
Loaded = TypeVar("Loaded", bound="AsyncTranslator")
Texts = Iterable[str] | AsyncIterable[str]


class AsyncTranslator:
    """Translates from asyncio; an asynchronous context manager.

        async with dragoman.AsyncTranslator.load("de", "en") as translator:
            response = await translator.translate("Guten Morgen!")

    Args:
        translator: does the work; closed with this one.
    """

    def __init__(self, translator: Translator) -> None:
        self._translator = translator

    @classmethod
    def load(
        cls,
        source: str,
        target: str,
        folders: Sequence[Path] | None = None,
        threads: int = 0,
        limits: Limits | None = None,
        shortlist: bool | None = None,
    ) -> Loading[Self]:
        """As `Translator.load`, in a thread: to be awaited, or entered with `async with`."""
        return Loading(
            lambda: cls(Translator.load(source, target, folders, threads, limits, shortlist)),
        )

    @property
    def source(self) -> str:
        """The language of a request that names none."""
        return self._translator.source

    @property
    def target(self) -> str:
        """The language that such a request is translated to."""
        return self._translator.target

    @property
    def legs(self) -> tuple[LanguagePair, ...]:
        """The models that such a request needs: one, or two over the pivot."""
        return self._translator.legs

    @property
    def manifest(self) -> Manifest:
        """Of the first of them."""
        return self._translator.manifest

    @property
    def pairs(self) -> tuple[LanguagePair, ...]:
        """What there are models for, loaded or not."""
        return self._translator.pairs

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def translate(
        self,
        text: str,
        *,
        on_progress: ProgressListener | None = None,
        **options: Unpack[RequestOptions],
    ) -> TranslationResponse:
        """As `Translator.translate`.

        Args:
            on_progress: called in this event loop.
        """
        check_names("AsyncTranslator.translate", options)
        request = self._translator._request(text, **options)
        ticket = self._translator._ticket(request, _heard_here(on_progress))
        return await _ended(self._translator._submit(request, ticket))

    def submit(
        self,
        text: str,
        *,
        on_progress: ProgressListener | None = None,
        **options: Unpack[RequestOptions],
    ) -> AsyncSubmission:
        """As `Translator.submit`: `await` what it gives back for the response.

        Args:
            on_progress: called in this event loop.
        """
        check_names("AsyncTranslator.submit", options)
        return AsyncSubmission(
            self._translator.submit(text, on_progress=_heard_here(on_progress), **options)
        )

    async def translate_many(
        self, texts: Texts, **options: Unpack[RequestOptions]
    ) -> AsyncGenerator[TranslationResponse]:
        """As `Translator.translate_many`; `texts` may be asynchronous."""
        several(texts)
        check_names("AsyncTranslator.translate_many", options)
        options.setdefault("priority", Priority.BACKGROUND)
        options.setdefault("when_full", WhenFull.WAIT)
        open_: deque[tuple[int, Future[TranslationResponse]]] = deque()
        characters, failure = 0, None
        try:
            async for text in _asynchronous(texts):
                try:
                    request = of_several(self._translator._request(text, **options))
                except DragomanError as error:  # the texts before it come first
                    failure = error
                    break
                ticket = self._translator._ticket(request, _unheard)
                open_.append((len(text), self._translator._submit(request, ticket)))
                characters += len(text)
                while characters >= WINDOW_CHARACTERS or len(open_) >= WINDOW_REQUESTS:
                    yield await _ended(open_[0][1])
                    characters -= open_.popleft()[0]
            while open_:
                yield await _ended(open_[0][1])
                open_.popleft()
            if failure is not None:
                raise failure
        finally:
            for _, future in open_:
                future.cancel()

    async def stream(
        self, texts: str | Texts, **options: Unpack[RequestOptions]
    ) -> AsyncGenerator[StreamPiece]:
        """As `Translator.stream`; `texts` may be asynchronous, and is read in this event loop."""
        check_names("AsyncTranslator.stream", options)
        pattern = self._translator._request("", **options)
        opened = await _ended(self._translator._open_stream(pattern))
        chunks = [texts] if isinstance(texts, str) else texts
        feeding = asyncio.create_task(self._feed(opened, chunks))
        try:
            while (piece := await self._on_loop(_following(opened))) is not None:
                yield piece
        except DragomanError:
            if feeding.done() and not feeding.cancelled() and feeding.exception():
                feeding.result()  # What the texts raised is why.
            raise
        finally:
            feeding.cancel()
            self._call(opened.cancel)
            await asyncio.gather(feeding, return_exceptions=True)

    async def translate_document(
        self,
        document: str | Path | bytes,
        *,
        on_progress: ProgressListener | None = None,
        **options: Unpack[DocumentOptions],
    ) -> TranslatedDocument:
        """As `Translator.translate_document`; read in a thread.

        Args:
            on_progress: called in this event loop.
        """
        listener = _heard_here(on_progress)
        submit = self._translator._submit_document
        future = await _in_thread(lambda: submit(document, listener, options), Future.cancel)
        return await _ended(future)

    async def graph(
        self, variables: Mapping[str, str], requests: Iterable[DependentRequest]
    ) -> dict[str, TranslationResponse | DragomanError]:
        """As `Translator.graph`."""
        return await _ended(
            self._translator._start(
                lambda running: running.router.run(RunningGraph(variables, requests))
            )
        )

    async def statistics(self) -> Statistics:
        """As `Translator.statistics`."""
        return await asyncio.to_thread(self._translator.statistics)

    async def close(self) -> None:
        """As `Translator.close`."""
        await asyncio.to_thread(self._translator.close)

    async def _feed(self, stream: TranslationStream, texts: Texts) -> None:
        """The stream's own errors are its reader's; it hears of those of the texts."""
        try:
            async for text in _asynchronous(texts):
                if not await _is_done(self._on_loop(stream.feed(text))):
                    return
            await _is_done(self._on_loop(stream.finish()))
        except asyncio.CancelledError:  # the reader was not: it must not look as if it had been
            self._call(stream.fail, RequestCancelledError("the reading of the texts was cancelled"))
            raise
        except BaseException as error:  # Foreign code: the reader has it raised.
            self._call(stream.fail, error)
            raise

    async def _on_loop(self, work: Coroutine[Any, Any, Result]) -> Result:
        async def done(_: object) -> Result:
            return await work

        try:
            future = self._translator._start(done)
        except DragomanError:
            work.close()
            raise
        return await _ended(future)

    def _call(self, function: Callable[..., object], *arguments: object) -> None:
        """In the translator's thread, unless that has ended, and all that it had with it."""
        with suppress(RuntimeError):
            self._translator._running.loop.call_soon_threadsafe(function, *arguments)


class AsyncSubmission:
    """A request under way: awaited, it gives the response; see `Submission`.

    Awaiting it twice gives the same response; a wait that is cancelled cancels the request.
    """

    def __init__(self, submission: Submission) -> None:
        self._submission = submission

    def __await__(self) -> Generator[Any, None, TranslationResponse]:
        return self._response().__await__()

    async def _response(self) -> TranslationResponse:
        """Holds this object: `await translator.submit(...)` drops it, which would cancel."""
        return await _ended(self._submission._future)

    def done(self) -> bool:
        """Whether it has ended, one way or another."""
        return self._submission.done()

    def cancel(self) -> None:
        """Take the request back: awaiting it raises `RequestCancelledError`, if not ended."""
        self._submission.cancel()

    def prioritize(self, priority: Priority | str) -> None:
        """Give what still waits another priority."""
        self._submission.prioritize(priority)


class Loading(Generic[Loaded]):
    """A translator that is being loaded: `await` it, or enter it with `async with`."""

    def __init__(self, load: Callable[[], Loaded]) -> None:
        self._load = load
        self._loaded: Loaded | None = None

    def __await__(self) -> Generator[Any, None, Loaded]:
        return self._opened().__await__()

    async def _opened(self) -> Loaded:
        return await _in_thread(self._load, lambda loaded: loaded._translator.close())

    async def __aenter__(self) -> Loaded:
        self._loaded = await self
        return self._loaded

    async def __aexit__(self, *_: object) -> None:
        if self._loaded is not None:
            await self._loaded.close()


async def _in_thread(work: Callable[[], Result], drop: Callable[[Result], object]) -> Result:
    """What a thread makes.

    Args:
        drop: gets what was made when nobody waits for it any more, whether or not there still is
            a loop then.
    """
    making: Future[Result] = Future()

    def make() -> None:
        try:
            making.set_result(work())
        except BaseException as error:  # all of them are of who waits
            making.set_exception(error)

    def drop_made(made: Future[Result]) -> None:
        if made.exception() is None:
            drop(made.result())

    try:
        await asyncio.to_thread(make)
    except asyncio.CancelledError:
        making.add_done_callback(drop_made)
        raise
    return making.result()


async def _ended(future: Future[Result]) -> Result:
    """The result of work in the translator's thread; cancelling the wait cancels the work.

    Raises:
        RequestCancelledError: the work was cancelled, and not by who waits.
    """
    try:
        return await asyncio.wrap_future(future)
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        raise RequestCancelledError("the request was cancelled") from None


async def _following(stream: TranslationStream) -> StreamPiece | None:
    return await anext(stream, None)


async def _is_done(work: Awaitable[None]) -> bool:
    """False if the stream has ended, of which the reader hears."""
    try:
        await work
    except DragomanError:
        return False
    return True


async def _asynchronous(texts: Texts) -> AsyncGenerator[str]:
    if isinstance(texts, AsyncIterable):
        async for text in texts:
            yield text
        return
    for text in texts:
        yield text


def _heard_here(listener: ProgressListener | None) -> ProgressListener:
    """A listener for the translator's thread, which has this loop call `listener`."""
    if listener is None:
        return _unheard
    loop, heard = asyncio.get_running_loop(), listener

    def tell(progress: Progress) -> None:
        with suppress(RuntimeError):  # the loop of who wanted to hear has ended
            loop.call_soon_threadsafe(heard, progress)

    return tell


def _unheard(_: Progress) -> None:
    """Nobody wants to know."""
