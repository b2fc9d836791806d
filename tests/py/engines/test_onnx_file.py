"""What a graph stores."""

from __future__ import annotations

import onnx
import pytest
from onnx import TensorProto, helper

from dragoman.engines.onnx_file import FLOAT32, read_onnx
from dragoman.errors import BundleCorruptError


def model() -> bytes:
    tensor = helper.make_tensor("w", TensorProto.FLOAT, [2, 300], b"\x01" * 2400, raw=True)
    graph = helper.make_graph([], "g", [], [], [tensor])
    made = helper.make_model(graph)
    onnx.helper.set_model_props(made, {"dragoman.kind": "none", "größe": "ä"})
    content: bytes = made.SerializeToString()
    return content


def test_metadata_and_tensors_are_read() -> None:
    file = read_onnx(model())
    assert file.metadata == {"dragoman.kind": "none", "größe": "ä"}
    [tensor] = file.tensors.values()
    assert (tensor.name, tensor.kind, tensor.shape) == ("w", FLOAT32, (2, 300))
    assert bytes(tensor.content) == b"\x01" * 2400


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "it holds no tensors"),
        (b"no graph", "wire type 6 is unknown"),
        (b"\x80", "it is cut short"),
        (b"\xff" * 11, "a number has no end"),
        (model()[:-1], "runs over its end"),
    ],
)
def test_what_is_no_model_is_a_typed_error(content: bytes, why: str) -> None:
    with pytest.raises(BundleCorruptError, match=why):
        read_onnx(content)
