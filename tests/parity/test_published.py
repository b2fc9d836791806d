"""A published model in both hosts: one reader of its file, one arithmetic, the same to the byte.

The browser's half runs in node, as in `test_parity`: the core under Pyodide describes the file, and
the kernel in WebAssembly has it placed by that. Natively each path of the kernel runs it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dragoman.engines.kernel_library import kernels
from tests.parity.native import Case, translate
from tests.parity.node_host import in_node
from tests.support.kernel.bundles import complete, write
from tests.support.published import SMALL, make_model, sentences

pytestmark = [pytest.mark.browser, pytest.mark.slow]

# Sizes that fill no whole tile, and a vocabulary a side; 4 decoder layers as base-memory has.
LARGE = replace(SMALL, vocabulary_size=6_000)
MODELS = {
    "shared": make_model(replace(SMALL, dimension=96, decoder_layers=4, feed_forward=200), seed=11),
    "two vocabularies": make_model(source_pieces=360, seed=12),
    # Large enough for shortlists to leave something out.
    "large": make_model(LARGE, seed=13),
    "large, two": make_model(LARGE, source_pieces=5_600, seed=14),
}


def all_pieces(folder: Path, cases: list[Case]) -> list[Any]:
    return [one["runs"] for one in translate(folder, cases, shortlist=False)]


@pytest.mark.parametrize(
    ("name", "shortlist"),
    [("shared", False), ("two vocabularies", False), ("large", True), ("large, two", True)],
)
def test_every_run_is_the_same_to_the_byte(
    name: str, shortlist: bool, wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = MODELS[name]
    folder = write(made, tmp_path / "made")
    cases: list[Case] = [
        {"id": f"made-{number}", "text": text}
        for number, text in enumerate([*sentences(40), "Ba de? Fi go! «Ku» 12 €"])
    ]
    answers = in_node(folder, wheel, cases, tmp_path, *(["--shortlist"] if shortlist else []))
    complete(made, folder)
    for path in kernels():
        monkeypatch.setenv("DRAGOMAN_KERNEL", path)
        for one, other in zip(translate(folder, cases, shortlist=shortlist), answers, strict=True):
            assert one["runs"] == other["runs"], (path, one["id"])
            assert one["parts"] == other["parts"], (path, one["id"])
    if shortlist:
        assert all_pieces(folder, cases) != [answer["runs"] for answer in answers]
    texts = {answer["outcome"]["response"]["text"] for answer in answers}
    assert len(texts) > len(cases) / 2
