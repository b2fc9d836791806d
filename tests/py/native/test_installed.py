"""Models that are installed as Python packages, and what is said where there is none."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dragoman.errors import LanguagePairError
from dragoman.native.advice import advised, how_to_get
from dragoman.native.bundles import choose_bundle, search_path
from dragoman.native.installed import (
    PACKAGED,
    installed_folders,
    installed_page,
    package_of,
)
from tests.support.hosts import MakeBundle
from tests.support.paths import MODELS


@pytest.fixture
def install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make_bundle: MakeBundle
) -> Callable[..., Path]:
    """Installs a bundle as pip would; importing it fails."""
    site = tmp_path / "site"
    monkeypatch.syspath_prepend(str(site))

    def put(module: str, group: str = "dragoman.models") -> Path:
        shutil.copytree(make_bundle(module), site / module)
        (site / module / "__init__.py").write_text("raise ImportError('it was imported')")
        info = site / f"{module}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.4\nName: {module}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[{group}]\nde-en = {module}\n")
        return site / module

    return put


def test_it_is_found_and_not_imported(install: Callable[..., Path]) -> None:
    folder = install("dragoman_model_xx_yy")
    assert folder in installed_folders()
    assert folder in search_path()
    assert choose_bundle("de", "en", installed_folders()) == folder
    assert "dragoman_model_xx_yy" not in sys.modules


def test_what_was_fetched_goes_before_what_is_installed(
    install: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, store = install("dragoman_model_xx_yy"), tmp_path / "store"
    store.mkdir()
    monkeypatch.setenv("DRAGOMAN_STORE", str(store))
    path = search_path()
    assert path.index(store) < path.index(folder) < path.index(MODELS)


@pytest.mark.parametrize("damaged", [b"[console_scripts]\nno-value\n", b"\xff\xfe"])
def test_a_damaged_package_of_others_is_in_nobodys_way(
    install: Callable[..., Path], damaged: bytes
) -> None:
    """No model was found where there was one, with or without it."""
    folder, other = install("dragoman_model_xx_yy"), install("another_thing")
    info = other.with_name("another_thing-1.0.dist-info")
    (info / "entry_points.txt").write_bytes(damaged)
    assert folder in installed_folders()


def test_entry_points_of_others_and_packages_that_are_gone_are_nothing(
    install: Callable[..., Path],
) -> None:
    folder = install("another_thing", "another.group")
    gone = install("dragoman_model_xx_yy")
    shutil.rmtree(gone)
    assert not {folder, gone} & set(installed_folders())


def test_the_models_that_ship_are_the_packages() -> None:
    assert sorted(PACKAGED) == sorted(path.parent.name for path in MODELS.glob("*/manifest.json"))
    assert package_of("de-en") == "dragoman-model-de-en"


@pytest.mark.parametrize(
    ("source", "target", "advice"),
    [
        (
            "de-AT", "en",
            "pip install dragoman-model-de-en installs one; "
            "dragoman models get de-en fetches it: 25.4 MB",
        ),
        ("fr", "es", "dragoman models get fr-es fetches it (over English: fr-en, en-es): 51.6 MB"),
        ("xx", "en", ""),
    ],
)  # fmt: skip
def test_advice(source: str, target: str, advice: str) -> None:
    assert how_to_get(source, target) == advice


def test_an_error_is_advised_once() -> None:
    error = advised(LanguagePairError("xx", "en", "de-en"))
    assert error.message == "there is no model from 'xx' to 'en'; available: de-en"
    told = advised(LanguagePairError("de", "en", ""))
    assert told.message.startswith(
        "there is no model from 'de' to 'en'; available: none. pip install dragoman-model-de-en"
    )
    assert told.details == {"source": "de", "target": "en"}


def test_no_page_is_installed_here() -> None:
    assert installed_page() is None


def test_the_page_is_found_and_not_imported(install: Callable[..., Path]) -> None:
    folder = install("dragoman_page_xx", group="dragoman.page")
    assert installed_page() is None  # a package without the page
    (folder / "web").mkdir()
    (folder / "web" / "index.html").write_text("<!doctype html>")
    assert installed_page() == folder / "web"
    assert "dragoman_page_xx" not in sys.modules
