"""What a run of `dragoman corpus` is about: its inputs, its settings, and the record of both.

The record is written before anything is translated; a run goes on only with what agrees with it.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from dragoman import __version__
from dragoman.corpus.shards import Model, RowFormat
from dragoman.corpus.terms import glossary_digest
from dragoman.errors import InvalidRequestError
from dragoman.native.files import COMPRESSED, part_name, reason, write_durably
from dragoman.types import Glossary

STATE = ".dragoman-corpus"
PLAN_FORMAT = 1
HASH_BYTES = 1 << 20

# Lines of a shard: seconds of work, which is what an interruption loses at most.
SHARD_LINES = 1_000


@dataclass(frozen=True, slots=True)
class CorpusInput:
    """A file to translate.

    Attributes:
        path: where it is.
        name: below the source that it was found in.
        output: of its translation below the output folder: the same without the suffix of
            compression, and with that of the format of the rows.
        bytes: its size on the disk.
        sha256: of the same.
    """

    path: Path
    name: str
    output: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class CorpusJob:
    """What is to be made of the files. A run goes on only with one that is the same.

    Attributes:
        shard_lines: lines that are translated together.
        encoding: of the input. The output is UTF-8.
        glossary: of any size; a line has its own terms only, which are within the limits.
    """

    model: Model
    rows: RowFormat = RowFormat.LINES
    encoding: str = "utf-8"
    shard_lines: int = SHARD_LINES
    glossary: Glossary | None = None

    def plan(self, inputs: Sequence[CorpusInput]) -> dict[str, Any]:
        return {
            "format": PLAN_FORMAT,
            "dragoman": __version__,
            "source": self.model.source,
            "target": self.model.target,
            "model": self.model.digest,
            "rows": str(self.rows),
            "decoding": str(self.model.decoding),
            "encoding": self.encoding,
            "shard_lines": self.shard_lines,
            "glossary": glossary_digest(self.glossary),
            "inputs": [
                {"name": file.name, "bytes": file.bytes, "sha256": file.sha256} for file in inputs
            ],
        }


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What a folder has and a run does not translate.

    Attributes:
        why: "a symbolic link to a folder", "Permission denied".
    """

    path: Path
    why: str


@dataclass(frozen=True, slots=True)
class Listing:
    """What some sources have: `inputs` in order, and what is not among them (hidden files are left
    out without a word)."""

    inputs: tuple[CorpusInput, ...]
    left_out: tuple[LeftOut, ...]


def list_inputs(sources: Sequence[Path], output: Path, rows: RowFormat) -> Listing:
    """The files of some sources, in order; of a folder, all but hidden ones, by name.

    Raises:
        InvalidRequestError: one is missing or not readable, two cannot both be written, or the
            output is inside a source.
    """
    outputs: dict[str, tuple[Path, str]] = {}
    left_out: list[LeftOut] = []
    for source in sources:
        # Of links that go in circles `Path.resolve` raises what is no error of a file.
        if Path(os.path.realpath(output)).is_relative_to(os.path.realpath(source)):
            raise InvalidRequestError(
                f"the output {output} is inside of the source {source}", path=str(output)
            )
        for path, name in _files_of(source, left_out):
            written = _output_name(name, rows)
            if written in outputs:
                raise InvalidRequestError(
                    f"{outputs[written][0]} and {path} would both be written to {written}",
                    path=str(path),
                )
            outputs[written] = path, name.as_posix()
    _check_places({written: path for written, (path, _) in outputs.items()})
    inputs = tuple(_input(path, name, written) for written, (path, name) in outputs.items())
    if not inputs:
        reasons = "".join(f"; {item.path}: {item.why}" for item in left_out)
        raise InvalidRequestError(f"there is no file to translate{reasons}")
    return Listing(inputs, tuple(left_out))


def _files_of(source: Path, left_out: list[LeftOut]) -> Iterator[tuple[Path, Path]]:
    """Files with their names below the source."""
    if not source.is_dir():
        yield source, Path(source.name)
        return

    def unread(error: OSError) -> None:
        left_out.append(LeftOut(Path(error.filename), reason(error)))

    paths: list[Path] = []
    for folder, folders, files in os.walk(source, onerror=unread):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        inside = [Path(folder, name) for name in sorted(files) if not name.startswith(".")]
        links = [Path(folder, name) for name in folders if Path(folder, name).is_symlink()]
        left_out += [LeftOut(path, "a symbolic link to a folder") for path in links]
        paths += inside
    for path in sorted(paths):
        why = _why_no_file(path)
        if why:
            left_out.append(LeftOut(path, why))
        else:
            yield path, path.relative_to(source)


