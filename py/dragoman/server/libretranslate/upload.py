"""Forms in parts (multipart/form-data, RFC 7578), with a file or without, as LibreTranslate's
clients send them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import Field, File, FormParser, parse_options_header

from dragoman.errors import InvalidRequestError

_MULTIPART = b"multipart/form-data"
_FILE = "file"
MOST_PARTS = 20
FIELD_BYTES = 10_000
NAME_CHARACTERS = 100
# Of a form, what is read at a time.
_SLICE = 1_000_000


@dataclass(frozen=True, slots=True)
class Upload:
    """A file, and what was said about it.

    Attributes:
        name: of the file, without folders; may be empty.
        fields: the other fields of the form.
    """

    name: str
    content: bytes
    fields: dict[str, str]


def is_in_parts(content_type: str) -> bool:
    """Whether a body is such a form, as the request's header says it."""
    kind, options = parse_options_header(content_type)
    return kind == _MULTIPART and bool(options.get(b"boundary"))


def read_upload(body: bytes, content_type: str) -> Upload:
    """The file in a form.

    Args:
        content_type: as the request's header says it.

    Raises:
        InvalidRequestError: it is no such form, is cut off, has no file, or has too much beside it.
    """
    if not is_in_parts(content_type):
        raise InvalidRequestError(f"the body is not a form with a file ({_MULTIPART.decode()})")
    return _read(body, content_type, FIELD_BYTES).upload()


def read_fields(body: bytes, content_type: str) -> dict[str, str]:
    """The fields of a form, of any length; a file is left aside.

    Args:
        content_type: as the request's header says it; it `is_in_parts`.

    Raises:
        InvalidRequestError: it cannot be read, is cut off, or has too many parts.
    """
    return _read(body, content_type, len(body)).fields()


def _read(body: bytes, content_type: str, field_bytes: int) -> _Reading:
    _, options = parse_options_header(content_type)
    reading = _Reading(field_bytes)
    try:
        reading.read(body, options[b"boundary"])
    except (FormParserError, UnicodeDecodeError) as error:
        raise InvalidRequestError("the form cannot be read") from error
    return reading


class _Reading:
    def __init__(self, field_bytes: int) -> None:
        self._field_bytes = field_bytes
        self._parts = 0
        self._ended = False
        self._files: list[tuple[str, bytes]] = []
        self._fields: dict[str, str] = {}

    def read(self, body: bytes, boundary: bytes) -> None:
        parser = FormParser(
            _MULTIPART.decode(),
            self._field,
            self._file,
            self._end,
            boundary,
            config={"MAX_MEMORY_FILE_SIZE": len(body)},  # nothing of it on the disk
        )
        for start in range(0, len(body), _SLICE):
            parser.write(body[start : start + _SLICE])
        parser.finalize()

    def fields(self) -> dict[str, str]:
        if not self._ended:
            raise InvalidRequestError("the form is cut off")
        return self._fields

    def upload(self) -> Upload:
        fields = self.fields()
        if len(self._files) != 1:
            raise InvalidRequestError(f"{_FILE}: {len(self._files)} files, 1 allowed", field=_FILE)
        name, content = self._files[0]
        return Upload(name, content, fields)

    def _count(self) -> None:
        self._parts += 1
        if self._parts > MOST_PARTS:
            raise InvalidRequestError(f"the form has more than {MOST_PARTS} parts")

    def _field(self, field: Field) -> None:
        self._count()
        name, value = (field.field_name or b"").decode(), field.value or b""
        if name == _FILE:  # a client that says its name in a way that forms do not have
            self._files.append(("", value))
            return
        if len(value) > self._field_bytes:
            raise InvalidRequestError(
                f"{name[:40]}: {len(value):,} bytes requested, {self._field_bytes:,} allowed"
            )
        self._fields[name] = value.decode()

    def _file(self, file: File) -> None:
        self._count()
        name = plain_name((file.file_name or b"").decode("utf-8", "replace"))
        self._files.append((name, file.file_object.getvalue()))  # type: ignore[union-attr]

    def _end(self) -> None:
        self._ended = True


def plain_name(name: str) -> str:
    """The name of a file without folders, drives and what is not seen, at most `NAME_CHARACTERS`
    long: its ending stays."""
    last = re.split(r"[/\\:]", name)[-1]
    shown = "".join(c for c in last if c.isprintable() and c not in '<>"|?*').strip(". ")
    stem, dot, ending = shown.rpartition(".")
    if len(shown) <= NAME_CHARACTERS or not dot:
        return shown[:NAME_CHARACTERS]
    ending = ending[:20]
    return stem[: NAME_CHARACTERS - 1 - len(ending)] + dot + ending
