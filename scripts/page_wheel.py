#!/usr/bin/env python3
"""The built page as a Python package: scripts/page_wheel.py [--web build/web] --output DIR

    dragoman_page/__init__.py, web/...      what `make build` wrote, file by file
    entry point dragoman.page: web = dragoman_page

Its version is the program's, which it needs at that version. Equal files give equal bytes.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from hatchling.builders.wheel import WheelBuilder

from dragoman import __version__
from dragoman.native.installed import PAGE_GROUP, PAGE_PACKAGE

ROOT = Path(__file__).resolve().parents[1]
# Of its parts: ours; the models; SentencePiece, onnxruntime-web and other libraries; Python.
LICENCE = (
    "MPL-2.0 AND CC-BY-SA-4.0 AND Apache-2.0 AND MIT AND ISC AND BSD-2-Clause AND BSD-3-Clause "
    "AND PSF-2.0 AND Zlib AND bzip2-1.0.6 AND 0BSD"
)
MODULE = "dragoman_page"

PROJECT = """\
[build-system]
requires = ["hatchling==1.33.0"]
build-backend = "hatchling.build"

[project]
name = "{name}"
version = "{version}"
description = "The page of `dragoman serve` and `dragoman app`, for browsers"
readme = "README.md"
license = "{licence}"
license-files = ["licenses/*"]
requires-python = ">=3.11"
dependencies = ["dragoman[server]=={version}"]

[project.entry-points."{group}"]
web = "{module}"

[tool.hatch.build.targets.wheel]
packages = ["{module}"]
core-metadata-version = "2.4"

# Said by force: hatchling leaves out `*.pyc` else, and SentencePiece for Pyodide is such.
[tool.hatch.build.targets.wheel.force-include]
"web" = "{module}/web"
"""

README = """\
# The page of Dragoman

`dragoman serve` and `dragoman app` find it where it is installed: `pip install 'dragoman[page]'`.
Nothing of it is run by Python: it is files for browsers, the engine and the built-in models with
them. Licences of its parts are with it.
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--web", type=Path, default=ROOT / "build" / "web", metavar="DIR")
    parser.add_argument("--output", required=True, type=Path, metavar="DIR")
    arguments = parser.parse_args()
    if not (arguments.web / "index.html").is_file():
        raise SystemExit(f"page_wheel: there is no page in {arguments.web}: run make build")
    arguments.output.mkdir(parents=True, exist_ok=True)
    print(build(arguments.web, arguments.output))
    return 0


def build(web: Path, output: Path) -> Path:
    """The wheel of a built page."""
    with tempfile.TemporaryDirectory() as folder:
        project, package = Path(folder), Path(folder) / MODULE
        package.mkdir()
        shutil.copytree(web, project / "web")
        (package / "__init__.py").write_text('"""The page of Dragoman. Read, not imported."""\n')
        (project / "README.md").write_text(README)
        licences = project / "licenses"
        licences.mkdir()
        for name, path in licences_of(web).items():
            shutil.copyfile(path, licences / name)
        described = {
            "name": PAGE_PACKAGE, "version": __version__, "licence": LICENCE, "group": PAGE_GROUP,
            "module": MODULE,
        }  # fmt: skip
        (project / "pyproject.toml").write_text(PROJECT.format(**described))
        (built,) = WheelBuilder(str(project)).build(directory=str(output), versions=["standard"])
    return Path(built)


def licences_of(web: Path) -> dict[str, Path]:
    """Texts by name: the project's, the models', and those of what is packed into the page."""
    found = {"MPL-2.0.txt": ROOT / "LICENSE"}
    found |= {path.name: path for path in (ROOT / "models" / "LICENSES").glob("*.txt")}
    for path in sorted(web.glob("runtime/**/licenses/*")):
        if path.name in found:
            raise SystemExit(f"page_wheel: two licences are called {path.name}")
        found[path.name] = path
    return dict(sorted(found.items()))


if __name__ == "__main__":
    sys.exit(main())
