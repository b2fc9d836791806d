"""What can be in a translation memory."""

from typing import Any

import pytest

from dragoman.errors import InvalidTranslationMemoryError
from dragoman.types import MemoryEntry, TranslationMemory


def test_the_entries_of_two() -> None:
    one = TranslationMemory((MemoryEntry("a", "b"),), near=1)
    other = TranslationMemory((MemoryEntry("a", "c"),), near=2, similarity=0.5)
    entries = (MemoryEntry("a", "b"), MemoryEntry("a", "c"))
    assert one | other == TranslationMemory(entries, near=2, similarity=0.5)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (("", "b"), "entry 1: the source is empty, or has white space around it"),
        (("a", " "), "entry 1: the target is empty, or has white space around it"),
        (("a ", "b"), "entry 1: the source is empty, or has white space around it"),
        (("a\nb", "b"), "entry 1: the source has a line break or another control character"),
        (("a", "b\u2028c"), "entry 1: the target has a line break or another control character"),
        (("a", "\ud800"), "entry 1: the target has a line break or another control character"),
        (("a", "b\x00c"), "entry 1: the target has a line break or another control character"),
    ],
)
def test_what_no_sentence_has_is_refused(entry: tuple[str, str], message: str) -> None:
    with pytest.raises(InvalidTranslationMemoryError) as caught:
        TranslationMemory((MemoryEntry("10\u00a0%", "a\u00adb"), MemoryEntry(*entry)))
    assert (str(caught.value), caught.value.entry) == (message, 1)


@pytest.mark.parametrize("options", [{"near": -1}, {"similarity": 0.0}, {"similarity": 1.1}])
def test_options_out_of_their_range(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidTranslationMemoryError, match="not from 0 on, or similarity is"):
        TranslationMemory((), **options)
