#!/usr/bin/env python3
"""Renews `locks/`: python scripts/lock.py --uv UV [--upgrade NAME... | --upgrade-all]

    locks/NAME.txt      each package that an installation takes, its version, and the SHA-256 of all
                        files of that version, for all platforms, Python 3.11 and up

One resolution of everything comes first, which the files then follow: no package has two versions
in one environment. What is locked stays as it is, unless it no longer fits or is to be upgraded.
The index is the one of pip's configuration; no file names it. It is told what has changed, also
where a version has other files than before.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOCKS = ROOT / "locks"
OLDEST = "3.11"  # Python

# What each file is made of: extras and groups of pyproject.toml.
SOURCE = "pyproject.toml"
FILES: Mapping[str, tuple[str, ...]] = {
    "dragoman": (SOURCE,),
    "server": (SOURCE, "--extra", "server"),
    "app": (SOURCE, "--extra", "app"),
    "dev": (SOURCE, "--extra", "dev"),
    "models": (SOURCE, "--extra", "models"),
    "build": ("--group", "build"),
    "tools": ("--group", "tools"),
}
# But for `page`, whose package is our own.
EVERYTHING = (SOURCE, *(word for words in FILES.values() for word in words if word != SOURCE))

HEADER = """\
# Made by `make lock` of pyproject.toml; pip install --require-hashes -r locks/{name}.txt
"""
# PyTorch is another file for each kind of accelerator, from indexes of its own, and brings other
# packages with each: who installs it chooses. `make setup-models` takes it after all else.
PYTORCH = re.compile(r"(nvidia|cuda)-|(torch|triton)$")

_PIN = re.compile(r"^(?P<name>[a-z0-9.-]+)==(?P<version>[^ ;\\]+)(?: ; (?P<marker>[^\\]+?))? ?\\?$")


@dataclass(frozen=True, slots=True)
class Pin:
    """One version of one package.

    Attributes:
        name: as PEP 503 writes it, "typing-extensions".
        marker: where it is taken, "python_full_version < '3.12'"; "" for everywhere.
        hashes: SHA-256 of the files that fit, in hexadecimal, sorted.
    """

    name: str
    version: str
    marker: str
    hashes: tuple[str, ...]

    def __str__(self) -> str:
        where = f" ; {self.marker}" if self.marker else ""
        return " \\\n    ".join(
            (f"{self.name}=={self.version}{where}", *(f"--hash=sha256:{h}" for h in self.hashes))
        )


def read_lock(text: str) -> tuple[Pin, ...]:
    """The pins of a lock file.

    Raises:
        ValueError: a line is neither a pin, nor a hash, nor a comment.
    """
    pins: list[Pin] = []
    for line in text.splitlines():
        hashed = re.fullmatch(r"    --hash=sha256:([0-9a-f]{64})(?: \\)?", line)
        pin = _PIN.match(line)
        if hashed and pins:
            last = pins[-1]
            pins[-1] = Pin(last.name, last.version, last.marker, (*last.hashes, hashed[1]))
        elif pin:
            pins.append(Pin(pin["name"], pin["version"], pin["marker"] or "", ()))
        elif line and not line.startswith("#"):
            raise ValueError(f"not a line of a lock file: {line}")
    return tuple(pins)


def changes(before: Iterable[Pin], after: Iterable[Pin]) -> list[str]:
    """What is new, gone, at another version or of other files, a line each."""
    old = {(pin.name, pin.marker): pin for pin in before}
    new = {(pin.name, pin.marker): pin for pin in after}
    told = []
    for key in sorted({*old, *new}):
        was, now = old.get(key), new.get(key)
        label = " ; ".join(part for part in key if part)
        if was is None and now is not None:
            told.append(f"+ {label} {now.version}")
        elif now is None and was is not None:
            told.append(f"- {label} {was.version}")
        elif was is not None and now is not None and was.version != now.version:
            told.append(f"  {label} {was.version} -> {now.version}")
        elif was is not None and now is not None and was.hashes != now.hashes:
            more, less = set(now.hashes) - set(was.hashes), set(was.hashes) - set(now.hashes)
            told.append(f"  {label} {now.version}: {len(more)} files more, {len(less)} less")
    return told


def without_pytorch(pins: Iterable[Pin]) -> tuple[Pin, ...]:
    """Without PyTorch and what runs it on accelerators; with what else it needs."""
    return tuple(pin for pin in pins if not PYTORCH.match(pin.name))


def configured(name: str) -> str | None:
    """A value of pip's configuration."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "config", "get"]
    for place in (f":env:.{name}", f"global.{name}"):
        done = subprocess.run([*command, place], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return done.stdout.strip()
    return None


def compiled(uv: Path, *arguments: str | Path) -> None:
    """Run `uv pip compile` with the index of pip's configuration."""
    index = configured("index-url")
    environment = {**os.environ, **({"UV_DEFAULT_INDEX": index} if index else {})}
    command: list[str | Path] = [uv, "pip", "compile", "--quiet", "--universal"]
    command += ["--python-version", OLDEST, "--no-header", "--no-annotate", "--no-emit-index-url"]
    subprocess.run(
        [*command, *arguments], cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL
    )


def resolve(uv: Path, before: Iterable[Pin], upgrade: Iterable[str], output: Path) -> None:
    """Versions of everything; what is in `before` stays where it can."""
    pinned = {(pin.name, pin.marker): without_hashes(pin) for pin in before}
    output.write_text("".join(f"{pin}\n" for pin in pinned.values()))
    compiled(uv, *EVERYTHING, *upgrade, "-o", output)


def without_hashes(pin: Pin) -> Pin:
    return Pin(pin.name, pin.version, pin.marker, ())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--uv", required=True, type=Path, help="The command.")
    parser.add_argument("--upgrade", action="append", default=[], metavar="NAME")
    parser.add_argument("--upgrade-all", action="store_true")
    arguments = parser.parse_args()
    upgrade = [part for name in arguments.upgrade for part in ("--upgrade-package", name)]
    upgrade += ["--upgrade"] if arguments.upgrade_all else []
    LOCKS.mkdir(exist_ok=True)
    before = {name: locked(name) for name in FILES}
    with tempfile.TemporaryDirectory() as folder:
        everything = Path(folder, "everything.txt")
        resolve(arguments.uv, (p for pins in before.values() for p in pins), upgrade, everything)
        for name, parts in FILES.items():
            output = Path(folder, f"{name}.txt")
            hashed = ("--generate-hashes", "--constraints", everything, "-o", output)
            compiled(arguments.uv, *parts, *hashed)
            pins = without_pytorch(read_lock(output.read_text()))
            text = HEADER.format(name=name) + "".join(f"{pin}\n" for pin in pins)
            (LOCKS / f"{name}.txt").write_text(text)
    for name in FILES:
        told = changes(before[name], locked(name))
        print(f"locks/{name}.txt: {len(told)} changes", *told, sep="\n    ")
    return 0


def locked(name: str) -> tuple[Pin, ...]:
    path = LOCKS / f"{name}.txt"
    return read_lock(path.read_text()) if path.is_file() else ()


if __name__ == "__main__":
    sys.exit(main())
