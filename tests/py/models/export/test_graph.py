from __future__ import annotations

import numpy as np
import onnx
import onnxruntime

from dragoman.student.builder import FLOAT, GraphBuilder, TensorType


def test_a_graph_that_runs() -> None:
    g = GraphBuilder()
    one = g.constant("one", np.float64(1.0))
    assert g.constant("one", np.float32(5.0)) == one  # the same name means the same value
    g.rename(g.op("Add", "x", one), "y")
    kind = TensorType("x", FLOAT, ("N",)), TensorType("y", FLOAT, ("N",))
    model = g.model("add", kind[:1], kind[1:])
    onnx.checker.check_model(model)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    (result,) = session.run(None, {"x": np.array([1, 2], dtype=np.float32)})
    assert result.tolist() == [2, 3]


def test_a_sub_graph_shares_constants_and_names() -> None:
    g = GraphBuilder()
    body = GraphBuilder(g)
    body.constant("c", np.float32(1))
    assert list(g.initializers) == ["c"]
    assert not body.initializers
    assert len({g.fresh("n"), body.fresh("n"), g.fresh("n")}) == 3


def test_several_outputs() -> None:
    assert len(GraphBuilder().ops("Split", "x", outputs=3, axis=-1)) == 3
