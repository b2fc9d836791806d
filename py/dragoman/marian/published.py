"""Published files as an engine and a tokenizer want them: a graph and one vocabulary, in memory.

model.*.bin ------------------> graph (bytes of an ONNX model)
vocab.*.spm, or one a side ---> vocabulary (bytes of a SentencePiece model)
"""

from __future__ import annotations

from dataclasses import dataclass

import sentencepiece

from dragoman.errors import ExportError, ModelFileError
from dragoman.marian.config import MarianConfig, read_config
from dragoman.marian.graph import MarianExporter
from dragoman.marian.model import MarianModel, config_text, parse_marian, read_items
from dragoman.marian.split import merge_vocabularies, split_graph
from dragoman.student.architecture import EOS, UNK
from dragoman.student.exporter import translation_graph
from dragoman.student.weights import EMBEDDING, Int8Matrix

SOURCE_EMBEDDING = f"source_{EMBEDDING}"


@dataclass(frozen=True)
class Runnable:
    """What runs.

    Attributes:
        graph: an ONNX model.
        vocabulary: a SentencePiece model, of both sides.
    """

    graph: bytes
    vocabulary: bytes


def network_of(model: bytes) -> MarianConfig:
    """The sizes that a model file names.

    Raises:
        ModelFileError: it is no model file, or of another kind of network.
    """
    return read_config(config_text({item.name: item for item in read_items(model)}))


def vocabulary_of(source: bytes, target: bytes | None, config: MarianConfig) -> bytes:
    """The vocabulary of both sides, checked against the model.

    Args:
        target: that of the target side, where the model has one a side.

    Raises:
        ModelFileError: one is missing or too many, or does not fit the model.
    """
    _check(source, config.source_vocabulary_size, "vocabulary")
    if config.shared:
        if target is not None:
            raise ModelFileError("the model has one vocabulary for both languages")
        return source
    if target is None:
        raise ModelFileError("the model has a vocabulary a side: the target's is needed too")
    _check(target, config.sizes.vocabulary_size, "target vocabulary")
    return merge_vocabularies(source, target).model


def runnable(model: bytes, source: bytes, target: bytes | None, positions: int) -> Runnable:
    """A graph and a vocabulary of published files.

    Args:
        source, target: vocabularies; no target where one is shared.
        positions: longest row on either side, in pieces with EOS.

    Raises:
        ModelFileError: a file is damaged, of another kind of network, or does not fit the others.
    """
    read = parse_marian(model)
    vocabulary = vocabulary_of(source, target, read.config)
    try:
        graph = translation_graph(MarianExporter(read, positions))
        if target is not None:
            ids = merge_vocabularies(source, target).ids
            graph = split_graph(graph, _source_table(read), ids, read.config.sizes.dimension)
    except ExportError as error:
        raise ModelFileError(error.message) from error
    content: bytes = graph.SerializeToString()
    return Runnable(content, vocabulary)


def _source_table(model: MarianModel) -> Int8Matrix:
    table = model.matrices[SOURCE_EMBEDDING]
    if not isinstance(table, Int8Matrix):
        raise ModelFileError("the source embedding is not int8")
    return table


def _check(content: bytes, size: int, what: str) -> None:
    try:
        processor = sentencepiece.SentencePieceProcessor(model_proto=content)
    except RuntimeError as error:
        raise ModelFileError(f"the {what} is not a SentencePiece model") from error
    if processor.get_piece_size() != size:
        raise ModelFileError(
            f"the {what} has {processor.get_piece_size():,} pieces, the model {size:,}",
            requested=processor.get_piece_size(),
            allowed=size,
        )
    if (processor.eos_id(), processor.unk_id()) != (EOS, UNK):
        raise ModelFileError(f"the {what}: </s> must be piece {EOS} and <unk> piece {UNK}")
