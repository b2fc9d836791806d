"""A thin builder over `onnx.helper`: nodes by name, constants by value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

OPSET = 21
IR_VERSION = 10
MICROSOFT = "com.microsoft"


@dataclass(frozen=True)
class TensorType:
    """Element type and shape of a graph's input or output; a string is a symbolic dimension."""

    name: str
    kind: int
    shape: tuple[int | str, ...]

    def value_info(self) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(self.name, self.kind, list(self.shape))


class GraphBuilder:
    """Collects nodes and initializers. A sub-graph shares its parent's constants by name."""

    def __init__(self, parent: GraphBuilder | None = None) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.parent = parent
        self._root: GraphBuilder = parent._root if parent else self
        self.initializers: dict[str, onnx.TensorProto] = {}
        self._count = 0

    def fresh(self, hint: str) -> str:
        self._root._count += 1
        return f"{hint}.{self._root._count}"

    def constant(self, name: str, value: NDArray[Any] | np.generic) -> str:
        """A named constant of the whole model; the same name means the same value."""
        initializers = self._root.initializers
        if name not in initializers:
            array = np.asarray(value)
            if array.dtype == np.float64:
                array = array.astype(np.float32)
            initializers[name] = numpy_helper.from_array(np.array(array, order="C"), name)
        return name

    def op(
        self,
        kind: str,
        *inputs: str,
        outputs: int = 1,
        domain: str = "",
        names: Sequence[str] = (),
        **attributes: Any,
    ) -> str:
        """Add a node; returns the name of its first output (others: `ops`)."""
        return self.ops(kind, *inputs, outputs=outputs, domain=domain, names=names, **attributes)[0]

    def ops(
        self,
        kind: str,
        *inputs: str,
        outputs: int = 1,
        domain: str = "",
        names: Sequence[str] = (),
        **attributes: Any,
    ) -> list[str]:
        results = list(names) or [self.fresh(kind) for _ in range(outputs)]
        node = helper.make_node(
            kind, list(inputs), results, name=self.fresh(kind), domain=domain, **attributes
        )
        self.nodes.append(node)
        return results

    def microsoft(self, kind: str, *inputs: str, **attributes: Any) -> str:
        return self.op(kind, *inputs, domain=MICROSOFT, **attributes)

    def rename(self, value: str, name: str) -> str:
        return self.op("Identity", value, names=[name])

    def graph(
        self, name: str, inputs: Sequence[TensorType], outputs: Sequence[TensorType]
    ) -> onnx.GraphProto:
        return helper.make_graph(
            self.nodes,
            name,
            [item.value_info() for item in inputs],
            [item.value_info() for item in outputs],
            list(self.initializers.values()),
        )

    def model(
        self,
        name: str,
        inputs: Sequence[TensorType],
        outputs: Sequence[TensorType],
        metadata: Mapping[str, str] | None = None,
    ) -> onnx.ModelProto:
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(MICROSOFT, 1)]
        model = helper.make_model(
            self.graph(name, inputs, outputs), opset_imports=opsets, producer_name="dragoman"
        )
        model.ir_version = IR_VERSION
        helper.set_model_props(model, dict(metadata or {}))
        return model


INT32, INT64, FLOAT, BOOL = (
    TensorProto.INT32,
    TensorProto.INT64,
    TensorProto.FLOAT,
    TensorProto.BOOL,
)
