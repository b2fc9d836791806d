"""The model that a training run begins with: a bundle that was released, or a checkpoint."""

from __future__ import annotations

from pathlib import Path

import torch

from dragoman.models.export.quantized import of_graph
from dragoman.models.network.checkpoint import load_model
from dragoman.models.network.student import UNK, Student
from dragoman.native.bundles import open_bundle, read_manifest
from dragoman.student.architecture import read_architecture


def name_of(path: Path) -> str:
    """What a card calls it: "de-en-tiny 0.3.0", or the path.

    Raises:
        BundleError: the folder is no bundle.
    """
    if not path.is_dir():
        return str(path)
    manifest = read_manifest(path)
    return f"{manifest.name} {manifest.version}"


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
    sizes = read_architecture(bundle.manifest.data["architecture"])
    student = of_graph(bundle.graph, sizes).student()
    with torch.no_grad():
        # A graph forbids the unknown piece by its bias, which no label smoothing could bear.
        student.output_bias[UNK] = student.output_bias[UNK + 1 :].min()
    return student
