"""The model that a training run begins with: a bundle that was released, or a checkpoint."""

from __future__ import annotations

from pathlib import Path

from dragoman.bundles import open_bundle
from dragoman.models.checkpoint import load_model
from dragoman.models.marian_release import read_architecture
from dragoman.models.network import Student
from dragoman.models.quantized import of_graph


def open_student(path: Path) -> Student:
    """A student in float32, from a bundle's folder or a file such as ``best.pt``.

    An int8 bundle keeps all but the rounding of its weights: a release goes on where it ended, with
    nothing else at hand.

    Raises:
        BundleError: the folder is no bundle.
        ExportError: the bundle is not int8, or not of this program's students.
        TrainingError: the file is no model.
    """
    if not path.is_dir():
        return load_model(path)
    bundle = open_bundle(path)
    return of_graph(bundle.graph, read_architecture(bundle.manifest.data["architecture"])).student()
