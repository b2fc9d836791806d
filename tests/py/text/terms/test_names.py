"""Which words of a sentence are names."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import BundleError
from dragoman.text.terms.glossary import Origin
from dragoman.text.terms.names import NameFinder, NameTable, features, read_names, words_of
from dragoman.text.terms.word_table import packed
from dragoman.types import Span

WORDS = frozenset({"Der", "Rede", "Wolke"})


def table(*names: str) -> NameTable:
    """Words that it does not know are none."""
    return NameTable(bytes(4), 1.0, -1.0, frozenset(names), WORDS)


def found(sentence: str, *names: str, language: str = "de") -> list[str]:
    return [one.span.of(sentence) for one in NameFinder(table(*names), language).find(sentence)]


def test_names_are_found_in_their_order_and_others_are_not() -> None:
    sentence = "Der Rede von Jeff Kowalin fehlt eine Wolke."
    assert found(sentence, "Kowalin", "Jeff") == ["Jeff", "Kowalin"]
    (one, _) = NameFinder(table("Jeff", "Kowalin"), "de").find(sentence)
    assert (one.span, one.term.source, one.origin) == (Span(13, 17), "Jeff", Origin.NAME)
    assert one.term.is_kept


def test_a_word_without_a_capital_or_of_two_letters_is_none() -> None:
    assert found("die jeff und Al", "jeff", "Al") == []


def test_a_sentence_in_capitals_has_none() -> None:
    assert found("JEFF KOMMT", "JEFF", "KOMMT") == []


def test_the_first_word_must_be_surer() -> None:
    sure = NameTable(bytes([3, 0]), 1.0, 0.0)
    assert sure.score("Jeff") > 0
    places = [place for place in features("Jeff", 2) if place == 0]
    doubtful = NameTable(bytes([1, 0]), 1.9 / len(places), 0.0)
    assert doubtful.score("Jeff") == pytest.approx(1.9)
    finder = NameFinder(doubtful, "de")
    assert [one.span for one in finder.find("Jeff und Jeff")] == [Span(9, 13)]


def test_the_genitive_of_a_german_name_is_the_name() -> None:
    (one,) = NameFinder(table("Obama"), "de").find("die Rede Obamas")
    assert (one.span, one.term.source) == (Span(9, 15), "Obama")
    assert found("the Obamas", "Obama", language="en") == []


def test_a_name_that_ends_in_s_has_no_other_one() -> None:
    assert found("Lass uns nach Las Vegas", "Las", "Vegas") == ["Las", "Vegas"]


def test_a_possessive_ends_before_its_mark() -> None:
    assert found("at Hugo's and Marie’s", "Hugo", "Marie", language="en") == ["Hugo", "Marie"]


@given(st.text(max_size=60))
def test_words_are_where_they_are_said_to_be(sentence: str) -> None:
    end = 0
    for word, span in words_of(sentence):
        assert span.of(sentence) == word
        assert span.start >= end
        end = span.end


def written(weights: bytes = bytes(4), **changes: Any) -> bytes:
    header = {"format": 2, "bits": 2, "scale": 0.5, "bias": -1, "names": [], "words": []}
    return json.dumps({**header, "tables": {}, **changes}).encode() + b"\n" + weights


def test_a_table_is_read() -> None:
    read = read_names(written(bytes([2, 2, 2, 2]), names=["Ulm"], words=["Der"]))
    assert read.score("abc") == -1 + 0.5 * 2 * len(list(features("abc", 4)))
    assert read.score("Ulm") > 10
    assert read.score("Der") < -10


def test_tables_stand_behind_the_weights() -> None:
    lexicon, firsts = packed({"Aal": "eel"}), packed({"Golf": "golf"})
    wholes = packed({"Salzburg": "-"})
    tables = {"lexicon": len(lexicon), "firsts": len(firsts), "wholes": len(wholes)}
    read = read_names(written(bytes([1] * 4) + lexicon + firsts + wholes, tables=tables))
    assert dict(read.wholes) == {"Salzburg": "-"}
    assert dict(read.lexicon) == {"Aal": "eel"}
    assert dict(read.firsts) == {"Golf": "golf"}
    assert not read.heads
    assert read.score("abc") == -1 + 0.5 * len(list(features("abc", 4)))


def test_the_first_format_has_its_list_in_the_line() -> None:
    assert read_names(written(format=1, lexicon={"Aal": "eel"})).lexicon == {"Aal": "eel"}
    assert read_names(written(format=1)).lexicon == {}


def test_weights_are_signed() -> None:
    assert read_names(written(bytes([255] * 4))).score("abc") < -1


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "cannot be read"),
        (b"[]\n", "cannot be read"),
        (written(format=5), "has format 5; this version reads 4"),
        (written(bytes(3)), "has 3 weights for 2 bits"),
        (written(bits=40), "has 4 weights for 40 bits"),
        (written(bits="x"), "cannot be read"),
        (written(names=3), "cannot be read"),
        (written(format=1, lexicon=["Aal"]), "cannot be read"),
        (written(format=1, lexicon={"Aal": 3}), "cannot be read"),
        (written(format=1, lexicon={"Aal": ""}), "cannot be read"),
        (written(tables={"lexicon": 4}), "cannot be read"),
        (written(tables={"lexicon": -1}), "cannot be read"),
        (written(tables={"lexicon": "x"}), "cannot be read"),
        (written(tables={"verbs": 0}), "unknown tables"),
        (written(tables=[]), "cannot be read"),
    ],
)
def test_what_is_no_table_is_refused(content: bytes, says: str) -> None:
    with pytest.raises(BundleError, match=says):
        read_names(content)
