"""Settings as Marian writes them: a list of names with a value, or a list of values, each.

    dim-emb: 256
    dim-vocabs:
      - 32000
      - 32000
    input-types:
      []
    transformer-preprocess: ""

That is as much of YAML as these files have, and all that is read: what goes further is refused. A
library for the whole of it would be half a megabyte more for every visitor of a page (ADR 24).
"""

from __future__ import annotations

from dragoman.errors import ModelFileError

Value = str | list[str]

# What begins something else than a plain value.
_OTHER = tuple("[]{}&*!|>%@`,?")


def read_settings(text: str) -> dict[str, Value]:
    """All values as they are written: nothing is guessed from how they look.

    Raises:
        ModelFileError: it is not a list of settings; the message has the line's number.
    """
    settings: dict[str, Value] = {}
    name = ""
    for number, line in enumerate(text.split("\n"), 1):
        written = line.strip()
        if not written or written.startswith("#") or line == "---":
            continue
        if written.startswith("- ") and name:
            settings[name] = [*_list(settings[name], number), _plain(written[2:].strip(), number)]
        elif line[0].isspace():
            if not name or settings[name] != "":
                raise _unreadable(number)
            settings[name] = _value(written, number)
        else:
            name, colon, value = written.partition(":")
            name = _plain(name, number)
            if not colon or name in settings or (value and not value[0].isspace()):
                raise _unreadable(number)
            settings[name] = _value(value.strip(), number)
    return settings


def _list(value: Value, number: int) -> list[str]:
    """What items are added to: a list, or nothing yet."""
    if isinstance(value, list):
        return value
    if value:
        raise _unreadable(number)
    return []


def _value(written: str, number: int) -> Value:
    if not (written.startswith("[") and written.endswith("]")):
        return _plain(written, number)
    items = written[1:-1].strip()
    return [_plain(item.strip(), number) for item in items.split(",")] if items else []


def _plain(written: str, number: int) -> str:
    for quote in "\"'":
        if written.startswith(quote):
            inner = written[1:-1]
            if len(written) < 2 or not written.endswith(quote) or quote in inner or "\\" in inner:
                raise _unreadable(number)
            return inner
    if written.startswith(_OTHER) or ": " in written or " #" in written:
        raise _unreadable(number)
    return written


def _unreadable(number: int) -> ModelFileError:
    return ModelFileError(
        f"special:model.yml is not a list of settings: line {number}", line=number
    )
