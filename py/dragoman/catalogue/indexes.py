"""A newer catalogue, from what the publisher lists; and what is different in it.

    index A (the bucket's models.json)    hashes of model files only; scores, states
    index B (Remote Settings, version 2)  hashes of every file, packed and unpacked

A direction of which an index does not say enough keeps what the older catalogue knows of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from dragoman.catalogue.models import (
    LEX,
    MODEL,
    SCORED_BY,
    SCORED_ON,
    SOURCE_VOCAB,
    TARGET_VOCAB,
    VOCAB,
    Catalogue,
    PublishedFile,
    PublishedModel,
    Source,
)
from dragoman.errors import StoreError

ATTACHMENTS = "https://firefox-settings-attachments.cdn.mozilla.net"
# Index A's names of tags and of files.
TAGS = {"zh": "zh-Hans", "zh_hant": "zh-Hant"}
TYPES = {
    "model": MODEL,
    "lexicalShortlist": LEX,
    "vocab": VOCAB,
    "srcVocab": SOURCE_VOCAB,
    "trgVocab": TARGET_VOCAB,
}
RELEASED = ("Release", "Release Android")
MAJOR = "3."  # versions of index B whose files this program reads
# Where there are several: the smaller one that is nearly as good.
PREFERENCE = ("base-memory", "tiny", "base")


@dataclass(frozen=True, slots=True)
class Difference:
    """What a newer catalogue has that is different.

    Attributes:
        kind: "new", "changed" or "gone".
        left_out: why an index's model could not be taken, for kind "left out".
    """

    kind: str
    pair: str
    what: str


def update(older: Catalogue, text: str, date: str) -> tuple[Catalogue, list[Difference]]:
    """A catalogue of an index of either kind, and how it differs from an older one.

    Args:
        text: the index: JSON.
        date: of the new catalogue, YYYY-MM-DD.

    Raises:
        StoreError: it is neither index.
    """
    try:
        data = json.loads(text)
        if isinstance(data, dict) and "baseUrl" in data:
            models, left = _index_a(data, older)
        elif isinstance(data, dict) and isinstance(
            records := data.get("data", data.get("changes")), list
        ):
            models, left = _index_b(records, older), []
        else:
            raise StoreError("this is neither of the publisher's indexes")
    except (
        ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError
    ) as error:  # fmt: skip
        raise StoreError(f"the index cannot be read: {error!r}") from error
    merged = {model.pair: model for model in older.models} | {m.pair: m for m in models}
    newer = replace(older, generated=date, models=tuple(merged[pair] for pair in sorted(merged)))
    return newer, [*differences(older, newer), *left]


def differences(older: Catalogue, newer: Catalogue) -> list[Difference]:
    """Direction by direction."""
    before = {model.pair: model for model in older.models}
    after = {model.pair: model for model in newer.models}
    changes = [Difference("gone", pair, "") for pair in before.keys() - after.keys()]
    for pair, model in after.items():
        old = before.get(pair)
        if old is None:
            changes.append(Difference("new", pair, f"{model.id}, {model.download / 1e6:.1f} MB"))
        elif old != model:
            changes.append(Difference("changed", pair, _change(old, model)))
    return sorted(changes, key=lambda difference: difference.pair)


def _change(old: PublishedModel, new: PublishedModel) -> str:
    hashes = [{file.sha256: file.type for file in model.files} for model in (old, new)]
    files = sorted(hashes[1][sha256] for sha256 in hashes[1].keys() - hashes[0].keys())
    if files:
        return f"{old.id} to {new.id}: new {', '.join(files)}"
    return f"{new.id}: the same files, other facts"


# --- index B -------------------------------------------------------------------------------------


def _index_b(records: Iterable[Mapping[str, Any]], older: Catalogue) -> list[PublishedModel]:
    groups: dict[tuple[str, str, str, str], dict[str, PublishedFile]] = {}
    for record in records:
        version = str(record["version"])
        if not version.startswith(MAJOR) or not version.removeprefix(MAJOR).isdigit():
            continue
        tags = record["sourceLanguage"], record["targetLanguage"]
        group = groups.setdefault((*tags, record["architecture"], version), {})
        group[record["fileType"]] = _file_b(record)
    known = {file.sha256: file for model in older.models for file in model.files}
    chosen: dict[str, PublishedModel] = {}
    for (source, target, architecture, version), files in groups.items():
        if MODEL not in files or not ({VOCAB, SOURCE_VOCAB} & files.keys()):
            continue  # a version that replaces some files only
        old = older.find(source, target)
        together = tuple(_merged(files[kind], known) for kind in TYPES.values() if kind in files)
        same = old is not None and old.file(MODEL) == together[0]
        model = PublishedModel(
            f"{source}-{target}/{architecture}/{files[MODEL].sha256[:12]}", source, target,
            architecture, old.status if old and same else "Release", version,
            old.score if old and same else None, older.licence, together,
        )  # fmt: skip
        if old and _rank(model)[0] > _rank(old)[0]:
            continue  # of a kind that the catalogue has a better one than
        best = chosen.get(model.pair)
        if best is None or _rank(model) < _rank(best):
            chosen[model.pair] = model
    return list(chosen.values())


def _rank(model: PublishedModel) -> tuple[int, float]:
    order = {name: number for number, name in enumerate(PREFERENCE)}
    return order.get(model.architecture, len(order)), -float(model.version or 0)


def _file_b(record: Mapping[str, Any]) -> PublishedFile:
    attachment = record["attachment"]
    packed = "zstd" if str(attachment["filename"]).endswith(".zst") else "none"
    source = Source(
        f"{ATTACHMENTS}/{attachment['location']}", packed, int(attachment["size"]),
        attachment["hash"],
    )  # fmt: skip
    return PublishedFile(
        record["fileType"], record["name"], int(record["decompressedSize"]),
        record["decompressedHash"], (source,),
    )  # fmt: skip


def _merged(file: PublishedFile, known: Mapping[str, PublishedFile]) -> PublishedFile:
    """A file with the sources that were known of the same bytes before."""
    before = known.get(file.sha256)
    if before is None:
        return file
    urls = {source.url for source in before.sources}
    more = tuple(source for source in file.sources if source.url not in urls)
    return replace(before, sources=before.sources + more)


# --- index A -------------------------------------------------------------------------------------


def _index_a(
    data: Mapping[str, Any], older: Catalogue
) -> tuple[list[PublishedModel], list[Difference]]:
    """Models whose files are all known, with new facts; of others it gives too few hashes."""
    base, models, left = str(data["baseUrl"]).rstrip("/"), [], []
    for builds in data["models"].values():
        for build in builds:
            if build.get("releaseStatus") not in RELEASED:
                continue
            source, target = (
                TAGS.get(build[k], build[k]) for k in ("sourceLanguage", "targetLanguage")
            )
            known = _known(older, source, target, build["files"]["model"]["uncompressedHash"])
            if known is None:
                why = f"{build['architecture']}: the index has no hashes of its vocabulary"
                left.append(Difference("left out", f"{source}-{target}", why))
                continue
            flores = (build.get("metrics") or {}).get(SCORED_ON) or {}
            moved = tuple(_moved(file, build["files"], base) for file in known.files)
            score = flores.get(SCORED_BY, known.score)
            models.append(replace(known, status=build["releaseStatus"], score=score, files=moved))
    return models, left


def _known(older: Catalogue, source: str, target: str, sha256: str) -> PublishedModel | None:
    model = next((m for m in older.models if (m.source, m.target) == (source, target)), None)
    file = model.file(MODEL) if model else None
    return model if file and file.sha256 == sha256 else None


def _moved(file: PublishedFile, listed: Mapping[str, Any], base: str) -> PublishedFile:
    """The same file at the address that the index gives."""
    name = next(theirs for theirs, ours in TYPES.items() if ours == file.type)
    url = f"{base}/{listed[name]['path']}"
    if any(source.url == url for source in file.sources):
        return file
    first = Source(url, "gzip", file.download)
    return replace(file, sources=(first, *file.sources))
