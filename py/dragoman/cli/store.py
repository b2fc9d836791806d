"""`dragoman models ...`: published models, fetched, listed, verified and carried."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from dragoman.catalogue.languages import name_of
from dragoman.catalogue.models import (
    Catalogue,
    PublishedModel,
    catalogue_of,
)
from dragoman.cli.console import echo, echo_json, end, reported
from dragoman.cli.inputs import one_language
from dragoman.errors import (
    BundleError,
    LanguagePairError,
    SignatureError,
    StoreError,
)
from dragoman.native.advice import how_to_get
from dragoman.native.bundles import FoundBundle, find_bundles, store_folder
from dragoman.signing.bundles import check_bundle, read_trusted_keys, signed_by
from dragoman.signing.signatures import Verdict
from dragoman.store.plan import Plan, Silent, Watcher, plan
from dragoman.store.store import Damage, Store
from dragoman.store.update import Diagnosis, diagnosis, kept_models, still_there, tidy

CATALOGUE_VARIABLE = "DRAGOMAN_CATALOGUE"
SOURCE_VARIABLE = "DRAGOMAN_SOURCE"
KEYS_VARIABLE = "DRAGOMAN_TRUSTED_KEYS"

Pairs = Annotated[list[str], typer.Argument(metavar="PAIR", help="Such as fr-en, or de-fr.")]
SomePairs = Annotated[
    list[str] | None, typer.Argument(metavar="PAIR", help="Such as fr-en. Default: all.")
]
Folder = Annotated[
    Path | None,
    typer.Option(
        "--store",
        metavar="DIR",
        help="Where fetched models are kept. Default: $DRAGOMAN_STORE, or the user's data folder.",
    ),
]
Mirror = Annotated[
    str | None,
    typer.Option(
        "--source",
        metavar="URL",
        envvar=SOURCE_VARIABLE,
        help="Ask this mirror instead of the publisher: an exported folder, served; or the "
        "publisher's own layout.",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No bar, no figures.")]
Json = Annotated[bool, typer.Option("--json", help="A JSON object a line.")]


def megabytes(count: int) -> str:
    """ "25.9 MB"."""
    return f"{count / 1e6:,.1f} MB"


def open_store(folder: Path | None = None) -> Store:
    """The store that was named, or the user's."""
    return Store(folder or store_folder())


def open_catalogue(store: Store) -> Catalogue:
    """The one that ``$DRAGOMAN_CATALOGUE`` names, the store's, or the program's.

    Raises:
        StoreError: it cannot be read.
    """
    named = os.environ.get(CATALOGUE_VARIABLE)
    if not named:
        return store.catalogue()
    try:
        return catalogue_of(Path(named))
    except OSError as error:
        raise StoreError(f"{named}: {error.strerror or error}") from error


# --- progress ------------------------------------------------------------------------------------


