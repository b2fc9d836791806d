"""`dragoman models`, `dragoman models list`: a line about each model of this machine."""

from __future__ import annotations

from typing import Annotated

import typer

from dragoman.catalogue.languages import name_of
from dragoman.cli.console import echo, echo_json, reported
from dragoman.cli.options import ModelFolders
from dragoman.errors import BundleError, DragomanError
from dragoman.native.bundles import (
    BrokenBundle,
    FoundBundle,
    find_bundles,
    load_parts,
    search_path,
)
from dragoman.native.engines import engine_name
from dragoman.store.store import NOT_RECORDED, PUBLISHED, attribution

AsJson = Annotated[bool, typer.Option("--json", help="A JSON object a line.")]
Check = Annotated[
    bool, typer.Option("--check", help="Load each model, check its files, name its engine.")
]
Licences = Annotated[
    bool, typer.Option("--licences", help="Who made each model, under what licence; its files.")
]


def models(
    context: typer.Context,
    folders: ModelFolders = None,
    json: AsJson = False,
    check: Check = False,
) -> None:
    """List the models on this machine; fetch, verify and carry published ones."""
    if context.invoked_subcommand is None:
        list_bundles(folders, json, check)
    elif folders or json or check:
        raise typer.BadParameter(
            "--models, --json and --check stand behind a command: "
            f"dragoman models {context.invoked_subcommand} ..."
        )


def list_bundles(
    folders: ModelFolders = None,
    json: AsJson = False,
    check: Check = False,
    licence: Licences = False,
) -> None:
    """List the models on this machine, fetched or built in.

    Example: dragoman models list --licences
    """
    with reported():
        if licence and (json or check):
            raise typer.BadParameter("--licences goes with neither --json nor --check")
        bundles = find_bundles(folders or None)
        sound = [
            list_licence(bundle) if licence else list_bundle(bundle, json, check)
            for bundle in bundles
        ]
        if not bundles:
            places = ", ".join(str(place) for place in folders or search_path())
            echo(f"dragoman: no models in {places or 'any of the usual folders'}", err=True)
        if not all(sound):
            raise typer.Exit(1)


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
        echo_json(data)
        return True
    size = f"{bundle.bytes / 1e6:.1f} MB"
    pair = f"{name_of(manifest.source, 'en')} to {name_of(manifest.target, 'en')}"
    named = f"{manifest.name} {manifest.version}"
    columns = [f"{named:24}", f"{pair:24}", f"{size:>8}", str(bundle.folder)]
    echo("  ".join([*columns, *([engine] if engine else [])]))
    return True


def list_licence(bundle: FoundBundle | BrokenBundle) -> bool:
    """Write who made a model, under what licence, and which files it has; False when it cannot be
    read."""
    if isinstance(bundle, BrokenBundle):
        return list_bundle(bundle, json=False, check=False)
    manifest = bundle.manifest
    made = f"{manifest.name}, {manifest.data.get('licence', NOT_RECORDED)}"
    if PUBLISHED in manifest.data:
        try:
            made = f"{attribution(manifest)}; run as published, not converted on disk"
        except BundleError as error:
            return list_licence(BrokenBundle(bundle.folder, error))
    echo(f"{manifest.source}-{manifest.target}: {made}")
    for file in manifest.files.values():
        echo(f"  {file.path}  {file.sha256}")
    return True


def add_to(app: typer.Typer) -> None:
    """Add the commands to `dragoman models`, which lists by itself too."""
    app.callback()(models)
    app.command("list")(list_bundles)
