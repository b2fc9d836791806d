"""What a bundle says of itself: its manifest, and the card that is made of it."""

from __future__ import annotations

import json
from pathlib import Path

from dragoman.engines.bundle import MANIFEST
from dragoman.errors import ExportError
from dragoman.models.export.card import model_card
from dragoman.signing.bundles import SIGNATURE

CARD = "MODEL_CARD.md"


def write_manifest(folder: Path, manifest: dict[str, object]) -> Path:
    """And its card, whose path is returned; a signature goes, as it is of what was said before."""
    text = json.dumps(manifest, indent=1, ensure_ascii=False)
    (folder / MANIFEST).write_text(f"{text}\n", encoding="utf-8")
    (folder / SIGNATURE).unlink(missing_ok=True)
    return write_card(folder)


def add_to_manifest(folder: Path, name: str, fact: object) -> Path:
    """Say one thing more of a bundle, in its manifest and in its card; returns the card's path.

    Raises:
        ExportError: the folder holds no bundle.
    """
    path = folder / MANIFEST
    try:
        manifest = {**json.loads(path.read_text(encoding="utf-8")), name: fact}
    except (OSError, ValueError, TypeError) as error:
        raise ExportError(f"{path} cannot be read: {error}") from error
    return write_manifest(folder, manifest)


def write_card(folder: Path) -> Path:
    """Write ``MODEL_CARD.md`` of what the manifest says; returns its path.

    Raises:
        ExportError: the folder holds no bundle, or its manifest lacks what a card tells.
    """
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        card = model_card(manifest)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ExportError(f"{folder / MANIFEST} makes no model card: {error!r}") from error
    path = folder / CARD
    path.write_text(card, encoding="utf-8")
    return path
