"""Models without a network: carried in a folder or one file, or as others pack them.

    export  models, as the store has them: files/SHA256 and fr-en/manifest.json; a folder, or a .tar
    import  that; published files, packed or not; translateLocally's archives (.tar.gz)

Everything that comes in is verified like what is fetched. Archives are unpacked by the rules of
Python's "data" filter (no absolute paths, links to the outside, devices), within limits of number
and size, into a folder that is thrown away.
"""

from __future__ import annotations

import json
import lzma
import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from dragoman.catalogue.models import (
    LEX,
    MODEL,
    SOURCE_VOCAB,
    TARGET_VOCAB,
    VOCAB,
    Catalogue,
    PublishedFile,
    PublishedModel,
)
from dragoman.engines.bundle import MANIFEST, Manifest
from dragoman.errors import ArchiveError, BundleError, FetchCorruptError, StoreError
from dragoman.native.bundles import KEPT_FILES, FoundBundle, read_manifest
from dragoman.store.manifests import NOBODY, described, plain_file
from dragoman.store.settings import plain_yaml
from dragoman.store.store import IMPORTED, NOT_RECORDED, TAG, Store, digest
from dragoman.store.unpack import unpack

# What the readers of packed archives throw, beside their own errors.
DAMAGED = (EOFError, lzma.LZMAError, zlib.error)
MOST_MEMBERS, MOST_BYTES = 10_000, 8_000_000_000  # of an archive
LARGEST_FILE = 500_000_000  # bytes of one file of a model
# Endings of archives that are not written; a folder of such a name would be taken for one.
_OTHER_ARCHIVES = (".gz", ".tgz", ".xz", ".txz", ".bz2", ".zst", ".zip", ".7z")
SETTINGS = "config.intgemm8bitalpha.yml"  # of translateLocally's archives
FACTS = "model_info.json"


# --- out -----------------------------------------------------------------------------------------


def export(store: Store, bundles: Sequence[FoundBundle], target: Path) -> int:
    """Write models to a folder, or to one file if its name ends in .tar; returns its bytes.

    Raises:
        StoreError: a file of a model is damaged or missing, or the target is an archive of another
            kind.
    """
    chosen = {
        file.sha256: store.path(file.sha256)
        for bundle in bundles
        for file in bundle.manifest.files.values()
    }
    for sha256, path in chosen.items():
        if not path.is_file() or digest(path) != sha256:
            raise StoreError(f"{path} is damaged or missing: dragoman models verify says more")
    names = {path: f"{KEPT_FILES}/{sha256}" for sha256, path in chosen.items()}
    names |= {b.folder / MANIFEST: f"{b.folder.name}/{MANIFEST}" for b in bundles}
    if target.suffix == ".tar":
        _write_tar(names, target)
    elif target.suffix.lower() in _OTHER_ARCHIVES and not target.is_dir():
        raise StoreError(
            f"{target}: models are written to a folder, or to a file that ends in .tar"
        )
    else:
        for path, name in names.items():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target / name)
    return sum(path.stat().st_size for path in names)


def _write_tar(names: dict[Path, str], target: Path) -> None:
    written = target.with_name(target.name + ".part")
    try:
        with tarfile.open(written, "w") as archive:
            for path, name in sorted(names.items(), key=lambda item: item[1]):
                archive.add(path, name, recursive=False)
        written.replace(target)
    finally:
        written.unlink(missing_ok=True)  # what a full disk has of it would fill it


# --- in ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Taken:
    """A model that was taken in."""

    pair: str
    folder: Path


def take(
    store: Store, catalogue: Catalogue, paths: Iterable[Path], pair: tuple[str, str] | None = None
) -> list[Taken]:
    """Take models into the store.

    Args:
        paths: folders and archives of `export`, translateLocally's archives, published files.
        pair: the direction of published files that the catalogue does not know.

    Raises:
        ArchiveError: one of them holds no model, is damaged, or is not what it should be.
    """
    taken: list[Taken] = []
    loose: list[Path] = []
    with store.locked():
        for path in paths:
            if path.is_dir():
                taken += _folder(store, catalogue, path, pair)
            elif not path.is_file():
                raise ArchiveError(f"there is no {path}", path=str(path))
            elif _is_tar(path):
                with _unpacked_archive(path) as folder:
                    taken += _folder(store, catalogue, folder, pair)
            else:
                loose.append(path)
        if loose:
            taken += _published(store, catalogue, loose, pair)
    return taken


