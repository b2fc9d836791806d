"""Thousands of mixed requests to services whose engines have faults, natively.

Requests, streams and dependent requests (graphs) are submitted in bursts and cancelled, abandoned,
prioritized and given deadlines at random; models come and go under a small budget, and now and then
one cannot be loaded. Each must settle exactly once, with its own text or a typed error, and nothing
may be left over. A tenth of them goes through `dragoman.Translator`, from several threads.

Ends with a line of JSON, and fails unless nothing was lost, doubled or left over.

    .venv/bin/python -m tests.stress.native [--requests 10000] [--seed 1]
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import random
import sys
import threading
import time
import weakref
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from dragoman.config import Limits
from dragoman.errors import BundleError, DragomanError
from dragoman.native.bundles import Parts
from dragoman.native.submission import Submission
from dragoman.native.translator import Translator
from dragoman.routing.registry import LoadedModel, ModelRegistry
from dragoman.routing.router import Router
from dragoman.routing.stream import TranslationStream
from dragoman.routing.variables import RunningGraph
from dragoman.service.service import TranslationService
from dragoman.types import LanguagePair, Priority, TranslationRequest
from tests.stress.asked import PAIRS, cut, random_graph, random_request, random_text
from tests.stress.clients import (
    EXPECTED,
    LEFT,
    GraphClient,
    PlainClient,
    StreamClient,
    StreamReader,
    ends_of,
    faults_of,
    faults_of_graph,
)
from tests.stress.faults import FaultyEngine
from tests.support.helpers import leftovers, pipeline

LIMITS = Limits(
    text_characters=4_000,
    queued_sentences=150,
    queued_characters=4_000,
    batch_pieces=512,
    batch_rows=16,
    slice_sentences=16,
    engine_seconds=1,
    cache_bytes=200_000,
    model_bytes=2,  # of 3, a byte each
    stream_sentences=4,
)
OPTIONS = ("alignment", "overlong", "priority", "deadline", "when_full", "cache")
EXPECTED_ENDS = EXPECTED | {"done", "future cancelled", "line cut", LEFT}
GRAPH_FAULTS = {"graph", "graph-cycle", "unbound-variable", "written-twice"}
KINDS, SHARES = ("request", "stream", "graph"), (0.7, 0.15, 0.15)
DE_EN = LanguagePair("de", "en")
Client = PlainClient | StreamClient | GraphClient


@dataclass
class Report:
    """What came of the requests; `lost` and `doubled` are numbers of requests.

    Attributes:
        kinds, ends: how many there were of each, and how they ended; `outputs`, those of graphs.
        faults: of the engines, by mini-batches.
    """

    submitted: int = 0
    settled: int = 0
    lost: int = 0
    doubled: int = 0
    leftovers: dict[str, int] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)
    ends: Counter[str] = field(default_factory=Counter)
    outputs: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)

    def add(self, other: Report) -> None:
        self.submitted += other.submitted
        self.settled += other.settled
        self.lost += other.lost
        self.doubled += other.doubled
        for name, number in other.leftovers.items():
            self.leftovers[name] = self.leftovers.get(name, 0) + number
        self.wrong += other.wrong
        self.kinds += other.kinds
        self.ends += other.ends
        self.outputs += other.outputs
        self.faults += other.faults

    @property
    def is_clean(self) -> bool:
        lost_nothing = not (self.lost or self.doubled or self.wrong or any(self.leftovers.values()))
        return lost_nothing and self.submitted == self.settled


class Ends:
    """How often each request ended, and how."""

    def __init__(self) -> None:
        self.times: Counter[int] = Counter()
        self.kinds: Counter[str] = Counter()
        self.ends: Counter[str] = Counter()
        self.outputs: Counter[str] = Counter()
        self.wrong: list[str] = []

    def add(self, number: int, kind: str, end: str, wrong: list[str]) -> None:
        self.times[number] += 1
        self.ends[f"{kind} {end}"] += 1
        known = EXPECTED_ENDS | (GRAPH_FAULTS if kind == "graph" else set())
        if end not in known:
            wrong = [*wrong, f"ended as {end}"]
        self.wrong += [f"{kind} {number}: {one}" for one in wrong]

    def report(self, numbers: range, abandoned: int) -> Report:
        """`abandoned` requests have nobody who could hear of their end."""
        silent = sum(1 for number in numbers if not self.times[number])
        return Report(
            submitted=len(numbers),
            settled=len(self.times) + abandoned,
            lost=silent - abandoned,
            doubled=sum(1 for number in numbers if self.times[number] > 1),
            wrong=self.wrong,
            kinds=self.kinds,
            ends=self.ends + Counter({"request abandoned": abandoned}),
            outputs=self.outputs,
        )


class FaultyModels:
    """Three models, a byte each, with faulty engines; now and then one cannot be loaded."""

    pairs = (DE_EN, LanguagePair("en", "de"), LanguagePair("en", "fr"))

    def __init__(self, chance: random.Random, faults: float) -> None:
        self._chance, self._faults = chance, faults
        self.engines: list[FaultyEngine] = []

    def size(self, _: LanguagePair) -> int:
        return 1

    async def load(self, pair: LanguagePair) -> LoadedModel:
        await asyncio.sleep(self._chance.choice([0, 0.001]))
        if pair != DE_EN and self._chance.random() < self._faults:
            raise BundleError("the disk has gone", source=pair.source, target=pair.target)
        engine = FaultyEngine(self._chance, self._faults)
        self.engines.append(engine)
        return LoadedModel(pipeline(limits=LIMITS, pair=pair, graph=str(pair)), engine)


class LoopStress:
    """Requests to one service, streams and graphs over all models, on one event loop."""

    def __init__(self, chance: random.Random, requests: int, faults: float) -> None:
        self._chance, self._numbers = chance, range(requests)
        self._models = FaultyModels(chance, faults)
        self._ends = Ends()
        self._held: dict[int, Client] = {}
        self._abandoned = 0
        self._streams = weakref.WeakSet[TranslationStream]()
        self._graphs = weakref.WeakSet[RunningGraph]()

    async def run(self) -> Report:
        registry = ModelRegistry(self._models, LIMITS)
        router = Router(registry, LIMITS)
        async with registry.lease(*DE_EN) as service:
            for number in self._numbers:
                self._submit(service, router, number)
                self._disturb()
                if self._chance.random() < 0.03:  # a burst is over
                    await asyncio.sleep(self._chance.choice([0, 0.001, 0.02]))
            while self._held:
                self._disturb()
                await asyncio.sleep(0.001)
            gc.collect()
            await asyncio.sleep(0)
        return await self._report(registry)

    async def _report(self, registry: ModelRegistry) -> Report:
        figures = registry.statistics()
        report = self._ends.report(self._numbers, self._abandoned)
        report.lost += figures.submitted - figures.done - figures.failed - figures.cancelled
        services = [slot.service.result() for slot in registry._slots.values()]
        report.leftovers["leases"] = sum(model.leases for model in registry.models)
        registry._cache.clear()
        await asyncio.wait_for(registry.close(), 30)
        for service in services:
            held = Counter(report.leftovers)
            held.update(leftovers(service))
            report.leftovers = dict(held)
        gc.collect()
        report.leftovers |= {
            "models": len(registry.models),
            "cache": len(registry._cache) + registry._cache.bytes + registry._cache.owners,
            "streams": len(self._streams),
            "graphs": len(self._graphs),
            "loop": len(asyncio.all_tasks()) - 1,
            "overlaps": sum(engine.overlaps for engine in self._models.engines),
        }
        for engine in self._models.engines:
            report.faults += engine.met
        return report

    def _submit(self, service: TranslationService, router: Router, number: int) -> None:
        (kind,) = self._chance.choices(KINDS, SHARES)
        self._ends.kinds[kind] += 1
        on_end = partial(self._ended, number, kind)
        if kind == "request":
            self._submit_request(service, number, on_end)
        elif kind == "stream":
            options = random_request(self._chance, pair=self._chance.choice(PAIRS))
            stream = router.start(options)
            self._streams.add(stream)
            text = random_text(self._chance, number)
            self._held[number] = StreamClient(stream, text, self._chance, on_end)
        else:
            asked = random_graph(self._chance, number)
            client = GraphClient(router, asked, on_end, self._ends.outputs)
            self._graphs.add(client.graph)
            self._held[number] = client

    def _submit_request(
        self,
        service: TranslationService,
        number: int,
        on_end: Callable[[str, list[str]], None],
    ) -> None:
        request = random_request(self._chance, random_text(self._chance, number))
        handle = service.submit(request)
        if self._chance.random() < 0.03:
            self._abandoned += 1  # the handle is dropped
        else:
            self._held[number] = PlainClient(handle, request, on_end)

    def _ended(self, number: int, kind: str, end: str, wrong: list[str]) -> None:
        self._held.pop(number, None)
        self._ends.add(number, kind, end, wrong)

    def _disturb(self) -> None:
        if self._held and self._chance.random() < 0.5:
            number = self._chance.choice(list(self._held)[-40:])
            self._held[number].disturb(self._chance)


class ThreadStress:
    """Requests to one `Translator`, from several threads."""

    def __init__(self, chance: random.Random, requests: int, faults: float) -> None:
        self._chance, self._numbers = chance, range(requests)
        self._engine = FaultyEngine(chance, faults)
        self._ends, self._lock = Ends(), threading.Lock()

    def run(self) -> Report:
        translator = Translator(Parts(pipeline(limits=LIMITS), self._engine), LIMITS)
        threads = [
            threading.Thread(
                target=self._work, args=(translator, self._numbers[part::4], self._chance.random())
            )
            for part in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        held = held_now(translator)
        translator.close()
        gc.collect()
        report = self._ends.report(self._numbers, abandoned=0)
        held["streams"] = len(translator._running.streams)
        report.leftovers = held | {"overlaps": self._engine.overlaps}
        report.faults = self._engine.met
        return report

    def _work(self, translator: Translator, own: range, seed: float) -> None:
        local = random.Random(seed)
        open_: list[tuple[int, TranslationRequest, Submission]] = []
        for number in own:
            (kind,) = local.choices(KINDS, SHARES)
            with self._lock:
                self._ends.kinds[kind] += 1
            if kind == "stream":
                self._tell(number, kind, *self._stream(translator, local, number))
            elif kind == "graph":
                self._tell(number, kind, *self._graph(translator, local, number))
            else:
                request = random_request(local, random_text(local, number))
                open_.append((number, request, translator.submit(request.text, **named(request))))
            if open_ and local.random() < 0.3:
                local.choice(open_)[2].cancel()
            if open_:
                local.choice(open_)[2].prioritize(local.choice(list(Priority)))
        for number, request, submission in open_:
            try:
                self._tell(
                    number, "request", "done", faults_of(submission.result(120), request.text)
                )
            except DragomanError as error:
                self._tell(number, "request", error.code, [])

    def _tell(self, number: int, kind: str, end: str, wrong: list[str]) -> None:
        with self._lock:
            self._ends.add(number, kind, end, wrong)

    def _stream(
        self, translator: Translator, local: random.Random, number: int
    ) -> tuple[str, list[str]]:
        text = random_text(local, number)
        reader = StreamReader(text)
        leaves_after = local.choice([None, None, 1, 2])
        pieces = translator.stream(cut(local, text), **named(random_request(local)))
        try:
            for piece in pieces:
                reader.take(piece)
                if reader.pieces == leaves_after:
                    return LEFT, reader.wrong
        except DragomanError as error:
            return error.code, reader.wrong
        finally:
            pieces.close()
        reader.finish()
        return "done", reader.wrong

    def _graph(
        self, translator: Translator, local: random.Random, number: int
    ) -> tuple[str, list[str]]:
        asked = random_graph(local, number, [DE_EN])
        try:
            ends = translator.graph(asked.variables, asked.requests)
        except DragomanError as error:
            refused = error.code in (asked.fault, "text-too-long")
            return error.code, [] if refused else [f"refused as {error.code}"]
        with self._lock:
            self._ends.outputs.update(ends_of(ends))
        return "done", faults_of_graph(asked, ends)


def named(request: TranslationRequest) -> dict[str, Any]:
    """The options of a request, as `Translator` takes them."""
    return {name: getattr(request, name) for name in OPTIONS}


def held_now(translator: Translator) -> dict[str, int]:
    """What a translator still holds of requests whose ends were all heard of."""
    end = time.monotonic() + 30
    while True:
        now = translator.statistics()  # a mini-batch that nobody wants takes a moment to end
        held = {"jobs": now.open_requests, "queue": now.queued_sentences + now.running_sentences}
        if not any(held.values()) or time.monotonic() > end:
            return held
        time.sleep(0.01)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--faults", type=float, default=0.05, help="share of the mini-batches")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    started = time.perf_counter()
    threaded = arguments.requests // 10
    on_loop = LoopStress(chance, arguments.requests - threaded, arguments.faults)
    report = asyncio.run(on_loop.run())
    report.add(ThreadStress(chance, threaded, arguments.faults).run())
    seconds = round(time.perf_counter() - started, 1)
    print(json.dumps({"host": "native", "seed": arguments.seed, "seconds": seconds} | vars(report)))
    if not report.is_clean:
        sys.exit("something was lost, doubled, wrong or left over")


if __name__ == "__main__":
    main()
