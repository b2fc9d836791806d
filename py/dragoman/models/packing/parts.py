"""A file in parts of a size that a way to another machine allows, and whole again.

``NAME`` of more than the limit becomes ``NAME.01``, ``NAME.02``, ...; whoever reads it takes what
is there. The whole ends with the SHA-256 of all before it, so that a part that is missing, damaged
or of another file is found out.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from dragoman.errors import CorpusError
from dragoman.native.files import write_durably

MB = 1_000_000
DIGEST = hashlib.sha256().digest_size


def write_parts(path: Path, content: bytes, part_bytes: int = 0) -> list[Path]:
    """Write a file, in parts where it is larger than `part_bytes` (0: never); what was written.

    Files of an earlier writing that would belong to it are removed.
    """
    whole = content + hashlib.sha256(content).digest()
    path.parent.mkdir(parents=True, exist_ok=True)
    old = found_parts(path)
    if part_bytes and len(whole) > part_bytes:
        cuts = range(0, len(whole), part_bytes)
        written = [path.with_name(f"{path.name}.{n:02}") for n in range(1, len(cuts) + 1)]
        for part, start in zip(written, cuts, strict=True):
            write_durably(part, [whole[start : start + part_bytes]])
    else:
        written = [path]
        write_durably(path, [whole])
    for one in old:
        if one not in written:
            one.unlink()
    return written


def read_parts(path: Path) -> bytes:
    """What `write_parts` was given.

    Raises:
        CorpusError: there is no such file, or it is not whole.
    """
    parts = found_parts(path)
    if not parts:
        raise CorpusError(f"{path}: there is no such file, nor parts of it ({path.name}.01, ...)")
    try:
        whole = b"".join(part.read_bytes() for part in parts)
    except OSError as error:
        raise CorpusError(f"{path} cannot be read: {error.strerror}") from error
    content, digest = whole[:-DIGEST], whole[-DIGEST:]
    if hashlib.sha256(content).digest() != digest:
        told = f"its {len(parts)} parts do" if len(parts) > 1 else "it does"
        raise CorpusError(f"{path} is damaged or not whole: {told} not match the checksum")
    return content


def found_parts(path: Path) -> list[Path]:
    """The files that a name stands for, in order: one, or its parts; none where nothing is."""
    if path.is_file():
        return [path]
    parts = [
        part
        for part in path.parent.glob(f"{path.name}.*")
        if part.suffix[1:].isdecimal() and part.stem == path.name
    ]
    return sorted(parts, key=lambda part: int(part.suffix[1:]))


def megabytes(count: int) -> str:
    """ "29.6 MB"."""
    return f"{count / MB:,.1f} MB"