def direction(text: str, catalogue: Catalogue) -> tuple[str, str]:
    """Source and target of "fr-en", "zh-Hans-en" or "zh-TW:de", for models that nobody knows.

    Raises:
        StoreError: it is no direction, or may be several.
    """
    mark = ":" if ":" in text else "-"
    parts = text.replace("_", "-").split(mark)
    cuts = [(mark.join(parts[:n]), mark.join(parts[n:])) for n in range(1, len(parts))]
    splits = [split for split in cuts if all(map(TAG.fullmatch, split))]
    if len(splits) == 1:
        return splits[0]
    # Where tags come of several cuts: what is known goes first, then what is written as tags are
    # (in "zh-TW-de" TW is no language, though "tw" is one), then any tags.
    pairs = {(model.source, model.target) for model in catalogue.models}
    tags = {tag for pair in pairs for tag in pair}
    for fitting in (
        [split for split in splits if split in pairs],
        [split for split in splits if tags.issuperset(split)],
        [split for split in splits if _as_written(split)],
        [split for split in splits if _valid(split)],
    ):
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            ways = " or ".join(":".join(split) for split in fitting)
            raise StoreError(f"{text!r} may be several directions; say {ways}")
    raise StoreError(f"{text!r} is no direction such as fr-en or zh-Hans:en")


def _valid(tags: Iterable[str]) -> bool:
    from langcodes import tag_is_valid

    return all(map(tag_is_valid, tags))


def _as_written(tags: Iterable[str]) -> bool:
    from langcodes import standardize_tag

    return _valid(tags) and all(standardize_tag(tag) == tag for tag in tags)


def _is_tar(path: Path) -> bool:
    try:
        return tarfile.is_tarfile(path)
    except OSError as error:
        raise ArchiveError(f"{path}: {error.strerror or error}", path=str(path)) from error
    except DAMAGED as error:
        raise ArchiveError(f"{path} is damaged: {error}", path=str(path)) from error


@contextmanager
def _unpacked_archive(path: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="dragoman-") as name:
        folder = Path(name)
        try:
            with tarfile.open(path) as archive:
                archive.extractall(folder, _within_limits(archive, path), filter="data")
        except (tarfile.TarError, *DAMAGED, OSError, ValueError) as error:
            raise ArchiveError(f"{path} cannot be unpacked: {error}", path=str(path)) from error
        yield folder


def _within_limits(archive: tarfile.TarFile, path: Path) -> list[tarfile.TarInfo]:
    """The files and folders of an archive; what is of another kind is refused."""
    members: list[tarfile.TarInfo] = []
    total = 0
    for member in archive:
        total += member.size
        if len(members) >= MOST_MEMBERS or total > MOST_BYTES:
            raise ArchiveError(
                f"{path} holds more than {MOST_MEMBERS:,} files or {MOST_BYTES:,} bytes",
                requested=total,
                allowed=MOST_BYTES,
            )
        if not (member.isfile() or member.isdir()):
            raise ArchiveError(f"{path} holds a link or a device: {member.name!r}")
        members.append(member)
    return members


def _folder(
    store: Store, catalogue: Catalogue, folder: Path, pair: tuple[str, str] | None
) -> list[Taken]:
    """The models of a folder, whoever laid it out."""
    if (folder / KEPT_FILES).is_dir():
        return _exported(store, folder)
    settings = sorted(folder.rglob(SETTINGS))
    if settings:
        return [taken for path in settings for taken in _translate_locally(store, path, pair)]
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return _published(store, catalogue, files, pair)


def _exported(store: Store, folder: Path) -> list[Taken]:
    taken = []
    for path in sorted(folder.glob(f"*/{MANIFEST}")):
        try:
            manifest = read_manifest(path.parent)
        except BundleError as error:
            raise ArchiveError(error.message) from error
        model, origin = _described(manifest)
        for file in model.files:
            _bring(store, folder / KEPT_FILES / file.sha256, file)
        taken.append(Taken(model.pair, store.install(model, origin)))
    if not taken:
        raise ArchiveError(f"{folder} holds no models")
    return taken


def _described(manifest: Manifest) -> tuple[PublishedModel, Catalogue]:
    try:
        return described(manifest)
    except StoreError as error:
        raise ArchiveError(error.message) from error


def _file(kind: str, name: str, size: int, sha256: str) -> PublishedFile:
    try:
        return plain_file(kind, name, size, sha256)
    except StoreError as error:
        raise ArchiveError(error.message) from error


def _bring(store: Store, path: Path, file: PublishedFile) -> None:
    """A file, packed or not, into the store."""
    if store.has(file):
        return
    if not path.is_file():
        raise ArchiveError(f"{path} is missing", path=str(path))
    copy = store.partial(f"{file.sha256}.unpacked")
    try:
        unpack(path, copy, file.size, file.name)
        store.keep(copy, file)
    except FetchCorruptError as error:
        raise ArchiveError(f"{path}: {error.message}", **error.details) from error


