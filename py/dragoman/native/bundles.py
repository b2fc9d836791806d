"""Bundles on a disk: found, checked, opened, and made into what a service is made of."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from platformdirs import user_data_path

from dragoman.catalogue.languages import closest_pair
from dragoman.config import Limits
from dragoman.engines.bundle import (
    MANIFEST,
    NAMES,
    SHORTLIST,
    Manifest,
    parse_manifest,
    verify,
)
from dragoman.errors import (
    BundleError,
    BundleMismatchError,
    BundleMissingFileError,
    LanguagePairError,
    ModelFileError,
)
from dragoman.marian.vocabulary import Vocabulary
from dragoman.native.engines import make_engine, make_published_engine
from dragoman.native.installed import installed_folders
from dragoman.native.options import check_threads
from dragoman.pipeline.pipeline import Pipeline
from dragoman.routing.registry import LoadedModel
from dragoman.text.terms.names import read_names
from dragoman.text.tokenizer import SentencePieceTokenizer
from dragoman.types import LanguagePair

if TYPE_CHECKING:  # it takes NumPy, which is imported late
    from dragoman.marian.shortlist import Shortlist

MODELS_VARIABLE = "DRAGOMAN_MODELS"
STORE_VARIABLE = "DRAGOMAN_STORE"
LONGEST_MANIFEST = 1_000_000  # bytes; ours have 5,000
KEPT_FILES = "files"  # of a store: what its models share, by SHA-256


@dataclass(frozen=True, slots=True)
class FoundBundle:
    """A folder whose manifest can be read. Its files are not checked before it is opened."""

    folder: Path
    manifest: Manifest

    @property
    def bytes(self) -> int:
        """Size of its files, as the manifest says."""
        return sum(file.bytes for file in self.manifest.files.values())


@dataclass(frozen=True, slots=True)
class BrokenBundle:
    """A folder with a manifest that cannot be read, and why."""

    folder: Path
    error: BundleError


class OpenBundle(NamedTuple):
    """A bundle whose files have been checked.

    Attributes:
        names: its table of names (`text.terms.names`); None if it has none.
    """

    manifest: Manifest
    graph: bytes
    vocabulary: bytes
    names: bytes | None = None


# What a service is made of.
Parts = LoadedModel


def search_path() -> tuple[Path, ...]:
    """Where bundles are looked for unless folders are named, those that exist, in order:

    the folders of ``$DRAGOMAN_MODELS``, the store, where `dragoman models get` puts models, the
    packages with models that are installed (`dragoman-model-de-en`), and ``models/`` of the
    repository when this is a checkout. What the user fetched goes before what is built in.

    Raises:
        BundleError: a variable names the home of a user that is not there.
    """
    named = os.environ.get(MODELS_VARIABLE, "").split(os.pathsep)
    folders = [_named_folder(MODELS_VARIABLE, name) for name in named if name]
    folders += [store_folder(), *installed_folders()]
    repository = Path(__file__).resolve().parents[3]
    if (repository / "pyproject.toml").is_file():
        folders.append(repository / "models")
    return tuple(folder for folder in dict.fromkeys(folders) if _is_so(folder.is_dir))


def store_folder() -> Path:
    """Where fetched models are kept: ``$DRAGOMAN_STORE``, or ``dragoman/models`` in the user's
    data folder. It may not exist yet.

    Raises:
        BundleError: the variable names the home of a user that is not there.
    """
    named = os.environ.get(STORE_VARIABLE)
    if named:
        return _named_folder(STORE_VARIABLE, named)
    return user_data_path("dragoman", appauthor=False) / "models"


def _named_folder(variable: str, name: str) -> Path:
    try:
        return Path(name).expanduser()
    except RuntimeError as error:
        raise BundleError(f"${variable} names {name}: there is no such home", path=name) from error


def _is_so(look: Callable[[], bool]) -> bool:
    """What `is_file` and `is_dir` of a path say; no where it cannot be looked at: without the right
    to, say. So it is from Python 3.14 on; before, they raise that."""
    try:
        return look()
    except OSError:
        return False


def find_bundles(folders: Sequence[Path] | None = None) -> tuple[FoundBundle | BrokenBundle, ...]:
    """The bundles in some folders, in order; of `search_path()` when none are named.

    A folder is a bundle itself (it has a ``manifest.json``), or holds bundles.

    Raises:
        BundleMissingFileError: a folder that was named does not exist.
    """
    for folder in folders or ():
        if not _is_so(folder.is_dir):
            raise BundleMissingFileError(f"there is no folder {folder}", path=str(folder))
    places = search_path() if folders is None else folders
    return tuple(_look_at(folder) for place in places for folder in _bundle_folders(place))


def _bundle_folders(place: Path) -> list[Path]:
    if _is_so((place / MANIFEST).is_file):
        return [place]
    try:
        return sorted(path for path in place.iterdir() if _is_so((path / MANIFEST).is_file))
    except OSError as error:
        raise BundleError(f"{place} cannot be read: {error.strerror}", path=str(place)) from error


def _look_at(folder: Path) -> FoundBundle | BrokenBundle:
    try:
        return FoundBundle(folder, read_manifest(folder))
    except BundleError as error:
        return BrokenBundle(folder, error)


def choose_bundle(source: str, target: str, folders: Sequence[Path] | None = None) -> Path:
    """The folder of the first bundle for a pair of languages.

    Raises:
        BundleError: none fits, and one that may have been meant cannot be read.
        LanguagePairError: there is none for the pair.
    """
    bundles = find_bundles(folders)
    readable = [bundle for bundle in bundles if isinstance(bundle, FoundBundle)]
    for bundle in readable:
        if (bundle.manifest.source, bundle.manifest.target) == (source, target):
            return bundle.folder
    for broken in bundles:
        meant = not readable or broken.folder.name.startswith(f"{source}-{target}")
        if isinstance(broken, BrokenBundle) and meant:
            raise broken.error
    pairs = dict.fromkeys(f"{b.manifest.source}-{b.manifest.target}" for b in readable)
    raise LanguagePairError(source, target, ", ".join(pairs))


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a bundle.

    Raises:
        BundleMissingFileError: there is none.
        BundleError: it cannot be read.
    """
    path = folder / MANIFEST
    try:
        return parse_manifest(_content(path, LONGEST_MANIFEST).decode())
    except UnicodeDecodeError as error:
        raise BundleError(f"{path} is not UTF-8", path=str(path)) from error
    except BundleMissingFileError:
        raise
    except BundleError as error:
        raise BundleError(f"{path}: {error.message}", path=str(path)) from error


