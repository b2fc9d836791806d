"""Files of a training run: written whole or not at all, and read with typed errors."""

from __future__ import annotations

import os
import pickle
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from dragoman.errors import TrainingError
from dragoman.models.network.student import Architecture, Student

# What a damaged, foreign or missing file makes of `torch.load` and of reading its parts.
UNREADABLE = (
    OSError,
    RuntimeError,
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    EOFError,
    pickle.UnpicklingError,
)


def save_state(state: dict[str, Any], path: Path) -> None:
    """Replace `path` in one step: a kill or a power cut leaves the old file or the new one.

    Raises:
        TrainingError: it cannot be written, as on a disk that is full; an old file stays.
    """
    partial = path.with_name(path.name + ".part")
    try:
        with partial.open("wb") as file:
            torch.save(state, file)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except (OSError, RuntimeError) as error:
        partial.unlink(missing_ok=True)  # it may be what fills the disk
        # PyTorch tells of a place in its archive, and has what the system said behind it.
        told = error if isinstance(error, OSError) else error.__context__ or error
        raise TrainingError(
            f"{path} cannot be written: {getattr(told, 'strerror', None) or told}"
        ) from error


def load_state(path: Path) -> dict[str, Any]:
    """What `save_state` wrote.

    Raises:
        TrainingError: the file is missing or damaged.
    """
    try:
        state = torch.load(path, weights_only=True, map_location="cpu")
    except UNREADABLE as error:
        raise TrainingError(f"{path} cannot be read: {why_unreadable(error)}") from error
    if not isinstance(state, dict):
        raise TrainingError(f"{path} is not of this program: it holds a {type(state).__name__}")
    return state


def save_model(model: Student, path: Path, scores: dict[str, Any]) -> None:
    """A trained model: its sizes, its parameters, and what is known of it (plain data)."""
    state = {"sizes": asdict(model.sizes), "model": model.state_dict(), "scores": scores}
    save_state(state, path)


def load_model(path: Path) -> Student:
    """A trained model in float32.

    Raises:
        TrainingError: the file is missing or is not a model.
    """
    state = load_state(path)
    try:
        model = Student(Architecture(**state["sizes"]))
        model.load_state_dict(state["model"])
    except UNREADABLE as error:
        # PyTorch's first line says that a state does not fit, the second which part of it.
        told = " ".join(line.strip() for line in str(error).splitlines()[:2])
        raise TrainingError(f"{path} is not a model: {told or type(error).__name__}") from error
    return model


def load_scores(path: Path) -> dict[str, Any]:
    """What was noted with a model: steps, scores on the validation set.

    Raises:
        TrainingError: the file cannot be read.
    """
    return dict(load_state(path).get("scores") or {})


def why_unreadable(error: BaseException) -> str:
    """PyTorch's own words are of its archives, and of options that the user does not have."""
    if isinstance(error, OSError) and error.filename and error.strerror:
        return error.strerror
    return "it is damaged, or no file of this program"
