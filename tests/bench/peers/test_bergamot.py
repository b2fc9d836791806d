"""Our exported model in the reference engine itself, in Chromium."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from dragoman.marian.model import MarianModel, parse_marian
from dragoman.models.export.quantized import of_graph
from dragoman.models.marian.exporter import marian_model
from dragoman.native.bundles import open_bundle
from dragoman.student.architecture import read_architecture
from tests.bench.peers.agreement import Judge, config_of
from tests.bench.peers.bergamot import BUNDLE, WEB, bench
from tests.support.reference.marian_arithmetic import OURS, Arithmetic, ReferenceEngine

SENTENCES = [
    "Guten Morgen!",
    "Ich habe gestern ein Buch gelesen.",
    "Das Wetter ist heute sehr schön.",
    "Wo ist der Bahnhof?",
    "Tom will nach Boston fahren.",
    "Wir haben keine Zeit.",
    "Kannst du mir bitte helfen?",
    "Sie wohnt in einem kleinen Haus.",
]


@pytest.fixture(scope="module")
def model() -> MarianModel:
    opened = open_bundle(BUNDLE)
    sizes = read_architecture(opened.manifest.data["architecture"])
    return parse_marian(marian_model(of_graph(opened.graph, sizes)))


@pytest.mark.browser
@pytest.mark.parametrize("beam", [1, 4])
def test_the_reference_engine_translates_our_export(model: MarianModel, beam: int) -> None:
    """All but one of its translations are what its arithmetic gives for our weights, in NumPy;
    at most a third differ from ours, which is computed exactly."""
    if not (WEB / "dragoman.js").exists():
        pytest.fail(f"{WEB} is not built: run `make build`")
    with bench() as opened:
        judge = Judge(model, opened.marian.vocabulary.read_bytes(), beam)
        theirs = opened.translate("bergamot", SENTENCES, 4, {"config": config_of(beam)})
        ours = opened.translate("ours", SENTENCES, 4, {"threads": 1, "beam": beam})
    expected = [judge.reference(sentence) for sentence in SENTENCES]
    reproduced = [e == found.strip() for e, found in zip(expected, theirs, strict=True)]
    assert sum(reproduced) >= len(SENTENCES) - 1, list(zip(expected, theirs, strict=True))
    same = sum(a.strip() == b.strip() for a, b in zip(ours, theirs, strict=True))
    assert same >= 2 / 3 * len(SENTENCES), list(zip(ours, theirs, strict=True))


def test_a_beam_of_one_is_greedy_search(model: MarianModel) -> None:
    engine = ReferenceEngine(model, OURS)
    ids = [*range(300, 312), 0]
    said = engine.translate(ids, 20)
    assert said == engine.search(ids, 20, 1)
    assert engine.score(ids, [*said, 0]) < 0


def test_pairs_of_products_are_clipped_to_16_bits(model: MarianModel) -> None:
    """254 * 127 + 254 * 127 = 64,516 becomes 32,767; sums of several pairs are exact."""
    engine = ReferenceEngine(model, Arithmetic())
    values = np.array([[127, 1], [127, 1], [-127, 2], [100, 3]], dtype=np.int8)
    shifted = np.array([[254, 254, 127, 127], [0, 1, 2, 3]], dtype=np.float32)
    sums = engine._sums(shifted, values, values.astype(np.float64))
    assert sums.tolist() == [[32_767 - 27 * 127, 508 + 5 * 127], [127 - 254 + 300, 14]]
    assert engine.saturated == 1
    plain = ReferenceEngine(model, dataclasses.replace(Arithmetic(), saturate=False))
    assert plain._sums(shifted[:1], values, values.astype(np.float64)).tolist() == [
        [64_516 - 27 * 127, 508 + 5 * 127]
    ]
