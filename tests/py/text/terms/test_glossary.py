"""Where terms are found: the rule of `text.terms.glossary`, line by line."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dragoman.text.terms.glossary import TermFinder, may_have
from dragoman.types import Span, Term


def found(text: str, *sources: str, language: str = "de") -> list[str]:
    finder = TermFinder([Term(source, "x") for source in sources], language)
    return [one.span.of(text) for one in finder.find(text)]


@pytest.mark.parametrize(
    ("text", "terms", "expected"),
    [
        ("Der Rechner läuft.", ["Rechner"], ["Rechner"]),
        ("Das Rechnernetz", ["Rechner"], []),
        ("Das Rechner-Netz", ["Rechner"], []),
        ("Der E-Mail-Server", ["E-Mail-Server"], ["E-Mail-Server"]),
        ("Er kann C++ und C.", ["C++"], ["C++"]),
        ("C + +", ["C++"], []),
        ("New \n York", ["New York"], ["New \n York"]),
        ("Das Haus am See", ["Haus", "Haus am See"], ["Haus am See"]),
        ("Haus am See", ["am See", "Haus am"], ["Haus am"]),
        ("rechner", ["Rechner"], []),
        ("Schnell gehen", ["schnell"], ["Schnell"]),
        ("„Schnell gehen“", ["schnell"], ["Schnell"]),
        ("Das Schnelle", ["schnell"], []),
        ("東京都に", ["東京"], ["東京"]),
        ("", ["a"], []),
        ("...", ["a"], []),
    ],
)
def test_whole_words_are_found(text: str, terms: list[str], expected: list[str]) -> None:
    assert found(text, *terms) == expected


@pytest.mark.parametrize(
    ("text", "term", "language", "is_found"),
    [
        ("den Rechnern", "Rechner", "de", True),
        ("des Hauses", "Haus", "de", True),
        ("die Banken", "Bank", "de", True),
        ("der Banker", "Bank", "de", False),
        ("die Häuser", "Haus", "de", False),
        ("in elektrischen Anlagen", "elektrische Anlage", "de", True),
        ("ein schneller", "schnell", "de", True),
        ("die AGs", "AG", "de", False),
        ("the houses", "house", "en", True),
        ("the boxes", "box", "en", True),
        ("two batteries", "battery", "en", True),
        ("Anna's book", "Anna", "en", True),
        ("the housing", "house", "en", False),
        ("les maisons", "maison", "fr", False),
        ("l'ordinateur", "ordinateur", "fr", True),
    ],
)
def test_words_may_have_the_endings_of_their_language(
    text: str, term: str, language: str, is_found: bool
) -> None:
    assert bool(found(text, term, language=language)) is is_found


def test_a_term_as_it_is_written_comes_before_one_with_an_ending() -> None:
    finder = TermFinder([Term("Rechner", "one"), Term("Rechnern", "several")], "de-AT")
    assert [one.term.target for one in finder.find("Rechnern")] == ["several"]


def test_of_two_terms_for_the_same_words_the_later_one_counts() -> None:
    finder = TermFinder([Term("New York", "a"), Term("New  York", "b")], "de")
    assert [one.term.target for one in finder.find("New York")] == ["b"]


def test_a_target_is_also_found_within_a_word_with_hyphens() -> None:
    finder = TermFinder([Term("München", "Munich"), Term("Post", "E-Mail")], "de", "target")
    text = "Munich-Dokumente, E-Mails"
    assert [one.span.of(text) for one in finder.find(text)] == ["Munich", "E-Mails"]


TEXTS = st.text(st.sampled_from("abAB -'.+ßñ中東é\n"), max_size=30)


@given(TEXTS, st.lists(TEXTS.filter(lambda text: any(map(str.isalnum, text))), max_size=4))
def test_what_is_found_is_in_order_and_apart(text: str, sources: list[str]) -> None:
    spans = [one.span for one in TermFinder([Term(s, "x") for s in sources], "de").find(text)]
    ends = [0, *(span.end for span in spans)]
    assert all(0 <= end <= span.start < span.end for end, span in zip(ends, spans, strict=False))
    assert not spans or spans[-1].end <= len(text)


@given(TEXTS.filter(lambda text: any(map(str.isalnum, text))))
def test_a_text_that_is_a_term_is_found(text: str) -> None:
    text = " ".join(text.split())
    assert TermFinder([Term(text, "x")], "fr").find(text)[0].span.start == 0
    assert TermFinder([Term(text, "x")], "fr").find(text)[0].span == Span(0, len(text))


LETTERS = st.text("aeEinsyIİ\u0307-' ", min_size=1, max_size=8).filter(
    lambda text: text == text.strip() and any(map(str.isalnum, text))
)


@example(["party"], "Parties", "en")
@example(["i\u0307stanbul"], "İstanbul", "en")
@example(["elektrische anlage"], "Elektrischen anlagen", "de")
@given(st.lists(LETTERS, min_size=1, max_size=3), LETTERS, st.sampled_from(["de", "en", "fr"]))
def test_what_a_text_may_not_have_is_not_found(forms: list[str], text: str, language: str) -> None:
    finder = TermFinder([Term("x", form) for form in forms], language, "target")
    likely = [Term("x", form) for form in forms if may_have(text, form)]
    assert TermFinder(likely, language, "target").find(text) == finder.find(text)


@pytest.mark.parametrize(
    ("text", "term", "expected"),
    [
        ("Zwei Parties", "party", True),
        ("Party", "party", True),
        ("Ein Fest", "party", False),
        ("über", "Über-Ich", True),  # its first word alone
        ("Fest", "%", True),  # there is nothing to tell by
        ("", "a", True),
    ],
)
def test_a_look_tells_most_terms_from_those_of_a_text(text: str, term: str, expected: bool) -> None:
    assert may_have(text, term) is expected
