"""A line about each model of this machine: `dragoman models list`."""

from __future__ import annotations

import typer

from dragoman.catalogue.languages import name_of
from dragoman.cli.console import echo
from dragoman.errors import DragomanError
from dragoman.native.bundles import BrokenBundle, FoundBundle, load_parts
from dragoman.native.engines import engine_name
from dragoman.wire.responses import json_bytes


def list_bundle(bundle: FoundBundle | BrokenBundle, json: bool, check: bool) -> bool:
    """Write one bundle; False when it cannot be used."""
    engine = None
    try:
        if isinstance(bundle, BrokenBundle):
            raise bundle.error
        if check:
            engine = engine_name(load_parts(bundle.folder, threads=1).engine)
    except DragomanError as error:
        message = " ".join(error.message.split())
        echo(f"dragoman: {bundle.folder}: {message}", err=True)
        return False
    manifest = bundle.manifest
    if json:
        data = {
            "name": manifest.name,
            "version": manifest.version,
            "source": manifest.source,
            "target": manifest.target,
            "bytes": bundle.bytes,
            "scores": manifest.data.get("scores") or {},
            "path": str(bundle.folder),
            **({"engine": engine} if engine else {}),
        }
        typer.echo(json_bytes(data).decode())
        return True
    size = f"{bundle.bytes / 1e6:.1f} MB"
    pair = f"{name_of(manifest.source, 'en')} to {name_of(manifest.target, 'en')}"
    named = f"{manifest.name} {manifest.version}"
    columns = [f"{named:24}", f"{pair:24}", f"{size:>8}", str(bundle.folder)]
    echo("  ".join([*columns, *([engine] if engine else [])]))
    return True
