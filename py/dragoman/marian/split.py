"""Models with a vocabulary a side, as one bundle: one vocabulary, two embeddings in the graph.

The merged vocabulary holds the source pieces under their own ids, then those target pieces that the
source lacks. These are marked unused: no source text is ever cut into them, but they decode. The
graph embeds source ids by a table of their own, and translates the target ids that it chose into
ids of the merged vocabulary as its last step.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import onnx
import sentencepiece
from google.protobuf.message import DecodeError
from numpy.typing import NDArray
from onnx import helper, numpy_helper
from sentencepiece import sentencepiece_model_pb2 as proto

from dragoman.errors import ExportError, ModelFileError
from dragoman.student.weights import Array, Int8Matrix

SPECIAL = 2  # </s> and <unk> have the same ids on both sides
TABLE, FACTOR, MAP = "source_embedding", "source_embedding.factor", "target_to_merged"
OWN_IDS = "target_ids.own"


@dataclass(frozen=True)
class MergedVocabulary:
    """Attributes:
    model: the vocabulary of the bundle, in SentencePiece's format.
    size: pieces of it.
    ids: int32 [target pieces]: the merged id of each.
    """

    model: bytes
    size: int
    ids: NDArray[np.int32]


def merge_vocabularies(source: bytes, target: bytes) -> MergedVocabulary:
    """One vocabulary that encodes as the source's and decodes the target's pieces.

    Raises:
        ModelFileError: one of them is no SentencePiece model, or they cannot be merged.
    """
    merged, other = _parse(source, "source"), _parse(target, "target")
    if merged.trainer_spec.byte_fallback != other.trainer_spec.byte_fallback:
        raise ModelFileError("only one of the vocabularies falls back to bytes")
    known = {piece.piece: number for number, piece in enumerate(merged.pieces)}
    ids = np.zeros(len(other.pieces), np.int32)
    for number, piece in enumerate(other.pieces):
        if number < SPECIAL:
            ids[number] = number
            continue
        if piece.piece not in known:
            known[piece.piece] = len(merged.pieces)
            merged.pieces.add(
                piece=piece.piece, score=piece.score, type=proto.ModelProto.SentencePiece.UNUSED
            )
        ids[number] = known[piece.piece]
    merged.trainer_spec.vocab_size = len(merged.pieces)
    merged.ClearField("self_test_data")
    content: bytes = merged.SerializeToString()
    try:
        sentencepiece.SentencePieceProcessor(model_proto=content)
    except RuntimeError as error:
        raise ModelFileError(f"the vocabularies cannot be merged: {error}") from error
    return MergedVocabulary(content, len(merged.pieces), ids)


def _parse(content: bytes, side: str) -> proto.ModelProto:
    try:
        return proto.ModelProto.FromString(content)
    except DecodeError as error:
        raise ModelFileError(f"the {side} vocabulary is not a SentencePiece model") from error


def split_graph(
    model: onnx.ModelProto, source: Int8Matrix | Array, ids: NDArray[np.int32], dimension: int
) -> onnx.ModelProto:
    """Give a graph a source embedding of its own, and merged ids in its output; changes `model`.

    Args:
        source: rows of the source pieces, int8 for an int8 graph.

    Raises:
        ExportError: the graph is not one of `export.translation_graph`.
    """
    graph = model.graph
    lookup = _only(graph, "Gather", "source_ids")
    factor = np.float32(np.sqrt(dimension))
    if isinstance(source, Int8Matrix):
        factor *= np.float32(source.scale)
    table = source.values if isinstance(source, Int8Matrix) else source
    lookup.input[0] = TABLE
    scaled = _only(graph, "Mul", _cast_of(graph, lookup.output[0]))
    scaled.input[1] = FACTOR
    last = next((node for node in graph.node if "target_ids" in node.output), None)
    if last is None:
        raise ExportError("the graph has no target_ids")
    last.output[0] = OWN_IDS
    graph.node.append(helper.make_node("Gather", [MAP, OWN_IDS], ["target_ids"], name="merged"))
    graph.initializer.extend(
        numpy_helper.from_array(np.ascontiguousarray(value), name)
        for name, value in ((TABLE, table), (FACTOR, np.array(factor)), (MAP, ids))
    )
    # Programs that know the graph of one vocabulary by this mark do not know this one.
    del model.metadata_props[:]
    return model


def _only(graph: onnx.GraphProto, kind: str, value: str) -> onnx.NodeProto:
    """The node of a kind that reads a value."""
    found = [node for node in graph.node if node.op_type == kind and value in node.input]
    if len(found) != 1:
        raise ExportError(f"the graph has {len(found)} {kind} of {value}, not one")
    node: onnx.NodeProto = found[0]
    return node


def _cast_of(graph: onnx.GraphProto, value: str) -> str:
    """The value after its Cast, where it has one."""
    found = [n for n in graph.node if n.op_type == "Cast" and value in n.input]
    return str(found[0].output[0]) if found else value
