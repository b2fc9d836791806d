"""Students are read with all their sizes checked: the kernel has no bounds of its own."""

from __future__ import annotations

import dataclasses
import struct

import pytest

from dragoman.engines.onnx_file import OnnxFile, Tensor, read_onnx
from dragoman.engines.student import is_runnable, read_student
from dragoman.errors import BundleCorruptError
from tests.support.paths import MODELS

GRAPH = MODELS / "de-en" / "model.onnx"


@pytest.fixture(scope="module")
def graph() -> OnnxFile:
    return read_onnx(GRAPH.read_bytes())


def changed(graph: OnnxFile, name: str, tensor: Tensor | None) -> OnnxFile:
    tensors = {key: value for key, value in graph.tensors.items() if key != name}
    return OnnxFile(graph.metadata, tensors | ({name: tensor} if tensor else {}))


def test_the_embedded_model_is_read(graph: OnnxFile) -> None:
    assert is_runnable(graph)
    student = read_student(graph)
    assert (student.vocabulary, student.dimension, student.inner, student.heads) == (
        8000,
        256,
        1536,
        8,
    )
    assert (len(student.encoder), len(student.decoder)) == (6, 2)
    assert student.encoder[0].denses[0].outputs == 3 * student.dimension
    assert student.encoder[0].denses[3].after_relu
    assert student.logits.steps == (1, student.dimension)
    assert len(student.alignment) == 2


def test_another_kind_is_not_runnable(graph: OnnxFile) -> None:
    assert not is_runnable(OnnxFile({}, graph.tensors))
    assert not is_runnable(OnnxFile({"dragoman.kind": "student-int8"}, graph.tensors))
    assert not is_runnable(changed(graph, "embedding", None))
    assert not is_runnable(changed(graph, "shape.heads", None))


def test_every_tensor_is_needed_and_measured(graph: OnnxFile) -> None:
    """None can be away, or shorter than its neighbours say, without a typed error."""
    student = read_student(graph)
    used = 0
    for name, tensor in graph.tensors.items():
        half = (*tensor.shape[:-1], tensor.shape[-1] // 2) if tensor.shape else ()
        shorter = dataclasses.replace(
            tensor, shape=half, content=tensor.content[: len(tensor.content) // 2]
        )
        refused = 0
        for damaged in (changed(graph, name, None), changed(graph, name, shorter)):
            try:
                refused += not (is_runnable(damaged) and read_student(damaged) == student)
            except BundleCorruptError:
                refused += 1
        assert refused in (0, 2), name
        used += refused == 2
    assert used > 100


@pytest.mark.parametrize("number", [b"\0\0\0\0", b"\0\0\xc0\x7f", b"\0\0\x80\x7f", b"\0\0\x80\xbf"])
def test_a_scale_is_a_positive_number(graph: OnnxFile, number: bytes) -> None:
    tensor = dataclasses.replace(graph.tensors["output.scale"], content=memoryview(number))
    with pytest.raises(BundleCorruptError, match=r"output\.scale is "):
        read_student(changed(graph, "output.scale", tensor))


@pytest.mark.parametrize(
    "name", ["encoder.5.attention.query.scale", "decoder.1.recurrence.candidate.scale"]
)
def test_a_layer_without_its_beginning_is_no_shorter_network(graph: OnnxFile, name: str) -> None:
    with pytest.raises(BundleCorruptError, match=r"but \d layers"):
        read_student(changed(graph, name, None))


def test_a_number_of_many_digits_is_that_of_no_layer(graph: OnnxFile) -> None:
    tensor = graph.tensors["output.scale"]
    with pytest.raises(BundleCorruptError, match=r"but 6 layers"):
        read_student(changed(graph, f"encoder.{'9' * 5_000}.scale", tensor))


def test_what_the_kernel_cannot_count_is_onnxruntimes(graph: OnnxFile) -> None:
    """More layers than it has room for, or wider ones."""
    more = {
        name.replace("decoder.1.", f"decoder.{layer}."): tensor
        for layer in range(2, 17)
        for name, tensor in graph.tensors.items()
        if name.startswith("decoder.1.")
    }
    assert not is_runnable(OnnxFile(graph.metadata, {**graph.tensors, **more}))
    wide = dataclasses.replace(graph.tensors["encoder.0.feed_forward.inner.int8"])
    wide = dataclasses.replace(wide, shape=(256, 8_200))
    assert not is_runnable(changed(graph, "encoder.0.feed_forward.inner.int8", wide))
    many = dataclasses.replace(graph.tensors["embedding"], shape=((1 << 20) + 8, 256))
    assert not is_runnable(changed(graph, "embedding", many))


def test_heads_that_do_not_fill_a_vector_are_not_runnable(graph: OnnxFile) -> None:
    shape = graph.tensors["shape.heads"]
    for heads, size in (8, 16), (4, 32), (-8, -32), (0, 0):
        content = memoryview(struct.pack("<4q", 0, 0, heads, size))
        assert not is_runnable(
            changed(graph, "shape.heads", dataclasses.replace(shape, content=content))
        )
