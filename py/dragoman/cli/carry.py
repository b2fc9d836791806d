"""`dragoman models export | mirror | import`: models carried to where there is no network."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.console import echo, end, reported
from dragoman.cli.store import (
    Folder,
    Quiet,
    SomePairs,
    chosen,
    megabytes,
    open_catalogue,
    open_store,
)
from dragoman.native.bundles import FoundBundle
from dragoman.store.store import Store


def models_in(store: Store, pairs: Sequence[str] | None) -> list[FoundBundle]:
    """The models of some directions, or all; ends the command where one is not in the store."""
    kept = {f"{b.manifest.source}-{b.manifest.target}": b for b in store.models}
    wanted = [m.pair for m in chosen(open_catalogue(store), pairs)] if pairs else list(kept)
    missing = [pair for pair in wanted if pair not in kept]
    if missing or not wanted:
        how = f"; dragoman models get {' '.join(missing or ['fr-en'])} fetches it"
        end(f"not in the store: {', '.join(missing) or 'any model'}{how}", 1)
    return [kept[pair] for pair in wanted]


def export(
    target: Annotated[Path, typer.Argument(help="A folder, or a file that ends in .tar")],
    pairs: SomePairs = None,
    store: Folder = None,
    quiet: Quiet = False,
) -> None:
    """Write fetched models to a folder or one file, for a machine without a network.

    \b
    Examples:
      dragoman models export models.tar
      dragoman models export mirror/ fr-en en-de     (a folder that a web server may serve)
    """
    from dragoman.store.carry import export as write

    with reported():
        kept = open_store(store)
        bundles = models_in(kept, pairs)
        size = write(kept, bundles, target)
        if not quiet:
            names = ", ".join(bundle.folder.name for bundle in bundles)
            echo(f"dragoman: {names}: {megabytes(size)} in {target}", err=True)


def mirror(
    target: Annotated[Path, typer.Argument(metavar="DIR", help="Made if it is not there.")],
    pairs: SomePairs = None,
    store: Folder = None,
    quiet: Quiet = False,
) -> None:
    """Lay fetched models out for browsers: a folder that any web server may serve.

    \b
    Examples:
      dragoman models mirror build/web/published        (beside the demo, which then offers them)
      dragoman models mirror /srv/models fr-en en-de    (these two, and no others)

    What the folder has already is not packed again. It serves dragoman models get --source too.
    """
    from dragoman.store.mirror import mirror as lay_out

    with reported():
        kept = open_store(store)
        size = lay_out(
            kept, models_in(kept, pairs), target,
            lambda name: None if quiet else echo(f"dragoman: packing {name}", err=True),
        )  # fmt: skip
        if not quiet:
            echo(f"dragoman: {megabytes(size)} in {target}", err=True)


def import_(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH",
            help="What export wrote; published files; translateLocally's archives (.tar.gz).",
        ),
    ],
    pair: Annotated[
        str | None,
        typer.Option(help="Direction of files that the catalogue does not know: fr-en, or fr:en."),
    ] = None,
    store: Folder = None,
    quiet: Quiet = False,
) -> None:
    """Take models in without a network.

    \b
    Examples:
      dragoman models import models.tar
      dragoman models import model.fren.intgemm.alphas.bin vocab.fren.spm lex.50.50.fren.s2t.bin
    """
    from dragoman.store.carry import direction, take

    with reported():
        kept = open_store(store)
        known = open_catalogue(kept)
        said = direction(pair, known) if pair else None
        for taken in take(kept, known, paths, said):
            if not quiet:
                echo(f"dragoman: {taken.pair} taken in: {taken.folder}", err=True)


def add_to(app: typer.Typer) -> None:
    """Add the commands to `dragoman models`."""
    for function in (export, mirror):
        app.command()(function)
    app.command("import")(import_)
