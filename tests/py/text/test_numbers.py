import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.text.counterparts import SpanAttention
from dragoman.text.numbers import with_numbers
from dragoman.types import DetokenizedText, Span


def characters(text: str) -> DetokenizedText:
    """A piece a character."""
    return DetokenizedText(text, tuple(Span(n, n + 1) for n in range(len(text))))


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("Er ist 42 Jahre alt.", "He is 89 years old.", "He is 42 years old."),
        ("Am 3.10.2024 um 14:30", "On 3.10.60 at 4:30", "On 3.10.2024 at 14:30"),
        ("19,99 Euro", "99 euros", "19,99 euros"),
        # the same number, written in another way
        ("1.250 Besucher", "1,250 visitors", "1,250 visitors"),
        ("um 14:30 Uhr", "at 2:30 pm", "at 2:30 pm"),
        ("1.234.567 und 1250", "1234567 and 1,250", "1234567 and 1,250"),
        # the same figures, and another number
        ("118 Leute", "1,18 people", "118 people"),
        ("2.5 Leute", "25 people", "2.5 people"),
        ("1250 Leute", "12.50 people", "1250 people"),
        ("1234567", "1234.567", "1234567"),
        ("am 24.12.2025", "on 12/24/2025", "on 12/24/2025"),
        ("die 1990er", "the 1990s", "the 1990s"),
        # as a word, left out, made up: nothing can be said
        ("Ich habe 3 Hunde.", "I have three dogs.", "I have three dogs."),
        ("Seite 7 von 12", "page 7", "page 7"),
        ("zwei Hunde", "2 dogs", "2 dogs"),
        # one of two as a word
        ("3 Hunde und 42 Katzen", "three dogs and 89 cats", "three dogs and 42 cats"),
        # in another order, rightly
        ("am 3.10. um 14:30 in 12", "at 14:30 on 3.10. in 12", "at 14:30 on 3.10. in 12"),
        ("1990 kamen 42, 2024 89", "42 came in 1990, 89 in 2024", "42 came in 1990, 89 in 2024"),
        ("1990 kamen 42, 2024 89", "42 came in 1990, 77 in 2024", "42 came in 1990, 89 in 2024"),
        ("5/12 und 12/5", "12/5 and 5/12", "12/5 and 5/12"),
        ("am 03.05.", "on 5/3", "on 5/3"),
        # the same digits in another number
        ("Er ist 42 Jahre alt.", "He is 24 years old.", "He is 42 years old."),
        ("um 14:30 und 13:40", "at 14:30 and 14:03", "at 14:30 and 13:40"),
        # no numbers
        ("X1 und A4", "A7 and X1", "A7 and X1"),
        ("", "", ""),
    ],
)
def test_numbers(source: str, target: str, expected: str) -> None:
    assert with_numbers(source, characters(target)).text == expected


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([[0, 0.9, 0.1], [0, 0, 1], [0.8, 0.1, 0.1]], "42 in 1990"),
        ([[0.9, 0, 0.1], [0, 0, 1], [0.1, 0.8, 0.1]], "1990 in 42"),
        ([[0, 0, 1], [0, 0, 1], [0, 0, 1]], "1990 in 42"),
    ],
)
def test_of_several_misread_figures_the_attention_says_which_is_which(
    rows: list[list[float]], expected: str
) -> None:
    attention = SpanAttention([value for row in rows for value in row], (Span(0, 4), Span(4, 7)))
    target = DetokenizedText("77 in 88", (Span(0, 2), Span(2, 5), Span(5, 8)))
    assert with_numbers("1990 42", target, ("", ""), attention).text == expected


def test_of_two_figures_one_dropped_and_one_misread_the_attention_says_which() -> None:
    attention = SpanAttention([0.1, 0.8, 0.1, 0, 0, 1], (Span(0, 4), Span(4, 7)))
    target = DetokenizedText("77 there", (Span(0, 2), Span(2, 8)))
    assert with_numbers("1990 42", target, ("", ""), attention).text == "42 1990 there"


def test_pieces_keep_their_places() -> None:
    spans = (Span(0, 2), Span(2, 4), Span(4, 5), Span(5, 10))
    corrected = with_numbers("Es sind 1234 da.", DetokenizedText("is 77 there", spans))
    assert corrected.text == "is 1234 there"
    assert corrected.spans == (Span(0, 2), Span(2, 7), Span(7, 7), Span(7, 12))


