"""Bundles of published files, as they are offered and as a store keeps them."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

from dragoman.engines.described import describe
from tests.support.published import PublishedModel


def write(made: PublishedModel, folder: Path) -> Path:
    """The files, and a manifest that leaves out what they say themselves."""
    contents = {
        "model": made.model, "vocabulary": made.vocabulary, "shortlist": made.shortlist,
    }  # fmt: skip
    if made.target_vocabulary:
        contents["target_vocabulary"] = made.target_vocabulary
    files: dict[str, Any] = {}
    folder.mkdir()
    for role, content in contents.items():
        (folder / role).write_bytes(content)
        files[role] = {
            "path": role, "bytes": len(content), "sha256": sha256(content).hexdigest(),
        }  # fmt: skip
    facts = {"format": 1, "name": "made", "version": "1", "source": "fr", "target": "en"}
    (folder / "manifest.json").write_text(json.dumps(facts | {"files": files}))
    return folder


def complete(made: PublishedModel, folder: Path) -> None:
    """The manifest as a store writes it."""
    path, content = folder / "manifest.json", made.model
    described = describe(
        json.loads(path.read_text()), made.vocabulary, made.target_vocabulary,
        lambda start, end: content[start:end], len(content),
    )  # fmt: skip
    path.write_text(described.manifest)
