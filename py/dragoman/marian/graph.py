"""The graph of a Marian student that keeps what its file says: nothing is quantized a second time.

Against the graph of our own students (`student.exporter`):

    weights       each matrix has its own scale; a product of several has a scale for each output
    after relu    127 steps from zero, as the file's activation scales mean them (ours have 255)
    no scales     where the file has none, those of each product are measured as it runs: 127 steps
                  for the largest magnitude among the inputs of the mini-batch

Source: `Int8::PrepareA` of intgemm, in marian-dev: round(x * alpha), clipped to 127.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import ModelFileError
from dragoman.marian.model import MarianModel
from dragoman.student.builder import GraphBuilder
from dragoman.student.exporter import Exporter, Precision
from dragoman.student.weights import EMBEDDING, Array, Int8Matrix

STEPS = 127
# Say to a program that reads graphs which mathematics this one has: as "student-int8", but for the
# scales and steps above.
KIND = "student-int8-marian"
LEAST = 1e-8  # the smallest magnitude that is measured: nothing is divided by zero


class MarianExporter(Exporter):
    """Emits the int8 weights of a Marian file.

    Args:
        max_positions: longest row on either side, EOS included.

    Raises:
        ModelFileError: the file's weights are not int8.
    """

    def __init__(self, model: MarianModel, max_positions: int) -> None:
        self.sizes = model.config.sizes
        self.precision = Precision.INT8
        self.ranges = model.ranges
        self.max_positions = max_positions
        self.weights = dict(model.vectors)
        self.matrices: dict[str, Int8Matrix] = {}
        for name, matrix in model.matrices.items():
            if not isinstance(matrix, Int8Matrix):
                raise ModelFileError(
                    f"{name} is not int8: such a model is imported with dragoman model import"
                )
            self.matrices[name] = matrix

    @property
    def kernel_kind(self) -> str:
        return KIND if self.ranges else ""

    def embedding_rows(self) -> tuple[NDArray[np.int8], float]:
        matrix = self.matrices[EMBEDDING]
        return matrix.values, matrix.scale

    def dense(
        self, g: GraphBuilder, x: str, names: tuple[str, ...], after_relu: bool = False
    ) -> str:
        """One product where the inputs have one scale, else one each, side by side."""
        if len({self.ranges.get(name) for name in names}) > 1:
            parts = [self.dense(g, x, (name,), after_relu) for name in names]
            return g.op("Concat", *parts, axis=-1)
        matrices = [self.matrices[name] for name in names]
        name = "+".join(names)
        packed = g.constant(
            f"{name}.int8", np.concatenate([matrix.values for matrix in matrices], axis=1)
        )
        bias = np.concatenate([self._bias_of(name) for name in names])
        scale: float | Array = matrices[0].scale
        if len(matrices) > 1:
            widths = [matrix.values.shape[1] for matrix in matrices]
            scale = np.repeat(np.array([matrix.scale for matrix in matrices], np.float32), widths)
        return self.integer_product(g, x, name, names[0], packed, scale, bias, after_relu)

    def _bias_of(self, name: str) -> Array:
        bias = self.weights.get(f"{name}.bias")
        return np.zeros(self.matrices[name].values.shape[1], np.float32) if bias is None else bias

    def activations(
        self, g: GraphBuilder, x: str, range_name: str, after_relu: bool
    ) -> tuple[str, str, str]:
        zero = g.constant(f"zero.{0 if after_relu else 128}", np.uint8(0 if after_relu else 128))
        if after_relu:
            x = g.op("Relu", x)
        if range_name not in self.ranges:
            scale = self._measured(g, x)
            return g.op("QuantizeLinear", x, scale, zero), scale, zero
        step = np.float32(self.ranges[range_name] / STEPS)
        scale = g.constant(f"{range_name}.scale", step)
        most = np.float32(STEPS) * step
        # uint8 has room for one step more below, and after a relu for 128 more above.
        if after_relu:
            x = g.op("Min", x, g.constant(f"{range_name}.most", most))
        else:
            x = g.op("Max", x, g.constant(f"{range_name}.least", -most))
        return g.op("QuantizeLinear", x, scale, zero), scale, zero

    def _measured(self, g: GraphBuilder, x: str) -> str:
        largest = g.op("ReduceMax", g.op("Abs", x), keepdims=0)
        largest = g.op("Max", largest, g.constant("magnitude.least", np.float32(LEAST)))
        return g.op("Mul", largest, g.constant("magnitude.step", np.float32(1 / STEPS)))
