"""What the native stress test asks for: texts, requests, streams cut anywhere, graphs."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

from dragoman.routing.graph import Chunk, Constant, DependentRequest, Input, Output
from dragoman.types import AlignmentKind, OverlongPolicy, Priority, TranslationRequest, WhenFull

COMMON = ["Ja.", "Nein!", "Weiter lesen", "Alle Rechte vorbehalten.", "12", "你好。", "Gut 😀!", ""]
PAIRS = [("de", "en"), ("de", "en"), ("en", "de"), ("de", "fr"), ("en", "fr")]


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


def random_request(
    chance: random.Random, text: str = "", pair: tuple[str, str] = PAIRS[0]
) -> TranslationRequest:
    return TranslationRequest(
        text,
        *pair,
        chance.choice(list(AlignmentKind)),
        OverlongPolicy.REFUSE if chance.random() < 0.1 else OverlongPolicy.WRAP,
        priority=chance.choice(list(Priority)),
        deadline=chance.choice([0.001, 0.01, 0.1]) if chance.random() < 0.1 else None,
        when_full=WhenFull.WAIT if chance.random() < 0.8 else WhenFull.REFUSE,
        cache=chance.random() < 0.8,
    )


def cut(chance: random.Random, text: str) -> Iterator[str]:
    """A text in parts, between any two UTF-16 code units, as JavaScript cuts it."""
    units = text.encode("utf-16-le")
    longest = chance.choice([1, 7, 1_000])
    start = 0
    while start < len(units):
        end = start + 2 * chance.randint(1, longest)
        yield units[start:end].decode("utf-16-le", "surrogatepass")
        start = end


async def arriving(chance: random.Random, text: str) -> AsyncIterator[str]:
    for part in cut(chance, text):
        yield part


@dataclass(frozen=True)
class RandomGraph:
    """Dependent requests, and what an engine that copies makes of them.

    Attributes:
        expected: text of each output.
        fault: code of the error that refuses the whole; empty if nothing is wrong with it.
    """

    variables: dict[str, str]
    requests: list[DependentRequest]
    expected: dict[str, str]
    fault: str


def random_graph(
    chance: random.Random, number: int, pairs: list[tuple[str, str]] = PAIRS
) -> RandomGraph:
    variables = {f"in{i}": random_text(chance, number) for i in range(chance.randint(1, 2))}
    values, requests = dict(variables), []
    for index in range(chance.randint(1, 4)):
        template: list[Chunk] = [Input(name) for name in chance.sample(list(values), k=1)]
        if chance.random() < 0.4:
            template.append(Constant(chance.choice(["\n", " - ", f" Teil {number}, "])))
            template.append(Input(chance.choice(list(values))))
        values[f"out{index}"] = "".join(
            part.text if isinstance(part, Constant) else values[part.name]
            for part in template
            if not isinstance(part, Output)
        )
        template.append(Output(f"out{index}"))
        options = random_request(chance, pair=chance.choice(pairs))
        requests.append(DependentRequest(tuple(template), options))
    chance.shuffle(requests)
    expected = {name: text for name, text in values.items() if name not in variables}
    fault = ""
    if chance.random() < 0.06:
        faults: list[tuple[str, list[Any]]] = [
            ("unbound-variable", [Input("nobody"), Output("more")]),
            ("written-twice", [Input("in0"), Output("out0")]),
            ("graph-cycle", [Input("more"), Output("more")]),
            ("graph", [Input("in0")]),
        ]
        fault, broken = chance.choice(faults)
        requests.append(DependentRequest(tuple(broken), random_request(chance)))
    return RandomGraph(variables, requests, expected, fault)
