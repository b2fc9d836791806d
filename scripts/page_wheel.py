"""The built page as a Python package: python -m scripts.page_wheel [--web build/web] --output DIR

    dragoman_page/__init__.py, web/...      what `make build` wrote, file by file
    entry point dragoman.page: web = dragoman_page

Its version is the program's, which it needs at that version.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from dragoman import __version__
from dragoman.native.installed import PAGE_GROUP, PAGE_PACKAGE
from scripts.data_wheel import DataWheel

ROOT = Path(__file__).resolve().parents[1]
# Of its parts: ours; the models; SentencePiece, onnxruntime-web and other libraries; Python.
LICENCE = (
    "MPL-2.0 AND CC-BY-SA-4.0 AND Apache-2.0 AND MIT AND ISC AND BSD-2-Clause AND BSD-3-Clause "
    "AND PSF-2.0 AND Zlib AND bzip2-1.0.6"
)

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
    print(wheel_of(arguments.web).build(arguments.output))
    return 0


def wheel_of(web: Path) -> DataWheel:
    """The wheel of a built page."""
    return DataWheel(
        name=PAGE_PACKAGE,
        version=__version__,
        description="The page of `dragoman serve` and `dragoman app`, for browsers",
        licence=LICENCE,
        needs=f"dragoman[server]=={__version__}",
        group=PAGE_GROUP,
        entry="web",
        docstring="The page of Dragoman. Read, not imported.",
        readme=README,
        files={"web": web},
        licences=licences_of(web),
    )


def licences_of(web: Path) -> dict[str, Path]:
    """Texts by name: the project's, the models', and those of what is packed into the page."""
    licences = {"MPL-2.0.txt": ROOT / "LICENSE"}
    licences |= {path.name: path for path in (ROOT / "models" / "LICENSES").glob("*.txt")}
    for path in sorted(web.glob("runtime/**/licenses/*")):
        if path.name in licences:
            raise SystemExit(f"page_wheel: two licences are called {path.name}")
        licences[path.name] = path
    return dict(sorted(licences.items()))


if __name__ == "__main__":
    sys.exit(main())
