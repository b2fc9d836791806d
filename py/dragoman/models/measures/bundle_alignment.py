"""How well the links of a released bundle are, whose graph chooses its target pieces itself."""

from __future__ import annotations

from pathlib import Path

from dragoman.models.alignment.alignment_error import (
    AlignmentScore,
    alignment_error,
    read_aligned,
    word_weights,
)
from dragoman.models.export.quantized import of_graph
from dragoman.models.network.checkpoint import load_model
from dragoman.native.bundles import OpenBundle
from dragoman.student.architecture import read_architecture
from dragoman.text.tokenizer import SentencePieceTokenizer


def bundle_alignment(bundle: OpenBundle, data: Path, model: Path | None = None) -> AlignmentScore:
    """Score of a bundle: of the int8 weights in its graph, run with teacher forcing.

    Args:
        model: a trained model to take instead of the graph, which may have no int8 weights.

    Raises:
        CorpusError: the data have no links of the bundle's languages.
        ExportError: the graph is not an int8 one of this program.
    """
    manifest = bundle.manifest
    pairs = read_aligned(data, manifest.source, manifest.target)
    if model:
        student = load_model(model)
    else:
        sizes = read_architecture(manifest.data["architecture"])
        student = of_graph(bundle.graph, sizes).student()
    tokenizer = SentencePieceTokenizer(bundle.vocabulary)
    return alignment_error(word_weights(student, tokenizer, pairs), pairs)