@given(st.text("12 .,:aX/-", max_size=20), st.text("12 .,:aX/-", max_size=20))
def test_pieces_stay_in_order_and_cover_the_text(source: str, target: str) -> None:
    corrected = with_numbers(source, characters(target))
    assert "".join(span.of(corrected.text) for span in corrected.spans) == corrected.text
    assert with_numbers(source, corrected) == corrected


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("Am Montag kommt er.", "He comes on Sunday.", "He comes on Monday."),
        ("Am Montag kommt er.", "He comes on Monday.", "He comes on Monday."),
        ("Die Montage dauert lange.", "Assembly takes long.", "Assembly takes long."),
        ("An Sonntagen ruht er.", "On Mondays he rests.", "On Sunday he rests."),
        ("Im März und im Mai", "In March and in June", "In March and in May"),
        ("Darf ich?", "May I?", "May I?"),
        ("Es war 2009 so.", "It was so.", "It was 2009 so."),
        ("Es waren 20 Leute.", "There were twenty people.", "There were twenty people."),
        ("1.400 Leute", "1.400 people", "1,400 people"),
        ("der 42. Tag", "the 89th day", "the 42nd day"),
        ("Es war 2009 so.", "", ""),
        # said once too often
        ("Nur noch 5 Stück!", "Just 5, only 5th.", "Just 5, only."),
        ("seit 2007 so", "since 2007 since 2007 so", "since 2007 since so"),
        ("die 1950er", "the 1950s of the 1950s", "the 1950s of the 1950s"),
        ("Fünf der 5 Hunde", "5 of the 5 dogs", "5 of the 5 dogs"),
        ("5 von 42 Hunden", "5 of 5 dogs", "5 of 42 dogs"),
    ],
)
def test_names_and_missing_figures(source: str, target: str, expected: str) -> None:
    assert with_numbers(source, characters(target), ("de", "en")).text == expected


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("It leaked on Wednesday afternoon.", "Am Mittwochtag.", "Am Mittwoch."),
        ("It rained on Monday.", "Auf Montage regnete es.", "Auf Montag regnete es."),
        ("It rained on Mondays.", "An Montagen regnete es.", "An Montagen regnete es."),
        # in the language of the source
        ("It rained on Tuesday.", "Am Tuesday regnete es.", "Am Dienstag regnete es."),
        ("In January it rained.", "In January regnete es.", "In Januar regnete es."),
        ("It rained at X1 Tuesday.", "Um X1 Tuesday regnete es.", "Um X1 Dienstag regnete es."),
        ("It rained on Black Friday.", "Am Black Friday war es.", "Am Black Friday war es."),
        ("March on Tuesday", "March am Dienstag", "March am Dienstag"),
        ("It rained on Sunday night.", "Am Sonntagabend.", "Am Sonntagabend."),
        ("The assembly is on Monday.", "Die Montage ist Montag.", "Die Montage ist Montag."),
        ("The assembly takes long.", "Die Montage dauert.", "Die Montage dauert."),
        ("in the 61st minute", "in der Minute", "in der 61 Minute"),
        ("in the 61st minute", "in der einundsechzigsten", "in der einundsechzigsten"),
        ("the 18th century", "das achtzehnte", "das achtzehnte"),
    ],
)
def test_german_words_that_begin_like_a_weekday_and_words_for_numbers(
    source: str, target: str, expected: str
) -> None:
    assert with_numbers(source, characters(target), ("en", "de")).text == expected


def test_a_part_of_a_month_makes_no_name_of_it() -> None:
    source, target = "Zwischen Ende März und Mitte Mai.", "Between late March and Mitte Mai."
    found = with_numbers(source, characters(target), ("de", "en")).text
    assert found == "Between late March and Mitte May."


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("It is GPT-3.5 here.", "Es ist GPT-3.5 hier.", "Es ist GPT-3.5 hier."),
        ("Section 2.1: The end", "Abschnitt 2.1: Das Ende", "Abschnitt 2.1: Das Ende"),
        ("It is Llama-3.1 here.", "Es ist Llama-3.7 hier.", "Es ist Llama-3.1 hier."),
        ("It is 3.5 here.", "Es ist 3.5 hier.", "Es ist 3,5 hier."),
        ("the top-1,000 list", "die Top-1,000-Liste", "die Top-1.000-Liste"),
    ],
)
def test_a_name_has_its_figures_in_any_language(source: str, target: str, expected: str) -> None:
    assert with_numbers(source, characters(target), ("en", "de")).text == expected


@pytest.mark.parametrize(
    ("source", "target", "languages", "expected"),
    [
        ("Am 3. und 4.", "On the 3th and 4th", ("de", "en"), "On the 3rd and 4th"),
        ("Der 11. und 21.", "The 11st and 21th", ("de", "en"), "The 11th and 21st"),
        ("The 1st, 3rd", "Der 1st, 3rd", ("en", "de"), "Der 1., 3."),
        ("She came 11th.", "Sie kam 11th.", ("en", "de"), "Sie kam 11."),
        ("Ranked 3rd in May", "Am 3rd Mai", ("en", "de"), "Am 3. Mai"),
        ("On 5th Avenue", "An der 5th Avenue", ("en", "de"), "An der 5th Avenue"),
        ("1st level support", "1st-Level-Support", ("en", "de"), "1st-Level-Support"),
        ("Le 3e", "The 3th", ("fr", "en"), "The 3rd"),
        ("The 3rd", "Le 3rd", ("en", "fr"), "Le 3rd"),
    ],
)
def test_ordinals_end_as_their_language_has_them(
    source: str, target: str, languages: tuple[str, str], expected: str
) -> None:
    assert with_numbers(source, characters(target), languages).text == expected
