"""`dragoman install-host` and `dragoman host`: the native engine for the browser extension."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Annotated

import typer

from dragoman import __version__
from dragoman.cli.console import echo, end, reported
from dragoman.cli.options import ModelFolders
from dragoman.messaging import install
from dragoman.messaging.install import Browser, HostOptions

ExtensionIds = Annotated[
    list[str] | None,
    typer.Option(
        "--extension-id",
        metavar="ID",
        help="Another extension that may use the host, such as one of your own build; may be "
        "repeated.",
    ),
]


def install_host(
    browser: Annotated[
        list[Browser] | None,
        typer.Option(help="May be repeated. Default: those that you have started once."),
    ] = None,
    extension_id: ExtensionIds = None,
    models: ModelFolders = None,
    remove: Annotated[
        bool, typer.Option("--remove", help="Remove what was written, and nothing else.")
    ] = False,
    show: Annotated[
        bool,
        typer.Option(
            "--print", help="Print what would be written where, or removed, and do nothing."
        ),
    ] = False,
) -> None:
    """Let the browser extension translate with this installation, which is faster.

    \b
    Examples:
      dragoman install-host                        (for every browser that is found)
      dragoman install-host --browser firefox
      dragoman install-host --remove

    Then switch on "Use the engine of this computer" in the extension's settings.
    """
    options = HostOptions(tuple(extension_id or ()), tuple(models or ()))
    with reported():
        if remove:
            _remove(browser or list(Browser), show)
            return
        browsers = browser or list(install.present_browsers())
        if not browsers:
            names = ", ".join(Browser)
            end(f"no browser was found; name one of {names} with --browser", 1)
        if show:
            _show(browsers, options)
            return
        install.install(browsers, options, lambda path: echo(f"written: {path}"))
        echo('Now switch on "Use the engine of this computer" in the settings of the extension.')


def _remove(browsers: list[Browser], show: bool) -> None:
    gone: list[Path] = []
    if show:
        gone = _removable(browsers)
    else:
        install.remove(browsers, gone.append)
    for path in gone:
        echo(f"{'would be removed' if show else 'removed'}: {path}")
    if not gone:
        echo("there is nothing to remove")


def _removable(browsers: list[Browser]) -> list[Path]:
    """What `install.remove` would remove."""
    manifests = {browser: install.place_of(browser).manifest for browser in Browser}
    named = [browser for browser in Browser if install._is_ours(manifests[browser])]
    gone = [manifests[browser] for browser in dict.fromkeys(browsers) if browser in named]
    launcher = install.launcher_path()
    return [*gone, launcher] if set(named) <= set(browsers) and launcher.exists() else gone


def _show(browsers: list[Browser], options: HostOptions) -> None:
    texts = {install.launcher_path(): install.launcher_text(options)}
    for one in browsers:
        texts[install.place_of(one).manifest] = install.manifest_text(one, options)
    for path, text in texts.items():
        echo(f"{path}:\n{text}")


def host(
    caller: Annotated[
        list[str] | None, typer.Argument(help="What a browser says of who calls.")
    ] = None,
    extension_id: ExtensionIds = None,
    models: ModelFolders = None,
) -> None:
    """Translate for the browser extension, on standard input and output.

    Browsers start it, by the launcher that dragoman install-host wrote. It ends with its input.
    """
    from dragoman.messaging.extension import check_caller
    from dragoman.messaging.serve import serve
    from dragoman.native.bundles import BundleSource

    # It writes no files, and who waits for its input cannot be told to leave: the signal ends it.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with reported():
        check_caller(caller or (), extension_id or ())
        # The stream is for messages alone: whatever else is printed goes where errors go.
        with os.fdopen(os.dup(1), "wb") as sink:
            os.dup2(2, 1)
            source = BundleSource(models)
            asyncio.run(serve(sys.stdin.buffer, sink, source, __version__))


def add_to(app: typer.Typer) -> None:
    """Add the commands to `dragoman`."""
    app.command("install-host")(install_host)
    app.command(hidden=True)(host)
