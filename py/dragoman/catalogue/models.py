"""The catalogue: a model for each direction, its files with sizes, hashes and sources.

    catalogue.json, checked against schema.json --read--> Catalogue --plan(de, fr)--> de-en, en-fr

Hashes and sizes are those of the unpacked files; a source may hold them packed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from dragoman.catalogue.languages import closest
from dragoman.config import PIVOT
from dragoman.errors import LanguagePairError, StoreError

SCHEMA = 1
# What scores are of, and by which measure, in both indexes and in manifests.
SCORED_ON, SCORED_BY = "flores200-plus", "comet22"
# The kinds of file, by the names of both indexes.
MODEL, LEX, VOCAB, SOURCE_VOCAB, TARGET_VOCAB = "model", "lex", "vocab", "srcvocab", "trgvocab"
SHA256 = re.compile(r"[0-9a-f]{64}")
FILE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


@dataclass(frozen=True, slots=True)
class Source:
    """Where a file is.

    Attributes:
        compression: "gzip", "zstd" or "none".
        size: bytes to fetch.
        sha256: of those bytes, where it is known.
    """

    url: str
    compression: str
    size: int
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class PublishedFile:
    """A file of a model; size and hash are of the unpacked file.

    Attributes:
        type: "model", "lex", "vocab", "srcvocab" or "trgvocab".
    """

    type: str
    name: str
    size: int
    sha256: str
    sources: tuple[Source, ...]

    @property
    def download(self) -> int:
        """Bytes to fetch from the first source."""
        return self.sources[0].size


@dataclass(frozen=True, slots=True)
class PublishedModel:
    """A model of one direction.

    Attributes:
        id: direction, architecture, and the beginning of the model file's SHA-256.
        source, target: BCP 47 tags.
        score: COMET-22 on FLORES-200+, where it is known.
    """

    id: str
    source: str
    target: str
    architecture: str
    status: str | None
    version: str | None
    score: float | None
    licence: str
    files: tuple[PublishedFile, ...]

    @property
    def pair(self) -> str:
        return f"{self.source}-{self.target}"

    @property
    def download(self) -> int:
        return sum(file.download for file in self.files)

    @property
    def installed(self) -> int:
        return sum(file.size for file in self.files)

    def file(self, kind: str) -> PublishedFile | None:
        """Its file of a kind."""
        return next((file for file in self.files if file.type == kind), None)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Attributes:
    generated: date of its making.
    """

    generated: str
    publisher: str
    home: str
    licence: str
    models: tuple[PublishedModel, ...]

    def find(self, source: str, target: str) -> PublishedModel | None:
        """The model of a direction; tags may be narrower or wider than the model's ("de-AT")."""
        exact = self._exact(source, target)
        if exact:
            return exact
        near_source = closest(source, [model.source for model in self.models])
        near_target = closest(target, [model.target for model in self.models])
        if near_source is None or near_target is None:
            return None
        return self._exact(near_source, near_target)

    def _exact(self, source: str, target: str) -> PublishedModel | None:
        wanted = (source, target)
        return next((m for m in self.models if (m.source, m.target) == wanted), None)

    def plan(self, source: str, target: str) -> tuple[PublishedModel, ...]:
        """The models that a direction needs: one, or two over English.

        Raises:
            LanguagePairError: no published models connect the two.
        """
        direct = self.find(source, target)
        if direct:
            return (direct,)
        legs = self.find(source, PIVOT), self.find(PIVOT, target)
        # To English and back is no way from a language to itself.
        if legs[0] is None or legs[1] is None or legs[0].source == legs[1].target:
            raise LanguagePairError(source, target, f"{len(self.models)} published directions")
        return (legs[0], legs[1])

    def pair(self, text: str) -> tuple[str, str]:
        """Source and target of "fr-en" or "zh-Hans-de", in tags of the catalogue.

        Raises:
            StoreError: it is no direction that the published models know.
        """
        parts = text.replace(":", "-").replace("_", "-").split("-")
        splits = [
            ("-".join(parts[:n]), "-".join(parts[n:])) for n in range(1, len(parts))
        ]  # fmt: skip
        known = {model.source for model in self.models} | {model.target for model in self.models}
        exact = [split for split in splits if set(split) <= known]
        for source, target in [*exact, *splits]:
            try:
                models = self.plan(source, target)
            except LanguagePairError:
                continue
            return models[0].source, models[-1].target
        raise StoreError(
            f"no published models translate {text!r}; dragoman models available lists those that "
            "there are, such as fr-en"
        )


