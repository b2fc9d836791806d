"""Models and the page, where they were installed as Python packages.

A model's package, `dragoman-model-de-en` for one, names itself by an entry point of the group
`dragoman.models`, that of the page by one of `dragoman.page`:

    [project.entry-points."dragoman.models"]
    de-en = "dragoman_model_de_en"         the package's folder is a bundle

    [project.entry-points."dragoman.page"]
    web = "dragoman_page"                  the package's folder `web` is the built page

Nothing of it is imported: it is looked for where Python would look, and read as a folder.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from importlib.machinery import PathFinder
from importlib.metadata import EntryPoint, distributions
from pathlib import Path

from dragoman.engines.bundle import MANIFEST

GROUP = "dragoman.models"

PAGE_GROUP = "dragoman.page"
PAGE_PACKAGE = "dragoman-page"
PAGE_INDEX = "web/index.html"  # in the package's folder

HOW_TO_GET_THE_PAGE = "pip install 'dragoman[page]' installs it, --web names a built one"

# Built-in models, each in `models/` of the repository and in a package of its own.
PACKAGED = ("de-en", "en-de")


def package_of(pair: str) -> str:
    """What `pip install` takes: "dragoman-model-de-en" of "de-en"."""
    return f"dragoman-model-{pair.lower()}"


def installed_folders() -> tuple[Path, ...]:
    """The bundles of the installed packages, in the order of their names."""
    return _folders(GROUP, MANIFEST)


def installed_page() -> Path | None:
    """The folder of the page, if its package is installed."""
    folders = _folders(PAGE_GROUP, PAGE_INDEX)
    return (folders[0] / PAGE_INDEX).parent if folders else None


def _folders(group: str, file: str) -> tuple[Path, ...]:
    """Of the packages that a group names, in the order of their names: those with a file."""
    named = sorted({point.value for point in _entry_points() if point.group == group})
    return tuple(place for name in named for place in _places(name) if (place / file).is_file())


def _entry_points() -> Iterator[EntryPoint]:
    """Of all packages but those whose own cannot be read: any package may be damaged."""
    for package in distributions():
        with suppress(OSError, TypeError, ValueError):  # what Python's reader raises there
            yield from package.entry_points


def _places(package: str) -> list[Path]:
    spec = PathFinder.find_spec(package)  # What it would import, without importing it.
    places = spec.submodule_search_locations if spec else None
    return [Path(place) for place in places or ()]