def _published(
    store: Store,
    catalogue: Catalogue,
    paths: Sequence[Path],
    pair: tuple[str, str] | None,
) -> list[Taken]:
    """Files as they are published: known by their hashes, or one model of a given direction."""
    with tempfile.TemporaryDirectory(prefix="dragoman-") as name:
        plain = _plain(paths, Path(name))
        known = [
            model for model in catalogue.models
            if all(file.sha256 in plain for file in model.files if file.type != LEX)
        ]  # fmt: skip
        if not known and pair is None:
            names = ", ".join(path.name for path in paths)
            raise ArchiveError(
                f"the catalogue knows no model of these files ({names}); --pair fr-en says which "
                "direction they are of"
            )
        models = known or [_unknown(plain, pair or ("", ""))]
        origin = catalogue if known else NOBODY  # its publisher did not make what it does not name
        taken = []
        for model in models:
            files = tuple(file for file in model.files if file.sha256 in plain)
            for file in files:
                _bring(store, plain[file.sha256], file)
            taken.append(Taken(model.pair, store.install(replace(model, files=files), origin)))
        return taken


def _plain(paths: Sequence[Path], folder: Path) -> dict[str, Path]:
    """Unpacked copies of files, by SHA-256."""
    files_by_digest = {}
    for number, path in enumerate(paths):
        copy = folder / str(number) / path.name.removesuffix(".gz").removesuffix(".zst")
        copy.parent.mkdir()
        try:
            unpack(path, copy, LARGEST_FILE, path.name)
        except FetchCorruptError as error:
            raise ArchiveError(error.message, **error.details) from error
        files_by_digest[digest(copy)] = copy
    return files_by_digest


def _unknown(plain: dict[str, Path], pair: tuple[str, str]) -> PublishedModel:
    """A model of files that the catalogue does not know, by how they are called."""
    files = []
    for sha256, path in plain.items():
        kind = path.name.partition(".")[0]
        if kind in (MODEL, LEX, VOCAB, SOURCE_VOCAB, TARGET_VOCAB):
            files.append(_file(kind, path.name, path.stat().st_size, sha256))
    return _own(pair, files)


def _own(pair: tuple[str, str], files: Sequence[PublishedFile], name: str = "") -> PublishedModel:
    return PublishedModel(
        name or f"{pair[0]}-{pair[1]}", *pair, IMPORTED, None, None, None, NOT_RECORDED,
        tuple(files),
    )  # fmt: skip


def _translate_locally(store: Store, settings: Path, pair: tuple[str, str] | None) -> list[Taken]:
    """A model as translateLocally keeps it: settings that name the files beside them."""
    facts = _facts(settings.with_name(FACTS))
    try:
        data: Any = plain_yaml(settings.read_text(encoding="utf-8"))
        model, vocabularies = data["models"][0], data["vocabs"]
        named = [(MODEL, model), *_vocabularies(vocabularies)]
        if data.get("shortlist"):
            named.append((LEX, data["shortlist"][0]))
    except (
        yaml.YAMLError, KeyError, IndexError, TypeError, ValueError, RecursionError
    ) as error:  # fmt: skip
        raise ArchiveError(f"{SETTINGS} does not name a model: {error!r}") from error
    files = []
    for kind, name in named:
        path = settings.parent / Path(str(name)).name  # beside the settings, whatever they say
        if not path.is_file():
            raise ArchiveError(f"{SETTINGS} names {name!r}, which is not in the archive")
        files.append(_file(kind, path.name, path.stat().st_size, digest(path)))
        _bring(store, path, files[-1])
    taken = _own(pair or _direction(facts), files, str(facts.get("shortName", "")))
    origin = replace(NOBODY, home=str(facts.get("repository", "")))
    return [Taken(taken.pair, store.install(taken, origin))]


def _facts(path: Path) -> dict[str, object]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _vocabularies(names: Sequence[object]) -> list[tuple[str, object]]:
    if names[0] == names[1]:
        return [(VOCAB, names[0])]
    return [(SOURCE_VOCAB, names[0]), (TARGET_VOCAB, names[1])]


def _direction(facts: dict[str, object]) -> tuple[str, str]:
    """Of "fr-en-tiny", or of the tags that the facts give."""
    tags, target = facts.get("srcTags"), facts.get("trgTag")
    if isinstance(tags, dict) and len(tags) == 1 and isinstance(target, str):
        return str(next(iter(tags))), target
    parts = str(facts.get("shortName", "")).split("-")
    if len(parts) >= 2 and all(part.isalpha() and len(part) in (2, 3) for part in parts[:2]):
        return parts[0], parts[1]
    raise ArchiveError("the archive does not say its languages; --pair fr-en does")