def open_bundle(folder: Path) -> OpenBundle:
    """Read a bundle and check every file against the manifest.

    Raises:
        BundleMissingFileError: the manifest, or a file that it names, is not there.
        BundleCorruptError: a size or a SHA-256 differs.
        BundleError: the manifest cannot be used, or a file cannot be read.
    """
    manifest = read_manifest(folder)
    if "model" in manifest.files:
        return _graph_of_published(folder, manifest)
    names = checked_file(folder, manifest, NAMES) if NAMES in manifest.files else None
    return OpenBundle(
        manifest, checked_file(folder, manifest, "graph"),
        checked_file(folder, manifest, "vocabulary"), names,
    )  # fmt: skip


def _graph_of_published(folder: Path, manifest: Manifest) -> OpenBundle:
    """Published files are kept as they are; the graph is made of them in memory."""
    from dragoman.marian.published import graph_of

    _, model, vocabulary = _open_published(folder, manifest)
    with _fitting(folder):
        graph = graph_of(model, vocabulary, manifest.limits.positions)
    return OpenBundle(manifest, graph, vocabulary.model)


class PublishedFiles(NamedTuple):
    """Published files that have been checked, and what a tokenizer makes of the vocabularies."""

    manifest: Manifest
    model: bytes
    vocabulary: Vocabulary


def _open_published(folder: Path, manifest: Manifest) -> PublishedFiles:
    from dragoman.marian.layout import published_file
    from dragoman.marian.vocabulary import vocabulary_of

    model = checked_file(folder, manifest, "model")
    target = None
    if "target_vocabulary" in manifest.files:
        target = checked_file(folder, manifest, "target_vocabulary")
    source = checked_file(folder, manifest, "vocabulary")
    with _fitting(folder):
        vocabulary = vocabulary_of(source, target, published_file(model).config)
    return PublishedFiles(manifest, model, vocabulary)


@contextmanager
def _fitting(folder: Path) -> Iterator[None]:
    """What is wrong with published files is wrong with the bundle."""
    try:
        yield
    except ModelFileError as error:
        raise BundleMismatchError(f"{folder}: {error.message}", path=str(folder)) from error


def checked_file(folder: Path, manifest: Manifest, role: str) -> bytes:
    """A file of a bundle, checked against the manifest.

    It lies in the bundle's folder, or where a store keeps it once for several models: in ``files/``
    beside that folder, under its SHA-256.

    Raises:
        BundleMissingFileError: it is not there.
        BundleCorruptError: its size or SHA-256 differs.
        BundleError: the manifest does not name it, or it cannot be read.
    """
    file = manifest.file(role)
    kept = folder.parent / KEPT_FILES / file.sha256
    path = folder / file.path
    own = _is_so(path.is_file) or not _is_so(kept.is_file)
    content = _content(path if own else kept, file.bytes)
    verify(file, content)
    return content


def _content(path: Path, most: int) -> bytes:
    """All of a file; of one that is longer than `most`, one byte more."""
    try:
        if path.exists() and not path.is_file():  # a pipe, which would never end
            raise BundleError(f"{path} is not a regular file", path=str(path))
        with path.open("rb") as stream:
            return stream.read(most + 1)
    except FileNotFoundError as error:
        raise BundleMissingFileError(f"{path} is missing", path=str(path)) from error
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise BundleError(f"{path} cannot be read: {reason}", path=str(path)) from error


