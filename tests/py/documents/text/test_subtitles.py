from __future__ import annotations

import pytest

from dragoman.documents.passage import Translated
from dragoman.types import PlacedElement, Span
from tests.support.documents import read, written

_CUES = """1
00:00:01,000 --> 00:00:02,000
Das ist der Anfang

2
00:00:02,000 --> 00:00:03,000
eines Satzes.
"""


def test_a_sentence_over_two_cues_is_shared_out() -> None:
    document = read("srt", _CUES)
    (passage,) = document.passages
    assert passage.text == "Das ist der Anfang eines Satzes."
    moved = (PlacedElement(0, (Span(0, 4),)), Span(4, 5), PlacedElement(1, (Span(5, 12),)))
    assert document.write([Translated("This begins.", moved)], "en").decode() == _CUES.replace(
        "Das ist der Anfang", "This"
    ).replace("eines Satzes.", "begins.")
    # Where a cue would be left without words, they are shared out by the cues' lengths.
    text = "This is the start of one."
    alone = (PlacedElement(0, (Span(0, len(text)),)), PlacedElement(1, ()))
    assert document.write([Translated(text, alone)], "en").decode() == _CUES.replace(
        "Das ist der Anfang", "This is the start"
    ).replace("eines Satzes.", "of one.")


def cues(*texts: str) -> str:
    return "\n".join(
        f"{number}\n00:00:0{number},000 --> 00:00:0{number},900\n{text}\n"
        for number, text in enumerate(texts, 1)
    )


@pytest.mark.parametrize(
    ("texts", "passages"),
    [
        (("Ja.", "Nein."), ["Ja.", "Nein."]),
        (("Ich weiß", "– Was?"), ["Ich weiß", "– Was?"]),  # another speaker
        (("Ich weiß", "[Musik]"), ["Ich weiß", "[Musik]"]),
        (("a", "b", "c", "d", "e f."), ["a b c d", "e f."]),  # four at most
        (("Ja\n– Nein",), ["Ja\n– Nein"]),
        (("Das ist\ngut.",), ["Das ist gut."]),
        (("<v Eva>Ja.\n<v Bert>Nein.",), ["Ja.\nNein."]),
        (("EVA: Ja.\nDR. BERT: Nein,\nDU: nie.",), ["EVA: Ja.\nDR. BERT: Nein,\nDU: nie."]),
        (("♪ Lied eins ♪\n♪ Lied zwei ♪",), ["♪ Lied eins ♪\n♪ Lied zwei ♪"]),
        (("[Tür knallt]\nWas war\ndas?",), ["[Tür knallt]\nWas war das?"]),
        (("Das ist\n(wie wir wissen) gut.",), ["Das ist (wie wir wissen) gut."]),
        (("Was war das?\n<i>(Tür knallt)</i>",), ["Was war das?\n(Tür knallt)"]),
        (("<i>Ja.</i>", "gut."), ["Ja.", "gut."]),
        (("♪ 12 ♪",), []),
    ],
)
def test_a_passage_is_a_sentence(texts: tuple[str, ...], passages: list[str]) -> None:
    assert [passage.text for passage in read("srt", cues(*texts)).passages] == passages


def test_a_long_line_is_cut_in_two_and_a_short_one_is_joined() -> None:
    assert written("srt", cues("Das ist\ngut."), "Good.") == cues("Good.")
    long = "This is what a long translation of it looks like."
    assert written("srt", cues("Das ist gut."), long) == cues(
        "This is what a long\ntranslation of it looks like."
    )


def test_line_breaks_are_those_of_the_file() -> None:
    source = cues("Das ist gut.").replace("\n", "\r\n")
    long = "This is what a long translation of it looks like."
    text = written("srt", source, long)
    assert text.count("\n") == text.count("\r\n") == 4


def test_a_cue_ends_where_the_next_begins() -> None:
    text = "1\n00:00:01,000 --> 00:00:02,000\nJa!\n{}00:00:03,000 --> 00:00:04,000\nNein!\n"
    for number in ("2\n", ""):
        changed = written("srt", text.format(number), "Yes!", "No!")
        assert changed == text.format(number).replace("Ja", "Yes").replace("Nein", "No")


def test_no_line_ends_in_a_tag() -> None:
    tag = '<font color="#ffff00">'
    source = cues(f"Das ist ein langer\n{tag}Satz aus</font> vielen alten Wörtern.")
    text = "X" * 33 + " sentence of many old words"
    content = (Span(0, 34), PlacedElement(0, (Span(34, 42),)), Span(42, 60))
    changed = read("srt", source).write([Translated(text, content)], "en").decode()
    assert f"{'X' * 33}\n{tag}sentence</font>" in changed


def test_text_behind_an_empty_line_is_of_the_cue_before() -> None:
    cue = "1\n00:00:01,000 --> 00:00:02,000\nErste Zeile.\n\nZweite.\n\n"
    rest = "2\n00:00:03,000 --> 00:00:04,000\nEnde.\n"
    assert [p.text for p in read("srt", cue + rest).passages] == ["Erste Zeile. Zweite.", "Ende."]
    changed = written("srt", cue + rest, "First. Second.", "End.")
    assert changed == cue.replace("Erste Zeile.\n\nZweite.", "First. Second.") + rest.replace(
        "Ende", "End"
    )
    note = "WEBVTT\n\n00:01.000 --> 00:02.000\nJa.\n\nNOTE Nein\n"
    assert [passage.text for passage in read("vtt", note).passages] == ["Ja."]
