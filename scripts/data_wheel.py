"""Wheels of files that Python never runs: a model (model_wheel.py), the page (page_wheel.py).

    MODULE/__init__.py, files...      read as a folder, never imported (dragoman.native.installed)
    entry point GROUP: ENTRY = MODULE
    licences in the metadata

Equal files give equal bytes.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hatchling.builders.wheel import WheelBuilder

# Said by force: hatchling leaves out `*.pyc` else, and SentencePiece for Pyodide is such.
PROJECT = """\
[build-system]
requires = ["hatchling==1.33.0"]
build-backend = "hatchling.build"

[project]
name = "{wheel.name}"
version = "{wheel.version}"
description = "{wheel.description}"
readme = "README.md"
license = "{wheel.licence}"
license-files = ["licenses/*"]
requires-python = ">=3.11"
dependencies = ["{wheel.needs}"]

[project.entry-points."{wheel.group}"]
{wheel.entry} = "{wheel.module}"

[tool.hatch.build.targets.wheel]
packages = ["{wheel.module}"]
core-metadata-version = "2.4"

[tool.hatch.build.targets.wheel.force-include]
"files" = "{wheel.module}"
"""


@dataclass(frozen=True)
class DataWheel:
    """A package of files, and how it is found.

    Attributes:
        licence: an SPDX expression.
        needs: the requirement of the program that reads it.
        group, entry: its entry point.
        docstring: what its `__init__.py` says, in one line.
        readme: Markdown, what an index shows.
        files: by their place in the package; a folder stands for all that is in it.
        licences: their texts, by name.
    """

    name: str
    version: str
    description: str
    licence: str
    needs: str
    group: str
    entry: str
    docstring: str
    readme: str
    files: Mapping[str, Path]
    licences: Mapping[str, Path]

    @property
    def module(self) -> str:
        return self.name.replace("-", "_")

    def build(self, output: Path) -> Path:
        """The file, in a folder that is made if need be."""
        output.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as folder:
            project = Path(folder)
            for part in (self.module, "files", "licenses"):
                (project / part).mkdir()
            (project / "pyproject.toml").write_text(PROJECT.format(wheel=self))
            (project / "README.md").write_text(self.readme)
            (project / self.module / "__init__.py").write_text(f'"""{self.docstring}"""\n')
            for name, path in self.files.items():
                copy = shutil.copytree if path.is_dir() else shutil.copyfile
                copy(path, project / "files" / name)
            for name, path in self.licences.items():
                shutil.copyfile(path, project / "licenses" / name)
            builder = WheelBuilder(str(project))
            (built,) = builder.build(directory=str(output), versions=["standard"])
        return Path(built)