@cache
def shipped() -> Catalogue:
    """The catalogue of this version of the program."""
    return read_catalogue(files(__package__).joinpath("catalogue.json").read_text("utf-8"))


def schema() -> dict[str, Any]:
    """The JSON schema of a catalogue."""
    described: dict[str, Any] = json.loads(
        files(__package__).joinpath("schema.json").read_text("utf-8")
    )
    return described


def catalogue_of(path: Path) -> Catalogue:
    """The catalogue of a file.

    Raises:
        StoreError: the file is no catalogue; it is named.
        OSError: it cannot be opened.
    """
    try:
        return read_catalogue(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise StoreError(f"{path} is not UTF-8") from error
    except StoreError as error:
        raise StoreError(f"{path}: {error.message}") from error


def read_catalogue(text: str) -> Catalogue:
    """Read a catalogue.

    Raises:
        StoreError: it is not JSON, is of another version, or lacks a field.
    """
    try:
        data = json.loads(text)
        if data["schema"] != SCHEMA:
            raise StoreError(f"the catalogue has version {data['schema']!r}, not {SCHEMA}")
        return Catalogue(
            data["generated"], data["publisher"], data["home"], data["licence"],
            tuple(_model(entry) for entry in data["models"]),
        )  # fmt: skip
    except (
        ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError
    ) as error:  # fmt: skip
        raise StoreError(f"the catalogue cannot be read: {error!r}") from error


def _model(entry: Mapping[str, Any]) -> PublishedModel:
    score = entry[SCORED_BY]
    return PublishedModel(
        str(entry["id"]), str(entry["from"]), str(entry["to"]), str(entry["architecture"]),
        entry["status"], entry["version"], None if score is None else float(score),
        str(entry["licence"]), tuple(_file(file) for file in entry["files"]),
    )  # fmt: skip


def _file(entry: Mapping[str, Any]) -> PublishedFile:
    sources = tuple(
        Source(source["url"], source["compression"], int(source["size"]), source.get("sha256"))
        for source in entry["sources"]
    )
    if not sources:
        raise ValueError(f"{entry['name']} has no source")
    # They become paths in the store.
    if not (SHA256.fullmatch(entry["sha256"]) and FILE_NAME.fullmatch(entry["name"])):
        raise ValueError(f"{entry['name']!r} with {entry['sha256']!r} is no file")
    return PublishedFile(entry["type"], entry["name"], int(entry["size"]), entry["sha256"], sources)


def catalogue_data(catalogue: Catalogue) -> dict[str, Any]:
    """As JSON has it: the way back from `read_catalogue`."""
    return {
        "schema": SCHEMA,
        "generated": catalogue.generated,
        "publisher": catalogue.publisher,
        "licence": catalogue.licence,
        "home": catalogue.home,
        "models": [_model_data(model) for model in catalogue.models],
    }


def _model_data(model: PublishedModel) -> dict[str, Any]:
    return {
        "id": model.id, "from": model.source, "to": model.target,
        "architecture": model.architecture, "status": model.status, "version": model.version,
        SCORED_BY: model.score, "licence": model.licence,
        "files": [_file_data(file) for file in model.files],
    }  # fmt: skip


def _file_data(file: PublishedFile) -> dict[str, Any]:
    return {
        "type": file.type, "name": file.name, "size": file.size, "sha256": file.sha256,
        "sources": [
            {"url": s.url, "compression": s.compression, "size": s.size}
            | ({"sha256": s.sha256} if s.sha256 else {})
            for s in file.sources
        ],
    }  # fmt: skip


def total_download(models: Iterable[PublishedModel]) -> int:
    """Bytes to fetch for several models; a file that two of them share is fetched once."""
    return sum({file.sha256: file.download for model in models for file in model.files}.values())
