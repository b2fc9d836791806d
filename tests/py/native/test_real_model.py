"""The synchronous translator with a real model."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

import dragoman
from dragoman.config import Limits
from dragoman.engines.port import Engine
from dragoman.errors import (
    BundleCorruptError,
)
from dragoman.native.bundles import (
    Parts,
    load_parts,
    open_bundle,
    read_manifest,
)
from dragoman.native.translator import Translator
from dragoman.types import EngineOutput, MiniBatch
from tests.support.helpers import assert_covers
from tests.support.hosts import MakeBundle, interruptible
from tests.support.paths import MODELS


def test_the_real_model_translates(real_bundle: Path) -> None:
    with dragoman.load("de", "en", [real_bundle], threads=1) as translator:
        response = translator.translate("Guten Morgen! 😀 Wie geht es dir?", alignment="soft")
    assert response.text.strip()
    assert len(response.sentences) >= 2
    assert_covers(response)
    for sentence in response.sentences:
        if sentence.soft is not None:
            columns = len(sentence.soft.source)
            matrix = list(sentence.soft.matrix)
            rows = [matrix[at : at + columns] for at in range(0, len(matrix), columns)]
            assert len(rows) == len(sentence.soft.target)
            assert all(abs(sum(row) - 1) < 1e-3 for row in rows)


COMPANIONS = [
    "Ja.",
    "Guten Morgen!",
    "Wie komme ich zum Bahnhof?",
    "Ich habe gestern ein Buch gekauft, das von einem alten Garten handelt.",
    "Der Zug fährt um neun Uhr ab, und wir müssen vorher noch Brot kaufen.",
    "Sie wohnt seit vielen Jahren in einem kleinen Haus am Ende der Straße, die zum See führt.",
]


SCORE_TOLERANCE = 1e-4


@given(st.data())
@settings(max_examples=15, deadline=None)
def test_the_real_models_results_do_not_depend_on_companions(
    real_parts: Parts, data: DataObject
) -> None:
    """Texts and links exactly, scores up to `SCORE_TOLERANCE`, whatever shares a mini-batch."""
    texts = data.draw(st.permutations(COMPANIONS * 2))
    limits = Limits(
        batch_pieces=data.draw(st.integers(20, 400)), batch_rows=data.draw(st.integers(1, 12))
    )
    engine = SharedEngine(real_parts.engine)
    with Translator(Parts(real_parts.pipeline, engine), limits) as translator:
        alone = {
            text: translator.translate(text, cache=False) for text in dict.fromkeys(COMPANIONS)
        }
        together = list(translator.translate_many(texts, cache=False))
    for response in together:
        expected = alone[response.request.text]
        assert response.text == expected.text
        assert response.alignment.links == expected.alignment.links
        assert response.alignment.scores == pytest.approx(
            expected.alignment.scores, abs=SCORE_TOLERANCE
        )


class SharedEngine:
    """An engine that outlives its translator."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def run(self, batch: MiniBatch, *, attention: bool) -> EngineOutput:
        return await self._engine.run(batch, attention=attention)

    async def close(self) -> None:
        """The next translator uses it."""


@pytest.fixture(scope="module")
def real_parts() -> Parts:
    return load_parts(MODELS / "de-en", threads=1)


@pytest.mark.parametrize("role", ["graph", "vocabulary"])
def test_a_damaged_real_bundle_is_refused(real_bundle: Path, tmp_path: Path, role: str) -> None:
    folder = tmp_path / "de-en"
    shutil.copytree(real_bundle, folder)
    path = folder / read_manifest(folder).file(role).path
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(BundleCorruptError, match="SHA-256"):
        load_parts(folder)
    path.write_bytes(content[:1000])
    with pytest.raises(BundleCorruptError, match="1,000 bytes"):
        load_parts(folder)


def test_a_truncated_graph_with_a_fitting_hash_is_refused(
    real_bundle: Path, make_bundle: MakeBundle
) -> None:
    bundle = open_bundle(real_bundle)
    folder = make_bundle(
        graph=bundle.graph[: len(bundle.graph) // 2],
        vocabulary=bundle.vocabulary,
        architecture=json.loads(json.dumps(bundle.manifest.data["architecture"])),
    )
    with pytest.raises(BundleCorruptError, match="is not an ONNX model"):
        load_parts(folder)


def test_ctrl_c_cancels_and_closes(real_bundle: Path) -> None:
    code = (
        "import dragoman\n"
        f"with dragoman.load('de', 'en', [__import__('pathlib').Path({str(real_bundle)!r})], 1)"
        " as t:\n"
        "    print('ready', flush=True)\n"
        "    try:\n"
        "        text = ' '.join(f'Das ist der {n}. Satz.' for n in range(10_000))\n"
        "        t.translate(text, on_progress=lambda p: p.done and print('going', flush=True))\n"
        "    except KeyboardInterrupt:\n"
        "        print('stopped', flush=True)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=interruptible,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        assert process.stdout.readline() == "going\n"
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=20)
    assert (output.replace("going", "").split(), errors, process.returncode) == (["stopped"], "", 0)
