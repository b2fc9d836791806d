"""`dragoman app`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.console import end, extra, reported
from dragoman.cli.options import ModelFolders, Shortlist, Threads
from dragoman.native.files import reason
from dragoman.native.installed import HOW_TO_GET_THE_PAGE, installed_page

BUILT = Path("build", "web")


def has_display(platform: str = sys.platform) -> bool:
    """Whether there is a screen to show a window on."""
    names = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return platform != "linux" or any(os.environ.get(name) for name in names)


def open_app(
    web: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="The page, such as build/web. Default: the installed one, then build/web.",
        ),
    ] = None,
    clipboard: Annotated[
        bool, typer.Option("--clipboard", help="Translate what is in the clipboard.")
    ] = False,
    models: ModelFolders = None,
    threads: Threads = 0,
    shortlist: Shortlist = None,
) -> None:
    """Open a window that translates on this machine.

    \b
    Examples:
      dragoman app
      dragoman app --clipboard     (bind it to a key in the desktop's settings)

    Where the app runs already, its window comes to the front. Where the desktop has a tray, closing
    the window leaves the app there. It needs the extras: pip install 'dragoman[app,page]'.
    """
    with reported():
        with extra("app"):
            from dragoman.app.calls import Call
            from dragoman.app.run import run
            from dragoman.server.settings import Settings
        if not has_display():
            end("there is no display to open a window on: neither DISPLAY nor WAYLAND_DISPLAY is "
                "set. dragoman serve needs none", 1)  # fmt: skip
        page = web or installed_page() or BUILT
        if not (page / "index.html").is_file():
            end(f"there is no page in {page}: {HOW_TO_GET_THE_PAGE}", 1)
        settings = Settings(
            models=tuple(models) if models else None, web=page, threads=threads, shortlist=shortlist
        )
        try:
            code = run(settings, Call.CLIPBOARD if clipboard else Call.SHOW)
        except OSError as error:
            end(f"cannot listen at 127.0.0.1: {reason(error)}", 1)
    raise typer.Exit(code)
