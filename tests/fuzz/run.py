"""Fuzzes what reads the files, pages and messages of others.

    .venv/bin/python -m tests.fuzz.run [--target html] [--cases 100000] [--seed 1] [--seconds 60]

Every input ends well or in a typed error, within 2 s of processor time, and takes no more than
200 MB. One that does not is kept in `tests/fuzz/corpus/TARGET`, named by its label and its hash,
and is among the seeds from then on. A line of JSON a target: cases, how many were read, how many
were refused, seconds, the slowest, the growth in MB.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import random
import resource
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from types import FrameType
from urllib.parse import quote, unquote

from dragoman.errors import DragomanError
from tests.fuzz.mutate import mutated
from tests.fuzz.targets import TARGETS, Case, Target

CORPUS = Path(__file__).parent / "corpus"
SECONDS = 2.0
MEGABYTES = 200
KEPT = 40  # of a target, in one run


@dataclass
class Report:
    """What came of a target.

    Attributes:
        found: an error that is not typed, too long or too large: what it is, and where it is kept.
    """

    target: str
    seed: int
    cases: int = 0
    read: int = 0
    refused: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    growth: int = 0
    found: list[str] = field(default_factory=list)


class TooLongError(Exception):
    """An input took more than `SECONDS`."""


def fuzz(
    name: str, cases: int, seed: int, corpus: Path = CORPUS, seconds: float = math.inf
) -> Report:
    """Try what is kept of a target, and `cases` inputs made of that and of its seeds.

    Args:
        seconds: by the clock; what is not tried by then is left.
    """
    end = time.monotonic() + seconds
    target, report, before = TARGETS[name], Report(name, seed), kept(name, corpus)
    started = time.process_time()
    for case in chain(before, _made(target, [*target.seeds(), *before], cases, seed)):
        if time.monotonic() > end:
            break
        wrong = _tried(target, case, report)
        if wrong and len(report.found) < KEPT:
            report.found.append(f"{wrong}: {_keep(name, case, corpus)}")
    report.seconds = round(time.process_time() - started, 1)
    return report


def kept(name: str, corpus: Path = CORPUS) -> list[Case]:
    """Inputs that went wrong once."""
    folder = corpus / name
    found = sorted(folder.iterdir()) if folder.is_dir() else []
    return [Case(unquote(path.name.rpartition("@")[0]), path.read_bytes()) for path in found]


def _made(target: Target, seeds: list[Case], cases: int, seed: int) -> Iterator[Case]:
    chance = random.Random(seed)
    others = [case.content for case in seeds]
    for _ in range(cases):
        case = chance.choice(seeds)
        yield Case(case.label, mutated(case.content, others, target.words, chance.getrandbits(64)))


def _tried(target: Target, case: Case, report: Report) -> str:
    """What is wrong with how an input ends; nothing, if it ends well."""
    report.cases += 1
    before, started = _rewound(), time.process_time()
    wrong = ""
    try:
        with _watched():
            target.read(case)
        report.read += 1
    except DragomanError:
        report.refused += 1
    except Exception as error:
        wrong = f"{type(error).__name__}: {error!s:.120}"
    report.slowest = round(max(report.slowest, time.process_time() - started), 2)
    growth = _megabytes() - before
    report.growth = max(report.growth, growth)
    return wrong or (f"{growth} MB" if growth > MEGABYTES else "")


@contextmanager
def _watched() -> Iterator[None]:
    """Processor time, which a busy machine does not shorten."""

    def too_long(_number: int, _frame: FrameType | None) -> None:
        raise TooLongError(f"more than {SECONDS:g} s")

    before = signal.signal(signal.SIGVTALRM, too_long)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _rewound() -> int:
    """MB that this process has; from here on `_megabytes` counts (`man 5 proc`, `clear_refs`).

    Without that, an input would hide behind whatever came before it and took more.
    """
    Path("/proc/self/clear_refs").write_text("5")
    return _megabytes()


def _megabytes() -> int:
    """The most memory that this process had since `_rewound`."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def _keep(name: str, case: Case, corpus: Path) -> str:
    digest = hashlib.sha256(case.content).hexdigest()[:12]
    path = corpus / name / f"{quote(case.label, safe='')}@{digest}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(case.content)
    return path.name


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", choices=[*TARGETS, "all"], default="all")
    parser.add_argument("--cases", type=int, default=10_000, help="of each target")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--seconds", type=float, default=math.inf, help="of each target, at most")
    given = parser.parse_args()
    names = list(TARGETS) if given.target == "all" else [given.target]
    reports = []
    for name in names:
        reports.append(fuzz(name, given.cases, given.seed, CORPUS, given.seconds))
        print(json.dumps(vars(reports[-1])), flush=True)
    if any(report.found for report in reports):
        sys.exit("an input did not end well: see tests/fuzz/corpus")


if __name__ == "__main__":
    main()
