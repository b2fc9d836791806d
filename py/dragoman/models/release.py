"""Write a bundle: graph, vocabulary, manifest, model card."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import sentencepiece

from dragoman.bundle import FORMAT, MANIFEST
from dragoman.errors import ExportError
from dragoman.models.calibrate import activation_ranges
from dragoman.models.corpus import read_tsv_columns
from dragoman.models.export import Exporter, Precision, translation_graph
from dragoman.models.network import Architecture
from dragoman.models.train import load_model

CALIBRATION_SENTENCES = 1_000
# The model is trained on CC-BY-SA, CC-BY and GPL-family text; its weights are shared alike.
LICENCE = "CC-BY-SA-4.0"


@dataclass(frozen=True)
class BundleFacts:
    """What a manifest says beyond files and sizes.

    Attributes:
        source_pieces: longest sentence that the model takes (what it was trained on).
        scores: by data set, for example ``{"tatoeba-dev": {"bleu": 41.2}}``.
        sources: training sources: name, licence, pairs.
        training: hours, steps, hardware.
    """

    name: str
    version: str
    source: str
    target: str
    licence: str
    source_pieces: int = 80
    target_factor: float = 2.0
    target_extra: int = 12
    scores: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    sources: Sequence[Mapping[str, object]] = ()
    training: Mapping[str, object] = field(default_factory=dict)


def export_bundle(
    model: Path,
    prepared: Path,
    source: str,
    target: str,
    calibration: Path,
    output: Path,
    *,
    version: str,
    precision: str,
) -> Path:
    """A bundle of a trained model and its vocabulary; returns the manifest's path.

    Raises:
        ExportError: the precision is unknown, or the prepared data is incomplete.
        TrainingError: the model cannot be read.
        CorpusError: the calibration file cannot be read.
    """
    try:
        kind = Precision(precision)
        meta = json.loads((prepared / "meta.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ExportError(f"cannot export: {error}") from error
    student = load_model(model)
    vocabulary = prepared / "vocabulary.spm"
    processor = sentencepiece.SentencePieceProcessor(model_file=str(vocabulary))
    pairs = read_tsv_columns(calibration, source, target)[:CALIBRATION_SENTENCES]
    ranges = activation_ranges(student, processor, pairs)
    graph = translation_graph(Exporter(student, kind, ranges))
    facts = BundleFacts(
        name=f"{source}-{target}-tiny",
        version=version,
        source=source,
        target=target,
        licence=LICENCE,
        sources=[row for row in meta["sources"] if row["pairs"]],
    )
    return write_bundle(output, graph.SerializeToString(), vocabulary, student.sizes, facts)


def write_bundle(
    folder: Path, graph: bytes, vocabulary: Path, sizes: Architecture, facts: BundleFacts
) -> Path:
    """Write the files, then the manifest that names them; returns the manifest's path."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(graph)
    shutil.copyfile(vocabulary, folder / "vocabulary.spm")
    manifest = {
        "format": FORMAT,
        "name": facts.name,
        "version": facts.version,
        "source": facts.source,
        "target": facts.target,
        "files": {
            "graph": _entry(folder / "model.onnx"),
            "vocabulary": _entry(folder / "vocabulary.spm"),
        },
        "architecture": asdict(sizes),
        "limits": {
            "source_pieces": facts.source_pieces,
            "target_factor": facts.target_factor,
            "target_extra": facts.target_extra,
        },
        "licence": facts.licence,
        "scores": facts.scores,
        "training": facts.training,
        "sources": list(facts.sources),
    }
    path = folder / MANIFEST
    path.write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def _entry(path: Path) -> dict[str, object]:
    content = path.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    return {"path": path.name, "bytes": len(content), "sha256": digest}
