"""Streams: text arrives in pieces of any size, translated sentences leave in order.

    feed(chunk) --> surrogates joined --> SentenceSplitter --> a request a sentence --> translate
                                          (sure sentences)                                 |
    async for piece in stream  <------------------------- in the order of the text --------'
    finish() ----> what is left is a sentence

After wav2letter's inference framework: a stream holds its own state and nothing else, so one loaded
model serves any number of them. The state is what no sentence has taken yet, what the splitter
looks back at, and the sentences under way (`held`, bounded by `Limits.stream_sentences`).

Invariants: the pieces, in order, cover source and translation exactly, each with the white space
before its sentence, the last with the white space after. However the text was cut up, they are the
sentences of the text as one request, with the same translations. Two things are bounded instead,
and say so in a warning: a sentence that does not end is cut after `LONGEST_PENDING` (where one
request would cut it too, `stretches.first_stretch`), and white space of more than `LONGEST_GAP`
within a line ends a sentence.

States: `StreamState`. One task feeds, one reads; `feed` waits until the reader has made room.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Self

from dragoman.config import Limits
from dragoman.errors import DragomanError, InvalidRequestError, RequestCancelledError, typed
from dragoman.markup.annotate import annotate
from dragoman.pipeline.choices import without_prefix
from dragoman.pipeline.stretches import STRETCH_CHARACTERS, first_stretch
from dragoman.routing.compose import join
from dragoman.routing.variables import TranslateFunction
from dragoman.text.split import SentenceSplitter
from dragoman.types import Notice, Span, TranslationRequest, TranslationResponse

# So much of a sentence shows what the first stretch of one that never ends would be.
LONGEST_PENDING = 2 * STRETCH_CHARACTERS + 1_000
LONGEST_GAP = 1_000

# Code points that are split at a time, so that a long chunk does not hold up others.
_SLICE = 2_000


class StreamState(StrEnum):
    OPEN = "open"
    FINISHED = "finished"  # nothing more comes in
    CLOSED = "closed"  # nothing more comes out: cancelled, or a sentence failed


@dataclass(frozen=True, slots=True)
class StreamPiece:
    """A translated sentence with the white space before it.

    Attributes:
        source, target: where it stands in the whole text and in the whole translation.
        response: of the piece alone: its spans count from the starts of `source` and `target`.
    """

    source: Span
    target: Span
    response: TranslationResponse

    @property
    def text(self) -> str:
        return self.response.text


class TranslationStream:
    """A text that is translated while it arrives.

    Args:
        translate: serves the languages of `options`.
        options: the request that each sentence becomes, but for its text.

    Raises:
        InvalidRequestError: the options have a prefix.
    """

    def __init__(
        self, translate: TranslateFunction, options: TranslationRequest, limits: Limits
    ) -> None:
        self._translate, self._limits = translate, limits
        self._options = replace(without_prefix(options), text="", sentences=None)
        self._splitter = SentenceSplitter(options.source)
        self._state = StreamState.OPEN
        self._error: DragomanError = RequestCancelledError("the stream was closed")
        # What the client sent, from `_taken` on: the text that no piece has.
        self._text, self._taken, self._written = "", 0, 0
        self._half = ""  # first half of a surrogate pair
        self._open: deque[tuple[Span, asyncio.Future[TranslationResponse]]] = deque()
        self._changed = asyncio.Event()

    @property
    def state(self) -> StreamState:
        return self._state

    @property
    def held(self) -> int:
        """Code points that the stream keeps, those of sentences under way included."""
        waiting = sum(len(source) for source, _ in self._open)
        return len(self._text) + self._splitter.held + len(self._half) + waiting

    # --- in ------------------------------------------------------------------------------------

    async def feed(self, text: str) -> None:
        """Take the next part of the text; waits while too much is under way.

        Cancelling the task that feeds closes the stream, for part of the text would be missing.

        Raises:
            InvalidRequestError: the stream is finished.
            DragomanError: a sentence failed, see `__anext__`, or the stream was closed.
        """
        with self._feeding():
            text = self._whole_characters(text)
            for start in range(0, len(text), _SLICE):
                await self._read(text[start : start + _SLICE])
                await asyncio.sleep(0)

    async def finish(self) -> None:
        """Take what is left as the end of the text.

        Raises:
            DragomanError: as `feed`.
        """
        with self._feeding():
            half, self._half = self._half, ""
            if half:
                await self._read(half)
            await self._take(self._splitter.finish())
            if self._text:
                self._take_gap()
            self._state = StreamState.FINISHED
            self._changed.set()

    @contextmanager
    def _feeding(self) -> Iterator[None]:
        self._check_open()
        try:
            yield
        except asyncio.CancelledError:
            self._close(RequestCancelledError("feeding the stream was cancelled"))
            raise

    def _check_open(self) -> None:
        if self._state is StreamState.CLOSED:
            raise self._error
        if self._state is StreamState.FINISHED:
            raise InvalidRequestError("the stream is finished")

    def _whole_characters(self, text: str) -> str:
        """The text, surrogate pairs joined; half a pair at its end waits for the other."""
        text = self._half + text
        self._half = ""
        if text.isascii():
            return text
        if "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")

    async def _read(self, text: str) -> None:
        self._text += text
        await self._take(self._splitter.feed(annotate(text).text))
        while True:
            pending = self._splitter.pending
            stripped = pending.rstrip()
            if len(pending) - len(stripped) > LONGEST_GAP:
                await self._take(self._splitter.flush(), "white space without end")
                self._splitter.cut(len(self._splitter.pending))
                self._take_gap()
            elif len(stripped.lstrip()) > LONGEST_PENDING:
                start = len(stripped) - len(stripped.lstrip())
                end = first_stretch(stripped, Span(start, len(stripped))).end
                stretch = Span(start, end).shifted(self._splitter.begin)
                self._splitter.cut(end)
                await self._take([stretch], "no end of the sentence")
            else:
                return

    async def _take(self, sentences: Iterable[Span], why: str = "") -> None:
        """Hand sentences on, each with what stands before it."""
        for sentence in sentences:
            while len(self._open) >= self._limits.stream_sentences:
                self._changed.clear()
                await self._changed.wait()
                self._check_open()
            length = sentence.end - self._taken
            text, self._text = self._text[:length], self._text[length:]
            span = sentence.shifted(-self._taken)
            request = replace(self._options, text=text, sentences=(span,))
            notice = why and Notice("sentence-wrapped", f"the stream was cut: {why}", span)
            self._add(asyncio.ensure_future(self._translated(request, notice or None)), length)

    def _take_gap(self) -> None:
        """What is left is white space."""
        done: asyncio.Future[TranslationResponse] = asyncio.get_running_loop().create_future()
        done.set_result(join(self._options, [self._text]))
        length, self._text = len(self._text), ""
        self._add(done, length)

    def _add(self, response: asyncio.Future[TranslationResponse], length: int) -> None:
        self._open.append((Span(self._taken, self._taken + length), response))
        self._taken += length
        self._changed.set()

    async def _translated(
        self, request: TranslationRequest, notice: Notice | None
    ) -> TranslationResponse:
        response = await self._translate(request)
        return replace(response, warnings=(*response.warnings, notice)) if notice else response

    # --- out -----------------------------------------------------------------------------------

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> StreamPiece:
        """The next sentence of the text.

        Raises:
            StopAsyncIteration: that was all.
            DragomanError: this sentence failed; the stream is closed then.
        """
        while not self._open:
            if self._state is StreamState.CLOSED:
                raise self._error
            if self._state is StreamState.FINISHED:
                raise StopAsyncIteration
            self._changed.clear()
            await self._changed.wait()
        source, response = self._open[0]
        await asyncio.wait((response,))
        if self._state is StreamState.CLOSED:
            raise self._error
        error = response.exception()
        if error is not None:
            self._close(typed(error))
            raise self._error
        self._open.popleft()
        self._changed.set()
        return self._piece(source, response.result())

    def _piece(self, source: Span, response: TranslationResponse) -> StreamPiece:
        target = Span(self._written, self._written + len(response.text))
        self._written = target.end
        response = replace(response, request=replace(response.request, sentences=None))
        return StreamPiece(source, target, response)

    def cancel(self) -> None:
        """Cancel what is under way. A second call, or one after the end, does nothing."""
        self._close(RequestCancelledError("the stream was closed"))

    def fail(self, error: BaseException) -> None:
        """Cancel what is under way because there is no more text to come: an error says why."""
        self._close(typed(error))

    async def close(self) -> None:
        """`cancel`, and wait until all has ended."""
        tasks = [response for _, response in self._open]
        self.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _close(self, error: DragomanError) -> None:
        if self._state is StreamState.CLOSED:
            return
        self._state, self._error = StreamState.CLOSED, error
        for _, response in self._open:
            response.cancel()
            response.add_done_callback(lambda done: done.cancelled() or done.exception())
        self._open.clear()
        self._text, self._half = "", ""
        self._changed.set()


async def stream_pieces(
    stream: TranslationStream, chunks: AsyncIterable[str]
) -> AsyncGenerator[StreamPiece, None]:
    """Feed a stream from chunks, and give its pieces. Ending the iteration early closes the stream.

    Raises:
        DragomanError: a sentence failed.
        Exception: what `chunks` raises.
    """

    async def feed() -> None:
        async for chunk in chunks:
            await stream.feed(chunk)
        await stream.finish()

    def stop(task: asyncio.Future[None]) -> None:
        if not task.cancelled() and (error := task.exception()):
            stream.fail(error)

    feeding = asyncio.ensure_future(feed())
    feeding.add_done_callback(stop)
    try:
        async for piece in stream:
            yield piece
    except DragomanError:
        # When the chunks failed, that is what closed the stream.
        if feeding.done() and not feeding.cancelled() and feeding.exception():
            feeding.result()
        raise
    finally:
        # At once: who has been cancelled may not be let to wait any more.
        feeding.cancel()
        stream.cancel()
        await asyncio.gather(feeding, return_exceptions=True)
