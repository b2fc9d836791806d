"""Published files as onnxruntime and a tokenizer want them: a graph and one vocabulary, in memory.

model.*.bin ------------------> graph (bytes of an ONNX model)
vocab.*.spm, or one a side ---> vocabulary (bytes of a SentencePiece model)
"""

from __future__ import annotations

from dragoman.errors import ExportError, ModelFileError
from dragoman.marian.graph import MarianExporter
from dragoman.marian.model import MarianModel, parse_marian
from dragoman.marian.split import split_graph
from dragoman.marian.vocabulary import Vocabulary
from dragoman.student.exporter import translation_graph
from dragoman.student.weights import EMBEDDING, Int8Matrix

SOURCE_EMBEDDING = f"source_{EMBEDDING}"


def graph_of(model: bytes, vocabulary: Vocabulary, positions: int) -> bytes:
    """An ONNX model of a published one.

    Args:
        positions: longest row on either side, in pieces with EOS.

    Raises:
        ModelFileError: the file is damaged, or of another kind of network.
    """
    read = parse_marian(model)
    try:
        graph = translation_graph(MarianExporter(read, positions))
        if vocabulary.ids is not None:
            table, dimension = _source_table(read), read.config.sizes.dimension
            graph = split_graph(graph, table, vocabulary.ids, dimension)
    except ExportError as error:
        raise ModelFileError(error.message) from error
    content: bytes = graph.SerializeToString()
    return content


def _source_table(model: MarianModel) -> Int8Matrix:
    table = model.matrices[SOURCE_EMBEDDING]
    if not isinstance(table, Int8Matrix):
        raise ModelFileError("the source embedding is not int8")
    return table
