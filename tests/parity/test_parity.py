"""One core, one arithmetic: the same texts give the same translations in every host.

The browser's host is Pyodide with the kernel in WebAssembly: in node here, in real browsers in
`test_browsers.py`. Natively the same kernel is code of this processor. Three statements, each over
all texts:

1. The core: given what the browser's engine gave, the native core makes of it exactly the same
   response. And in JavaScript every range indexes the substring that Python cuts out.
2. The int8 model: each path of the kernel that this processor can take gives the browser's pieces,
   log-probabilities and attention, byte for byte.
3. The model without int8 (`float_twin`), in onnxruntime and onnxruntime-web: all is the same in
   both hosts but for floats' last bits; scores and attention are within `TOLERANCE`.

    DRAGOMAN_TEST_BUNDLE    folder of a bundle, in place of models/de-en
    DRAGOMAN_PARITY_TEXTS   a file of more texts, one a line (or text<TAB>anything)
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dragoman.engines.kernel_library import kernels
from dragoman.engines.onnx_file import read_onnx
from dragoman.engines.student import is_runnable
from tests.parity import write_cases
from tests.parity.compare import SAME, compare, divergences
from tests.parity.float_twin import float_twin
from tests.parity.native import CASES, Case, graph_of, read_cases, replay, translate
from tests.parity.node_host import in_node, node

HERE = Path(__file__).parent

TOLERANCE = 1e-4  # of probabilities, between onnxruntime and onnxruntime-web
FLOAT_TIE = 1e-4  # of the natural logarithms of two choices
FLOAT_TIES = 0.005  # of all texts: 1 of 808 with de-en-tiny 0.2.0, none with 0.1.0

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_the_cases_are_those_of_their_generator() -> None:
    assert CASES.read_text("utf-8") == "".join(map(write_cases.line, write_cases.cases()))
    assert len({case["text"] for case in read_cases()}) >= 600


def test_the_core_is_the_same(
    bundle: Path, cases: list[Case], answers: list[Case], say: Callable[[str], None]
) -> None:
    replayed = replay(bundle, cases, answers)
    found = compare(replayed, answers)
    say(f"{len(cases)} texts, one core in two hosts: largest differences {found.report()}")
    assert found.unlike == []
    assert max(found.largest.values()) <= SAME
    asked = [
        {
            "id": native["id"],
            "text": native["text"],
            "response": answer["outcome"]["response"],
            "substrings": native["substrings"],
        }
        for native, answer in zip(replayed, answers, strict=True)
    ]
    checked = subprocess.run(
        [node(), HERE / "run_checks.mjs"],
        input=json.dumps(asked),
        check=True,
        capture_output=True,
        text=True,
    )
    assert json.loads(checked.stdout) == []


def test_all_is_the_same_without_int8(
    bundle: Path, wheel: Path, cases: list[Case], tmp_path: Path, say: Callable[[str], None]
) -> None:
    twin = write_twin(bundle, tmp_path / "twin")
    native, other = translate(twin, cases), in_node(twin, wheel, cases, tmp_path)
    ties = divergences(native, other)
    tied = {tie.case for tie in ties}
    alike = [pair for pair in zip(native, other, strict=True) if pair[0]["id"] not in tied]
    found = compare(*zip(*alike, strict=True))
    say(f"{len(cases)} texts, float32: {len(tied)} ties, largest differences {found.report()}")
    assert found.unlike == []
    assert max(found.largest.values()) <= TOLERANCE
    assert [tie for tie in ties if tie.gap > FLOAT_TIE] == []
    assert len(tied) <= FLOAT_TIES * len(cases)


def write_twin(bundle: Path, folder: Path) -> Path:
    manifest = json.loads((bundle / "manifest.json").read_text())
    entry = manifest["files"]["graph"]
    graph = float_twin((bundle / entry["path"]).read_bytes())
    entry |= {"bytes": len(graph), "sha256": hashlib.sha256(graph).hexdigest()}
    manifest["search"] = {"beam": 1}  # onnxruntime-web has no beams
    shutil.copytree(bundle, folder)
    (folder / entry["path"]).write_bytes(graph)
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


@pytest.mark.parametrize("path", kernels())
def test_int8_is_the_same_to_the_byte(
    path: str,
    bundle: Path,
    cases: list[Case],
    answers: list[Case],
    monkeypatch: pytest.MonkeyPatch,
    say: Callable[[str], None],
) -> None:
    if not is_runnable(read_onnx(graph_of(bundle))):
        pytest.skip("no int8 student: the kernel does not run it")
    monkeypatch.setenv("DRAGOMAN_KERNEL", path)
    native = translate(bundle, cases)
    for one, other in zip(native, answers, strict=True):
        assert one["runs"] == other["runs"], one["id"]
        assert one["parts"] == other["parts"], one["id"]
    found = compare(native, answers)
    say(
        f"{len(cases)} texts, int8, {path} of a machine with {', '.join(kernels())}: every run of"
        f" the engine is the same to the byte; largest differences after it {found.report()}"
    )
    assert found.unlike == []
    assert max(found.largest.values()) <= SAME
