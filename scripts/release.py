#!/usr/bin/env python3
"""Everything that is published, in one folder: scripts/release.py [--output build/release]

    *.whl, *.tar.gz     for pip          *.tgz   for npm          dragoman-BROWSER-VERSION.zip
    documentation.tar.gz                       the site
    image.tar.gz                               all that `docker build -f image/Dockerfile .` needs
    sbom-python.json, sbom-javascript.json     what users get with them, CycloneDX
    SHA256SUMS                                 of all the others

`make release` builds what is collected here. Nothing is published.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILT = (
    ("build/packages", ("*.whl", "*.tar.gz", "*.tgz")),
    ("build/extension", ("*.zip",)),
)
PACKAGES = ROOT / "build" / "packages"
IMAGE = (ROOT / ".dockerignore", ROOT / "locks" / "server.txt")
# What says when and where it was made: the same sources must give the same bytes.
PASSING = ("serialNumber", "timestamp")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "release", metavar="DIR")
    output = parser.parse_args().output
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    collect(output)
    pack(output / "documentation.tar.gz", below(ROOT / "build" / "docs"))
    pack(output / "image.tar.gz", [*below(ROOT / "image"), *IMAGE, *below(PACKAGES, "*.whl")])
    write(output / "sbom-python.json", python_sbom(output))
    write(output / "sbom-javascript.json", javascript_sbom())
    sums = "".join(f"{sha256(path)}  {path.name}\n" for path in sorted(output.iterdir()))
    (output / "SHA256SUMS").write_text(sums)
    print(sums, end="")
    return 0


def collect(output: Path) -> None:
    """Copy what was built; a pattern without a file ends the release."""
    for folder, patterns in BUILT:
        for pattern in patterns:
            built = sorted((ROOT / folder).glob(pattern))
            if not built:
                raise SystemExit(f"release: no {pattern} in {folder}: run make release")
            for path in built:
                shutil.copyfile(path, output / path.name)


def below(folder: Path, pattern: str = "*") -> list[Path]:
    """Its files, without marks of `make`."""
    files = (path for path in folder.rglob(pattern) if path.is_file() and path.name != ".ready")
    return sorted(files)


def pack(output: Path, files: Iterable[Path]) -> None:
    """Files under their paths in the checkout; nothing tells when, or by whom."""
    with (
        gzip.GzipFile(output, "wb", mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w") as tar,
    ):
        for path in files:
            entry = tarfile.TarInfo(str(path.relative_to(ROOT)))
            entry.size = path.stat().st_size
            entry.mode = 0o755 if os.access(path, os.X_OK) else 0o644
            with path.open("rb") as content:
                tar.addfile(entry, content)


def python_sbom(output: Path) -> dict[str, object]:
    """What `pip install` of the wheel brings, found by installing it, at the tested versions."""
    (wheel,) = output.glob("dragoman-*.whl")
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / "bin" / "python"
        pip = [str(python), "-m", "pip", "--disable-pip-version-check", "--quiet"]
        run(*pip, "install", "--require-hashes", "-r", ROOT / "locks" / "dragoman.txt")
        run(*pip, "install", "--no-index", wheel)
        run(*pip, "uninstall", "--yes", "setuptools", "pip")
        command = [sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible"]
        return unpassing(run(*command, "--pyproject", ROOT / "pyproject.toml", python))


def javascript_sbom() -> dict[str, object]:
    """What is bundled into the packages for npm and into the extension, of the lock file.

    `package.json` has a version only because npm asks for one here: ours is in the package.
    """
    command = ["npm", "sbom", "--sbom-format=cyclonedx", "--omit=dev", "--package-lock-only"]
    bill = unpassing(run(*command))
    # npm names what is not installed from anywhere for the folder that it lies in.
    package = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))
    metadata = bill["metadata"]
    if isinstance(metadata, dict):
        metadata["component"]["name"] = package["name"]
    return bill


def unpassing(text: str) -> dict[str, object]:
    """A bill of materials without what differs from one run to the next."""
    bill: dict[str, object] = json.loads(text)
    metadata = bill.get("metadata")
    for place in (bill, metadata if isinstance(metadata, dict) else {}):
        for name in PASSING:
            place.pop(name, None)
    return bill


def run(*command: str | Path) -> str:
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def write(path: Path, bill: dict[str, object]) -> None:
    path.write_text(json.dumps(bill, indent=1, sort_keys=True) + "\n")


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    sys.exit(main())
