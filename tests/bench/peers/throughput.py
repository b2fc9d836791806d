"""Words a second of both translators, interleaved round by round in one page."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sentencepiece

from tests.bench.peers.bergamot import Bench
from tests.bench.texts import Supply, words

PAGE_WORDS = 3_000
WARM_UP_CALLS = 60  # V8 compiles in two tiers: the first runs take twice as long


@dataclass(frozen=True)
class Contender:
    name: str
    peer: str
    options: Mapping[str, object]


CONTENDERS = (
    Contender("ours, 1 thread", "ours", {"threads": 1}),
    Contender("ours, 2 threads", "ours", {"threads": 2}),
    Contender("bergamot", "bergamot", {}),
)
OURS_1, OURS_2, THEIRS = (contender.name for contender in CONTENDERS)


@dataclass(frozen=True)
class Setting:
    """What one round of a setting translates; `page` for one long text."""

    name: str
    per_call: int
    calls: int
    kind: str = "sentences"

    def texts(self, supply: Supply, words_of_page: int) -> list[str]:
        if self.kind == "page":
            return [supply.page(words_of_page)]
        if self.kind == "twenty":
            return supply.twenty_words(self.calls)
        return supply.sentences(self.per_call * self.calls)


SETTINGS = (
    Setting("1", 1, 24),
    Setting("64", 64, 3),
    Setting("page", 1, 1, "page"),
    Setting("20 words", 1, 12, "twenty"),
)


@dataclass
class Series:
    """The rounds of one contender in one setting.

    Attributes:
        speeds: source words a second, one a round.
        token_speeds: target pieces a second, one a round.
        calls: milliseconds of each call.
    """

    speeds: list[float] = field(default_factory=list)
    token_speeds: list[float] = field(default_factory=list)
    calls: list[float] = field(default_factory=list)


Measured = dict[str, dict[str, Series]]  # by setting, then by contender


def measure(bench: Bench, supply: Supply, rounds: int, quick: bool) -> Measured:
    """Every round has texts of its own, the same for all; who begins changes."""
    pieces = sentencepiece.SentencePieceProcessor(model_proto=bench.marian.vocabulary.read_bytes())
    for contender in CONTENDERS:
        bench.call(
            "open",
            {"name": contender.name, "peer": contender.peer, "options": dict(contender.options)},
        )
    _warm_up(bench, supply, 3 if quick else WARM_UP_CALLS)
    measured: Measured = {s.name: {c.name: Series() for c in CONTENDERS} for s in SETTINGS}
    for number in range(rounds):
        turn = number % len(CONTENDERS)
        for setting in SETTINGS:
            texts = setting.texts(supply, 200 if quick else PAGE_WORDS)
            for contender in (*CONTENDERS[turn:], *CONTENDERS[:turn]):
                given = {"name": contender.name, "texts": texts, "perCall": setting.per_call}
                found: dict[str, Any] = bench.call("run", given)
                seconds = sum(found["milliseconds"]) / 1000
                tokens = sum(map(len, pieces.encode(found["texts"])))
                series = measured[setting.name][contender.name]
                series.speeds.append(words(texts) / seconds)
                series.token_speeds.append(tokens / seconds)
                series.calls += found["milliseconds"]
    for contender in CONTENDERS:
        bench.call("shut", {"name": contender.name})
    return measured


def _warm_up(bench: Bench, supply: Supply, calls: int) -> None:
    single, batches = supply.sentences(calls), supply.sentences(64 * max(1, calls // 20))
    for contender in CONTENDERS:
        bench.call("run", {"name": contender.name, "texts": single, "perCall": 1})
        bench.call("run", {"name": contender.name, "texts": batches, "perCall": 64})


def spread(values: Sequence[float]) -> list[float]:
    """First and third quartile; of less than two values, the value."""
    if len(values) < 2:
        return [round(values[0], 3)] * 2
    first, _, third = statistics.quantiles(values, n=4, method="inclusive")
    return [round(first, 3), round(third, 3)]


def ratio(ours: Series, theirs: Series) -> dict[str, Any]:
    """Ours to theirs, round by round: median and quartiles; of target pieces too."""
    rounds = [a / b for a, b in zip(ours.speeds, theirs.speeds, strict=True)]
    tokens = [a / b for a, b in zip(ours.token_speeds, theirs.token_speeds, strict=True)]
    return {
        "median": round(statistics.median(rounds), 3),
        "quartiles": spread(rounds),
        "target_pieces": round(statistics.median(tokens), 3),
    }


def summary(measured: Measured) -> dict[str, Any]:
    """What goes into build/bench.json."""
    by_setting = {
        setting: {
            name: {
                "words_per_second": round(statistics.median(series.speeds), 1),
                "quartiles": spread(series.speeds),
                "target_pieces_per_second": round(statistics.median(series.token_speeds), 1),
                "p50_ms": round(percentile(series.calls, 50), 1),
                "p95_ms": round(percentile(series.calls, 95), 1),
                "rounds": len(series.speeds),
            }
            for name, series in contenders.items()
        }
        for setting, contenders in measured.items()
    }
    ratios = {
        f"{setting}, {threads}": ratio(contenders[name], contenders[THEIRS])
        for setting, contenders in measured.items()
        for name, threads in ((OURS_1, "1 thread"), (OURS_2, "2 threads"))
    }
    return {
        "ratio_64_1t": ratios["64, 1 thread"]["median"],
        "ratio_64_2t": ratios["64, 2 threads"]["median"],
        "ratio_1_1t": ratios["1, 1 thread"]["median"],
        "ratio_page_1t": ratios["page, 1 thread"]["median"],
        "ratio_page_2t": ratios["page, 2 threads"]["median"],
        "ratios": ratios,
        "throughput": by_setting,
    }


def percentile(values: Sequence[float], share: int) -> float:
    """Of sorted values, the one below or at which so many per cent lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, -(-share * len(ordered) // 100) - 1)]
