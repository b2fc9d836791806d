"""Models that were installed as Python packages, `dragoman-model-de-en` for one.

Such a package names itself by an entry point of the group `dragoman.models`:

    [project.entry-points."dragoman.models"]
    de-en = "dragoman_model_de_en"         the package's folder is a bundle

Nothing of it is imported: it is looked for where Python would look, and read as a folder.
"""

from __future__ import annotations

from importlib.machinery import PathFinder
from importlib.metadata import entry_points
from pathlib import Path

from dragoman.engines.bundle import MANIFEST

GROUP = "dragoman.models"

# Built-in models, each in `models/` of the repository and in a package of its own.
PACKAGED = ("de-en", "en-de")


def package_of(pair: str) -> str:
    """What `pip install` takes: "dragoman-model-de-en" of "de-en"."""
    return f"dragoman-model-{pair.lower()}"


def installed_folders() -> tuple[Path, ...]:
    """The bundles of the installed packages, in the order of their names."""
    named = sorted({point.value for point in entry_points(group=GROUP)})
    return tuple(folder for name in named for folder in _folders(name))


def _folders(package: str) -> list[Path]:
    spec = PathFinder.find_spec(package)  # What it would import, without importing it.
    places = spec.submodule_search_locations if spec else None
    return [Path(place) for place in places or () if (Path(place) / MANIFEST).is_file()]
