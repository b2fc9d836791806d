"""The float32 twin of an int8 graph: the same weights, but activations are not rounded.

    QuantizeLinear(x, scale, zero) -> MatMulIntegerToFloat(., weight, scale, weight scale, ...)
    x (Relu, where zero is 0)      -> MatMul(., weight * weight scale) -> Add(bias)

Rounding to int8 turns a difference in a float's last bit, which two builds of onnxruntime always
have, into a step of 1/255 now and then. Without it the hosts agree to the last digits, so that what
is left of a difference would be a mistake.
"""

from __future__ import annotations

import numpy as np
import onnx
from onnx import helper, numpy_helper


def float_twin(graph: bytes) -> bytes:
    """The graph of a twin, from that of an int8 model as `student.exporter` makes it."""
    model = onnx.load_model_from_string(graph)
    _replace(model.graph, _Constants({}, {}))
    del model.metadata_props[:]  # It is no int8 student any more.
    content: bytes = model.SerializeToString()
    return content


class _Constants:
    """Arrays and producers by name: of a graph, then of those around it."""

    def __init__(self, arrays: dict[str, np.ndarray], producers: dict[str, onnx.NodeProto]) -> None:
        self.arrays, self.producers = arrays, producers

    def within(self, graph: onnx.GraphProto) -> _Constants:
        arrays = {i.name: numpy_helper.to_array(i) for i in graph.initializer}
        producers = {name: node for node in graph.node for name in node.output}
        return _Constants({**self.arrays, **arrays}, {**self.producers, **producers})

    def constant(self, name: str) -> np.ndarray:
        if name in self.arrays:
            return self.arrays[name]
        node = self.producers[name]
        assert node.op_type == "Transpose", node.op_type
        order = {attribute.name: list(attribute.ints) for attribute in node.attribute}.get("perm")
        return np.ascontiguousarray(np.transpose(self.constant(node.input[0]), order))


def _replace(graph: onnx.GraphProto, around: _Constants) -> None:
    known = around.within(graph)
    nodes: list[onnx.NodeProto] = []
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                _replace(attribute.g, known)
        if node.op_type == "MatMulIntegerToFloat":
            nodes += _float_product(graph, node, known)
        else:
            nodes.append(node)
    used = {name for node in nodes for name in node.input}
    kept = [n for n in nodes if n.op_type != "QuantizeLinear" or n.output[0] in used]
    del graph.node[:]
    graph.node.extend(kept)


def _float_product(
    graph: onnx.GraphProto, node: onnx.NodeProto, known: _Constants
) -> list[onnx.NodeProto]:
    activation, weight, _, weight_scale, _, weight_zero, bias = [*node.input, "", "", ""][:7]
    quantize = known.producers[activation]
    assert quantize.op_type == "QuantizeLinear", quantize.op_type
    assert not weight_zero or not known.constant(weight_zero).any(), "weights have a zero point"
    zero = known.constant(quantize.input[2])
    name = node.output[0]
    values = known.constant(weight).astype(np.float32) * known.constant(weight_scale)
    graph.initializer.append(numpy_helper.from_array(values, f"{name}.weight"))
    made: list[onnx.NodeProto] = []
    source = quantize.input[0]
    if not zero.any():  # clipping at 0 was the relu
        made.append(helper.make_node("Relu", [source], [f"{name}.relu"]))
        source = f"{name}.relu"
    product = f"{name}.product" if bias else name
    made.append(helper.make_node("MatMul", [source, f"{name}.weight"], [product]))
    if bias:
        made.append(helper.make_node("Add", [product, bias], [name]))
    return made
