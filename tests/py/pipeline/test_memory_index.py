"""What a memory has for a sentence, and what is like it."""

import random
from typing import Any

import pytest

from dragoman.markup.bits import at_once
from dragoman.pipeline.memory_index import ENTRIES_A_BIT, MemoryIndex
from dragoman.types import MemoryEntry, MemoryMatch, TranslationMemory


def index_of(*sources: str, **options: Any) -> MemoryIndex:
    """Of entries whose translation is their source in capitals."""
    entries = tuple(MemoryEntry(source, source.upper()) for source in sources)
    return at_once(MemoryIndex(TranslationMemory(entries, **options)).built(near=True))


def found(index: MemoryIndex, text: str) -> list[tuple[str, float]]:
    return [(match.entry.source, match.similarity) for match in index.nearest(text)]


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("Das ist schön.", "DAS IST SCHÖN."),
        ("Das  ist\u00a0scho\u0308n.", "DAS IST SCHÖN."),
        ("das ist schön.", None),
        ("Das ist schön", None),
        ("Das ist schön .", None),
        ("", None),
    ],
)
def test_the_same_is_the_same_in_nfc_and_with_any_white_space(
    text: str, target: str | None
) -> None:
    assert index_of("Das ist schön.").exact(text) == target


def test_of_two_of_the_same_source_the_later_one_counts() -> None:
    entries = (MemoryEntry("Ja  doch.", "Yes."), MemoryEntry("Ja doch.", "Of course."))
    index = at_once(MemoryIndex(TranslationMemory(entries)).built(near=True))
    assert index.exact("Ja doch.") == "Of course."
    assert index.nearest("Ja doch.") == (MemoryMatch(entries[1], 1.0),)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Das ist ein Test.", [("Das ist ein Test.", 1.0)]),
        ("Dies ist ein Test.", [("Das ist ein Test.", 0.8)]),
        ("Das ist ein Test!", [("Das ist ein Test.", 0.8)]),
        ("Das ist ein guter Test.", [("Das ist ein Test.", 1 - 1 / 6)]),
        ("Ist das ein Test.", []),  # two of five are exchanged
        ("", []),
        ("?", []),
    ],
)
def test_how_much_alike_two_texts_are(text: str, expected: list[tuple[str, float]]) -> None:
    assert found(index_of("Das ist ein Test.", "Guten Tag."), text) == expected


def test_the_most_similar_come_first_and_of_equal_ones_the_earlier() -> None:
    index = index_of("a b c d e", "a b c d", "a b c d f g", "a b c d f", near=1)
    assert found(index, "a b c d e") == [("a b c d e", 1.0), ("a b c d", 0.8)]


def test_no_translation_is_offered_twice() -> None:
    entries = (MemoryEntry("a b c d", "x"), MemoryEntry("a b c e", "x"))
    index = at_once(MemoryIndex(TranslationMemory(entries)).built(near=True))
    assert index.nearest("a b c e") == (MemoryMatch(entries[1], 1.0),)


def test_a_script_without_spaces_is_compared_sign_by_sign() -> None:
    assert found(index_of("今天天气很好"), "明天天气很好") == [("今天天气很好", 1 - 1 / 6)]


def naive(one: list[str], other: list[str]) -> int:
    """Levenshtein's distance, as it is defined."""
    row = list(range(len(other) + 1))
    for i, word in enumerate(one, 1):
        above, row = row, [i]
        for j, another in enumerate(other, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (word != another)))
    return row[-1]


@pytest.mark.parametrize("seed", range(20))
def test_all_that_is_like_enough_is_found(seed: int) -> None:
    chance = random.Random(seed)
    least = chance.choice((0.5, 0.6, 0.75, 0.9, 1.0))

    def sentence() -> str:
        return " ".join(chance.choices("abcdefgh", k=chance.randint(1, 12)))

    sources = list(dict.fromkeys(sentence() for _ in range(300)))
    index = index_of(*sources, near=1_000, similarity=least)
    for text in (sentence() for _ in range(20)):
        words = text.split()
        expected = {}
        for source in sources:
            longest = max(len(words), len(source.split()))
            distance = naive(words, source.split())
            if distance <= (1 - least) * longest + 1e-9:
                expected[source] = 1 - distance / longest
        assert dict(found(index, text)) == expected


def test_it_is_built_bit_by_bit_and_once() -> None:
    memory = TranslationMemory(tuple(MemoryEntry(f"Satz {n}", str(n)) for n in range(1_100)))
    index = MemoryIndex(memory)
    one, other = index.built(near=False), index.built(near=True)
    next(one)
    next(other)  # goes on where the first stopped
    assert index.exact("Satz 999") == "999"
    assert at_once(one) is index
    assert at_once(other) is index
    assert index.exact("Satz 1099") == "1099"
    assert [match.entry.target for match in index.nearest("Satz 7")] == ["7"]
    assert ENTRIES_A_BIT == 500
