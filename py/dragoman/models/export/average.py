"""One model of several: the weighted mean of their parameters.

Models that began with the same weights lie in one basin, and their mean is often better than each
of them: what a run forgets while it learns comes back (Wortsman et al. 2022, arXiv:2203.05482; of a
model and what it was tuned from: arXiv:2109.01903).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import torch

from dragoman.errors import TrainingError
from dragoman.models.export.initial import name_of, open_student
from dragoman.models.network.checkpoint import load_scores, save_model
from dragoman.models.network.student import Student


def average_models(paths: Sequence[Path], shares: Sequence[float], output: Path) -> None:
    """Write the mean of some models, with what is known of the training of the last one.

    Args:
        paths: bundles' folders, or files such as ``best.pt``; two or more.
        shares: of each, in order; they sum to 1. None: all have the same.

    Raises:
        BundleError, ExportError, TrainingError: one is no model (see `open_student`), their sizes
            differ, or the shares do not fit.
    """
    if len(paths) < 2:
        raise TrainingError("a mean is of two models or more")
    weights = list(shares) or [1 / len(paths)] * len(paths)
    if len(weights) != len(paths):
        raise TrainingError(f"{len(weights)} shares for {len(paths)} models; give one for each")
    if min(weights) < 0 or not math.isclose(sum(weights), 1, abs_tol=1e-6):
        raise TrainingError(f"the shares sum to {sum(weights):g}; none is under 0, all sum to 1")
    models = [open_student(path) for path in paths]
    noted: dict[str, Any] = {} if paths[-1].is_dir() else load_scores(paths[-1])
    head = next((at for at, model in enumerate(models) if model.sizes.alignment), None)
    of = [
        {
            "model": name_of(path) if path.is_dir() else path.name,
            "share": share,
            **({"alignment_head": True} if at == head else {}),
        }
        for at, (path, share) in enumerate(zip(paths, weights, strict=True))
    ]
    save_model(averaged(models, weights), output, {**noted, "averaged": of})


def averaged(models: Sequence[Student], shares: Sequence[float]) -> Student:
    """The mean; its head for alignment is that of the first model which has one.

    Raises:
        TrainingError: the sizes differ.
    """
    sizes = [asdict(replace(model.sizes, alignment=0)) for model in models]
    for other in sizes[1:]:
        for name, value in sizes[0].items():
            if other[name] != value:
                raise TrainingError(f"the models differ in their {name}: {value} and {other[name]}")
    mean = next((model for model in models if model.sizes.alignment), models[0])
    every = [dict(model.named_parameters()) for model in models]
    with torch.no_grad():
        for name, parameter in mean.named_parameters():
            if all(name in one for one in every):
                parts = [one[name] * share for one, share in zip(every, shares, strict=True)]
                parameter.copy_(torch.stack(parts).sum(dim=0))
    return mean
