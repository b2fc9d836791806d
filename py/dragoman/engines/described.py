"""A published model as a host describes it to its engine: for whoever has the file elsewhere.

manifest, vocabularies, a way to read the file --> what the engine places, what the core needs
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from dragoman.engines.bundle import parse_manifest
from dragoman.errors import ModelFileError
from dragoman.marian.config import MarianConfig
from dragoman.marian.file import Read
from dragoman.marian.layout import ModelFile
from dragoman.marian.vocabulary import Vocabulary, vocabulary_of

# As the published models' own engine cuts sentences, and bounds translations.
LIMITS = {"source_pieces": 128, "target_factor": 2.0, "target_extra": 12}

PART = 65_536  # bytes that are read at a time: the head of a file is in few parts


@dataclass(frozen=True, slots=True)
class Described:
    """Attributes:
    manifest: JSON; what the files say is added where it was left out.
    vocabulary: of both sides, in SentencePiece's format.
    layout: JSON of a `StudentLayout`.
    positions: most pieces of a row on either side, EOS included.
    names: of each of the target's pieces, its id in the vocabulary; None: the same.
    """

    manifest: str
    vocabulary: bytes
    layout: str
    positions: int
    names: array[int] | None


def describe(
    manifest: dict[str, Any], source: bytes, target: bytes | None, read: Read, size: int
) -> Described:
    """A published model of its files.

    Args:
        manifest: `architecture` and `limits` may be missing.
        source, target: vocabularies; no target where one is shared.
        read, size: of the model file.

    Raises:
        ModelFileError: a file is damaged, of another kind of network, does not fit the others, or
            the kernel does not know such a model.
        BundleError: the manifest cannot be read.
    """
    file = ModelFile(in_parts(read, size), size)
    vocabulary = vocabulary_of(source, target, file.config)
    layout = file.layout()
    if layout is None:
        raise ModelFileError(
            "the engine does not know such a model: its weights are not int8 with activation "
            "scales, or its sizes are no multiples of 8"
        )
    facts = {"limits": LIMITS, "architecture": _architecture(file.config, vocabulary)}
    text = json.dumps(facts | manifest)
    return Described(
        text, vocabulary.model, json.dumps(asdict(layout)),
        parse_manifest(text).limits.positions, vocabulary.ids,
    )  # fmt: skip


def _architecture(config: MarianConfig, vocabulary: Vocabulary) -> dict[str, Any]:
    return asdict(config.sizes) | {"vocabulary_size": vocabulary.size}


def in_parts(read: Callable[[int, int], bytes], size: int) -> Read:
    """The same, with fewer calls: what lies near what is asked for is kept until it is next."""
    kept, first = b"", 0

    def cut(start: int, end: int) -> bytes:
        nonlocal kept, first
        if not first <= start <= end <= first + len(kept):
            kept, first = read(start, min(size, max(end, start + PART))), start
        return kept[start - first : end - first]

    return cut
