"""Published models laid out for browsers, and for `--source`: a folder behind any web server.

    MIRROR/catalogue.json     a catalogue whose sources are relative to itself; written last
    MIRROR/files/SHA256       each file once, packed by gzip; the SHA-256 is of the unpacked one

Names are of contents, so a file may be kept for good wherever it went. They have no ending: no web
server then unpacks them on the way, and ranges mean the same bytes for all. Only the catalogue
changes.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from dragoman.catalogue.models import (
    SHA256,
    Catalogue,
    PublishedFile,
    PublishedModel,
    Source,
    catalogue_data,
)
from dragoman.errors import StoreError
from dragoman.native.bundles import KEPT_FILES, FoundBundle
from dragoman.store.manifests import NOBODY, described
from dragoman.store.store import CATALOGUE, Store, digest

LEVEL = 6  # of gzip; 9 takes four times as long for 0.3 % less


def mirror(
    store: Store,
    bundles: Sequence[FoundBundle],
    target: Path,
    progress: Callable[[str], None] = lambda _: None,
) -> int:
    """Make a folder a mirror of these models, and of no others; returns its bytes.

    What it has already of them is not packed again.

    Args:
        progress: gets the name of each file before it is packed.

    Raises:
        StoreError: a file of a model is damaged or missing, or the folder is the store itself,
            whose other models would go.
    """
    if os.path.realpath(target) == os.path.realpath(store.root):
        raise StoreError(f"{target} is the store: name another folder for the mirror")
    folder = target / KEPT_FILES
    folder.mkdir(parents=True, exist_ok=True)
    models = [described(bundle.manifest) for bundle in bundles]
    files = {file.sha256: file for model, _ in models for file in model.files}
    for file in files.values():
        if not (folder / file.sha256).is_file():
            progress(file.name)
            _pack(store.path(file.sha256), file, folder / file.sha256)
    sizes = {sha256: (folder / sha256).stat().st_size for sha256 in files}

    def packed(file: PublishedFile) -> Source:
        return Source(f"{KEPT_FILES}/{file.sha256}", "gzip", sizes[file.sha256])

    written = target / f"{CATALOGUE}.part"
    written.write_text(json.dumps(_catalogue(bundles, packed), indent=1) + "\n", encoding="utf-8")
    written.replace(target / CATALOGUE)
    for path in folder.iterdir():
        if SHA256.fullmatch(path.name) and path.name not in files:
            path.unlink()
    return sum(sizes.values())


def _pack(path: Path, file: PublishedFile, goal: Path) -> None:
    if not path.is_file() or digest(path) != file.sha256:
        raise StoreError(f"{path} is damaged or missing: dragoman models verify says more")
    part = goal.with_name(f"{goal.name}.part")
    # Without a name and a time in it, the same file gives the same bytes: a fetch that one mirror
    # has begun another one may end.
    with (
        path.open("rb") as source,
        part.open("wb") as raw,
        gzip.GzipFile("", "wb", LEVEL, raw, mtime=0) as sink,
    ):
        shutil.copyfileobj(source, sink, 1 << 20)
    part.replace(goal)


def kept_catalogue(store: Store) -> dict[str, Any]:
    """The same of a store as it lies there, unpacked: what `dragoman serve` answers."""
    bundles = [bundle for bundle in store.models if store.complete(bundle)]
    return _catalogue(
        bundles, lambda file: Source(f"{KEPT_FILES}/{file.sha256}", "none", file.size)
    )


def _catalogue(
    bundles: Sequence[FoundBundle], source: Callable[[PublishedFile], Source]
) -> dict[str, Any]:
    """Models as JSON; who published each is said with it, for a store may have them of several."""
    entries = [described(bundle.manifest) for bundle in bundles]
    newest = max((origin for _, origin in entries), key=lambda o: o.generated, default=NOBODY)
    data = catalogue_data(replace(newest, models=()))
    data["models"] = [_entry(model, origin, source) for model, origin in entries]
    return data


def _entry(
    model: PublishedModel, origin: Catalogue, source: Callable[[PublishedFile], Source]
) -> dict[str, Any]:
    files = tuple(replace(file, sources=(source(file),)) for file in model.files)
    (entry,) = catalogue_data(replace(origin, models=(replace(model, files=files),)))["models"]
    return {**entry, "publisher": origin.publisher, "home": origin.home}
