"""Packed files, unpacked as a stream: gzip, zstd, or as they are.

What a file begins with decides, not what a list says of it: servers unpack gzip on their way.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

import zstandard

from dragoman.errors import FetchCorruptError

GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
BLOCK = 1 << 20
# A frame may ask for no more memory than this, in bytes.
WINDOW = 1 << 27


@contextmanager
def unpacked(packed: Path) -> Iterator[IO[bytes]]:
    """A stream of what is in a file.

    Raises:
        FetchCorruptError: it is damaged or cut off; raised by reading.
    """
    with packed.open("rb") as raw:
        start = raw.read(4)
        raw.seek(0)
        if start.startswith(GZIP):
            yield cast(IO[bytes], gzip.GzipFile(fileobj=raw))
        elif start == ZSTD:
            decompressor = zstandard.ZstdDecompressor(max_window_size=WINDOW)
            yield cast(IO[bytes], decompressor.stream_reader(raw, read_across_frames=True))
        else:
            yield raw


def unpack(packed: Path, target: Path, most: int, name: str) -> None:
    """Write what is in `packed` to `target`.

    Args:
        most: bytes that may come out; one more is an error, so that nothing fills the disk.

    Raises:
        FetchCorruptError: it is damaged, cut off, or holds more.
    """
    written = 0
    try:
        with unpacked(packed) as source, target.open("wb") as sink:
            while block := source.read(BLOCK):
                written += len(block)
                if written > most:
                    raise FetchCorruptError(
                        f"{name} is not the published file: it has more than {most:,} bytes",
                        expected=most,
                        found=written,
                    )
                sink.write(block)
    except (EOFError, zlib.error, gzip.BadGzipFile, zstandard.ZstdError) as error:
        target.unlink(missing_ok=True)
        raise FetchCorruptError(f"{name} is damaged: {error}") from error
    except FetchCorruptError:
        target.unlink(missing_ok=True)
        raise