class _Bar(Silent):
    """One bar for the whole fetch."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
            TransferSpeedColumn,
        )

        self.progress = Progress(
            TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn(),
            TimeRemainingColumn(), console=Console(stderr=True), transient=True,
        )  # fmt: skip
        self._task = self.progress.add_task("Fetching", total=None)

    def waits(self) -> None:
        self.progress.console.print("dragoman: another process fetches models; waiting for it")

    def begins(self, total: int) -> None:
        self.progress.update(self._task, total=total)

    def at(self, done: int, file: str) -> None:
        self.progress.update(self._task, completed=done, description=file)


class _Lines(Silent):
    """Without a terminal: what a log needs."""

    def waits(self) -> None:
        echo("dragoman: another process fetches models; waiting for it", err=True)


@contextmanager
def watcher(quiet: bool) -> Iterator[Watcher]:
    """Who shows a fetch: a bar on a terminal, else lines; nothing when it is to be quiet."""
    if quiet:
        yield Silent()
    elif sys.stderr is None or not sys.stderr.isatty():
        yield _Lines()
    else:
        bar = _Bar()
        with bar.progress:
            yield bar


# --- getting -------------------------------------------------------------------------------------


def chosen(catalogue: Catalogue, pairs: Sequence[str]) -> list[PublishedModel]:
    """The models of some directions, each once; over English where there is none.

    Raises:
        StoreError: a direction that no published models have.
    """
    wanted: dict[str, PublishedModel] = {}
    for pair in pairs:
        for model in catalogue.plan(*catalogue.pair(pair)):
            wanted[model.pair] = model
    return list(wanted.values())


def say_sum(pairs: Sequence[str], wanted: Plan) -> None:
    """What is going to be fetched, before it is."""
    names = ", ".join(model.pair for model in wanted.models)
    what = f"{' '.join(pairs)}: {names}" if list(pairs) != names.split(", ") else names
    if not wanted.files:
        echo(f"dragoman: {what}: all files are there", err=True)
        return
    sizes = f"{megabytes(wanted.download)} to fetch, {megabytes(wanted.room)} of room needed"
    begun = f", {megabytes(wanted.begun)} of it have come before" if wanted.begun else ""
    echo(f"dragoman: {what}: {sizes}{begun}", err=True)


def get_models(
    models: Sequence[PublishedModel],
    store: Store,
    catalogue: Catalogue,
    mirror: str | None,
    quiet: bool,
    pairs: Sequence[str] = (),
    damaged: Collection[str] = (),
) -> None:
    """Say the sum, then fetch.

    Args:
        damaged: SHA-256 of files that are fetched though they are there.

    Raises:
        StoreError: see `Getter.get`.
    """
    from dragoman.store.get import Getter  # with the HTTP client, which most commands never need

    getter = Getter(store, catalogue, mirror, damaged=damaged)
    if not quiet:
        say_sum(pairs or [model.pair for model in models], plan(models, store, damaged))
    with watcher(quiet) as shown:
        done = getter.get(models, shown)
    if not quiet and done.files:
        echo(f"dragoman: {megabytes(done.download)} fetched into {store.root}", err=True)


def fetch_missing(source: str, target: str, models: Sequence[Path] | None, quiet: bool) -> Path:
    """`translate --fetch`: the legs that are not on this machine; returns the store's folder.

    Raises:
        LanguagePairError: no published models connect the languages.
        StoreError: they cannot be fetched.
    """
    store = open_store()
    catalogue = open_catalogue(store)
    bundles = [b for b in find_bundles(models or None) if isinstance(b, FoundBundle)]
    there = {(b.manifest.source, b.manifest.target) for b in bundles}
    legs = [m for m in catalogue.plan(source, target) if (m.source, m.target) not in there]
    get_models(legs, store, catalogue, os.environ.get(SOURCE_VARIABLE) or None, quiet)
    return store.root


def advice(error: LanguagePairError, source: str, target: str) -> LanguagePairError:
    """The same error, which says what to type where the model could be had."""
    try:
        catalogue = open_catalogue(open_store())
    except StoreError:
        return error
    ways = how_to_get(source, target, catalogue)
    if "models get" in ways:
        ways += "; or say --fetch"
    return LanguagePairError(source, target, error.available, ways)


# --- commands ------------------------------------------------------------------------------------


def available(
    pairs: SomePairs = None,
    json: Json = False,
    language: Annotated[
        str | None,
        typer.Option(
            metavar="LANG",
            callback=lambda value: value and one_language(value),
            help="Of the names. Default: the user's.",
        ),
    ] = None,
    store: Folder = None,
) -> None:
    """List the published models that can be fetched; makes no request.

    Example: dragoman models available --json
    """
    with reported():
        kept = open_store(store)
        catalogue = open_catalogue(kept)
        models = chosen(catalogue, pairs) if pairs else catalogue.models
        there = {(b.manifest.source, b.manifest.target) for b in kept.models if kept.complete(b)}
        for model in models:
            have = (model.source, model.target) in there
            if json:
                echo_json(_row(model, have, language))
                continue
            names = f"{name_of(model.source, language)} to {name_of(model.target, language)}"
            score = f"COMET {model.score:.3f}" if model.score else "no score"
            state = "here" if have else ""
            size = f"{megabytes(model.download):>8}"
            line = f"{model.pair:12} {size}  {model.architecture:11} {score}  {names}  {state}"
            echo(line.rstrip())


def _row(model: PublishedModel, have: bool, language: str | None) -> dict[str, object]:
    return {
        "pair": model.pair,
        "source": model.source,
        "target": model.target,
        "names": [name_of(model.source, language), name_of(model.target, language)],
        "architecture": model.architecture,
        "download": model.download,
        "installed": model.installed,
        "comet22": model.score,
        "licence": model.licence,
        "status": model.status,
        "here": have,
    }


def get(pairs: Pairs, source: Mirror = None, store: Folder = None, quiet: Quiet = False) -> None:
    """Fetch published models; a direction without English takes both legs over it.

    \b
    Examples:
      dragoman models get fr-en de-fr
      dragoman models get en-ja --source https://mirror.example.org/models

    What is interrupted goes on where it was. Every file is verified by its SHA-256.
    """
    with reported():
        kept = open_store(store)
        catalogue = open_catalogue(kept)
        get_models(chosen(catalogue, pairs), kept, catalogue, source, quiet, pairs)


def verify(
    bundles: Annotated[
        list[Path] | None,
        typer.Argument(metavar="BUNDLE", help="Folders with a manifest. Default: the store."),
    ] = None,
    trusted_key: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            envvar=KEYS_VARIABLE,
            help="A public key of minisign; may be repeated. What none of them signed is refused. "
            "For bundles that are named.",
        ),
    ] = None,
    store: Folder = None,
    quiet: Quiet = False,
) -> None:
    """Read every file of the store, or of bundles, again: its SHA-256, and who signed it.

    \b
    Examples:
      dragoman models verify
      dragoman models verify models/de-en --trusted-key publisher.pub

    Models of the store are what the catalogue's SHA-256 says; they have no signatures.
    """
    with reported():
        if bundles:
            verify_bundles(bundles, trusted_key or (), quiet)
            return
        if trusted_key and not os.environ.get(KEYS_VARIABLE):
            raise typer.BadParameter(
                "--trusted-key is for bundles that are named; the store's models have no signatures"
            )
        kept = open_store(store)
        damages = list(kept.verify())
        say_damage(damages)
        if damages:
            how = "a damaged file is fetched anew after: dragoman models update --repair"
            if not all(damage.sha256 for damage in damages):
                how += "; a manifest is written anew after: dragoman models get PAIR"
            end(how, 1)
        if not quiet:
            echo(f"{len(kept.models)} models are whole")


def say_damage(damages: Iterable[Damage], what: str = "") -> None:
    """A line each."""
    for damage in damages:
        echo(f"dragoman: {damage.path}: {damage.reason}{what}", err=True)


def update(
    pairs: SomePairs = None,
    check: Annotated[bool, typer.Option("--check", help="Say what would be fetched.")] = False,
    repair: Annotated[
        bool, typer.Option("--repair", help="Fetch damaged files anew too; name what cannot be.")
    ] = False,
    source: Mirror = None,
    store: Folder = None,
    quiet: Quiet = False,
) -> None:
    """Fetch what has changed in the catalogue since; files that are the same stay.

    Example: dragoman models update --check

    Models that were imported, and are not the catalogue's, stay as they are.
    """
    with reported():
        kept = open_store(store)
        catalogue = open_catalogue(kept)
        there = kept_models(kept, catalogue)
        models = there.chosen(chosen(catalogue, pairs)) if pairs else list(there.models.values())
        if there.own and not (pairs or quiet):
            echo(f"dragoman: imported, stay as they are: {', '.join(sorted(there.own))}", err=True)
        if not (models or quiet):
            echo("dragoman: there is nothing to update", err=True)
        found = diagnosis(kept, models) if repair else Diagnosis()
        rest: Sequence[Damage] = found.rest
        if check:
            say_damage(found.mended, "; it would be fetched anew")
            if models:
                say_sum([model.pair for model in models], plan(models, kept, found.hashes))
        else:
            if models:
                get_models(models, kept, catalogue, source, quiet, damaged=found.hashes)
            with kept.locked():
                tidy(kept, catalogue, found.rest)
            rest = still_there(kept, found.rest)
        say_damage(rest)
        if rest:
            end("not mended: the catalogue does not have it, or not for these directions", 1)


def remove(pairs: Pairs, store: Folder = None, quiet: Quiet = False) -> None:
    """Delete models; files that another model uses stay.

    Example: dragoman models remove fr-en
    """
    with reported():
        kept = open_store(store)
        with kept.locked():
            for pair in pairs:
                freed = kept.remove(pair)
                if not quiet:
                    echo(f"dragoman: {pair} removed, {megabytes(freed)} freed", err=True)
            if not all(damage.sha256 for damage in kept.incomplete()):
                echo(
                    "dragoman: files stay while a manifest cannot be read: dragoman models verify "
                    "says which",
                    err=True,
                )


def verify_bundles(folders: Sequence[Path], keys: Sequence[Path], quiet: bool) -> None:
    """A line a bundle. Refused: a damaged one, and one that no named key has signed."""
    trusted = read_trusted_keys(keys)
    refused = 0
    for folder in folders:
        try:
            check_bundle(folder)
            signature = signed_by(folder, trusted)
        except (BundleError, SignatureError) as error:
            echo(f"dragoman: {folder}: {error.message}", err=True)
            refused += 1
            continue
        wrong = signature.verdict is Verdict.WRONG or (
            trusted and signature.verdict is not Verdict.SIGNED
        )
        refused += bool(wrong)
        if wrong or not quiet:
            echo(f"{'dragoman: ' if wrong else ''}{folder}: {signature}", err=bool(wrong))
    if refused:
        end(f"{refused} of {len(folders)} bundles are not to be trusted", 1)


def add_to(app: typer.Typer) -> None:
    """Add the commands to `dragoman models`."""
    for function in (available, get, verify, update, remove):
        app.command()(function)
