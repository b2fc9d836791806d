"""What a start is made of: stages that the workers note in their timelines.

`web/src/base/stages.ts` notes them. All in milliseconds after the start of the page's navigation.
Stages overlap: two workers and the browser's own threads are at work.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from playwright.sync_api import Page

# The worker's own start, what it noted, and the files that are worth a line.
TIMELINE = """() => ({
  origin: performance.timeOrigin,
  measures: performance.getEntriesByType("measure")
    .filter(({ name }) => name.startsWith("dragoman: "))
    .map(({ name, startTime, duration }) => [name.slice("dragoman: ".length), startTime, duration]),
  files: performance.getEntriesByType("resource")
    .map(({ name, startTime, duration }) => [name.split("/").at(-1), startTime, duration]),
})"""
FILES = {"pyodide.asm.wasm": "interpreter, fetched", "core.snapshot.gz": "snapshot, fetched"}
FIRST = "first sentence, once all is there"

Span = tuple[float, float]


def spans(page: Page, first_output: float) -> dict[str, Span]:
    """Start and end of each stage of a visit whose first sentence has come."""
    navigation = float(page.evaluate("performance.timeOrigin"))
    found: dict[str, Span] = {}
    for worker in page.workers:
        timeline = worker.evaluate(TIMELINE)
        offset = timeline["origin"] - navigation
        for name, start, duration in _entries(timeline):
            found[name] = (offset + start, offset + start + duration)
    ready = max((end for _, end in found.values()), default=0.0)
    return {**found, FIRST: (ready, first_output)}


def _entries(timeline: Mapping[str, Any]) -> Iterator[tuple[str, float, float]]:
    yield from timeline["measures"]
    for name, start, duration in timeline["files"]:
        if name in FILES:
            yield FILES[name], start, duration


def medians(visits: Sequence[Mapping[str, Span]]) -> dict[str, list[float]]:
    """`{stage: [start, end]}`, the earliest first."""
    names = dict.fromkeys(name for visit in visits for name in visit)
    found: dict[str, list[float]] = {
        name: [
            round(statistics.median(visit[name][side] for visit in visits if name in visit))
            for side in (0, 1)
        ]
        for name in names
    }
    return dict(sorted(found.items(), key=lambda entry: entry[1]))


def table(stages: Mapping[str, Mapping[str, Sequence[float]]]) -> list[str]:
    """Markdown, a row a stage: when it begins and how long it takes, on each kind of visit."""
    kinds = list(stages)
    names = dict.fromkeys(name for kind in kinds for name in stages[kind])
    return [
        "| stage of the start, ms | "
        + " | ".join(f"{kind}: from | takes" for kind in kinds)
        + " |",
        "|---" + "|---:|---:" * len(kinds) + "|",
        *(
            f"| {name} | "
            + " | ".join(
                f"{span[0]:,} | {span[1] - span[0]:,}" if (span := stages[kind].get(name)) else "|"
                for kind in kinds
            )
            + " |"
            for name in names
        ),
    ]
