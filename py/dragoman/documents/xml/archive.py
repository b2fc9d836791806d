"""An archive (zip) whose parts are read, and written again with some of them changed.

Nothing is unpacked to a disk. Parts that are not translated go over byte for byte, with their
order, their dates and the way they are packed.
"""

from __future__ import annotations

import io
import shutil
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import PurePosixPath

from dragoman.config import DocumentLimits
from dragoman.errors import DocumentError, DocumentTooLargeError

_ENCRYPTED = 0x1
# The standards of all three families allow these alone; of others, zipfile unpacks all at once.
_PACKED = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED
# What reading an archive raises that is damaged, encrypted, or packed as nothing here unpacks;
# ValueError is that of names and of offsets.
BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError,
          ValueError)  # fmt: skip


class Archive:
    """A zip file in memory.

    Attributes:
        content: the file.
        names: of its parts, in order.

    Raises:
        DocumentError: it is damaged or encrypted, or has a part whose path leads out of it.
        DocumentTooLargeError: of parts, or of their sizes.
    """

    def __init__(self, content: bytes, limits: DocumentLimits) -> None:
        self.content, self._limits = content, limits
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(content))
        except BROKEN as error:
            raise DocumentError("damaged", "the document is no zip archive, or damaged") from error
        infos = self._zip.infolist()
        if len(infos) > limits.parts:
            raise DocumentTooLargeError(len(infos), limits.parts, counted="parts")
        unpacked = sum(info.file_size for info in infos)
        if unpacked > limits.unpacked_bytes:
            raise DocumentTooLargeError(unpacked, limits.unpacked_bytes, counted="unpacked bytes")
        for info in infos:
            _check(info)
        names = [info.filename for info in infos]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise DocumentError("damaged", f"the document has the part {twice!r} twice")
        self.names = tuple(names)

    def read(self, name: str) -> bytes:
        """A part that has text.

        Raises:
            DocumentError: it is not there, or damaged.
            DocumentTooLargeError: of the part's bytes.
        """
        try:
            info = self._zip.getinfo(name)
        except KeyError as error:
            raise DocumentError("damaged", f"the document has no part {name!r}") from error
        if info.file_size > self._limits.part_bytes:
            raise DocumentTooLargeError(
                info.file_size, self._limits.part_bytes, counted="unpacked bytes"
            )
        try:
            return read_part(self._zip, info)
        except BROKEN as error:
            raise DocumentError("damaged", f"the part {name!r} is damaged") from error

    def written(self, changed: Mapping[str, bytes]) -> bytes:
        """The archive with parts changed."""
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as target:
            target.comment = self._zip.comment
            for info in self._zip.infolist():
                self._copy(info, changed.get(info.filename), target)
        return out.getvalue()

    def _copy(self, info: zipfile.ZipInfo, content: bytes | None, target: zipfile.ZipFile) -> None:
        copy = zipfile.ZipInfo(info.filename, info.date_time)
        for name in "compress_type", "comment", "create_system", "external_attr", "internal_attr":
            setattr(copy, name, getattr(info, name))
        if content is not None:
            target.writestr(copy, content)
            return
        copy.file_size = info.file_size
        try:
            with self._zip.open(info) as source, target.open(copy, "w") as sink:
                shutil.copyfileobj(source, sink)
        except BROKEN as error:
            raise DocumentError("damaged", f"the part {info.filename!r} is damaged") from error


def read_part(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """A part. `ZipFile.read` unpacks all that is packed before it looks how much it was to be.

    Raises: `BROKEN`.
    """
    if info.compress_type not in _PACKED:
        raise zipfile.BadZipFile(f"packed by method {info.compress_type}")
    with archive.open(info) as part:
        return part.read(info.file_size + 1)  # the end is met, where its checksum is looked at


def _check(info: zipfile.ZipInfo) -> None:
    if info.flag_bits & _ENCRYPTED:
        raise DocumentError(
            "encrypted", f"the part {info.filename!r} is encrypted: take the password off first"
        )
    if info.compress_type not in _PACKED:
        raise DocumentError(
            "damaged", f"the part {info.filename!r} is packed in a way that no document is"
        )
    path = PurePosixPath(info.orig_filename.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or not path.parts or ":" in path.parts[0]:
        raise DocumentError(
            "path", f"the part {info.filename!r} has a path that leads out of the document"
        )
