#!/usr/bin/env python3
"""Checks the browser runtime against its pins.

`wasm/verify.py [--only NAME | --wheels-only] [NODE_MODULES]`

`pinned.json` names every file of the npm packages that is served to a browser, with size and
SHA-256; `wheels/SHA256SUMS` does the same for the vendored wheel. Every mismatch is printed
(file, expected, found), then the exit status is 1; 0 means that all of them are as pinned.
`--pin` writes the sizes and hashes found into pinned.json instead (new version: edit it, then pin).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class PinnedFile:
    """A file and the SHA-256 it must have; `label` is how an error names it."""

    label: str
    path: Path
    sha256: str

    def problem(self) -> str | None:
        """Why the file is not the pinned one, or None."""
        if not self.path.is_file():
            expected = f"  expected sha256 {self.sha256}"
            return f"{self.label}: missing\n{expected}\n  found    no file {self.path}"
        digest = hashlib.sha256(self.path.read_bytes()).hexdigest()
        if digest == self.sha256:
            return None
        expected = f"  expected sha256 {self.sha256}"
        return f"{self.label}: wrong content\n{expected}\n  found    sha256 {digest}"


def npm_files(pins: dict[str, Any], node_modules: Path, only: str | None) -> Iterator[PinnedFile]:
    """The pinned files of the npm packages (of one of them, with `only`)."""
    for package in pins["npm"]:
        if only in (None, package["name"]):
            for file in package["files"]:
                label = f"{package['name']}@{package['version']} {file['path']}"
                yield PinnedFile(
                    label, node_modules / package["name"] / file["path"], file["sha256"]
                )


def wheel_files(pins: dict[str, Any], wheels: Path) -> Iterator[PinnedFile]:
    """The vendored wheels, after SHA256SUMS and after pinned.json: the two must agree."""
    for line in (wheels / "SHA256SUMS").read_text(encoding="utf-8").splitlines():
        sha256, name = line.split(maxsplit=1)
        yield PinnedFile(f"SHA256SUMS {name}", wheels / name.lstrip("*"), sha256)
    for wheel in pins["wheels"]:
        yield PinnedFile(f"pinned.json {wheel['file']}", wheels / wheel["file"], wheel["sha256"])


def pin(pins: dict[str, Any], node_modules: Path, wheels: Path) -> None:
    """Puts the sizes and hashes of the files that are there into `pins`."""
    entries = [
        (node_modules / package["name"] / file["path"], file)
        for package in pins["npm"]
        for file in package["files"]
    ] + [(wheels / wheel["file"], wheel) for wheel in pins["wheels"]]
    for path, entry in entries:
        content = path.read_bytes()
        entry |= {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("node_modules", type=Path, nargs="?", default=HERE.parent / "node_modules")
    parser.add_argument("--only", metavar="NAME", help="one npm package, and no wheel")
    parser.add_argument("--wheels-only", action="store_true", help="the wheels, and no npm package")
    parser.add_argument("--pin", action="store_true", help="write pinned.json, check nothing")
    return parser.parse_args()


def main() -> int:
    args = parse_arguments()
    pins = json.loads((HERE / "pinned.json").read_text(encoding="utf-8"))
    if args.pin:
        pin(pins, args.node_modules, HERE / "wheels")
        text = json.dumps(pins, indent=2, ensure_ascii=False) + "\n"
        (HERE / "pinned.json").write_text(text, encoding="utf-8")
        return 0
    files: list[PinnedFile] = []
    if not args.wheels_only:
        files += npm_files(pins, args.node_modules, args.only)
    if args.only is None:
        files += wheel_files(pins, HERE / "wheels")
    if not files:
        print(f"nothing is pinned under the name {args.only!r}", file=sys.stderr)
        return 1
    problems = [problem for file in files if (problem := file.problem())]
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(files) - len(problems)} of {len(files)} files as pinned")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
