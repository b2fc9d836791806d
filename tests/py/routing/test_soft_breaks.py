"""Which line breaks are there only because a line was full."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.markup.bits import at_once
from dragoman.routing.edited import Edited
from dragoman.routing.soft_breaks import may_have_soft_breaks, paragraphs_bit_by_bit

MAIL = """\
Sehr geehrte Frau Berger,

die Verhandlungen sollen am kommenden Montag in Genf
fortgesetzt werden. Bitte bringen Sie die Unterlagen der
Abteilung mit.

Der Termin ist mit allen Beteiligten abgestimmt, auch mit
Herrn Wolf.

Mit freundlichen Grüßen
Ihr Team
"""


def shown(text: str) -> str:
    """Of the text as a model is shown it."""
    assert may_have_soft_breaks(text)
    found = at_once(paragraphs_bit_by_bit(text))
    joints = [joint for paragraph in found for joint in paragraph.joints]
    return Edited(joints).text(text)


def test_a_mail() -> None:
    assert shown(MAIL).split("\n") == [
        "Sehr geehrte Frau Berger,",
        "",
        "die Verhandlungen sollen am kommenden Montag in Genf fortgesetzt werden. Bitte bringen "
        "Sie die Unterlagen der Abteilung mit.",
        "",
        "Der Termin ist mit allen Beteiligten abgestimmt, auch mit Herrn Wolf.",
        "",
        "Mit freundlichen Grüßen",
        "Ihr Team",
        "",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "Das Abkommen über die Verlänge-\nrung der Frist trat am 1. Mai in\nKraft.",
            "Das Abkommen über die Verlängerung der Frist trat am 1. Mai in Kraft.",
            id="hyphen",
        ),
        pytest.param(
            "Am Dienstag hat der Ausschuss über den Plan für die\n"
            "Altstadt im Beisein von Anwohnern beraten. Von den\n"
            "Eltern kamen Einwände, da Kinder in der Nähe der\n"
            "Brücke in die Grundschule gehen. Dort soll nach dem\n"
            "Willen der Stadt vom Sommer an gebaut werden, womit\n"
            "niemand gerechnet hatte.",
            "Am Dienstag hat der Ausschuss über den Plan für die Altstadt im Beisein von "
            "Anwohnern beraten. Von den Eltern kamen Einwände, da Kinder in der Nähe der "
            "Brücke in die Grundschule gehen. Dort soll nach dem Willen der Stadt vom Sommer "
            "an gebaut werden, womit niemand gerechnet hatte.",
            id="nouns",
        ),
        pytest.param(
            "> Wir haben die Lieferung heute früh\n> erhalten, aber es fehlen\n> zwei "
            "Teile.\nWelche?",
            "> Wir haben die Lieferung heute früh erhalten, aber es fehlen\n> zwei Teile.\nWelche?",
            id="quote",
        ),
        pytest.param(
            "- Die Anmeldung ist bis Freitag möglich\n  und kostet nichts.\n- Wer kommt,\n  hilft.",
            "- Die Anmeldung ist bis Freitag möglich und kostet nichts.\n- Wer kommt,\n  hilft.",
            id="items",
        ),
        pytest.param(
            "1. Schalten Sie das Gerät aus, bevor Sie\n   es öffnen.\n2. Ziehen Sie den Stecker.",
            "1. Schalten Sie das Gerät aus, bevor Sie es öffnen.\n2. Ziehen Sie den Stecker.",
            id="numbers",
        ),
        pytest.param(
            "Der Vertrag beginnt nach den Angaben am\n12. Mai und endet am letzten Tag des\n"
            "selben Jahres.",
            "Der Vertrag beginnt nach den Angaben am 12. Mai und endet am letzten Tag des "
            "selben Jahres.",
            id="a date is no item",
        ),
        pytest.param(
            "Der Vertrag beginnt nach den Angaben am\n1. Mai und endet am letzten Tag des\n"
            "selben Jahres.",
            "Der Vertrag beginnt nach den Angaben am 1. Mai und endet am letzten Tag des selben "
            "Jahres.",
            id="the first of a month is no item",
        ),
        pytest.param(
            "Er kam wie immer zu spät in das Theater\n– das war ja klar – und setzte sich "
            "auf\nseinen Platz.",
            "Er kam wie immer zu spät in das Theater – das war ja klar – und setzte sich "
            "auf seinen Platz.",
            id="a dash is no item",
        ),
        pytest.param(
            "Siehe dazu auch die Erläuterungen unter\n"
            "https://example.org/ein/sehr/langer/pfad/datei\nund im Anhang.",
            "Siehe dazu auch die Erläuterungen unter "
            "https://example.org/ein/sehr/langer/pfad/datei und im Anhang.",
            id="an address",
        ),
        pytest.param(
            "Die erste Zeile des Absatzes ist voll und\ngeht weiter.\nHier beginnt ein "
            "neuer Absatz.",
            "Die erste Zeile des Absatzes ist voll und geht weiter.\nHier beginnt ein neuer "
            "Absatz.",
            id="paragraphs",
        ),
    ],
)
def test_paragraphs(text: str, expected: str) -> None:
    assert shown(text) == expected
    assert shown(text.replace("\n", "\r\n")) == expected.replace("\n", "\r\n")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "Regierung einigt sich auf neuen Haushalt\nVerein sucht Helfer\n", id="titles"
        ),
        pytest.param("brot\nbutter\nmilch und käse", id="short"),
        pytest.param(
            "Der Mond ist aufgegangen,\nDie goldnen Sternlein prangen\nAm Himmel hell und klar;\n"
            "Der Wald steht schwarz und schweiget,\nUnd aus den Wiesen steiget",
            id="verse",
        ),
        pytest.param(
            "Kapitel eins der ganzen Geschichte ... 12\nund der Anhang ....... 13", id="dots"
        ),
        pytest.param(
            "Größe der Datei in Byte      12345 und\nmehr davon als man denkt     1", id="cells"
        ),
        pytest.param(
            "EinsehrlangesWortdasalleinsteht\n\nund danach eine Zeile, die lang genug ist.",
            id="apart",
        ),
        pytest.param("a " * 70 + "\nund noch eine Zeile", id="longer than a page"),
        pytest.param(
            "Der Satz ist zu Ende, die Zeile ist voll.\nder nächste begann klein, und so war es.",
            id="sentences",
        ),
    ],
)
def test_what_stays(text: str) -> None:
    assert at_once(paragraphs_bit_by_bit(text)) == ()


def test_what_is_not_worth_a_look() -> None:
    for text in ("", "Ein Satz.", "Ein Satz.\n\nNoch einer.", "\n\n12\n\n"):
        assert not may_have_soft_breaks(text)


def test_width_and_line_break_are_those_of_the_lines() -> None:
    text = "> Wir haben die Lieferung heute früh \r\n> erhalten."
    (paragraph,) = at_once(paragraphs_bit_by_bit(text))
    assert (paragraph.width, paragraph.line_break) == (36, "\r\n> ")
    assert paragraph.span.of(text)[:3] == "Wir"
    assert [joint.span.of(text) for joint in paragraph.joints] == [" \r\n> "]


_LINES = st.lists(st.text(alphabet="aB-.> 1\t\xad", max_size=50), max_size=8)


@given(_LINES, st.sampled_from(["\n", "\r\n", "\r"]))
def test_nothing_but_breaks_is_taken_away(found: list[str], line_break: str) -> None:
    text = line_break.join(found)
    read = 0
    for paragraph in at_once(paragraphs_bit_by_bit(text)):
        assert read <= paragraph.span.start
        for joint in paragraph.joints:
            assert paragraph.span.start < joint.span.start < joint.span.end < paragraph.span.end
            assert joint.span.of(text).strip("-\xad> \t") in ("\n", "\r\n", "\r")
        read = paragraph.span.end
