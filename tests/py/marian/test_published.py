"""Published files in onnxruntime: the graph's arithmetic is the file's, to the step."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
import sentencepiece

from dragoman.marian.file import read_bin, write_bin
from dragoman.marian.model import parse_marian
from dragoman.marian.published import graph_of as made_graph
from dragoman.marian.vocabulary import Vocabulary, merge_vocabularies
from dragoman.student.architecture import Architecture
from dragoman.student.weights import Int8Matrix
from tests.support.published import SMALL, PublishedModel, make_model, sentences
from tests.support.reference.kernel_order import EXACT
from tests.support.reference.marian_arithmetic import ReferenceEngine

COUNT = 300
# The shapes of the published models, small.
SHAPES = {
    "tiny": (SMALL, None),
    "base-memory": (replace(SMALL, decoder_layers=4, vocabulary_size=600), None),
    "base": (Architecture(400, 128, 256, 8, 2, 2), None),
    "two vocabularies": (SMALL, 360),
}


# onnxruntime's products of bytes saturate on processors without VNNI, where weights are large.
small = partial(make_model, most=64)


def session(content: bytes) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(content, options)


def graph_of(model: PublishedModel, positions: int = 288) -> bytes:
    return made_graph(model.model, vocabulary_of(model), positions)


def vocabulary_of(model: PublishedModel) -> Vocabulary:
    if model.target_vocabulary:
        return merge_vocabularies(model.vocabulary, model.target_vocabulary)
    return Vocabulary(model.vocabulary, model.config.sizes.vocabulary_size)


def translate(run: onnxruntime.InferenceSession, ids: list[int], limit: int) -> list[int]:
    feed = {
        "source_ids": np.array([ids], np.int32),
        "lengths": np.array([len(ids)], np.int32),
        "limits": np.array([limit], np.int32),
    }
    found: list[int] = run.run(["target_ids"], feed)[0][0].tolist()
    return found[: found.index(0)] if 0 in found else found


def identical(model: PublishedModel, count: int) -> tuple[int, int]:
    """Of so many sentences: translated as the exact reference does; different translations."""
    run = session(graph_of(model))
    reference = ReferenceEngine(parse_marian(model.model), EXACT)
    processor = sentencepiece.SentencePieceProcessor(model_proto=model.vocabulary)
    ids_of: Any = vocabulary_of(model).ids or range(model.config.sizes.vocabulary_size)
    same, seen = 0, set()
    for text in sentences(count, longest=4):
        ids = [*processor.encode(text), 0]
        expected = [int(ids_of[n]) for n in reference.translate(ids, 16)]
        same += translate(run, ids, 16) == expected
        seen.add(tuple(expected))
    return same, len(seen)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_graph_says_what_the_files_arithmetic_says(shape: str) -> None:
    sizes, source = SHAPES[shape]
    same, different = identical(small(sizes, source_pieces=source), COUNT)
    assert same >= 0.99 * COUNT
    assert different > COUNT / 5  # the weights are alive: the source decides


def test_each_matrix_keeps_its_scale_and_nothing_is_quantized_again() -> None:
    made = small(seed=3)
    read = parse_marian(made.model)
    tensors = {
        tensor.name: onnx.numpy_helper.to_array(tensor)
        for tensor in onnx.load_model_from_string(graph_of(made)).graph.initializer
    }
    names = [f"encoder.0.attention.{part}" for part in ("query", "key", "value")]
    packed = "+".join(names)
    for number, name in enumerate(names):
        columns = slice(64 * number, 64 * number + 64)
        matrix = read.matrices[name]
        assert isinstance(matrix, Int8Matrix)
        np.testing.assert_array_equal(tensors[f"{packed}.int8"][:, columns], matrix.values)
        scale = np.float32(matrix.scale)
        np.testing.assert_array_equal(tensors[f"{packed}.weight_scale"][columns], scale)
    embedding = read.matrices["embedding"]
    assert isinstance(embedding, Int8Matrix)
    np.testing.assert_array_equal(tensors["embedding"], embedding.values)
    alpha = np.float32(127 / 4.2)  # as the file has it
    assert tensors[f"{names[0]}.scale"] == pytest.approx(1 / alpha, rel=1e-6)


def test_inputs_of_different_scales_are_kept_apart() -> None:
    """Marian measures each product by itself; the graph's packed products have one input."""
    made = small(seed=4)
    items = [
        replace(item, data=np.float32(20.0).tobytes())
        if item.name == "encoder_l1_self_Wk_QuantMultA"
        else item
        for item in read_bin(made.model)
    ]
    other = replace(made, model=write_bin(items))
    assert graph_of(other) != graph_of(made)
    same, _ = identical(other, 40)
    assert same >= 39


def test_a_model_without_activation_scales_measures_them() -> None:
    made = small(seed=5, alphas=False)
    run = session(graph_of(made))
    assert len({tuple(translate(run, [n, n + 9, 0], 9)) for n in range(20, 60)}) > 20
    assert not onnx.load_model_from_string(graph_of(made)).metadata_props


def test_tied_layers_share_their_tensors() -> None:
    made = small(seed=6, tied=(1, 1))
    assert not any(item.name.startswith("decoder_l2") for item in read_bin(made.model))
    same, _ = identical(made, 40)
    assert same >= 39


def test_the_kind_says_which_mathematics_it_is() -> None:
    model = onnx.load_model_from_string(graph_of(small()))
    assert {p.key: p.value for p in model.metadata_props} == {
        "dragoman.kind": "student-int8-marian"
    }
