"""Thousands of mixed requests against a service whose engine has faults, natively.

Requests of every kind are submitted in bursts and cancelled, abandoned, prioritized and given
deadlines at random. Each must settle exactly once, with its own text or a typed error, and nothing
may be left over. A tenth of them goes through `dragoman.Translator`, from several threads.

Ends with a line of JSON, and fails unless nothing was lost, doubled or left over.

    .venv/bin/python tests/stress/native.py [--requests 10000] [--seed 1]
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
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "py"))

from dragoman.bundles import Parts
from dragoman.config import Limits
from dragoman.errors import DragomanError
from dragoman.native import Translator
from dragoman.service import TranslationHandle, TranslationService
from dragoman.submission import Submission
from dragoman.types import (
    AlignmentKind,
    OverlongPolicy,
    Priority,
    TranslationRequest,
    TranslationResponse,
    WhenFull,
)
from faults import FaultyEngine
from helpers import assert_covers, leftovers, pipeline

LIMITS = Limits(
    text_characters=4_000,
    queued_sentences=150,
    queued_characters=4_000,
    batch_pieces=512,
    batch_rows=16,
    slice_sentences=16,
    engine_seconds=1,
    cache_bytes=200_000,
)
COMMON = ["Ja.", "Nein!", "Weiter lesen", "Alle Rechte vorbehalten.", "12", "你好。", ""]
OPTIONS = ("alignment", "overlong", "priority", "deadline", "when_full", "cache")
EXPECTED = {"cancelled", "deadline", "engine", "queue-full", "sentence-too-long", "text-too-long"}


@dataclass
class Report:
    """What came of the requests; `lost` and `doubled` are numbers of requests."""

    submitted: int = 0
    settled: int = 0
    lost: int = 0
    doubled: int = 0
    leftovers: dict[str, int] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    ends: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)

    def add(self, other: Report) -> None:
        self.submitted += other.submitted
        self.settled += other.settled
        self.lost += other.lost
        self.doubled += other.doubled
        for name, number in other.leftovers.items():
            self.leftovers[name] = self.leftovers.get(name, 0) + number
        self.wrong += other.wrong
        self.ends += other.ends
        self.faults += other.faults

    @property
    def is_clean(self) -> bool:
        lost_nothing = not (self.lost or self.doubled or self.wrong or any(self.leftovers.values()))
        return lost_nothing and self.submitted == self.settled


def random_text(chance: random.Random, number: int) -> str:
    """Sentences that no other request has, and some that many have."""
    kind = chance.random()
    if kind < 0.01:
        return f"Zu lang {number}. " * 400
    if kind < 0.03:
        return f"Wort{number} " + "und so weiter " * 20
    sentences = [f"Satz {number} Teil {part}." for part in range(chance.randint(0, 5))]
    sentences += chance.choices(COMMON, k=chance.randint(0, 3))
    chance.shuffle(sentences)
    return chance.choice([" ", "\n"]).join(sentences)


def random_request(chance: random.Random, number: int) -> TranslationRequest:
    return TranslationRequest(
        random_text(chance, number),
        "de",
        "en",
        chance.choice(list(AlignmentKind)),
        OverlongPolicy.REFUSE if chance.random() < 0.1 else OverlongPolicy.WRAP,
        priority=chance.choice(list(Priority)),
        deadline=chance.choice([0.001, 0.01, 0.1]) if chance.random() < 0.1 else None,
        when_full=WhenFull.WAIT if chance.random() < 0.8 else WhenFull.REFUSE,
        cache=chance.random() < 0.8,
    )


class Ends:
    """How often each request ended, and how."""

    def __init__(self) -> None:
        self.times: Counter[int] = Counter()
        self.kinds: Counter[str] = Counter()
        self.wrong: list[str] = []

    def add(self, number: int, text: str, end: TranslationResponse | BaseException) -> None:
        self.times[number] += 1
        if isinstance(end, TranslationResponse):
            self.kinds["done"] += 1
            if end.text != text or end.request.text != text:
                self.wrong.append(f"request {number} has another's text")
            elif end.request.alignment is not AlignmentKind.NONE:
                assert_covers(end)
            return
        code = end.code if isinstance(end, DragomanError) else "future cancelled"
        self.kinds[code] += 1
        if isinstance(end, DragomanError) and code not in EXPECTED:
            self.wrong.append(f"request {number}: {code}: {end}")

    def report(self, numbers: range, abandoned: int) -> Report:
        """`abandoned` requests have nobody who could hear of their end."""
        silent = sum(1 for number in numbers if not self.times[number])
        return Report(
            submitted=len(numbers),
            settled=len(self.times) + abandoned,
            lost=silent - abandoned,
            doubled=sum(1 for number in numbers if self.times[number] > 1),
            wrong=self.wrong,
            ends=self.kinds + Counter(abandoned=abandoned),
        )


class ServiceStress:
    """Requests to one `TranslationService`, on one event loop."""

    def __init__(self, chance: random.Random, requests: int, faults: float) -> None:
        self._chance, self._numbers = chance, range(requests)
        self._engine = FaultyEngine(chance, faults)
        self._ends = Ends()
        self._held: dict[int, TranslationHandle] = {}
        self._abandoned = 0

    async def run(self) -> Report:
        service = TranslationService(pipeline(limits=LIMITS), self._engine, LIMITS)
        for number in self._numbers:
            self._submit(service, number)
            self._disturb()
            if self._chance.random() < 0.03:  # a burst is over
                await asyncio.sleep(self._chance.choice([0, 0.001, 0.02]))
        while self._held:
            self._disturb()
            await asyncio.sleep(0.001)
        gc.collect()
        await asyncio.sleep(0)
        figures = service.statistics()
        report = self._ends.report(self._numbers, self._abandoned)
        report.lost += figures.submitted - figures.done - figures.failed - figures.cancelled
        service._cache.clear()
        await asyncio.wait_for(service.close(), 30)
        report.leftovers = leftovers(service) | {
            "cache": len(service._cache) + service._cache.bytes,
            "overlaps": self._engine.overlaps,
        }
        report.faults = self._engine.met
        return report

    def _submit(self, service: TranslationService, number: int) -> None:
        request = random_request(self._chance, number)
        if self._chance.random() < 0.03:
            service.submit(request)  # and the handle is dropped
            self._abandoned += 1
            return
        handle = service.submit(request)
        self._held[number] = handle

        def ended(future: asyncio.Future[TranslationResponse]) -> None:
            self._held.pop(number, None)
            end = asyncio.CancelledError() if future.cancelled() else future.exception()
            self._ends.add(number, request.text, end or future.result())

        handle.response.add_done_callback(ended)

    def _disturb(self) -> None:
        if not self._held or self._chance.random() > 0.5:
            return
        number = self._chance.choice(list(self._held)[-40:])
        handle = self._held[number]
        match self._chance.randrange(5):
            case 0 | 1:
                handle.cancel()
                handle.cancel()
            case 2:
                handle.response.cancel()
            case _:
                handle.prioritize(self._chance.choice(list(Priority)))


def thread_stress(chance: random.Random, requests: int, faults: float) -> Report:
    """Requests to one `Translator`, from several threads."""
    engine, ends, lock = FaultyEngine(chance, faults), Ends(), threading.Lock()
    numbers = range(requests)
    translator = Translator(Parts(pipeline(limits=LIMITS), engine), LIMITS)

    def work(own: range, seed: int) -> None:
        local = random.Random(seed)
        open_: list[tuple[int, str, Submission]] = []
        for number in own:
            request = random_request(local, number)
            options = {name: getattr(request, name) for name in OPTIONS}
            submission = translator.submit(request.text, **options)
            open_.append((number, request.text, submission))
            if local.random() < 0.3:
                local.choice(open_)[2].cancel()
            local.choice(open_)[2].prioritize(local.choice(list(Priority)))
        for number, text, submission in open_:
            try:
                end: TranslationResponse | DragomanError = submission.result(120)
            except DragomanError as error:
                end = error
            with lock:
                ends.add(number, text, end)

    threads = [
        threading.Thread(target=work, args=(numbers[part::4], chance.random())) for part in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    held = held_now(translator)
    translator.close()
    report = ends.report(numbers, abandoned=0)
    report.leftovers = held | {"overlaps": engine.overlaps}
    report.faults = engine.met
    return report


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
    single = ServiceStress(chance, arguments.requests - threaded, arguments.faults)
    report = asyncio.run(single.run())
    report.add(thread_stress(chance, threaded, arguments.faults))
    seconds = round(time.perf_counter() - started, 1)
    print(json.dumps({"host": "native", "seed": arguments.seed, "seconds": seconds} | vars(report)))
    if not report.is_clean:
        sys.exit("something was lost, doubled, wrong or left over")


if __name__ == "__main__":
    main()
