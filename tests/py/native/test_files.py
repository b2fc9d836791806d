"""Files and standard input in passages: read, cut, and put together again."""

from __future__ import annotations

import gzip
import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from dragoman.errors import InvalidRequestError
from dragoman.native import files as _files
from dragoman.native.files import (
    LONGEST_PASSAGE,
    TEXT_CHARACTERS,
    cut_position,
    line_passages,
    open_output,
    text_passages,
    whole_passages,
)

# --- bad input -------------------------------------------------------------------------------


def test_an_offset_is_right_wherever_the_reads_fall(monkeypatch: pytest.MonkeyPatch) -> None:
    content = "aü€😀".encode() * 3 + b"\xf0\x9f"
    for size in range(1, 12):
        monkeypatch.setattr(_files, "READ_BYTES", size)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        file = _files.InputFile("-", "utf-8")
        with pytest.raises(InvalidRequestError) as caught:
            list(file.texts())
        assert caught.value.details == {"offset": 30}


def _write(pipe: Path, content: bytes) -> None:
    descriptor = os.open(pipe, os.O_WRONLY)
    os.write(descriptor, content)
    os.close(descriptor)


def test_a_named_pipe_is_opened_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its writer may be gone after the first time: a second opening would wait for ever."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    modes: list[str] = []
    opened = Path.open

    def counted(path: Path, mode: str, *arguments: Any, **options: Any) -> Any:
        modes.append(mode)
        return opened(path, mode, *arguments, **options)

    monkeypatch.setattr(Path, "open", counted)

    def reader() -> None:
        file = _files.InputFile(str(pipe), "utf-8")
        assert file.size is None
        read.extend([file.peek(1), *file.texts()])

    writing = Thread(target=_write, args=(pipe, b"eins\n"), daemon=True)
    reading = Thread(target=reader, daemon=True)
    writing.start()
    reading.start()
    reading.join(timeout=20)
    assert (read, modes) == (["eins\n", "eins\n"], ["rb"])


def test_a_page_is_read_no_further_than_one_may_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """600 MB of 0.6, packed, took 1.8 GB."""
    monkeypatch.setattr(_files, "PAGE_CHARACTERS", 100_000)
    monkeypatch.setattr(_files, "PAGE_BYTES", 400_000)
    path = tmp_path / "page.html.gz"
    path.write_bytes(gzip.compress(b"a" * 1_000_000))
    file = _files.InputFile(str(path), "utf-8")
    [[passage]] = whole_passages(file.texts())
    assert len(passage.text) == 4 * 32_768
    with pytest.raises(InvalidRequestError, match="is no page: it has more than 400,000 bytes"):
        next(_files.InputFile(str(path), "auto").texts())


# --- cutting ---------------------------------------------------------------------------------


def blocks(text: str, size: int) -> Iterator[str]:
    return (text[at : at + size] for at in range(0, len(text), size))


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_line_units(size: int) -> None:
    units = [
        unit for group in line_passages(blocks("a\n\nb\r\nc\rd", size), "de") for unit in group
    ]
    assert [(u.text, u.ending, u.line) for u in units] == [
        ("a", "\n", 1),
        ("", "\n", 2),
        ("b", "\r\n", 3),
        ("c\rd", "", 4),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Ein Satz.\n" * 20_000,
        "Ein Satz. " * 30_000,
        "wort " * 60_000,
        "x" * 300_000,
        "e\u0301" * 150_000,
        "\r\n" * 150_000,
    ],
)
def test_units_are_the_text_and_short_enough(text: str) -> None:
    for cut in text_passages, line_passages:
        units = [unit for group in cut(blocks(text, 30_000), "de") for unit in group]
        assert "".join(unit.text + unit.ending for unit in units) == text
        assert max(len(unit.text) for unit in units) <= LONGEST_PASSAGE + 30_000
    units = [unit for group in text_passages(blocks("Satz.\n" * 9_000, 7), "de") for unit in group]
    assert len(units) > 1
    assert all(len(unit.text) >= TEXT_CHARACTERS - 10 for unit in units[:-1])


def test_a_given_text_is_cut_as_a_file_is() -> None:
    text = "Ein Satz. " * 60_000
    for cut in text_passages, line_passages:
        file = _files.GivenText(text, "\n")
        units = [unit for group in cut(file.texts(), "de") for unit in group]
        assert "".join(unit.text + unit.ending for unit in units) == text + "\n"
        assert max(len(unit.text) for unit in units) <= LONGEST_PASSAGE + 32_768


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        ("Eins.\nZwei", "Eins.\n", "Zwei"),
        ("Eins. Zwei", "Eins. ", "Zwei"),
        ("eins zwei", "eins ", "zwei"),
        ("abce\u0301", "abc", "e\u0301"),
        ("ab\r", "ab", "\r"),
    ],
)
def test_a_cut_is_at_the_best_place(text: str, before: str, after: str) -> None:
    at = cut_position(text, "de")
    assert (text[:at], text[at:]) == (before, after)


# --- writing ---------------------------------------------------------------------------------


def test_two_that_write_a_file_each_write_all_of_it(tmp_path: Path) -> None:
    """The second one failed, and took what the first one had written with it."""
    path = tmp_path / "a.txt"
    with open_output(path) as first:
        first.write(b"eins")
        with open_output(path) as second:
            second.write(b"zwei")
        assert path.read_bytes() == b"zwei"
    assert path.read_bytes() == b"eins"
    assert list(tmp_path.iterdir()) == [path]


def test_what_a_killed_process_left_is_in_nobodys_way(tmp_path: Path) -> None:
    """In a container the next one has the same number."""
    (tmp_path / f".a.txt.{os.getpid()}.part").write_bytes(b"ei")
    with open_output(tmp_path / "a.txt") as stream:
        stream.write(b"eins")
    assert (tmp_path / "a.txt").read_bytes() == b"eins"


def test_a_long_name_is_written(tmp_path: Path) -> None:
    path = tmp_path / ("a" * 251 + ".txt")
    with open_output(path) as stream:
        stream.write(b"eins")
    assert path.read_bytes() == b"eins"
    with (
        pytest.raises(InvalidRequestError, match="File name too long"),
        open_output(tmp_path / ("a" * 256)),
    ):
        pass


def test_what_a_link_leads_to_is_written(tmp_path: Path) -> None:
    """The link stays; one that leads to itself leads nowhere."""
    link, loop = tmp_path / "link.txt", tmp_path / "loop.txt"
    link.symlink_to(tmp_path / "a.txt")
    with open_output(link) as stream:
        stream.write(b"eins")
    assert (tmp_path / "a.txt").read_bytes() == b"eins"
    assert link.is_symlink()
    loop.symlink_to(loop)
    said = pytest.raises(InvalidRequestError, match=r"loop\.txt: Too many levels of symbolic links")
    with said, open_output(loop):
        pass
