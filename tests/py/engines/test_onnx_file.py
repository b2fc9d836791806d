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


def test_a_tensor_has_few_dimensions() -> None:
    """The product of 40,000 took nine seconds, of ten times as many a hundred times as long."""
    tensor = TensorProto(name="w", data_type=FLOAT32, dims=[1 << 62] * 40_000)
    content = helper.make_model(helper.make_graph([], "g", [], [], [tensor])).SerializeToString()
    with pytest.raises(BundleCorruptError, match="a tensor has 40,000 dimensions"):
        read_onnx(content)


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
