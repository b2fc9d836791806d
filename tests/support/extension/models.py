"""The built extension with a catalogue that names a publisher on loopback."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from tests.support.extension.host import BUILT
from tests.support.offering import TINY
from tests.support.published import PublishedModel, make_model
from tests.support.publisher import Publisher, catalogue_text, publish, serving

PAIRS = (("fr", "en"), ("en", "es"))


@cache
def models() -> dict[tuple[str, str], PublishedModel]:
    """Of the tiny shape; what stands beside a sentence on a page changes nothing in it."""
    return {
        pair: make_model(TINY, seed=seed, always=TINY.vocabulary_size)
        for seed, pair in enumerate(PAIRS, start=1)
    }


@contextmanager
def publisher_of_two() -> Iterator[tuple[Publisher, str]]:
    """A publisher of fr-en and en-es, of the tiny shape, and its catalogue."""
    with serving() as publisher:
        entries = [publish(publisher, pair, made) for pair, made in models().items()]
        for entry in entries:
            for file in entry["files"]:  # as the build leaves them out
                file["sources"] = [one for one in file["sources"] if one["compression"] == "gzip"]
        yield publisher, catalogue_text(entries)


def with_catalogue(browser: str, folder: Path, catalogue: str, *, given: bool = False) -> Path:
    """The extension with another catalogue.

    Args:
        given: the publisher's permission was given: no test answers Chromium's prompt.
    """
    shutil.copytree(BUILT / browser, folder)
    (folder / "models" / "published.json").write_text(catalogue)
    manifest = json.loads((folder / "manifest.json").read_text())
    policy = manifest["content_security_policy"]["extension_pages"]
    directives = policy.split("; ")
    asked = next(number for number, one in enumerate(directives) if one.startswith("connect-src"))
    directives[asked] = "connect-src 'self' http://127.0.0.1:*"
    manifest["content_security_policy"]["extension_pages"] = "; ".join(directives)
    if given:
        manifest["host_permissions"] = ["http://127.0.0.1/*"]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def packed(folder: Path) -> Path:
    """The folder as one file, which Firefox installs."""
    path = folder.with_suffix(".zip")
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted(folder.rglob("*")):
            archive.write(file, file.relative_to(folder))
    return path
