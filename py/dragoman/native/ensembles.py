"""Several bundles as one model: what a student is taught by, and the end of a comparison.

Natively only, in onnxruntime, step by step: for the workshop (docs/adr/0038).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from dragoman.config import Limits
from dragoman.engines.bundle import Manifest
from dragoman.errors import BundleMismatchError
from dragoman.native.bundles import OpenBundle, Parts, open_bundle, pipeline_of
from dragoman.native.engines import needed_packages
from dragoman.types import Sampling


def load_ensemble(
    folders: Sequence[Path],
    threads: int = 0,
    limits: Limits | None = None,
    sampling: Sampling | None = None,
) -> Parts:
    """A pipeline, and an engine that averages the probabilities of some bundles.

    Args:
        folders: of bundles of one direction, with one vocabulary; one alone is not averaged.
        threads: processor cores for the engine; 0 leaves the choice to it.
        sampling: pieces are drawn, see `Sampling`; None: the most probable ones are chosen.

    Raises:
        BundleError: a bundle cannot be used, see `open_bundle`.
        BundleMismatchError: they are not of one direction, vocabulary and length of sentences, or
            some have an alignment head and some have none.
        EngineError: onnxruntime is not installed.
    """
    with needed_packages():
        from dragoman.engines.onnxruntime import StepwiseEngine  # it takes a while

    bundles = [open_bundle(folder) for folder in folders]
    first = bundles[0]
    for folder, bundle in zip(folders[1:], bundles[1:], strict=True):
        _check_alike(folders[0], first, folder, bundle)
    manifest = ensemble_manifest([bundle.manifest for bundle in bundles])
    if sampling:
        manifest = replace(manifest, beam=1)  # what is drawn is one hypothesis
    pipeline = pipeline_of(manifest, first.vocabulary, limits, first.names)
    return Parts(pipeline, StepwiseEngine([one.graph for one in bundles], threads, sampling))


def _check_alike(path: Path, one: OpenBundle, other_path: Path, other: OpenBundle) -> None:
    """Whether two bundles go together.

    Raises:
        BundleMismatchError: they do not.
    """
    for what, given, expected in (
        ("direction", _direction(other.manifest), _direction(one.manifest)),
        ("vocabulary", _digest(other.vocabulary), _digest(one.vocabulary)),
        ("length of sentences", _longest(other.manifest), _longest(one.manifest)),
    ):
        if given != expected:
            raise BundleMismatchError(
                f"{other_path} and {path} make no ensemble: their {what} is not the same "
                f"({given}, {expected})",
                expected=expected,
                found=given,
            )


def _direction(manifest: Manifest) -> str:
    return f"{manifest.source}-{manifest.target}"


def _longest(manifest: Manifest) -> str:
    limits = manifest.limits
    return (
        f"{limits.source_pieces} pieces, of the translation {limits.target_factor:g} times as many "
        f"and {limits.target_extra}"
    )


def _digest(content: bytes) -> str:
    """Short enough to be read, long enough to tell two from each other."""
    return f"SHA-256 {hashlib.sha256(content).hexdigest()[:16]}"


def ensemble_manifest(members: Sequence[Manifest]) -> Manifest:
    """That of the first, with the files of all: they tell this model from others."""
    first, *others = members
    files = dict(first.files)
    for number, member in enumerate(others, start=1):
        files |= {f"{role}.{number}": file for role, file in member.files.items()}
    return replace(first, files=files)
