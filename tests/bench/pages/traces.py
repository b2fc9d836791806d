"""What a page's thread did, task by task, out of a trace of Chromium's.

Milliseconds are those that the thread computed (`tdur`), not those that passed: other work of the
machine does not count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Event = dict[str, Any]

CATEGORIES = ["toplevel", "devtools.timeline", "blink", "v8"]
# What the browser does by itself, even when a script asked for it.
BROWSERS_OWN = {
    "UpdateLayoutTree",
    "Layout",
    "PrePaint",
    "Paint",
    "Layerize",
    "Commit",
    "IntersectionObserverController::computeIntersections",
    "ParseHTML",
    "MinorGC",
    "MajorGC",
}
SCRIPT = {"FunctionCall", "EvaluateScript", "FireAnimationFrame", "RunMicrotasks", "TimerFire"}
TASK = "ThreadControllerImpl::RunTask"


@dataclass
class Task:
    """A task of the page's thread: how long it computed, and what for."""

    start: float
    end: float
    total: float
    own: float = 0.0
    scripted: bool = False
    parts: dict[str, float] = field(default_factory=dict)

    @property
    def script(self) -> float:
        return self.total - self.own


def tasks_of(trace: dict[str, Any]) -> list[Task]:
    events: list[Event] = trace["traceEvents"]
    busiest = max(
        (e for e in events if e.get("name") == "thread_name" and "Main" in e["args"]["name"]),
        key=lambda e: sum(x.get("name") == "FunctionCall" and _of(x, e) for x in events),
    )
    mine = sorted(
        (e for e in events if _of(e, busiest) and e.get("ph") == "X" and "tdur" in e),
        key=lambda e: (e["ts"], -e["dur"]),
    )
    return list(_tasks(mine))


def _of(event: Event, thread: Event) -> bool:
    return (event.get("tid"), event.get("pid")) == (thread["tid"], thread["pid"])


def _tasks(events: list[Event]) -> Iterator[Task]:
    task, covered = None, 0.0
    for event in events:
        start, end = event["ts"], event["ts"] + event["dur"]
        if event["name"] == TASK:
            if task is None or start >= task.end:
                if task is not None:
                    yield task
                task, covered = Task(start, end, event["tdur"] / 1000), 0.0
            continue
        if task is None or start >= task.end:
            continue
        task.scripted = task.scripted or event["name"] in SCRIPT
        if event["name"] in BROWSERS_OWN and start >= covered:
            covered = end
            task.own += event["tdur"] / 1000
            name = event["name"]
            task.parts[name] = task.parts.get(name, 0.0) + event["tdur"] / 1000
    if task is not None:
        yield task
