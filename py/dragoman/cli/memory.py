"""`--memory`: translations that a command was given to use again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, TypedDict

import typer

from dragoman.cli.glossary import read_glossaries
from dragoman.native.memory import TranslationMemory
from dragoman.types import Glossary
from dragoman.types import TranslationMemory as AnyMemory

MemoryFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--memory",
        metavar="FILE",
        help="Sentences that were translated before, to be taken as they are: .tsv (source, "
        "tabulator, target) or .tmx; may be repeated, the later one counts.",
    ),
]


class KnownWords(TypedDict):
    """What a translation is to make use of."""

    glossary: Glossary | None
    memory: AnyMemory | None


def known_words(
    glossaries: Sequence[Path] | None,
    kept: Sequence[str] | None,
    memories: Sequence[Path] | None,
    source: str,
    target: str,
) -> KnownWords:
    """What the files of a command say, by the names of the options of a translation."""
    return {
        "glossary": read_glossaries(glossaries, kept, source, target),
        "memory": read_memories(memories, source, target),
    }


def read_memories(files: Sequence[Path] | None, source: str, target: str) -> AnyMemory | None:
    """All of them as one memory, in which the later ones count; None if there are none."""
    if not files:
        return None
    memory = AnyMemory()
    for file in files:
        memory |= TranslationMemory.read(file, source, target)
    return memory
