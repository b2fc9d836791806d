"""An int8 student as plain arrays: what a graph, a checkpoint and a Marian file have in common.

checkpoint + ranges --.                     .--> Exporter --> ONNX graph
bundle's ONNX graph ----> QuantizedStudent --
Marian's .bin, .npz --'                     '--> Marian's .bin
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import onnx
import torch
from google.protobuf.message import DecodeError
from numpy.typing import NDArray
from onnx import numpy_helper

from dragoman.errors import ExportError
from dragoman.models.network.student import Architecture, Student
from dragoman.student.weights import EMBEDDING, OUTPUT, OUTPUT_BIAS, Array, Int8Matrix, quantize


@dataclass(frozen=True)
class QuantizedStudent:
    """The weights of a student by the names of `network.Student`.

    Attributes:
        matrices: by the name of the `Linear`, without ".weight"; and ``embedding``.
        vectors: biases and normalizations by their full names.
        ranges: largest magnitude of the input of each `Linear`, and of ``output``.
    """

    sizes: Architecture
    matrices: Mapping[str, Int8Matrix]
    vectors: Mapping[str, Array]
    ranges: Mapping[str, float]

    def student(self) -> Student:
        """The same weights in PyTorch, float32."""
        model = Student(self.sizes)
        weights = {name: matrix.floats() for name, matrix in self.matrices.items()}
        state = {
            name if name == EMBEDDING else f"{name}.weight": torch.from_numpy(values)
            for name, values in weights.items()
        }
        state |= {name: torch.from_numpy(np.array(v)) for name, v in self.vectors.items()}
        model.load_state_dict(state)
        return model


def of_model(model: Student, ranges: Mapping[str, float]) -> QuantizedStudent:
    """Quantize a trained model; each matrix has a scale of its own."""
    weights = {name: value.detach().float().numpy() for name, value in model.state_dict().items()}
    matrices, vectors = {}, {}
    for name, value in weights.items():
        if value.ndim == 2:
            matrices[name.removesuffix(".weight")] = Int8Matrix(*quantize(value))
        else:
            vectors[name] = value
    return QuantizedStudent(model.sizes, matrices, vectors, dict(ranges))


# --- from a graph ----------------------------------------------------------------------------


def of_graph(graph: bytes, sizes: Architecture) -> QuantizedStudent:
    """The weights of a graph that `export.translation_graph` made with int8.

    Raises:
        ExportError: it is not such a graph, or does not have these sizes.
    """
    try:
        model = onnx.load_model_from_string(graph)
    except DecodeError as error:
        raise ExportError(f"the graph is not an ONNX model: {error}") from error
    tensors = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    if tensors.get(EMBEDDING, np.zeros(0)).dtype != np.int8:
        raise ExportError("the graph has no int8 embedding: only int8 bundles hold Marian's scales")
    try:
        return _of_tensors(tensors, sizes)
    except (KeyError, ValueError) as error:
        raise ExportError(f"the graph is not one of this program's students: {error}") from error


def _of_tensors(
    tensors: Mapping[str, NDArray[np.generic]], sizes: Architecture
) -> QuantizedStudent:
    embedding_scale = float(tensors["output.weight_scale"])
    matrices = {EMBEDDING: Int8Matrix(tensors[EMBEDDING].astype(np.int8), embedding_scale)}
    vectors: dict[str, Array] = {OUTPUT_BIAS: tensors["output.bias"].astype(np.float32)}
    ranges = {OUTPUT: float(tensors["output.scale"]) * 127}
    for packed in (name.removesuffix(".int8") for name in tensors if name.endswith(".int8")):
        names = packed.split("+")
        width = tensors[f"{packed}.int8"].shape[1] // len(names)
        for number, name in enumerate(names):
            columns = slice(number * width, (number + 1) * width)
            values = tensors[f"{packed}.int8"][:, columns].astype(np.int8)
            matrices[name] = Int8Matrix(values, float(tensors[f"{packed}.weight_scale"]))
            vectors[f"{name}.bias"] = tensors[f"{packed}.bias"][columns].astype(np.float32)
            ranges[name] = _range(tensors, names[0])
    for name, tensor in tensors.items():
        if ".norm." in name:
            vectors[name] = tensor.astype(np.float32)
    expected = dict(_shapes(sizes))
    vectors = {name: value for name, value in vectors.items() if name in expected}
    shapes = {name: m.values.shape for name, m in matrices.items()}
    shapes |= {name: vector.shape for name, vector in vectors.items()}
    if shapes != expected:
        odd = sorted({*shapes.items()} ^ {*expected.items()})[0]
        raise ValueError(f"{odd[0]} is not {'x'.join(map(str, expected.get(odd[0], ())))}")
    return QuantizedStudent(sizes, matrices, vectors, ranges)


def _range(tensors: Mapping[str, NDArray[np.generic]], name: str) -> float:
    """After a relu the activations have 255 steps from zero, elsewhere 127 to each side."""
    steps = 255 if name.endswith(".outer") else 127
    return float(tensors[f"{name}.scale"]) * steps


def _shapes(sizes: Architecture) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Name and shape of every matrix and vector of a student."""
    with torch.device("meta"):
        state = Student(sizes).state_dict()
    for name, value in state.items():
        yield (name.removesuffix(".weight"), tuple(value.shape))
