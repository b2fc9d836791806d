"""Two hosts' answers to one case: what must be the same is the same, scores within a tolerance."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

TOLERANCE = 1e-3  # of probabilities: scores, attention

# Figures of an outcome; everything else must be the same, but for the timings.
SCORES = {"score", "scores", "matrix"}


@dataclass
class Comparison:
    """Differences found so far.

    Attributes:
        unlike: what should be the same and is not.
        largest: largest difference of each kind of score.
    """

    unlike: list[str] = field(default_factory=list)
    largest: dict[str, float] = field(default_factory=dict)

    def add(self, native: dict[str, Any], other: dict[str, Any]) -> None:
        """The answers of both hosts to one case."""
        name = native["id"]
        outcomes = native["outcome"], other["outcome"]
        for outcome in outcomes:
            outcome.get("response", {}).pop("timings", None)
        self._walk(f"{name} outcome", *outcomes)
        if "parts" in other:
            self._walk(f"{name} parts", native["parts"], other["parts"])
        if "runs" in other:
            for native_run, other_run in zip_longest(native["runs"], other["runs"], fillvalue={}):
                self._run(name, dict(native_run), dict(other_run))

    def _run(self, name: str, native: dict[str, Any], other: dict[str, Any]) -> None:
        pair = native.pop("logProbabilities", []), other.pop("logProbabilities", [])
        self._walk(f"{name} run", native, other)
        self._scores(f"{name} run", "log probability", *pair)

    def _walk(self, path: str, native: object, other: object, key: str = "") -> None:
        if key in SCORES:
            self._scores(path, key, _flat(native), _flat(other))
        elif isinstance(native, dict) and isinstance(other, dict):
            for name in sorted({*native, *other}):
                self._walk(f"{path}.{name}", native.get(name), other.get(name), name)
        elif isinstance(native, list) and isinstance(other, list) and len(native) == len(other):
            for index, pair in enumerate(zip(native, other, strict=True)):
                self._walk(f"{path}[{index}]", *pair)
        elif native != other:
            shown = " | ".join(json.dumps(value)[:200] for value in (native, other))
            self.unlike.append(f"{path}: {shown}")

    def _scores(self, path: str, kind: str, native: list[float], other: list[float]) -> None:
        if len(native) != len(other):
            self.unlike.append(f"{path}: {len(native)} | {len(other)} values")
        differences = (abs(a - b) for a, b in zip(native, other, strict=False))
        self.largest[kind] = max(self.largest.get(kind, 0.0), *differences, 0.0)

    def report(self) -> str:
        return ", ".join(f"{kind} {value:.2e}" for kind, value in sorted(self.largest.items()))


def _flat(value: object) -> list[float]:
    return list(_figures(value))


def _figures(value: object) -> Iterator[float]:
    if isinstance(value, list):
        for item in value:
            yield from _figures(item)
    elif isinstance(value, int | float):
        yield float(value)
