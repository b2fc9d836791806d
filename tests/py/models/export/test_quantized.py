from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dragoman.errors import ExportError
from dragoman.models.export.quantized import QuantizedStudent, of_graph
from dragoman.models.network.student import Architecture
from dragoman.student.exporter import Exporter, Precision, translation_graph
from tests.support.workshop import engine_sizes, quantized_student, toy_student

STUDENT = quantized_student()


def graph(student: QuantizedStudent) -> bytes:
    exporter = Exporter(student.student(), Precision.INT8, student.ranges)
    content: bytes = translation_graph(exporter).SerializeToString()
    return content


def test_each_matrix_keeps_its_largest_weight_at_127() -> None:
    for matrix in STUDENT.matrices.values():
        assert np.abs(matrix.values).max() == 127


def test_the_weights_of_a_graph_are_those_it_was_made_of() -> None:
    """Within a step of int8: matrices that the graph packs together share a scale."""
    quantized = of_graph(graph(STUDENT), STUDENT.sizes)
    assert quantized.matrices.keys() == STUDENT.matrices.keys()
    for name, matrix in quantized.matrices.items():
        expected = STUDENT.matrices[name].floats()
        np.testing.assert_allclose(matrix.floats(), expected, atol=matrix.scale * 0.51)
    assert quantized.vectors.keys() == STUDENT.vectors.keys()
    for name, vector in quantized.vectors.items():
        if name != "output_bias":  # where <unk> is shut out
            np.testing.assert_array_equal(vector, STUDENT.vectors[name])
    assert quantized.ranges["output"] == pytest.approx(STUDENT.ranges["output"])
    outer = "encoder.1.feed_forward.outer"
    assert quantized.ranges[outer] == pytest.approx(STUDENT.ranges[outer])


def test_a_graph_that_is_read_and_made_again_is_the_same() -> None:
    once = graph(STUDENT)
    assert graph(of_graph(once, STUDENT.sizes)) == once


def test_an_alignment_head_is_read_and_made_again() -> None:
    student = quantized_student(replace(engine_sizes(), alignment=16))
    made = graph(student)
    quantized = of_graph(made, student.sizes)
    np.testing.assert_array_equal(
        quantized.matrices["alignment.query"].values, student.matrices["alignment.query"].values
    )
    assert quantized.vectors["alignment.key.bias"].shape == (16,)
    assert graph(quantized) == made
    with pytest.raises(ExportError, match="alignment"):
        of_graph(made, engine_sizes())
    with pytest.raises(ExportError, match="alignment"):
        of_graph(graph(STUDENT), student.sizes)


def test_graphs_that_hold_no_int8_student() -> None:
    float32 = translation_graph(Exporter(toy_student(), Precision.FLOAT32)).SerializeToString()
    with pytest.raises(ExportError, match="no int8 embedding"):
        of_graph(float32, Architecture(340, 32, 64, 4, 2, 2))
    with pytest.raises(ExportError, match="is not an ONNX model"):
        of_graph(b"\xff\xff", engine_sizes())
    with pytest.raises(ExportError, match=r"decoder\.2"):
        of_graph(graph(STUDENT), Architecture(344, 64, 64, 4, 2, 3))