def load_parts(
    folder: Path, threads: int = 0, limits: Limits | None = None, shortlist: bool | None = None
) -> Parts:
    """The pipeline and the engine of a bundle.

    Args:
        threads: processor cores for the engine; 0 leaves the choice to it.
        shortlist: whether the engine chooses among the pieces of the model's shortlist, where it
            has one; None: where that costs next to nothing, see `takes_shortlist`.

    Raises:
        BundleError: the bundle cannot be used, see `open_bundle`.
        BundleMismatchError: the vocabulary or the shortlist does not fit the model.
        EngineError: ``$DRAGOMAN_KERNEL`` names what is not there.
    """
    manifest = read_manifest(folder)
    lists = _shortlist(folder, manifest) if takes_shortlist(manifest, shortlist) else None
    if "model" in manifest.files:
        return _load_published(folder, manifest, threads, limits, lists)
    manifest, graph, vocabulary, names = open_bundle(folder)
    pipeline = pipeline_of(manifest, vocabulary, limits, names)
    with _fitting(folder):
        return Parts(pipeline, make_engine(graph, threads, lists))


def takes_shortlist(manifest: Manifest, wanted: bool | None) -> bool:
    """Whether a model is run with its shortlist.

    Unless someone says so, not where each side has a vocabulary of its own: what is to be copied
    may be no piece of the target's then.
    """
    default = "target_vocabulary" not in manifest.files
    return SHORTLIST in manifest.files and (default if wanted is None else wanted)


def _shortlist(folder: Path, manifest: Manifest) -> Shortlist:
    from dragoman.marian.shortlist import read_shortlist

    with _fitting(folder):
        return read_shortlist(checked_file(folder, manifest, SHORTLIST), verified=True)


def _load_published(
    folder: Path,
    manifest: Manifest,
    threads: int,
    limits: Limits | None,
    shortlist: Shortlist | None,
) -> Parts:
    _, model, vocabulary = _open_published(folder, manifest)
    pipeline = pipeline_of(manifest, vocabulary.model, limits)
    positions = manifest.limits.positions
    with _fitting(folder):
        return Parts(
            pipeline, make_published_engine(model, vocabulary, positions, threads, shortlist)
        )


def pipeline_of(
    manifest: Manifest, vocabulary: bytes, limits: Limits | None, names: bytes | None = None
) -> Pipeline:
    """The stages around a model's engine, of the bytes of its vocabulary and table of names."""
    from dragoman.native.pages import PageReader  # its parser is loaded with the first model

    limits = limits or Limits()
    table = None if names is None else read_names(names)
    pages = PageReader(limits)
    return Pipeline(manifest, SentencePieceTokenizer(vocabulary), limits, pages, table)


class BundleSource:
    """The bundles of some folders, for a registry; they are looked for when first asked for.

    Args:
        folders: where to look; `search_path()` when none are named. One that does not exist is a
            `BundleMissingFileError`, whatever is asked for.
        threads: processor cores for each engine; 0 leaves the choice to it.
        shortlist: see `load_parts`.

    Raises:
        InvalidRequestError: there are no so many threads.
    """

    def __init__(
        self,
        folders: Sequence[Path] | None = None,
        threads: int = 0,
        limits: Limits | None = None,
        shortlist: bool | None = None,
    ) -> None:
        self._folders, self._threads = folders, check_threads(threads)
        self._limits = limits
        self._shortlist = shortlist
        self._known: dict[LanguagePair, FoundBundle] = {}

    @property
    def pairs(self) -> tuple[LanguagePair, ...]:
        if not self._known:
            self._look()
        return tuple(self._known)

    def closest(self, source: str, target: str) -> LanguagePair:
        """The pair as the models name it that serves a request: "de-AT" is served by "de"."""
        return LanguagePair(*closest_pair(source, target, self.pairs))

    def size(self, pair: LanguagePair) -> int:
        return self._bundle(pair).bytes

    async def load(self, pair: LanguagePair) -> Parts:
        # Cancelled, the thread goes on to its end; nobody keeps what it makes.
        return await asyncio.to_thread(self._load, pair)

    def _load(self, pair: LanguagePair) -> Parts:
        """Of the bundle that is there now: one may have come and gone since the last look."""
        folder = choose_bundle(*pair, self._folders)
        return load_parts(folder, self._threads, self._limits, self._shortlist)

    def _bundle(self, pair: LanguagePair) -> FoundBundle:
        """A bundle that is new since the last look is found too; a damaged one says so."""
        if pair not in self._known:
            choose_bundle(*pair, self._folders)
            self._look()
        return self._known[pair]

    def _look(self) -> None:
        for bundle in find_bundles(self._folders):
            if isinstance(bundle, FoundBundle):
                pair = LanguagePair(bundle.manifest.source, bundle.manifest.target)
                self._known.setdefault(pair, bundle)