def _why_no_file(path: Path) -> str:
    """Why something is not translated as a file; empty where it is one that may be read."""
    try:
        mode = path.stat().st_mode
    except OSError as error:
        return "a symbolic link to nothing" if path.is_symlink() else reason(error)
    if not stat.S_ISREG(mode):  # a pipe would be waited for
        return "not a regular file"
    try:
        path.open("rb").close()
    except OSError as error:
        return reason(error)
    return ""


def _check_places(outputs: Mapping[str, Path]) -> None:
    """No output is a folder of another one, or stands where something is written meanwhile.

    Raises:
        InvalidRequestError: one does.
    """
    places = {name: PurePosixPath(name) for name in outputs}
    taken = {place.with_name(part_name(place.name)).as_posix() for place in places.values()}
    for name, path in outputs.items():
        place = places[name]
        if place.parts[0] == STATE or name in taken:
            raise InvalidRequestError(
                f"{path} would be written to {name}, where work under way is kept", path=str(path)
            )
        for above in place.parents:
            if above.as_posix() in outputs:
                raise InvalidRequestError(
                    f"{outputs[above.as_posix()]} would be written to {above}, which {path} needs "
                    "as a folder",
                    path=str(path),
                )


def _output_name(name: Path, rows: RowFormat) -> str:
    plain = name.with_suffix("") if name.suffix.lower() in COMPRESSED else name
    return plain.as_posix() + ("" if rows is RowFormat.LINES else f".{rows}")


def _input(path: Path, name: str, output: str) -> CorpusInput:
    digest, size = hashlib.sha256(), 0
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise InvalidRequestError(f"{path} is not a regular file", path=str(path))
        with path.open("rb") as stream:
            while content := stream.read(HASH_BYTES):
                digest.update(content)
                size += len(content)
    except OSError as error:
        raise InvalidRequestError(f"{path}: {reason(error)}", path=str(path)) from error
    return CorpusInput(path, name, output, size, digest.hexdigest())


def agree(output: Path, path: Path, job: CorpusJob, inputs: Sequence[CorpusInput]) -> None:
    """Write the plan, or compare with the one that is there."""
    plan = job.plan(inputs)
    if path.exists():
        _compare(_read_plan(path), plan, output)
        return
    for there in _there_already(output, inputs):
        raise InvalidRequestError(
            f"{there} exists already; name an empty folder with --output", path=str(there)
        )
    write_durably(path, [json.dumps(plan, indent=1).encode()])


def _there_already(output: Path, inputs: Iterable[CorpusInput]) -> Iterator[Path]:
    for file in inputs:
        if (output / file.output).exists():
            yield output / file.output
        for above in PurePosixPath(file.output).parents:
            if (output / above).exists() and not (output / above).is_dir():
                yield output / above


def _read_plan(path: Path) -> dict[str, Any]:
    try:
        plan = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidRequestError(f"{path} cannot be read: {error}", path=str(path)) from error
    if not isinstance(plan, dict) or plan.get("format") != PLAN_FORMAT:
        raise InvalidRequestError(f"{path} is of another format", path=str(path))
    return plan


def _compare(begun: Mapping[str, Any], plan: Mapping[str, Any], output: Path) -> None:
    for name, value in plan.items():
        if name != "inputs" and begun.get(name) != value:
            raise InvalidRequestError(
                f"{output} was begun with another {name}: {begun.get(name) or 'none'}, now "
                f"{value or 'none'}; name another folder with --output",
                setting=name,
            )
    before = {file["name"]: file for file in begun["inputs"]}
    now = {file["name"]: file for file in plan["inputs"]}
    for name in before.keys() ^ now.keys():
        change = "is no longer among" if name in before else "is new among"
        raise InvalidRequestError(
            f"{name} {change} the inputs of what was begun in {output}", path=name
        )
    for name, file in now.items():
        if file != before[name]:
            raise changed(name, before[name]["bytes"], file["bytes"])


def changed(name: str, before: int, now: int) -> InvalidRequestError:
    return InvalidRequestError(
        f"{name} has changed since its translation was begun ({before:,} bytes then, {now:,} now);"
        " name another folder with --output",
        path=name,
        expected=before,
        found=now,
    )
