"""Beams, alternatives and prefixes: the same hypotheses in Pyodide with WebAssembly as natively."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from tests.parity.compare import SAME, compare
from tests.parity.native import Case, read_cases, translate
from tests.parity.node_host import in_node

pytestmark = [pytest.mark.browser, pytest.mark.slow]

# How each of these is asked for, in turn, of every fifth text of the corpus.
CHOICES: list[dict[str, Any]] = [
    {"beam": 4},
    {"beam": 4, "alternatives": 3},
    {"alternatives": 15},
    {"prefix": "The ", "alternatives": 3},
    {"prefix": "However, thi", "beam": 4},
    {"prefix": "“Ｗe”  …"},
]
PREFIXED = ("news", "life", "chat", "weather", "travel", "wish", "shop")


def asked() -> list[Case]:
    cases = list(islice(read_cases(), 0, None, 5))
    found = [{**case, "choices": CHOICES[n % len(CHOICES)]} for n, case in enumerate(cases)]
    return [
        case for case in found if "prefix" not in case["choices"] or case["id"].startswith(PREFIXED)
    ]


def test_hypotheses_are_the_same_to_the_byte(
    bundle: Path, wheel: Path, tmp_path: Path, say: Callable[[str], None]
) -> None:
    cases = asked()
    native, other = translate(bundle, cases), in_node(bundle, wheel, cases, tmp_path)
    for one, another in zip(native, other, strict=True):
        assert one["runs"] == another["runs"], one["id"]
    found = compare(native, other)
    said = [
        alternative
        for case in native
        for sentence in case["outcome"]["response"]["sentences"]
        for alternative in sentence.get("alternatives", [])
    ]
    say(f"{len(cases)} texts with beams, {len(said)} alternatives: {found.report()}")
    assert found.unlike == []
    assert max(found.largest.values()) <= SAME
    assert len(said) >= 200
