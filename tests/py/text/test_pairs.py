import pytest

from dragoman.text.pairs import lost_marks
from dragoman.text.protect import hidden
from dragoman.types import DetokenizedText, Span


def mended(source: str, target: str) -> str:
    for at, mark in lost_marks(source, target):
        target = target[:at] + mark + target[at:]
    return target


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("Er kam ('gestern').", "He came ('yesterday).", "He came ('yesterday')."),
        ("Das („groß!“) ist neu.", 'That ("big!) is new.', 'That ("big!") is new.'),
        ("„Ich weiß es nicht“.", "\"I don't know.", '"I don\'t know".'),
        ("„Ich weiß es nicht.“", "\"I don't know.", '"I don\'t know."'),
        ("„Ich weiß es nicht.“", "“I don't know.", "“I don't know.”"),
        ("„Ich weiß es nicht.“", "I don't know.\"", '"I don\'t know."'),
        ("„Ich weiß es nicht.“", "I don't know.”", "“I don't know.”"),
        ('"I know," he said.', "„Ich weiß, sagte er.", "„Ich weiß, sagte er."),  # where?
        ("He said: 'I know it.'", "Er sagte: „Ich weiß es.", "Er sagte: „Ich weiß es.“"),
        (
            "She said: \"He is 'great'.\"",
            "Sie sagte: „Er ist ‚toll.“",
            "Sie sagte: „Er ist ‚toll‘.“",
        ),
        ("Er kam (gestern).", "He came (yesterday.", "He came (yesterday)."),
        ("Er kam »gestern«.", "He came «yesterday.", "He came «yesterday»."),
        ("Das „A“ und „B“.", 'The "A" and "B.', 'The "A" and "B".'),
    ],
)
def test_a_mark_that_was_lost_is_put_in(source: str, target: str, expected: str) -> None:
    assert mended(source, target) == expected


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("", ""),
        ("Er kam.", '"He came.'),
        ("Er sagte: „Ich komme.", 'He said: "I come.'),  # the quotation goes on
        ('Der 27" Monitor ist „groß“.', 'The 27" monitor is "big.'),  # an inch
        ("a) Das ist „groß“.", 'a) That is "big.'),
        ("Gut :) „ja“.", 'Good :) "yes.'),
        ("Das „A“ ist gut.", 'The "A is good.'),
        ("Er mag am Sonntag „Autos“.", 'He likes "cars on a sunny Sunday.'),  # one is enclosed
        ("Das war „Rock“.", "That was “rock.”"),
        ("Es war „Rock ’n’ Roll“.", "It was \"rock 'n' roll\"."),
        ("Das waren „die Neunziger“.", 'Those were "the \'90s".'),
        ("James' Hund sagt „wau“.", 'James\' dog says "woof".'),
        ("Die Familien' „Sohn“.", "The families' “son”."),
        ("„Das sagt er.“", "“That is what he says.”"),
        ("Treats says 'women'", "Treats sagt 'Frauen“"),  # it has one that closes
        ('Er sagt "ja".', '"He says "yes".'),
        ("« Oui. »", '"Yes.'),
    ],
)
def test_nothing_is_put_in_where_its_place_is_not_plain(source: str, target: str) -> None:
    assert lost_marks(source, target) == []


def test_marks_are_put_into_a_translation_before_its_literals() -> None:
    shown = hidden("Er kam ('a@b.de').")
    spans = (Span(0, 9), Span(9, 11), Span(11, 13))
    revealed = shown.revealed(DetokenizedText("He came ('X1).", spans))
    assert revealed.text == "He came ('a@b.de')."
    assert revealed.spans[-1].of(revealed.text) == "')"
