"""Writes what both sides must know alike, from Python's tables: python web/contract.py [--check]

    web/src/wire/contract.json      read by `web/src/wire/contract.ts`

Names whose set is a type in TypeScript are keys there, for a type can be made of keys alone.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dragoman import errors
from dragoman.catalogue import languages, models
from dragoman.config import Limits
from dragoman.documents import kinds
from dragoman.engines import bundle, kernel_model
from dragoman.html import tags
from dragoman.markup import html_names
from dragoman.messaging.extension import HOST
from dragoman.routing.router import PIVOT
from dragoman.store import store
from dragoman.types import Priority
from dragoman.wire import documents

ROLES = {"graph": "b", "vocabulary": "a"}
ANY_SIZE = bundle.ModelArchitecture(1, 1)
ANY_LENGTH = bundle.ModelLimits(1, 1.0, 1)
PATH = Path(__file__).parent / "src" / "wire" / "contract.json"


def contract() -> dict[str, Any]:
    """All of it, as plain data."""
    return {
        # By code; whether `details` have the figure that was asked for and the one allowed.
        "errors": {kind.code: _has_figures(kind) for kind in _wire_errors(errors.DragomanError)},
        "limits": dataclasses.asdict(Limits()),
        # From first to last.
        "priorities": {str(priority): priority.level for priority in Priority},
        # Largest file in bytes; by media type, the endings of names that say what a document is.
        "documents": {"bytes": documents.LIMITS.bytes, "mediaTypes": _media_types()},
        "pivot": PIVOT,
        "bundleFormat": bundle.FORMAT,
        "published": {
            "schema": models.SCHEMA,
            "roles": store.ROLES,
            # Languages that one model serves together.
            "together": {tag: list(parts) for tag, parts in languages.TOGETHER.items()},
        },
        # What a mini-batch chooses among at least, with a shortlist.
        "leastColumns": kernel_model.LEAST_COLUMNS,
        "modelKey": _model_key(),
        "opaque": sorted(html_names.OPAQUE),
        # Attributes that people read, and the elements on which they do; none named: any.
        "attributes": {name: sorted(holders) for name, holders in html_names.ATTRIBUTES.items()},
        "metaNames": list(tags.META_NAMES),
        "buttonTypes": list(tags.BUTTON_TYPES),
        "rightToLeft": sorted(html_names.RIGHT_TO_LEFT),
        # By which the extension asks the browser for the engine of this computer.
        "nativeHost": HOST,
    }


def _wire_errors(kind: type[errors.DragomanError]) -> Iterator[type[errors.DragomanError]]:
    """Those that a request or a bundle can meet; those of model building stay in the workshop."""
    if kind is errors.WorkshopError:
        return
    if not kind.__name__.startswith("_"):
        yield kind
    for child in kind.__subclasses__():
        if child.__module__ == errors.__name__:
            yield from _wire_errors(child)


def _media_types() -> dict[str, list[str]]:
    return {
        kinds.MEDIA_TYPES[kind]: sorted(
            end for end, named in kinds.ENDINGS.items() if named == kind
        )
        for kind in kinds.DocumentKind
    }


def _model_key() -> dict[str, Any]:
    """What sentences are kept under, worked: TypeScript makes the same before Python is there."""
    files = {role: bundle.BundleFile(role, 1, letter * 64) for role, letter in ROLES.items()}
    example = bundle.Manifest("", "", "de", "en", files, ANY_SIZE, ANY_LENGTH, {})
    return {"sha256": {role: file.sha256 for role, file in files.items()}, "key": example.model}


def _has_figures(kind: type[errors.DragomanError]) -> bool:
    return issubclass(kind, errors._LimitError | errors.NoRoomError)


def main(arguments: list[str]) -> int:
    """0; with --check: whether the file says what Python does."""
    text = json.dumps(contract(), indent=2) + "\n"
    current = PATH.read_text() if PATH.exists() else ""
    if text == current:
        return 0
    if "--check" in arguments:
        sys.stderr.write(f"{PATH.name} is out of date: run make build\n")
        return 1
    PATH.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
