"""Collects what reads documents, for `web/documents.mjs`: python web/documents.py OUT.zip

The sources of libraries in plain Python, as they are installed here (`locks/` pins them),
and their licences. A browser's core has none of them before the first document comes.
"""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path, PurePosixPath

LIBRARIES = ("charset-normalizer", "justhtml", "markdown-it-py", "mdurl", "pypdf")
# Their commands and what is compiled for this machine.
LEFT_OUT = {"cli", "__main__.py"}


def files_of(library: Distribution) -> Iterator[tuple[str, Path]]:
    """Names in the archive, and files."""
    for file in sorted(library.files or ()):
        path = PurePosixPath(file)
        licence = ".dist-info" in path.parts[0] and path.stem.upper() in ("LICENSE", "COPYING")
        source = path.suffix == ".py" and not LEFT_OUT & set(path.parts)
        if licence:
            yield f"licenses/{library.name}-{path.name}", Path(str(library.locate_file(file)))
        elif source:
            yield str(path), Path(str(library.locate_file(file)))


def main(out: Path) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in LIBRARIES:
            for path, file in files_of(distribution(name)):
                archive.writestr(zipfile.ZipInfo(path), file.read_bytes())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
