from __future__ import annotations

import random

from dragoman.detection.ngrams import number
from dragoman.detection.shipped import detector
from dragoman.detection.table import shipped_table
from dragoman.models.detection.build import counted, letters, one_sided
from dragoman.models.detection.evaluate import evaluate, pieces
from dragoman.models.detection.relatives import relatives


def test_figures_are_of_fifteen_thousand() -> None:
    assert counted("der der die", letters()) == {number(b" der "): 10_000, number(b" die "): 5_000}


def test_letters_are_ranges_of_the_basic_plane() -> None:
    assert letters().startswith("\\u0041-\\u005a\\u0061-\\u007a\\u00aa-\\u00aa")


def test_a_character_is_told_by_being_met_on_one_side_only() -> None:
    assert one_sided("们" * 10 + "中" * 10 + "见" * 3, "們" * 10 + "中" * 10) == "们"


def test_the_words_of_relatives_are_shipped() -> None:
    shipped = shipped_table().relatives
    assert {language: sorted(words) for language, words in shipped.items()} == relatives()
    assert {"hüüt", "öppis"} <= shipped["de"]


def test_pieces_have_the_lengths_that_were_asked_for() -> None:
    cut = dict(
        pieces("de", "eins zwei drei vier fünf sechs sieben acht neun zehn elf", random.Random(1))
    )
    assert {length: len(piece.split()) for length, piece in cut.items()} == {1: 1, 3: 3, 10: 10}
    tight = dict(pieces("ja", "今日はパンと牛乳を買いに店へ行きます。", random.Random(1)))
    assert {length: len(piece) for length, piece in tight.items()} == {1: 2, 3: 6}


def test_the_share_that_is_right_is_counted() -> None:
    lines = iter(
        [
            "de\tHeute gehen wir alle zusammen in den Laden an der Ecke\n",
            "de\tThis is not German at all I am rather sure of it\n",
        ]
    )
    tally = evaluate(lines, detector())[10]
    assert tally.figures() == {"pieces": 2, "best": 50.0, "sure": 100.0, "wrong": 50.0}


def test_a_tag_with_a_script_is_of_its_language() -> None:
    line = "zh-Hant\t今天天氣很好我們去公園散步吃飯喝茶看電影\n"
    tallies = evaluate(iter([line]), detector())
    assert {length: tally.pieces for length, tally in tallies.items()} == {1: 1, 3: 1, 10: 1}
    assert tallies[10].figures() == {"pieces": 1, "best": 100.0, "sure": 100.0, "wrong": 0.0}
