"""`dragoman models catalogue`: a newer catalogue, of what the publisher lists."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from dragoman.catalogue.models import catalogue_data, read_catalogue
from dragoman.cli.console import echo, reported
from dragoman.cli.store import Folder, open_catalogue, open_store
from dragoman.errors import FetchNetworkError, FetchStatusError, StoreError
from dragoman.native.files import open_output
from dragoman.store.store import CATALOGUE


def catalogue(
    index: Annotated[
        str, typer.Argument(metavar="INDEX", help="The publisher's index: a file, or its address.")
    ],
    write: Annotated[bool, typer.Option("--write", help="Take it, for this user's store.")] = False,
    output: Annotated[Path | None, typer.Option("--output", help="Write it here.")] = None,
    store: Folder = None,
) -> None:
    """Make a newer catalogue of an index of the publisher, and show what is different.

    Example: dragoman models catalogue models.json --write
    """
    from dragoman.catalogue.indexes import update as newer

    with reported():
        kept = open_store(store)
        made, differences = newer(
            open_catalogue(kept), _index(index), datetime.now(UTC).date().isoformat()
        )
        content = json.dumps(catalogue_data(made), indent=1) + "\n"
        read_catalogue(content)  # one that nobody can read would take the place of one that works
        for difference in differences:
            echo(f"{difference.kind:8} {difference.pair:12} {difference.what}")
        echo(f"{len(made.models)} directions, {len(differences)} differences", err=True)
        if write:
            with kept.locked():
                part = kept.partial(CATALOGUE)
                part.write_text(content, encoding="utf-8")
                part.replace(kept.root / CATALOGUE)
        if output:
            with open_output(output) as sink:
                sink.write(content.encode())


def _index(place: str) -> str:
    """An index's text; from the network only when an address is named."""
    if not place.startswith(("http://", "https://")):
        try:
            return Path(place).read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise StoreError(f"{place} is not UTF-8") from error
    import httpx

    from dragoman.store.fetch import new_client

    with new_client() as client:
        try:
            response = client.get(place)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise FetchNetworkError(f"{place} cannot be fetched: {error}") from error
    if response.status_code != httpx.codes.OK:
        raise FetchStatusError(
            f"{place} answers {response.status_code}", status=response.status_code
        )
    return response.text


def add_to(app: typer.Typer) -> None:
    """Add the command to `dragoman models`."""
    app.command()(catalogue)
