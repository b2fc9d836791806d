"""Marian's training format: a NumPy archive (``.npz``) of named float32 arrays.

Read piece by piece rather than by `numpy.load`: a damaged archive then ends in a typed error, and a
hostile one can neither run code nor ask for more memory than a model takes.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from math import prod

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from dragoman.errors import ModelFileError
from dragoman.marian.file import Item, Kind

MOST_BYTES = 4 << 30
# Weights hardly get smaller by packing. What unpacks to more than so many times its size, and to
# more than this, is there to fill the memory.
MOST_TIMES, ALWAYS_ALLOWED = 20, 64 << 20
DAMAGED = (
    zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, KeyError, TypeError, IndexError,
    SyntaxError, NotImplementedError, RuntimeError, OverflowError, MemoryError, UnicodeError,
)  # fmt: skip
KINDS = {
    "int8": Kind.INT8, "int16": Kind.INT16, "int32": Kind.INT32, "uint8": Kind.UINT8,
    "uint32": Kind.UINT32, "float16": Kind.FLOAT16, "float32": Kind.FLOAT32,
    "float64": Kind.FLOAT64,
}  # fmt: skip


def read_npz(content: bytes) -> tuple[Item, ...]:
    """The arrays of an archive, in its order.

    Raises:
        ModelFileError: it is no such archive, is damaged, or holds something else than numbers.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = archive.infolist()
            total = sum(entry.file_size for entry in entries)
            allowed = min(MOST_BYTES, max(ALWAYS_ALLOWED, MOST_TIMES * len(content)))
            if total > allowed:
                raise ModelFileError(
                    f"the archive unpacks to {total:,} bytes, {allowed:,} are allowed",
                    requested=total,
                    allowed=allowed,
                )
            return tuple(_item(entry.filename, _unpacked(archive, entry)) for entry in entries)
    except DAMAGED as error:
        raise ModelFileError(f"the .npz archive is damaged: {error}") from error


def _unpacked(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """No more than the entry says that it has, whatever is packed; other methods, which NumPy does
    not write, would be unpacked at once."""
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise zipfile.BadZipFile(f"{entry.filename!r} is packed by method {entry.compress_type}")
    with archive.open(entry) as packed:
        return packed.read(entry.file_size + 1)


def _item(filename: str, content: bytes) -> Item:
    name = filename.removesuffix(".npy")
    array = _array(name, content)
    kind = KINDS.get(array.dtype.name)
    if kind is None:
        raise ModelFileError(f"{name!r} holds {array.dtype}, which no model does", tensor=name)
    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
    return Item(name, kind, array.shape, little.tobytes())


def _array(name: str, content: bytes) -> NDArray[np.generic]:
    stream = io.BytesIO(content)
    major, _ = npy.read_magic(stream)
    read = npy.read_array_header_1_0 if major == 1 else npy.read_array_header_2_0
    shape, fortran, kind = read(stream)
    if kind.hasobject or kind.itemsize == 0:
        raise ModelFileError(f"{name!r} holds {kind}, which no model does", tensor=name)
    wanted, left = prod(shape) * kind.itemsize, len(content) - stream.tell()
    if wanted != left:
        raise ModelFileError(f"{name!r} takes {wanted:,} bytes, it has {left:,}", tensor=name)
    flat = np.frombuffer(content, kind, offset=stream.tell())
    return flat.reshape(shape, order="F" if fortran else "C")
