"""`dragoman model import`: a Marian student as a bundle of this program.

Weights in int8 stay as they are where a matrix stands alone in the graph. Where the graph packs
several into one product (queries, keys and values; the two of the SSRU), they get one scale: exact
for models that this program exported, within a rounding step for others.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import onnx
import torch

from dragoman.errors import ExportError, ModelFileError
from dragoman.marian.model import MarianModel, read_marian
from dragoman.marian.split import split_graph
from dragoman.marian.vocabulary import Vocabulary, vocabulary_of
from dragoman.models.data.corpus import read_tsv_columns
from dragoman.models.data.vocabulary import read_vocabulary
from dragoman.models.export.calibrate import activation_ranges
from dragoman.models.export.release import CALIBRATION_SENTENCES, BundleFacts, write_bundle
from dragoman.models.network.student import Student
from dragoman.student.exporter import (
    MAX_POSITIONS,
    Exporter,
    Precision,
    quantize,
    translation_graph,
)
from dragoman.student.weights import EMBEDDING, Array, Int8Matrix

SOURCE_EMBEDDING = f"source_{EMBEDDING}"
NOT_SAID = "not recorded"
SOURCE_PIECES = 128  # where the published engine wraps


@dataclass(frozen=True)
class ImportedFiles:
    """What is imported.

    Attributes:
        target_vocabulary: for a model with a vocabulary a side; else None.
        calibration: TSV with columns of both languages, for a model without activation scales.
    """

    model: Path
    vocabulary: Path
    target_vocabulary: Path | None = None
    calibration: Path | None = None


def import_marian(
    files: ImportedFiles,
    output: Path,
    *,
    source: str,
    target: str,
    name: str | None = None,
    version: str = "0.1.0",
    licence: str = NOT_SAID,
    precision: str = "int8",
    source_pieces: int = SOURCE_PIECES,
) -> Path:
    """A bundle of a model in Marian's ``.bin`` or ``.npz`` format; returns the manifest's path.

    Raises:
        ModelFileError: a file is missing, damaged, of another kind of network, or does not fit.
        ExportError: the precision is unknown, or int8 is wanted of a model without activation
            scales and there is nothing to calibrate on.
        CorpusError: the calibration file cannot be read.
    """
    try:
        kind = Precision(precision)
    except ValueError as error:
        known = ", ".join(Precision)
        raise ExportError(f"{precision!r} is no precision; known: {known}") from error
    model = read_marian(files.model)
    vocabulary = _vocabulary(files, model)
    student = student_of(model)
    ranges = model.ranges if kind is Precision.INT8 else {}
    if kind is Precision.INT8 and not ranges:
        ranges = _calibrated(files, student, model, source, target)
    facts = BundleFacts(
        name=name or f"{source}-{target}-marian",
        version=version,
        source=source,
        target=target,
        licence=licence,
        source_pieces=source_pieces,
        precision=kind.value,
        training={
            "imported from": files.model.name,
            "sha256": hashlib.sha256(files.model.read_bytes()).hexdigest(),
        },
        weaknesses=["Imported from Marian's format: how it was trained is not known here."],
    )
    exporter = Exporter(student, kind, ranges, max(MAX_POSITIONS, facts.positions))
    graph = translation_graph(exporter)
    if vocabulary.ids is not None:
        graph = _split(graph, model, vocabulary, kind)
    sizes = replace(model.config.sizes, vocabulary_size=vocabulary.size)
    with TemporaryDirectory() as folder:
        written = Path(folder) / "vocabulary.spm"
        written.write_bytes(vocabulary.model)
        return write_bundle(output, graph.SerializeToString(), written, sizes, facts)


def student_of(model: MarianModel) -> Student:
    """The weights in PyTorch, float32; the source embedding of a split vocabulary is left out."""
    student = Student(model.config.sizes)
    weights = {name: _floats(value) for name, value in model.matrices.items()}
    weights.pop(SOURCE_EMBEDDING, None)
    state = {
        name if name == EMBEDDING else f"{name}.weight": value for name, value in weights.items()
    }
    state |= model.vectors
    student.load_state_dict({name: torch.from_numpy(np.array(v)) for name, v in state.items()})
    return student


def _floats(matrix: Int8Matrix | Array) -> Array:
    return matrix.floats() if isinstance(matrix, Int8Matrix) else matrix


def _split(
    graph: onnx.ModelProto, model: MarianModel, vocabulary: Vocabulary, kind: Precision
) -> onnx.ModelProto:
    rows = _floats(model.matrices[SOURCE_EMBEDDING])
    table = Int8Matrix(*quantize(rows)) if kind is Precision.INT8 else rows
    return split_graph(graph, table, vocabulary.ids or (), model.config.sizes.dimension)


def _vocabulary(files: ImportedFiles, model: MarianModel) -> Vocabulary:
    target = files.target_vocabulary
    return vocabulary_of(
        _content(files.vocabulary),
        _content(target) if target else None,
        model.config,
        (str(files.vocabulary), str(target)),
    )


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ModelFileError(f"{path}: {error.strerror or error}") from error


def _calibrated(
    files: ImportedFiles, student: Student, model: MarianModel, source: str, target: str
) -> Mapping[str, float]:
    if files.calibration is None:
        raise ExportError(
            "the model has no activation scales: int8 needs typical sentences to measure them on "
            "(--calibration), or take --precision float32"
        )
    if not model.config.shared:
        raise ExportError(
            "a model with a vocabulary a side and no activation scales can be imported as "
            "float32 only"
        )
    pairs = read_tsv_columns(files.calibration, source, target)[:CALIBRATION_SENTENCES]
    return activation_ranges(student, read_vocabulary(files.vocabulary), pairs)
