"""Who asks, in the native stress test: each client has one request, and tells its end once.

A client is disturbed at random: it cancels (a request, a stream, one output of a graph), gives
another priority, or goes away in the middle.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import aclosing

from dragoman.errors import DragomanError
from dragoman.routing.router import Router
from dragoman.routing.session import Ended, RunningGraph
from dragoman.routing.stream import StreamPiece, TranslationStream, stream_pieces
from dragoman.service.service import TranslationHandle
from dragoman.types import AlignmentKind, Priority, Span, TranslationRequest, TranslationResponse
from tests.stress.asked import RandomGraph, arriving
from tests.support.helpers import assert_covers

LEFT = "left by its reader"
CANCELLED = "future cancelled"

# The name of the end, and what is wrong with it.
OnEnd = Callable[[str, list[str]], None]


class PlainClient:
    """Holds the handle of a request to a service."""

    def __init__(
        self, handle: TranslationHandle, request: TranslationRequest, on_end: OnEnd
    ) -> None:
        self._handle, self._request, self._on_end = handle, request, on_end
        handle.response.add_done_callback(self._ended)

    def disturb(self, chance: random.Random) -> None:
        match chance.randrange(5):
            case 0 | 1:
                self._handle.cancel()
                self._handle.cancel()
            case 2:
                self._handle.response.cancel()
            case _:
                self._handle.prioritize(chance.choice(list(Priority)))

    def _ended(self, future: asyncio.Future[TranslationResponse]) -> None:
        if future.cancelled():
            self._on_end(CANCELLED, [])
            return
        error = future.exception()
        if isinstance(error, DragomanError):
            self._on_end(error.code, [])
        else:
            self._on_end("done", faults_of(future.result(), self._request.text))


class StreamClient:
    """Feeds a stream and reads it."""

    def __init__(
        self,
        stream: TranslationStream,
        text: str,
        chance: random.Random,
        on_end: OnEnd,
    ) -> None:
        self._stream, self._text, self._chance = stream, text, chance
        self._leaves_after = chance.randint(1, 3) if chance.random() < 0.1 else None
        self._reader = StreamReader(text)
        self._on_end = on_end
        self._task = asyncio.ensure_future(self._read())
        self._task.add_done_callback(self._ended)

    def disturb(self, chance: random.Random) -> None:
        match chance.randrange(6):
            case 0:
                self._stream.cancel()
                self._stream.cancel()
            case 1:
                self._task.cancel()
            case 2:
                self._stream.fail(OSError("the line was cut"))
            case _:
                pass

    async def _read(self) -> str:
        parts = arriving(self._chance, self._text)
        async with aclosing(stream_pieces(self._stream, parts)) as found:
            async for piece in found:
                self._reader.take(piece)
                if self._reader.pieces == self._leaves_after:
                    return LEFT
        self._reader.finish()
        return "done"

    def _ended(self, task: asyncio.Task[str]) -> None:
        wrong = list(self._reader.wrong)
        if task.cancelled():
            end = CANCELLED
        elif isinstance(error := task.exception(), DragomanError):
            end = "line cut" if isinstance(error.__cause__, OSError) else error.code
        elif error is not None:
            end, wrong = "raised", [*wrong, repr(error)]
        else:
            end = task.result()
        self._on_end(end, wrong)


class StreamReader:
    """Checks the pieces of a stream whose engine copies: they are the text, from its start on."""

    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0
        self.pieces = 0
        self.wrong: list[str] = []

    def take(self, piece: StreamPiece) -> None:
        place = Span(self._at, self._at + len(piece.text))
        if (piece.source, piece.target) != (place, place) or piece.text != place.of(self._text):
            self.wrong.append(f"piece {self.pieces} is not what stands at {self._at}")
        self.wrong += faults_of(piece.response, piece.text)
        self._at = place.end
        self.pieces += 1

    def finish(self) -> None:
        if self._at != len(self._text):
            self.wrong.append(f"the stream ended at {self._at} of {len(self._text)}")


class GraphClient:
    """Waits for all outputs of a graph; each must be told of once, and is added to `outputs`."""

    def __init__(
        self, router: Router, asked: RandomGraph, on_end: OnEnd, outputs: Counter[str]
    ) -> None:
        self._asked, self._on_end, self._outputs = asked, on_end, outputs
        self._told: Counter[str] = Counter()
        self.graph = RunningGraph(asked.variables, asked.requests, self._hear)
        self._task = asyncio.ensure_future(router.run(self.graph))
        self._task.add_done_callback(self._ended)

    def disturb(self, chance: random.Random) -> None:
        match chance.randrange(4):
            case 0 | 1:
                self.graph.cancel(chance.choice([*self._asked.expected, "nobody"]))
            case 2:
                self._task.cancel()
            case _:
                pass

    def _hear(self, name: str, _end: Ended) -> None:
        self._told[name] += 1

    def _ended(self, task: asyncio.Task[dict[str, Ended]]) -> None:
        wrong = [f"{name} ended twice" for name, times in self._told.items() if times > 1]
        if task.cancelled():
            self._on_end(CANCELLED, wrong)
        elif (error := task.exception()) is not None:
            end = error.code if isinstance(error, DragomanError) else repr(error)
            expected = {self._asked.fault, "text-too-long"}
            self._on_end(end, wrong + ([] if end in expected else [f"refused as {end}"]))
        else:
            ends = task.result()
            self._outputs.update(ends_of(ends))
            if set(self._told) != set(ends):
                wrong.append(f"told of {sorted(self._told)}, ended {sorted(ends)}")
            self._on_end("done", wrong + faults_of_graph(self._asked, ends))


def faults_of(response: TranslationResponse, text: str) -> list[str]:
    """What is wrong with a response of an engine that copies."""
    if response.text != text or response.request.text != text:
        return ["has another's text"]
    if response.request.alignment is not AlignmentKind.NONE:
        assert_covers(response)
    return []


# In which a request, or an output of a graph, may end when engines have faults.
EXPECTED = {
    "cancelled",
    "deadline",
    "engine",
    "queue-full",
    "sentence-too-long",
    "text-too-long",
    "bundle",
    "dependency",
}


def ends_of(outputs: Mapping[str, Ended]) -> Counter[str]:
    """How many outputs ended how."""
    return Counter(
        end.code if isinstance(end, DragomanError) else "done" for end in outputs.values()
    )


def faults_of_graph(asked: RandomGraph, ends: Mapping[str, Ended]) -> list[str]:
    wrong = [] if set(ends) == set(asked.expected) else [f"outputs are {sorted(ends)}"]
    for name, end in ends.items():
        if isinstance(end, DragomanError):
            wrong += [] if end.code in EXPECTED else [f"{name}: {end.code}: {end}"]
        elif end.text != asked.expected.get(name):
            wrong.append(f"{name} has another's text")
    return wrong
