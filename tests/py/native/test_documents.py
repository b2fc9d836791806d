"""Documents as ordinary code hands them over: options, files, pipes."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from dragoman.config import DocumentLimits
from dragoman.errors import DocumentTooLargeError, InvalidRequestError
from dragoman.native.documents import read_bytes
from dragoman.native.translator import Translator
from tests.support.hosts import capital_parts

TABLE = b"Titel,Text\neins.,zwei drei.\n"


@pytest.mark.parametrize(
    ("columns", "translated"),
    [
        ("all", b"TITEL,TEXT\nEINS.,ZWEI DREI.\n"),
        ("Text", b"Titel,Text\neins.,ZWEI DREI.\n"),
        (["1"], b"TITEL,Text\nEINS.,zwei drei.\n"),
    ],
)
def test_one_column_needs_no_list(columns: str | Sequence[str], translated: bytes) -> None:
    with Translator(capital_parts()) as translator:
        done = translator.translate_document(TABLE, name="a.csv", columns=columns)
    assert done.content == translated


def test_what_is_of_another_kind_is_a_typed_error() -> None:
    options: Any = {"glossary": {"Ja": "yes"}}
    with (
        Translator(capital_parts()) as translator,
        pytest.raises(InvalidRequestError, match="glossary is of type dict, not a Glossary"),
    ):
        translator.translate_document(b"Ja.", name="a.txt", **options)


def test_languages_that_are_not_named_are_the_translators() -> None:
    with Translator(capital_parts()) as translator:
        done = translator.translate_document(b"eins.", name="a.txt", source=None, target=None)
        assert done.content == b"EINS."
        text = "Guten Morgen, wie geht es dir heute?"
        found = translator.translate_document(text.encode(), name="a.txt", source="Auto")
    assert found.content.decode() == text.upper()


def test_an_option_that_documents_do_not_have_is_not_dropped() -> None:
    options: Any = {"deadline": 5, "prefix": "Yes"}
    with (
        Translator(capital_parts()) as translator,
        pytest.raises(TypeError, match="a document has no option 'deadline', 'prefix'"),
    ):
        translator.translate_document(b"Ja.", name="a.txt", **options)


def test_a_file_over_the_limit_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"eins")
    assert read_bytes(path, DocumentLimits(bytes=4)) == b"eins"
    with pytest.raises(DocumentTooLargeError) as caught:
        read_bytes(path, DocumentLimits(bytes=3))
    assert (caught.value.requested, caught.value.allowed) == (4, 3)
    with pytest.raises(InvalidRequestError, match="No such file"):
        read_bytes(tmp_path / "b.txt", DocumentLimits())


@pytest.mark.skipif(os.name != "posix", reason="named pipes")
def test_a_pipe_is_read_up_to_the_limit(tmp_path: Path) -> None:
    """It has no size that could be looked at before."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(b"a" * 20))
    writer.start()
    with pytest.raises(DocumentTooLargeError):
        read_bytes(pipe, DocumentLimits(bytes=10))
    writer.join()
