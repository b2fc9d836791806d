"""What `prepare` tells of its data: statistics of lengths, and tables for the eye."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

BUCKET = 8  # pieces: the width of a cell in the table of lengths


class EncodedPair(Protocol):
    @property
    def source(self) -> str: ...
    @property
    def first(self) -> Sequence[int]: ...
    @property
    def second(self) -> Sequence[int]: ...


class Statistics:
    """Counts and sums over all shards."""

    def __init__(self) -> None:
        self.sources: Counter[str] = Counter()
        self.lengths: Counter[tuple[int, int]] = Counter()  # by bucket: first, second
        self.pairs = self.links = self.first = self.second = 0
        self.ratios = self.squares = 0.0

    def add(self, rows: Sequence[EncodedPair], links: Sequence[Sequence[object]]) -> None:
        for row in rows:
            first, second = len(row.first), len(row.second)
            self.sources[row.source] += 1
            self.lengths[-(-first // BUCKET), -(-second // BUCKET)] += 1
            self.first += first
            self.second += second
            self.ratios += second / first
            self.squares += (second / first) ** 2
        self.pairs += len(rows)
        self.links += sum(map(len, links))

    def facts(self) -> dict[str, object]:
        """Means, the deviation of the length ratio, and the table of lengths."""
        mean = self.ratios / self.pairs
        variance = max(0.0, self.squares / self.pairs - mean**2)
        return {
            "pairs": self.pairs,
            "mean_pieces": [self.first / self.pairs, self.second / self.pairs],
            "length_ratio": {"mean": mean, "deviation": math.sqrt(variance)},
            "links_per_pair": self.links / self.pairs,
            "lengths": {
                "bucket": BUCKET,
                "pairs": [[a, b, n] for (a, b), n in sorted(self.lengths.items())],
            },
        }


def report_table(report: Mapping[str, Any]) -> str:
    """The report as Markdown: a row a source, a column a rule that dropped something; lengths."""
    rules = list(report["dropped"])
    rows = [["source", "licence", "class", "weight", "kept", *rules]]
    for source in report["sources"]:
        figures = [f"{source['dropped'].get(rule, 0):,}" for rule in rules]
        facts = [source["name"], source["licence"], source["licence_class"]]
        rows.append([*facts, f"{source['weight']:g}", f"{source['pairs']:,}", *figures])
    totals = [f"{count:,}" for count in report["dropped"].values()]
    rows.append(["all", "", "", "", f"{report['pairs']:,}", *totals])
    parts = [f"# Data of {report['recipe']}", _table(rows, 3)]
    if "lengths" in report:
        parts += ["## Lengths", _ratio(report), _lengths(report)]
    return "\n\n".join(parts) + "\n"


def _ratio(report: Mapping[str, Any]) -> str:
    ratio, (first, second) = report["length_ratio"], report["mean_pieces"]
    return (
        f"Pieces a sentence: {first:.1f} and {second:.1f}. Second over first: "
        f"{ratio['mean']:.2f}, standard deviation {ratio['deviation']:.2f}. "
        "Pairs by length, first language down, second across:"
    )


def _lengths(report: Mapping[str, Any]) -> str:
    width = report["lengths"]["bucket"]
    cells = {(a, b): n for a, b, n in report["lengths"]["pairs"]}
    across = range(1, 1 + max(b for _, b in cells))
    rows = [["pieces", *(f"to {width * b}" for b in across)]]
    for a in range(1, 1 + max(a for a, _ in cells)):
        rows.append([f"to {width * a}", *(f"{cells.get((a, b), 0):,}" for b in across)])
    return _table(rows, 1)


def _table(rows: Sequence[Sequence[str]], left: int) -> str:
    """Markdown; the first columns are set to the left, the others are figures."""
    lines = ["| " + " | ".join(cell.replace("|", "/") for cell in row) + " |" for row in rows]
    lines.insert(1, "|" + "---|" * left + "---:|" * (len(rows[0]) - left))
    return "\n".join(lines)
