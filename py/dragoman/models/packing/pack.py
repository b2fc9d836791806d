"""Prepared data of a pair of languages in one small file, and back: `dragoman model pack`.

    b"dragoman-pack 1\\n"
    header      one line of JSON: ``meta.json`` of what is in it, and the length of each stream
    streams     vocabulary, sources, first, second, links if they go along (`streams`)
    SHA-256     of all before (`parts`)

Pairs are sorted by their first side, so that sentences that begin alike stand together; equal data
give equal bytes. Unpacked, they are a folder of prepared data of one shard, of both directions.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import CorpusError
from dragoman.models.data.batches import PreparedData, Ragged
from dragoman.models.data.prepared import open_prepared, read_meta, read_meta_of, save_ragged
from dragoman.models.packing.choice import Pairs, Ranked, epochs_for, ranked
from dragoman.models.packing.parts import DIGEST, MB, megabytes, read_parts, write_parts
from dragoman.models.packing.streams import (
    BYTES,
    PIECES,
    bytes_as_links,
    bytes_as_rows,
    expand,
    links_as_bytes,
    no_links,
    rows_as_bytes,
    squeeze,
)

MAGIC = b"dragoman-pack 1\n"
VOCABULARY, META = "vocabulary.spm", "meta.json"
ATTEMPTS = 6
ROOM, NEAR = 0.985, 0.95  # of the limit: what an estimate aims at, what is near enough
VALIDATION_ROWS = 600
TYPICAL = 0.76  # of the estimate is what lzma leaves


@dataclass(frozen=True)
class Wish:
    """What is to be packed.

    Attributes:
        limit: bytes of the file at most.
        links: whether links of words go along.
        direction: source and target; sources of pairs that train towards the other language only
            are left out. None: both directions.
        validation: texts of the two columns, to watch a training by.
    """

    limit: int
    links: bool = False
    direction: tuple[str, str] | None = None
    validation: Sequence[tuple[str, str]] = ()

    def __post_init__(self) -> None:
        if self.limit < MB // 100:
            raise CorpusError(f"a pack of {self.limit:,} bytes is too small: the least is 0.01 MB")


@dataclass(frozen=True)
class Packed:
    """What became of it: sizes in bytes; pairs of each source that are in it, of how many."""

    files: tuple[Path, ...]
    size: int
    pairs: int
    of: int
    sources: Mapping[str, tuple[int, int]]
    sha256: str

    @property
    def bytes_a_pair(self) -> float:
        return self.size / max(1, self.pairs)


def pack(
    prepared: Path,
    output: Path,
    wish: Wish,
    part_bytes: int = 0,
    say: Callable[[str], None] = lambda _: None,
) -> Packed:
    """Write prepared data as one file; as many pairs as fit, the weightiest and best first.

    Raises:
        CorpusError: the folder is no prepared data, or not of this direction, or the limit holds no
            pair of it.
    """
    meta = read_meta_of(prepared, *wish.direction) if wish.direction else read_meta(prepared)
    try:
        vocabulary = (prepared / VOCABULARY).read_bytes()
    except OSError as error:
        raise CorpusError(f"{prepared / VOCABULARY} cannot be read: {error.strerror}") from error
    pairs = read_pairs(prepared, meta)
    weights = _weights(meta, wish)
    ranking = ranked(pairs, len(weights))
    content, counts = _fitted(pairs, ranking, weights, meta, vocabulary, wish, say)
    files = write_parts(output, content, part_bytes)
    there = np.diff(ranking.starts).tolist()
    names = [row["name"] for row in meta["sources"]]
    return Packed(
        tuple(files),
        len(content) + DIGEST,
        int(counts.sum()),
        len(pairs),
        dict(zip(names, zip(counts.tolist(), there, strict=True), strict=True)),
        hashlib.sha256(content).hexdigest(),
    )


def _fitted(
    pairs: Pairs,
    ranking: Ranked,
    weights: NDArray[np.float64],
    meta: Mapping[str, Any],
    vocabulary: bytes,
    wish: Wish,
    say: Callable[[str], None],
) -> tuple[bytes, NDArray[np.int64]]:
    """The largest file within the limit that a few attempts find, and how many pairs it has."""
    best: tuple[bytes, NDArray[np.int64]] | None = None
    allowed, most = 8.0 * wish.limit * ROOM / TYPICAL, np.inf
    for _ in range(ATTEMPTS):
        counts = ranking.taken(weights, epochs_for(ranking, weights, min(allowed, most)))
        if not counts.sum():
            break
        content = _content(pairs, ranking.chosen(counts), counts, weights, meta, vocabulary, wish)
        size = len(content) + DIGEST
        say(f"{int(counts.sum()):,} of {len(pairs):,} pairs: {megabytes(size)}")
        spent = _spent(ranking, counts)
        if size <= wish.limit:
            best = content, counts
            everything = bool((counts == np.diff(ranking.starts))[weights > 0].all())
            if everything or size >= NEAR * wish.limit:
                break
        else:
            most = 0.99 * spent
        # What no pair can make smaller is set apart.
        fixed = content.index(b"\n", len(MAGIC)) + len(squeeze(vocabulary))
        allowed = spent * ROOM * (wish.limit - fixed) / (size - fixed)
    if best is None:
        raise CorpusError(
            f"{megabytes(wish.limit)} hold no pair of these data beside their vocabulary of "
            f"{megabytes(len(vocabulary))}"
        )
    return best


def _spent(ranking: Ranked, counts: NDArray[np.int64]) -> float:
    sums = np.concatenate(([0.0], np.cumsum(ranking.bits)))
    return float((sums[ranking.starts[:-1] + counts] - sums[ranking.starts[:-1]]).sum())


def _weights(meta: Mapping[str, Any], wish: Wish) -> NDArray[np.float64]:
    """Of each source, 0 where nothing of it is to be packed."""
    source = wish.direction[0] if wish.direction else None
    target = wish.direction[1] if wish.direction else None
    return np.array(
        [
            0.0
            if target is not None
            and (row.get("synthetic") == target or row.get("distilled") == source)
            else float(row["weight"])
            for row in meta["sources"]
        ]
    )


def read_pairs(prepared: Path, meta: Mapping[str, Any]) -> Pairs:
    """All shards of prepared data, in memory.

    Raises:
        CorpusError: a shard is missing or damaged.
    """
    data = open_prepared(prepared, *meta["columns"])
    shards = (
        [data]
        if isinstance(data, PreparedData)
        else [data.shard(number) for number in range(len(data.folders))]
    )
    return Pairs(
        _joined([shard.source for shard in shards]),
        _joined([shard.target for shard in shards]),
        _joined([shard.links for shard in shards]),
        np.concatenate([shard.source_of for shard in shards]).astype(np.int64),
    )


def _joined(parts: Sequence[Ragged]) -> Ragged:
    lengths = np.concatenate([part.lengths() for part in parts])
    flat = np.concatenate([np.asarray(part.flat) for part in parts])
    return Ragged(flat, np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths))))


def picked(rows: Ragged, indices: NDArray[np.int64]) -> Ragged:
    """Some rows, in the order of the indices."""
    lengths = rows.lengths()[indices]
    offsets = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths)))
    places = np.arange(int(offsets[-1])) - np.repeat(offsets[:-1], lengths)
    return Ragged(rows.flat[places + np.repeat(rows.offsets[indices], lengths)], offsets)


def _content(
    pairs: Pairs,
    chosen: NDArray[np.int64],
    counts: NDArray[np.int64],
    weights: NDArray[np.float64],
    meta: Mapping[str, Any],
    vocabulary: bytes,
    wish: Wish,
) -> bytes:
    order = np.array(sorted(chosen.tolist(), key=lambda n: _key(pairs, n)), dtype=np.int64)
    parts = [
        (vocabulary, BYTES),
        (pairs.source_of[order].astype("<u2").tobytes(), BYTES),
        (rows_as_bytes(picked(pairs.first, order)), PIECES),
        (rows_as_bytes(picked(pairs.second, order)), PIECES),
    ]
    if wish.links:
        parts.append((links_as_bytes(picked(pairs.links, order)), BYTES))
    with ThreadPoolExecutor() as threads:  # lzma leaves the interpreter to others
        streams = list(threads.map(lambda part: squeeze(*part), parts))
    header = {
        "meta": _meta(meta, counts, weights, wish),
        "streams": [len(stream) for stream in streams],
    }
    line = json.dumps(header, ensure_ascii=False, sort_keys=True).encode() + b"\n"
    return b"".join((MAGIC, line, *streams))


def _key(pairs: Pairs, number: int) -> tuple[bytes, bytes, bytes, int]:
    return (
        pairs.first.row(number).astype(">u2").tobytes(),
        pairs.second.row(number).astype(">u2").tobytes(),
        pairs.links.row(number).tobytes(),
        int(pairs.source_of[number]),
    )


def _meta(
    meta: Mapping[str, Any],
    counts: NDArray[np.int64],
    weights: NDArray[np.float64],
    wish: Wish,
) -> dict[str, Any]:
    """``meta.json`` of what is packed: a source of which a part is taken weighs more."""
    rows = []
    for row, count, weight in zip(meta["sources"], counts.tolist(), weights.tolist(), strict=True):
        kept = {name: value for name, value in row.items() if name != "dropped"}
        before = int(row["pairs"])
        if count < before:
            kept["weight"] = weight * before / count if count else 0.0
        rows.append({**kept, "pairs": count, "pairs_before": before})
    left_out = {"sources", "shards", "lengths", "dropped"}
    return {
        **{name: value for name, value in meta.items() if name not in left_out},
        "pairs": int(counts.sum()),
        "pairs_before": int(meta["pairs"]),
        "sources": rows,
        "packed_links": wish.links,
        "packed_direction": list(wish.direction or ()),
        "validation": [list(row) for row in wish.validation],
    }


@dataclass(frozen=True)
class Opened:
    """A pack in memory.

    Attributes:
        meta: as in ``meta.json``.
        sha256: of the pack, which tells it from others.
    """

    meta: dict[str, Any]
    vocabulary: bytes
    pairs: Pairs
    sha256: str


def open_pack(path: Path) -> Opened:
    """Read a pack, whole or in parts.

    Raises:
        CorpusError: it is missing, damaged, or no pack.
    """
    content = read_parts(path)
    if not content.startswith(MAGIC):
        raise CorpusError(f"{path} is no pack of this program")
    start = content.find(b"\n", len(MAGIC)) + 1
    try:
        header = json.loads(content[len(MAGIC) : start])
        ends = np.cumsum([0, *header["streams"]]) + start
        streams = [expand(content[a:b]) for a, b in pairwise(ends.tolist())]
        vocabulary, sources, first_bytes, second_bytes, *rest = streams
        meta = dict(header["meta"])
        first, second = bytes_as_rows(first_bytes), bytes_as_rows(second_bytes)
        links = bytes_as_links(rest[0]) if rest else no_links(len(first))
        pairs = Pairs(first, second, links, np.frombuffer(sources, "<u2").astype(np.int64))
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise CorpusError(f"{path} is damaged: {error}") from error
    if not len(first) == len(second) == len(links) == len(pairs) == meta["pairs"]:
        raise CorpusError(f"{path} is damaged: its streams are not of the same pairs")
    return Opened(meta, vocabulary, pairs, hashlib.sha256(content).hexdigest())


def unpack(path: Path, folder: Path) -> Opened:
    """Make a folder of prepared data of a pack.

    Raises:
        CorpusError: as `open_pack`; or the folder holds something else.
    """
    opened = open_pack(path)
    if (folder / META).exists() and read_meta(folder).get("pack") != opened.sha256:
        raise CorpusError(f"{folder} holds other prepared data; take another folder")
    write_prepared(folder, opened.pairs, {**opened.meta, "pack": opened.sha256}, opened.vocabulary)
    return opened


def write_prepared(folder: Path, pairs: Pairs, meta: Mapping[str, Any], vocabulary: bytes) -> None:
    """Prepared data of one shard; ``meta.json`` is last, so that it tells that all are there."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("first", "second", "links"):
        save_ragged(getattr(pairs, name), folder / name)
    small = np.uint8 if len(meta["sources"]) <= 256 else np.uint16
    np.save(folder / "sources.npy", pairs.source_of.astype(small))
    (folder / VOCABULARY).write_bytes(vocabulary)
    text = json.dumps(meta, ensure_ascii=False, indent=1)
    (folder / META).write_text(text, encoding="utf-8")
