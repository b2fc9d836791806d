"""What a kept model's manifest says of it, as a catalogue has it: the way back to that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from dragoman.catalogue.models import (
    FILE_NAME,
    SCORED_BY,
    SCORED_ON,
    SHA256,
    SOURCE_VOCAB,
    VOCAB,
    Catalogue,
    PublishedFile,
    PublishedModel,
    Source,
)
from dragoman.engines.bundle import Manifest
from dragoman.errors import StoreError
from dragoman.store.store import NOT_RECORDED, PUBLISHED, ROLES, from_catalogue

_TYPES = {role: kind for kind, role in ROLES.items() if kind != SOURCE_VOCAB}
NOBODY = Catalogue("", NOT_RECORDED, "", NOT_RECORDED, ())  # who published what no catalogue names


def described(manifest: Manifest) -> tuple[PublishedModel, Catalogue]:
    """The model, and the catalogue (without models) that it is of; its files have no source yet.

    Raises:
        StoreError: a file has a role, a name or a hash that no published file has.
    """
    published = manifest.data.get(PUBLISHED)
    facts = published if isinstance(published, dict) else {}
    licence = str(manifest.data.get("licence", NOT_RECORDED))
    model = PublishedModel(
        str(facts.get("id", manifest.name)), manifest.source, manifest.target,
        manifest.name.removeprefix(f"{manifest.source}-{manifest.target}-"), facts.get("status"),
        manifest.version, _comet(manifest.data.get("scores")), licence, _files(manifest),
    )  # fmt: skip
    return model, _origin(manifest, facts, licence)


def _origin(manifest: Manifest, facts: Mapping[str, object], licence: str) -> Catalogue:
    """Manifests of before the mark name the catalogue's publisher of what is nobody's."""
    if not from_catalogue(manifest) and facts.get("catalogue"):
        return replace(NOBODY, licence=licence)
    return Catalogue(
        str(facts.get("catalogue", "")), str(facts.get("publisher") or NOT_RECORDED),
        str(facts.get("home", "")), licence, (),
    )  # fmt: skip


def _files(manifest: Manifest) -> tuple[PublishedFile, ...]:
    plain = []
    for role, file in manifest.files.items():
        if role not in _TYPES:
            raise StoreError(f"{manifest.name} names a {role!r}, which is no file of a model")
        kind = _TYPES[role]
        if kind == VOCAB and "target_vocabulary" in manifest.files:
            kind = SOURCE_VOCAB
        plain.append(plain_file(kind, file.path, file.bytes, file.sha256))
    return tuple(plain)


def plain_file(kind: str, name: str, size: int, sha256: str) -> PublishedFile:
    """A file that lies there unpacked.

    Raises:
        StoreError: it has a name or a hash that cannot be one.
    """
    if not (FILE_NAME.fullmatch(name) and SHA256.fullmatch(sha256)):
        raise StoreError(f"{name!r} with the SHA-256 {sha256!r} is no file of a model")
    return PublishedFile(kind, name, size, sha256, (Source("", "none", size),))


def _comet(scores: object) -> float | None:
    scored = scores.get(SCORED_ON) if isinstance(scores, dict) else None
    value = scored.get(SCORED_BY) if isinstance(scored, dict) else None
    return value if isinstance(value, float) else None
