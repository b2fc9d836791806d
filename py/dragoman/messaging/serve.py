"""A host on two streams.

    standard input  --> a thread, one message at a time --> MessagingHost --> standard output
                                                            on the event loop

The loop waits where the browser does not read: nothing piles up here. The end of the input ends the
host, whatever is under way; a browser that is closed or has crashed ends it so.
"""

from __future__ import annotations

import asyncio
from typing import Any, BinaryIO

from dragoman.config import Limits
from dragoman.errors import DragomanError
from dragoman.messaging.frames import frames_of, read_message
from dragoman.messaging.host import MessagingHost
from dragoman.routing.registry import ModelSource
from dragoman.wire.responses import error_data


async def serve(
    source: BinaryIO,
    sink: BinaryIO,
    models: ModelSource,
    release: str,
    limits: Limits | None = None,
) -> None:
    """Answer messages until `source` ends.

    Raises:
        InvalidRequestError: what came is no message, and nothing that follows it can be read. The
            other end has been told, with "failed".
    """
    out = _Out(sink)
    host = MessagingHost(models, release, limits or Limits(), out.send)
    try:
        while (message := await asyncio.to_thread(read_message, source)) is not None:
            host.receive(message)
    except DragomanError as error:
        out.send({"type": "failed", "error": error_data(error)})
        raise
    finally:
        await host.close()


class _Out:
    """Where answers go, until nobody reads them any more: then the input ends too."""

    def __init__(self, sink: BinaryIO) -> None:
        self._sink, self._is_read = sink, True

    def send(self, message: dict[str, Any]) -> None:
        if not self._is_read:
            return
        try:
            for frame in frames_of(message):
                self._sink.write(frame)
            self._sink.flush()
        except OSError:
            self._is_read = False
