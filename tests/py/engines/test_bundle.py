import hashlib
import json
from typing import Any

import pytest

from dragoman.engines.bundle import BundleFile, Manifest, parse_manifest, verify
from dragoman.errors import BundleCorruptError, BundleError
from dragoman.types import LengthReward
from tests.support.helpers import manifest_data


def parsed(**changes: Any) -> Manifest:
    return parse_manifest(json.dumps(manifest_data(**changes)))


def test_parse() -> None:
    manifest = parsed()
    assert (manifest.name, manifest.version) == ("de-en-test", "0.1.0")
    assert (manifest.source, manifest.target) == ("de", "en")
    assert manifest.file("graph") == BundleFile("model.onnx", 3, "ab")
    assert manifest.file("vocabulary") == BundleFile("vocabulary.spm", 4, "cd")
    assert manifest.architecture.dimension == 256
    assert (manifest.limits.source_pieces, manifest.limits.target_extra) == (80, 12)
    assert manifest.data["licence"] == "MPL-2.0"
    assert manifest.beam == 1
    assert manifest.length is None
    assert parsed(search={"beam": 4}).beam == 4
    weighed = parsed(search={"beam": 4, "length_reward": 0.6, "length_ratio": 1.2})
    assert weighed.length == LengthReward(reward=0.6, ratio=1.2)


def test_a_role_without_a_file() -> None:
    with pytest.raises(BundleError, match="shortlist") as caught:
        parsed().file("shortlist")
    assert caught.value.details == {"role": "shortlist"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not json",
        "[]",
        "null",
        "3",
        '"text"',
        "{}",
        '{"format": 1}',
        "[" * 100_000,
        '{"format": 1' + "0" * 5_000 + "}",
    ],
    ids=["empty", "text", "list", "null", "number", "string", "object", "fields", "deep", "big"],
)
def test_not_a_manifest(text: str) -> None:
    with pytest.raises(BundleError):
        parse_manifest(text)


@pytest.mark.parametrize(
    "changes",
    [
        {"format": 2},
        {"search": {"beam": 0}},
        {"search": {"beam": 17}},
        {"search": [4]},
        {"search": {"length_reward": 0.6}},
        {"search": {"length_reward": 0, "length_ratio": 1.2}},
        {"search": {"length_reward": 0.6, "length_ratio": float("inf")}},
        {"search": {"length_reward": 4.5, "length_ratio": 1.2}},
        {"format": "1"},
        {"files": []},
        {"files": {"graph": "model.onnx"}},
        {"files": {"graph": {"path": "model.onnx", "bytes": "many", "sha256": ""}}},
        {"files": {"graph": {"path": "model.onnx", "bytes": -1, "sha256": ""}}},
        {"architecture": {"vocabulary_size": float("inf"), "dimension": 256}},
        {"architecture": {"vocabulary_size": 0, "dimension": 256}},
        {"limits": {"source_pieces": 0, "target_factor": 2.0, "target_extra": 12}},
        {"limits": {"source_pieces": 80, "target_factor": float("nan"), "target_extra": 12}},
        {"limits": {"source_pieces": 80, "target_factor": -1.0, "target_extra": 12}},
        {"limits": {"source_pieces": 80, "target_factor": 1e300, "target_extra": 12}},
        {"limits": {"source_pieces": 80, "target_factor": 2.0, "target_extra": -1}},
        {"limits": {"source_pieces": 80, "target_factor": 2.0, "target_extra": 2**31}},
        {"limits": {"source_pieces": 100_001, "target_factor": 2.0, "target_extra": 12}},
        {"architecture": {"vocabulary_size": 10_000_001, "dimension": 256}},
        {"architecture": {"vocabulary_size": 8_000, "dimension": 65_537}},
        {"files": {"graph": {"path": "model.onnx", "bytes": 2**40 + 1, "sha256": ""}}},
        {"limits": None},
    ],
)
def test_bad_fields(changes: dict[str, Any]) -> None:
    with pytest.raises(BundleError):
        parsed(**changes)


@pytest.mark.parametrize(
    "path",
    [
        "", ".", "..", "/model.onnx", "../model.onnx", "a/../../b", "a\\b", "C:model.onnx",
        "https://elsewhere.example/model.onnx", "//elsewhere.example/x", "a//b", "a/./b",
        "%2e%2e/model.onnx", "model.onnx?x", "model.onnx#x", "a/", "mod\x00el", "model.onnx\n",
    ],
)  # fmt: skip
def test_paths_stay_inside(path: str) -> None:
    """In both hosts: as a file name, and as a relative address in a browser."""
    with pytest.raises(BundleError):
        parsed(files={"graph": {"path": path, "bytes": 1, "sha256": "ab"}})


@pytest.mark.parametrize(
    "sha256", ["../../secrets", "/etc/hosts", "\x1b[31m", "a" * 65, "a b", ["a"]]
)
def test_a_hash_is_one(sha256: object) -> None:
    """A store looks for a file of that name, and a terminal shows it."""
    with pytest.raises(BundleError, match="is no SHA-256"):
        parsed(files={"graph": {"path": "model.onnx", "bytes": 1, "sha256": sha256}})


@pytest.mark.parametrize("path", ["model.onnx", "parts/model-0.1_a.onnx"])
def test_good_paths(path: str) -> None:
    manifest = parsed(files={"graph": {"path": path, "bytes": 1, "sha256": "ab"}})
    assert manifest.file("graph").path == path


def test_verify() -> None:
    content = b"abc"
    good = BundleFile("model.onnx", 3, hashlib.sha256(content).hexdigest())
    verify(good, content)
    with pytest.raises(BundleCorruptError, match="2 bytes, the manifest says 3") as caught:
        verify(good, b"ab")
    assert caught.value.details["path"] == "model.onnx"
    with pytest.raises(BundleCorruptError, match="SHA-256"):
        verify(good, b"abd")
    with pytest.raises(BundleCorruptError, match="0 bytes"):
        verify(good, b"")


@pytest.mark.parametrize(
    "changes",
    [
        {"architecture": {"vocabulary_size": 2**21 + 1, "dimension": 256}},
        {"architecture": {"vocabulary_size": 8_000, "dimension": 200_000}},
        {"limits": {"source_pieces": 2**12 + 1, "target_factor": 2.0, "target_extra": 12}},
        {"limits": {"source_pieces": 80, "target_factor": 2.0, "target_extra": 2**31}},
        {"limits": {"source_pieces": 4_000, "target_factor": 100.0, "target_extra": 12}},
        {"files": {"graph": {"path": "model.onnx", "bytes": 2**40, "sha256": ""}}},
        {"files": {"graph": {"path": "m" * 201, "bytes": 1, "sha256": ""}}},
        {"name": "de-en\x1b[2J"},
        {"version": "1\n2"},
        {"source": "d" * 201},
        {"target": "\u202een"},
    ],
)
def test_every_figure_and_name_has_bounds(
    changes: dict[str, dict[str, dict[str, int | str] | float] | str],
) -> None:
    with pytest.raises(BundleError, match=r"is not from|is no name"):
        parsed(**changes)
