"""What a recipe says of pairs that a model made, as `dragoman model prepare` takes it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dragoman.models.data.recipe import FileSource


@dataclass(frozen=True)
class Fragment:
    """Sources for the end of a recipe.

    Attributes:
        about: how they were made, for whoever reads the recipe.
    """

    about: str
    files: Sequence[FileSource]

    def toml(self) -> str:
        """The ``[[files]]`` entries; JSON's texts are TOML's too."""
        return "\n".join([*(f"# {line}" for line in self.about.splitlines()), *self._entries()])

    def _entries(self) -> Iterable[str]:
        for file in self.files:
            paths = ", ".join(map(_text, file.paths))
            yield "[[files]]"
            yield f"name = {_text(file.name)}"
            yield f"licence = {_text(file.licence)}"
            yield f"class = {_text(file.licence_class)}"
            yield f"paths = [{paths}]"
            for key in ("synthetic", "distilled"):
                language = getattr(file, key)
                if language:
                    yield f"{key} = {_text(language)}"
            yield ""


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)
