"""Model bundles: the manifest, and the check of every file against it.

A bundle is a folder with ``manifest.json`` and the files it names. Nothing is read here: hosts hand
in bytes (from a disk, a cache, a request), so the same check serves all of them.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from dragoman.errors import BundleCorruptError, BundleError
from dragoman.types import LengthReward

FORMAT = 1
MANIFEST = "manifest.json"
# Roles of what not every bundle has: the table of names, and the shortlist.
NAMES = "names"
SHORTLIST = "shortlist"

# A target of more pieces than this for each source piece is a mistake in a manifest.
MOST_TARGET_FACTOR = 100.0
MOST_LENGTH = 4.0  # of a `LengthReward`'s figures
# The largest figures that a manifest may name: what an engine could not do, or nobody would wait
# for. Those of a network are `engines.student`'s.
MOST_VOCABULARY, MOST_DIMENSION = 1 << 21, 1 << 13
MOST_SOURCE_PIECES, MOST_TARGET_EXTRA, MOST_POSITIONS = 1 << 12, 1 << 12, 1 << 16
MOST_FILE_BYTES = 4 << 30
MOST_BEAM = 16
LONGEST_NAME = 200

# Safe as a file name and as a relative address: no other folder, drive, origin or query.
_PATH = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_][A-Za-z0-9_.-]*)*")
# Safe as the name that a store has a file by. Whether it is the file's is for `verify` to say.
_SHA256 = re.compile(r"[0-9A-Za-z-]{0,64}")


@dataclass(frozen=True, slots=True)
class BundleFile:
    """A file of a bundle: `path` is relative to the manifest's folder and stays inside it."""

    path: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class ModelArchitecture:
    vocabulary_size: int
    dimension: int


@dataclass(frozen=True, slots=True)
class ModelLimits:
    """What one sentence may be.

    Attributes:
        source_pieces: longest source, EOS not counted; longer sentences are wrapped or refused.
        target_factor, target_extra: most target pieces = source pieces * factor + extra.
    """

    source_pieces: int
    target_factor: float
    target_extra: int

    @property
    def positions(self) -> int:
        """Longest row on either side, in pieces with EOS."""
        longest = int(self.source_pieces * self.target_factor) + self.target_extra
        return max(self.source_pieces + 1, longest)


@dataclass(frozen=True, slots=True)
class Manifest:
    """What ``manifest.json`` says that the pipeline needs; `data` is all of it.

    Attributes:
        good_from: least score of a sentence that is probably good, in [0, 1], as measured on
            development sets (`models.measures.reliability`); 0 where that was not done.
        beam: hypotheses that a search follows where the request names no number, 1 to 16.
        length: what a longer one of them is worth; None: nothing.
    """

    name: str
    version: str
    source: str
    target: str
    files: Mapping[str, BundleFile]
    architecture: ModelArchitecture
    limits: ModelLimits
    data: Mapping[str, object]
    good_from: float = 0.0
    beam: int = 1
    length: LengthReward | None = None

    @property
    def model(self) -> str:
        """What tells its files from those of all other models: their SHA-256."""
        return " ".join(sorted(file.sha256 for file in self.files.values()))

    def file(self, role: str) -> BundleFile:
        """The file of a role: ``graph``, ``vocabulary``, perhaps ``names``.

        Raises:
            BundleError: the manifest names none.
        """
        if role not in self.files:
            raise BundleError(f"the manifest of {self.name!r} names no {role!r} file", role=role)
        return self.files[role]


def parse_manifest(text: str) -> Manifest:
    """Read a manifest.

    Raises:
        BundleError: it is not JSON, is of another format version, lacks a field, or names a
            figure or a name that cannot be.
    """
    try:
        data = json.loads(text)
        if data["format"] != FORMAT:
            raise BundleError(
                f"the bundle has format {data['format']!r}; this version reads {FORMAT}"
            )
        return Manifest(
            name=_name(data["name"]),
            version=_name(data["version"]),
            source=_name(data["source"]),
            target=_name(data["target"]),
            files={role: _file(entry) for role, entry in data["files"].items()},
            architecture=ModelArchitecture(
                _between(1, MOST_VOCABULARY, data["architecture"]["vocabulary_size"]),
                _between(1, MOST_DIMENSION, data["architecture"]["dimension"]),
            ),
            limits=_limits(data["limits"]),
            data=data,
            good_from=_share(data.get("reliability", {}).get("good_from", 0.0)),
            beam=_between(1, MOST_BEAM, data.get("search", {}).get("beam", 1)),
            length=_length(data.get("search", {})),
        )
    except (
        ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError
    ) as error:  # fmt: skip
        raise BundleError(f"the manifest cannot be read: {error!r}") from error


def _limits(data: Mapping[str, object]) -> ModelLimits:
    limits = ModelLimits(
        _between(2, MOST_SOURCE_PIECES, data["source_pieces"]),
        _factor(data["target_factor"], MOST_TARGET_FACTOR),
        _between(0, MOST_TARGET_EXTRA, data["target_extra"]),
    )
    _between(1, MOST_POSITIONS, limits.positions)
    return limits


def _length(search: Mapping[str, object]) -> LengthReward | None:
    if "length_reward" not in search:
        return None
    reward, ratio = (search[name] for name in ("length_reward", "length_ratio"))
    return LengthReward(_factor(reward, MOST_LENGTH), _factor(ratio, MOST_LENGTH))


def _file(entry: object) -> BundleFile:
    fields = cast(Mapping[str, object], entry)
    path, sha256 = _name(fields["path"]), str(fields["sha256"])
    if not _PATH.fullmatch(path):
        raise BundleError(f"the manifest names a file outside of the bundle: {path!r}")
    if not _SHA256.fullmatch(sha256):
        raise ValueError(f"{sha256[:LONGEST_NAME]!r} is no SHA-256")
    return BundleFile(path, _between(0, MOST_FILE_BYTES, fields["bytes"]), sha256)


def _name(value: object) -> str:
    """A name as a terminal can show it."""
    text = str(value)
    if not text.isprintable() or len(text) > LONGEST_NAME:
        raise ValueError(f"{text[:LONGEST_NAME]!r} is no name")
    return text


def _between(least: int, most: int, value: object) -> int:
    number = int(str(value))
    if not least <= number <= most:
        raise ValueError(f"{number:,} is not from {least:,} to {most:,}")
    return number


def _factor(value: object, most: float) -> float:
    number = float(str(value))
    if not (math.isfinite(number) and 0 < number <= most):
        raise ValueError(f"{number:g} is no factor above 0 and up to {most:g}")
    return number


def _share(value: object) -> float:
    number = float(str(value))
    if not 0 <= number <= 1:
        raise ValueError(f"{number} is not in [0, 1]")
    return number


def verify(file: BundleFile, content: bytes) -> None:
    """Check a file against the manifest.

    Raises:
        BundleCorruptError: the size or the SHA-256 differs.
    """
    if len(content) != file.bytes:
        raise BundleCorruptError(
            f"{file.path} has {len(content):,} bytes, the manifest says {file.bytes:,}",
            path=file.path,
            expected=file.bytes,
            found=len(content),
        )
    digest = hashlib.sha256(content).hexdigest()
    if digest != file.sha256:
        raise BundleCorruptError(
            f"{file.path} has the SHA-256 {digest}, the manifest says {file.sha256}",
            path=file.path,
            expected=file.sha256,
            found=digest,
        )
