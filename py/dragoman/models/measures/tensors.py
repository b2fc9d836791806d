"""`dragoman model inspect`: what is inside a model file, tensor by tensor."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from pathlib import Path

import onnx
from google.protobuf.message import DecodeError
from onnx import TensorProto, helper

from dragoman.errors import ExportError, ModelFileError
from dragoman.marian.file import value_bytes
from dragoman.marian.model import read_items
from dragoman.native.bundles import open_bundle

# Bits of the types that a file has two or more of in a byte.
HALVES = {"int4": 4, "uint4": 4, "float4_e2m1fn": 4, "int2": 2, "uint2": 2}
MARIAN_SUFFIXES = (".bin", ".npz")


@dataclass(frozen=True)
class TensorFact:
    """A stored tensor."""

    name: str
    kind: str
    shape: tuple[int, ...]
    bytes: int


def list_tensors(graph: bytes, name: str = "the graph") -> list[TensorFact]:
    """The tensors of an ONNX model, those of sub-graphs included, the largest first.

    Raises:
        ExportError: the bytes are not an ONNX model, or a tensor is of an unknown type.
    """
    try:
        model = onnx.load_model_from_string(graph)
    except DecodeError as error:
        raise ExportError(f"{name} is not an ONNX model: {error}") from error
    if not model.graph.node:
        raise ExportError(f"{name} is not an ONNX model: it has no nodes")
    facts = [_fact(tensor) for graph_ in _graphs(model.graph) for tensor in graph_.initializer]
    return sorted(facts, key=lambda fact: (-fact.bytes, fact.name))


def list_items(content: bytes, name: str) -> list[TensorFact]:
    """The tensors of a Marian model, the largest first.

    Raises:
        ModelFileError: it is none, or cannot be read.
    """
    try:
        items = read_items(content)
    except ModelFileError as error:
        raise ModelFileError(f"{name}: {error.message}", **error.details) from error
    facts = [
        TensorFact(item.name, item.kind.value, item.shape, value_bytes(item.kind, item.shape))
        for item in items
    ]
    return sorted(facts, key=lambda fact: (-fact.bytes, fact.name))


def _graphs(graph: onnx.GraphProto) -> list[onnx.GraphProto]:
    graphs = [graph]
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                graphs += _graphs(attribute.g)
    return graphs


def _fact(tensor: TensorProto) -> TensorFact:
    """Raises: ExportError: its type is none of ONNX."""
    try:
        kind = helper.tensor_dtype_to_np_dtype(tensor.data_type)
    except KeyError as error:
        raise ExportError(
            f"the tensor {tensor.name!r} has the type {tensor.data_type}, which ONNX has not"
        ) from error
    shape = tuple(tensor.dims)
    bits = HALVES.get(str(kind), 8 * kind.itemsize)
    return TensorFact(tensor.name, str(kind), shape, -(-prod(shape) * bits // 8))


def inspect(path: Path) -> tuple[str, list[TensorFact]]:
    """Heading and tensors of a bundle's folder (its files are checked), of an ``.onnx`` file, or of
    a Marian model (``.bin``, ``.npz``).

    Raises:
        BundleError: the bundle cannot be used.
        ExportError: the file is missing or is not an ONNX model.
        ModelFileError: it is not a Marian model.
    """
    if path.is_dir():
        opened = open_bundle(path)
        manifest = opened.manifest
        heading = f"{manifest.name} {manifest.version}, {manifest.source} to {manifest.target}"
        return heading, list_tensors(opened.graph, str(path))
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ExportError(f"{path}: {error.strerror or error}") from error
    heading = f"{path.name}, {len(content):,} bytes"
    if path.suffix in MARIAN_SUFFIXES:
        return heading, list_items(content, str(path))
    return heading, list_tensors(content, str(path))


def table(facts: list[TensorFact]) -> str:
    """A line a tensor, and the sums by type."""
    width = max([len(fact.name) for fact in facts] + [6])
    lines = [f"{'tensor':{width}}  {'type':8} {'shape':>14} {'bytes':>12}"]
    for fact in facts:
        shape = "x".join(map(str, fact.shape)) or "-"
        lines.append(f"{fact.name:{width}}  {fact.kind:8} {shape:>14} {fact.bytes:>12,}")
    for kind in sorted({fact.kind for fact in facts}):
        of_kind = [fact for fact in facts if fact.kind == kind]
        total = sum(fact.bytes for fact in of_kind)
        lines.append(f"{f'{len(of_kind)} of {kind}':{width}}  {'':8} {'':>14} {total:>12,}")
    lines.append(f"{'all':{width}}  {'':8} {'':>14} {sum(f.bytes for f in facts):>12,}")
    return "\n".join(lines)
