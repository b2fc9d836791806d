from __future__ import annotations

from dragoman.detection.ngrams import number
from dragoman.detection.table import read_table, shipped_table
from dragoman.models.detection.build import ABSENT, UNIT, packed, weight

HEAD = {
    "letters": "a-z", "simplified": "", "traditional": "", "unit": UNIT, "temperature": 1.0,
    "unknown": 9, "relatives": {"de": ["ech", "hunn"]},
}  # fmt: skip


def test_what_is_written_is_read() -> None:
    figures = {number(b" der "): {"de": 50.0}, number(b" a "): {"en": 5.0, "fr": 0.3}}
    table = read_table(packed(figures, ["de", "en", "fr"], HEAD))
    assert table.languages == ("de", "en", "fr")
    assert list(table.numbers) == [number(b" a "), number(b" der ")]
    sums = [0, 0, 0, 0]
    for ngram in b" der ", b" a ", b" b ":
        table.add(number(ngram), sums)
    assert table.relatives == {"de": frozenset({"ech", "hunn"})}
    assert sums == [weight(50.0), weight(5.0), weight(0.3), 0] == [111, 74, 29, 0]


def test_a_language_knows_the_ngrams_that_it_has_entries_of() -> None:
    figures = {number(b" der "): {"de": 50.0}, number(b" a "): {"en": 5.0, "fr": 0.3}}
    table = read_table(packed(figures, ["de", "en", "fr"], HEAD))
    known = [(language, ngram) for language in range(3) for ngram in (b" der ", b" a ", b" b ")]
    assert [one for one in known if table.knows(one[0], number(one[1]))] == [
        (0, b" der "), (1, b" a "), (2, b" a "),
    ]  # fmt: skip


def test_an_absent_ngram_weighs_nothing() -> None:
    assert weight(ABSENT) == 0
    assert weight(15_000) == 202


def test_the_shipped_table_is_in_order() -> None:
    table = shipped_table()
    assert list(table.numbers) == sorted(set(table.numbers))
    assert len(table.entries) == len(table.weights) == table.starts[-1]
    assert max(table.entries) == len(table.languages) - 1
    assert not table.simplified & table.traditional
