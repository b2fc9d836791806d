"""Two hosts' answers to the same cases: what differs, and by how much."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.parity.native import Case, Run, values

# Figures of an outcome; everything else must be the same, but for the timings.
SCORES = {"score", "scores", "matrix"}
EOS_ID = 0
SAME = 1e-12  # of probabilities that both cores made of the same numbers


@dataclass
class Comparison:
    """Of outcomes and parts.

    Attributes:
        unlike: what should be the same and is not.
        largest: largest difference of each kind of score, probabilities all.
    """

    unlike: list[str] = field(default_factory=list)
    largest: dict[str, float] = field(default_factory=dict)

    def add(self, native: Case, other: Case) -> None:
        """The answers of both hosts to one case."""
        name = native["id"]
        outcomes = native["outcome"], other["outcome"]
        for outcome in outcomes:
            outcome.get("response", {}).pop("timings", None)
        self._walk(f"{name} outcome", *outcomes)
        if "parts" in other:
            self._walk(f"{name} parts", native["parts"], other["parts"])

    def _walk(self, path: str, native: object, other: object, key: str = "") -> None:
        if key in SCORES:
            self._scores(path, key, list(_figures(native)), list(_figures(other)))
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
        return ", ".join(f"{kind} {value:.1e}" for kind, value in sorted(self.largest.items()))


def compare(native: Sequence[Case], other: Sequence[Case]) -> Comparison:
    found = Comparison()
    for pair in zip(native, other, strict=True):
        found.add(*pair)
    return found


def _figures(value: object) -> Iterator[float]:
    if isinstance(value, list):
        for item in value:
            yield from _figures(item)
    elif isinstance(value, int | float):
        yield float(value)


@dataclass(frozen=True)
class Divergence:
    """Where two engines chose different pieces for the same source.

    Attributes:
        case: of which text.
        step: of the first different piece.
        gap: difference of the natural logarithms of what each gave to its own choice.
    """

    case: str
    step: int
    gap: float


def divergences(native: Sequence[Case], other: Sequence[Case]) -> list[Divergence]:
    """One a row of a mini-batch that the engines translated differently."""
    return [
        found
        for one, another in zip(native, other, strict=True)
        for runs in zip(one["runs"], another["runs"], strict=True)
        for found in _divergences(one["id"], *runs)
    ]


def _divergences(case: str, *runs: Run) -> Iterator[Divergence]:
    assert runs[0]["source"] == runs[1]["source"], case
    rows = (
        list(zip(_rows(run, "ids"), _rows(run, "logProbabilities"), strict=True)) for run in runs
    )
    for (ids, scores), (other_ids, other_scores) in zip(*rows, strict=True):
        for step, (piece, other) in enumerate(zip(ids, other_ids, strict=False)):
            if piece != other:
                yield Divergence(case, step, abs(scores[step] - other_scores[step]))
            if piece != other or piece == EOS_ID:
                break


def _rows(run: Run, name: str) -> list[Any]:
    flat, steps = values(run, name), run["steps"]
    return [flat[start : start + steps] for start in range(0, len(flat), steps)]
