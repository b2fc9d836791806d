"""What worker processes count, added up by the front.

    worker   registry --news--> FIGURES, before each END --> front   Gathered

What was told is never lost, however a worker ends; nothing of it is on a disk, which may be full.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from prometheus_client import CollectorRegistry
from prometheus_client.core import Metric
from prometheus_client.registry import Collector

_Key = tuple[str, tuple[tuple[str, str], ...]]


class FigureNews:
    """What the counters of a registry have counted since it was last told."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry
        self._told: dict[_Key, float] = {}

    def take(self) -> bytes:
        """As JSON: `[[family, help, [[sample, labels, more] ...]] ...]`; empty if there is none."""
        news = [family for family in map(self._family, self._registry.collect()) if family[2]]
        return json.dumps(news).encode() if news else b""

    def _family(self, family: Metric) -> tuple[str, str, list[tuple[str, dict[str, str], float]]]:
        news = []
        for sample in family.samples if family.type == "counter" else ():
            key = sample.name, tuple(sorted(sample.labels.items()))
            more = sample.value - self._told.get(key, 0.0)
            if more and not sample.name.endswith("_created"):
                self._told[key] = sample.value
                news.append((sample.name, dict(sample.labels), more))
        return family.name, family.documentation, news


class Gathered(Collector):
    """The counters of all workers, past ones too, for a registry."""

    def __init__(self) -> None:
        self._families: dict[str, str] = {}
        self._values: dict[str, dict[_Key, float]] = {}

    def add(self, news: bytes) -> None:
        """Take in what a worker tells."""
        data: list[Any] = json.loads(news)
        for name, documentation, samples in data:
            self._families[name] = documentation
            values = self._values.setdefault(name, {})
            for sample, labels, more in samples:
                key = sample, tuple(sorted(labels.items()))
                values[key] = values.get(key, 0.0) + more

    def collect(self) -> Iterator[Metric]:
        for name, documentation in self._families.items():
            family = Metric(name, documentation, "counter")
            for (sample, labels), value in self._values[name].items():
                family.add_sample(sample, dict(labels), value)
            yield family
