"""A stream in ordinary, synchronous code: parts of a text in, translated sentences out.

    caller's thread                  thread "dragoman"               thread "dragoman-feed"
    for piece in pieces(...) <------ TranslationStream <-- feed ---- for text in texts
                                                        waits for room

The texts are read in a thread of their own, so that a sentence comes out while the next part of the
text is still awaited. Ending the iteration, or closing the translator, ends the stream; the thread
that reads ends with the next part that it gets.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Generator, Iterable
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import Any

from dragoman.errors import DragomanError
from dragoman.routing.stream import StreamPiece, TranslationStream


class Feeder:
    """Reads texts into a stream.

    Args:
        loop: the stream's.

    Attributes:
        error: what the texts raised.
    """

    def __init__(
        self,
        stream: TranslationStream,
        texts: Iterable[str],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._stream, self._texts, self._loop = stream, texts, loop
        self.error: BaseException | None = None
        # It may wait for a text for ever: that does not keep the interpreter alive.
        threading.Thread(target=self._run, name="dragoman-feed", daemon=True).start()

    def _run(self) -> None:
        try:
            for text in self._texts:
                if not self._done(self._stream.feed(text)):
                    return
            self._done(self._stream.finish())
        except BaseException as error:  # Foreign code: the reader has it raised.
            self.error = error
            with suppress(RuntimeError):  # the loop has ended, and the stream with it
                self._loop.call_soon_threadsafe(self._stream.fail, error)

    def _done(self, work: Coroutine[Any, Any, None]) -> bool:
        """Have it done on the loop; False if the stream has ended, of which the reader hears."""
        try:
            future = asyncio.run_coroutine_threadsafe(work, self._loop)
        except RuntimeError:  # the loop has ended
            work.close()
            return False
        try:
            future.result()
        except (DragomanError, CancelledError):
            return False
        return True


def pieces(
    stream: TranslationStream,
    texts: Iterable[str],
    loop: asyncio.AbstractEventLoop,
    wait: Callable[[Coroutine[Any, Any, StreamPiece | None]], StreamPiece | None],
) -> Generator[StreamPiece]:
    """The pieces of a stream that is fed with texts.

    Args:
        wait: the result of work on the loop.

    Raises:
        DragomanError: a sentence failed, or the stream was closed.
        Exception: what `texts` raises.
    """

    async def following() -> StreamPiece | None:
        return await anext(stream, None)

    feeder = Feeder(stream, texts, loop)
    try:
        while (piece := wait(following())) is not None:
            yield piece
    except DragomanError:
        if feeder.error is not None:
            raise feeder.error from None
        raise
    finally:
        with suppress(RuntimeError):  # the loop has ended, and the stream with it
            loop.call_soon_threadsafe(stream.cancel)
