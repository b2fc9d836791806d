from __future__ import annotations

from pathlib import Path

import pytest
from onnx import TensorProto, helper

from dragoman.errors import ExportError
from dragoman.models.measures.tensors import TensorFact, inspect, list_tensors, table
from dragoman.student.exporter import Exporter, Precision, translation_graph
from tests.support.workshop import toy_student

GRAPH = translation_graph(Exporter(toy_student(), Precision.FLOAT32)).SerializeToString()


def test_the_tensors_of_a_graph_the_largest_first() -> None:
    facts = list_tensors(GRAPH)
    assert facts[0] == TensorFact("embedding", "float32", (340, 32), 43_520)
    assert [fact.bytes for fact in facts] == sorted((f.bytes for f in facts), reverse=True)
    names = [fact.name for fact in facts]
    assert len(names) == len(set(names))
    assert "decoder.1.recurrence.candidate+decoder.1.recurrence.forget.weight" in names
    assert sum(fact.bytes for fact in facts) < len(GRAPH)


def test_a_file_and_its_table(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    path.write_bytes(GRAPH)
    heading, facts = inspect(path)
    assert heading == f"m.onnx, {len(GRAPH):,} bytes"
    lines = table(facts).splitlines()
    assert lines[0].split() == ["tensor", "type", "shape", "bytes"]
    assert lines[1].split() == ["embedding", "float32", "340x32", "43,520"]
    assert lines[-1].split() == ["all", f"{sum(fact.bytes for fact in facts):,}"]


def test_a_table_by_hand() -> None:
    facts = [TensorFact("w", "int8", (2, 3), 6), TensorFact("s", "float32", (), 4)]
    assert [line.split() for line in table(facts).splitlines()[1:]] == [
        ["w", "int8", "2x3", "6"],
        ["s", "float32", "-", "4"],
        ["1", "of", "float32", "4"],
        ["1", "of", "int8", "6"],
        ["all", "10"],
    ]


def _graph_of(kind: int) -> bytes:
    tensor = TensorProto(name="w", data_type=kind, dims=(5, 3))
    node = helper.make_node("Identity", ["w"], ["o"])
    model = helper.make_model(helper.make_graph([node], "g", [], [], [tensor]))
    return bytes(model.SerializeToString())


def test_two_small_numbers_are_a_byte() -> None:
    assert list_tensors(_graph_of(TensorProto.INT4)) == [TensorFact("w", "int4", (5, 3), 8)]
    assert list_tensors(_graph_of(TensorProto.BFLOAT16))[0].bytes == 30


def test_a_type_that_onnx_has_not() -> None:
    with pytest.raises(ExportError, match="the tensor 'w' has the type 999, which ONNX has not"):
        list_tensors(_graph_of(999))


def test_files_that_are_no_model(tmp_path: Path) -> None:
    (tmp_path / "a.onnx").write_bytes(b"\xff\xffno model")
    with pytest.raises(ExportError, match="is not an ONNX model"):
        inspect(tmp_path / "a.onnx")
    (tmp_path / "empty.onnx").write_bytes(b"")
    with pytest.raises(ExportError, match="it has no nodes"):
        inspect(tmp_path / "empty.onnx")
    with pytest.raises(ExportError, match=r"none\.onnx"):
        inspect(tmp_path / "none.onnx")
