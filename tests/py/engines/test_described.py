"""A published model as it is described to an engine that has its file."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dragoman.bridge import describe_published
from dragoman.engines.described import PART, Described, describe, in_parts
from dragoman.errors import BundleError, BundleMismatchError, ModelFileError
from tests.support.published import PublishedModel, make_model, vocabulary

MADE = make_model()
FILE = {"path": "x", "bytes": 1, "sha256": "0"}
FACTS: dict[str, Any] = {
    "format": 1, "name": "a", "version": "1", "source": "fr", "target": "en",
    "files": {"model": FILE, "vocabulary": FILE},
}  # fmt: skip


class Bytes:
    """As Pyodide shows a typed array."""

    def __init__(self, content: bytes) -> None:
        self.content = content

    def to_bytes(self) -> bytes:
        return self.content


def described(made: PublishedModel, facts: dict[str, Any] = FACTS) -> Described:
    def read(start: int, end: int) -> bytes:
        return made.model[start:end]

    return describe(facts, made.vocabulary, made.target_vocabulary, read, len(made.model))


def test_the_files_say_what_the_manifest_leaves_out() -> None:
    description = described(MADE)
    manifest = json.loads(description.manifest)
    assert manifest["architecture"]["vocabulary_size"] == 400
    assert manifest["limits"] == {"source_pieces": 128, "target_factor": 2.0, "target_extra": 12}
    assert (description.positions, description.names, description.vocabulary) == (
        268,
        None,
        MADE.vocabulary,
    )
    assert json.loads(description.layout)["dimension"] == 64


def test_what_the_manifest_says_stands() -> None:
    limits = {"source_pieces": 20, "target_factor": 1.0, "target_extra": 30}
    description = described(MADE, FACTS | {"limits": limits})
    assert json.loads(description.manifest)["limits"] == limits
    assert description.positions == 50


def test_a_vocabulary_a_side_is_one_outside() -> None:
    made = make_model(source_pieces=360)
    description = described(made)
    assert description.names is not None
    size = json.loads(description.manifest)["architecture"]["vocabulary_size"]
    assert size == 1 + max(*description.names, 359)


def test_what_the_kernel_does_not_know_is_refused() -> None:
    with pytest.raises(ModelFileError, match="the engine does not know such a model"):
        described(make_model(alphas=False))


def test_the_door_of_the_browser_asks_for_parts() -> None:
    def read(start: int, end: int) -> Bytes:
        return Bytes(MADE.model[start:end])

    size = len(MADE.model)
    manifest = json.dumps(FACTS)
    description = describe_published(manifest, MADE.vocabulary, None, read, size)
    assert description == described(MADE)
    with pytest.raises(BundleMismatchError, match="has 360 pieces, the model 400"):
        describe_published(manifest, vocabulary(360, 0), None, read, size)
    with pytest.raises(BundleMismatchError, match="cut off"):
        describe_published(manifest, MADE.vocabulary, None, read, 9000)
    for unreadable in ("{", "[]", '{"format": 1}'):
        with pytest.raises(BundleError):
            describe_published(unreadable, MADE.vocabulary, None, read, size)


def test_what_lies_near_is_read_once() -> None:
    content, asked = bytes(range(256)) * 1000, []

    def read(start: int, end: int) -> bytes:
        asked.append((start, end))
        return content[start:end]

    cut = in_parts(read, len(content))
    assert cut(0, 8) + cut(8, 300) == content[:300]
    assert cut(200_000, 200_004) == content[200_000:200_004]
    assert cut(255_990, 256_000) == content[-10:]
    assert cut(10, 100_000) == content[10:100_000]
    assert asked == [(0, PART), (200_000, 256_000), (10, 100_000)]
