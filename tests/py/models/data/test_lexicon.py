"""A bundle's word list, of links and of lists."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from dragoman.cli.model.app import app
from dragoman.errors import CorpusError
from dragoman.models.data.batches import NO_TAG, PreparedData, Ragged
from dragoman.models.data.lexicon import (
    COMMON,
    RARE,
    SHARED,
    WordUse,
    WordUses,
    most_frequent,
    no_compounds,
    read_entries,
    sure,
    with_written,
    without_compounds,
)

PIECES = (
    "</s>",
    "<unk>",
    "▁Die",
    "▁Start",
    "bahn",
    ".",
    "▁The",
    "▁run",
    "way",
    "▁brennt",
    "▁burns",
)


class Vocabulary:
    def get_piece_size(self) -> int:
        return len(PIECES)

    def id_to_piece(self, index: int) -> str:
        return PIECES[index]


def prepared(*pairs: tuple[list[int], list[int], list[int]], swapped: bool = False) -> PreparedData:
    """Pairs of source pieces, target pieces, and links (source, target, ...)."""
    return PreparedData(
        source=Ragged.of([pair[0] for pair in pairs], np.uint16),
        target=Ragged.of([pair[1] for pair in pairs], np.uint16),
        links=Ragged.of([pair[2] for pair in pairs], np.uint8),
        links_swapped=swapped,
        source_of=np.zeros(len(pairs), dtype=np.uint8),
        weights=np.ones(1),
        tags=np.array([NO_TAG]),
        vocabulary_size=len(PIECES),
    )


# Die Start-bahn brennt . / The run-way burns .
SENTENCE = [2, 3, 4, 9, 5], [6, 7, 8, 10, 5], [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]


def uses(data: PreparedData) -> WordUses:
    counted = WordUses(Vocabulary())
    counted.add(data)
    return counted


def test_words_are_put_together_of_their_pieces_and_linked_as_wholes() -> None:
    words = uses(prepared(SENTENCE, SENTENCE)).words
    assert words["Startbahn"] == WordUse(2, Counter({"runway": 2}))
    assert words["brennt"] == WordUse(2, Counter({"burns": 2}))
    assert "Die" not in words
    assert uses(prepared(SENTENCE)).others["runway"] == 1


def test_links_of_the_other_direction_are_turned() -> None:
    source, target, _ = SENTENCE
    turned = [0, 0, 2, 1, 1, 2, 3, 3]  # (target, source): "way" with "Start"
    words = uses(prepared((source, target, turned), swapped=True)).words
    assert words["Startbahn"].translations == Counter({"runway": 1})


def test_a_word_that_shares_its_translation_says_nothing() -> None:
    source, target, _ = SENTENCE
    shared = [1, 1, 2, 2, 3, 2]  # "way" is linked to "brennt" too
    words = uses(prepared((source, target, shared))).words
    assert words["Startbahn"] == WordUse(1, Counter())


def test_a_pair_of_a_word_alone_counts_twice() -> None:
    words = uses(prepared(([3, 4], [7, 8], [0, 0, 1, 1]))).words
    assert words["Startbahn"] == WordUse(2, Counter({"runway": 2}))


def test_what_is_rare_and_sure_is_listed() -> None:
    words = {
        "Startbahn": WordUse(5, Counter({"runway": 3, "strip": 1})),
        "Bank": WordUse(4, Counter({"bank": 2, "bench": 2})),
        "einmal": WordUse(1, Counter({"once": 1})),
        "Haus": WordUse(RARE + 1, Counter({"house": RARE})),
        "Arena": WordUse(5, Counter({"arena": 5})),
        "Rock": WordUse(5, Counter({"skirt": 5})),
        "2019er": WordUse(5, Counter({"2019": 5})),
        "Satz": WordUse(5, Counter({"a b c d": 5})),
    }
    others = {"rock": SHARED, "runway": 5, "startbahn": SHARED - 1}
    assert sure(words, others, has_nouns_in_capitals=True) == {"Startbahn": "runway"}


def test_capitals_of_other_languages_are_headings_or_names() -> None:
    words = {word: WordUse(5, Counter({"Zubehör": 5})) for word in ("Accessories", "accessories")}
    assert sure(words, {}, has_nouns_in_capitals=False) == {"accessories": "Zubehör"}


def test_what_many_words_are_said_to_be_is_none_of_them() -> None:
    words = {f"ab{letter}en": WordUse(3, Counter({"down": 3})) for letter in "bcdfghjk"[:COMMON]}
    words["Startbahn"] = WordUse(5, Counter({"runway": 5}))
    assert sure(words, {}, has_nouns_in_capitals=True) == {"Startbahn": "runway"}


def test_texts_say_which_words_are_worth_their_place() -> None:
    entries = {"Startbahn": "runway", "Abakus": "abacus", "Zander": "zander fish"}
    texts = ["Der Abakus, die Startbahn.", "Abakus und Abakus"]
    assert list(most_frequent(entries, texts, 1)) == ["Abakus"]
    assert list(most_frequent(entries, texts, 9)) == ["Abakus", "Startbahn"]


def test_what_is_written_counts_before_the_links_and_may_say_that_there_is_none() -> None:
    linked = {"Einnahme": "capture", "Kohl": "cabbage", "Aal": "eel"}
    written = {"Einnahme": "taking", "Kohl": "-", "Zander": "pike"}
    assert with_written(linked, written) == {"Einnahme": "taking", "Aal": "eel", "Zander": "pike"}


def test_what_its_parts_say_anyway_needs_no_entry() -> None:
    entries = {
        "Golfturnier": "golf tournament",
        "Hausarzt": "family doctor",
        "Arzt": "doctor",
        "Bergführer": "mountain guide",
        "Bergwanderführer": "mountain hiking guide",
        "Tor": "gate",
    }
    firsts = {"Golf": "golf", "Haus": "house", "Berg": "mountain", "Wander": "hiking"}
    heads = {"Turnier": "tournament", "Führer": "guide"}
    kept = without_compounds(entries, firsts, heads)
    assert kept == {"Hausarzt": "family doctor", "Arzt": "doctor", "Tor": "gate"}


def test_words_that_look_like_compounds_and_are_none() -> None:
    words = {
        "Botschaft": WordUse(RARE + 1),
        "Golfschaft": WordUse(RARE),  # rare: it may be one
        "Golfplatz": WordUse(RARE + 1),
        "Haus": WordUse(RARE + 1),
    }
    written = {"Salzburg": "-", "Ulm": "-", "Aal": "eel"}
    firsts = {"Bot": "bot", "Golf": "golf", "Salz": "salt"}
    heads = {"Schaft": "shaft", "Burg": "castle"}
    kept = no_compounds(words, written, {"Golfplatz": "golf course"}, firsts, heads)
    assert kept == {"Botschaft": "-", "Salzburg": "-"}


def test_what_another_entry_needs_for_its_head_does_not_take_it_along() -> None:
    three = {"Golfwahlbergführer": "golf election mountain guide"}
    four = {"Weltgolfwahlbergführer": "world golf election mountain guide"}
    firsts = {"Golf": "golf", "Wahl": "election", "Berg": "mountain", "Welt": "world"}
    heads = {"Führer": "guide"}
    assert without_compounds(three, firsts, heads) == {}
    assert without_compounds({**three, **four}, firsts, heads) == four


def test_later_lists_count_and_bad_lines_are_named(tmp_path: Path) -> None:
    first, second, bad = (tmp_path / f"{name}.tsv" for name in "abc")
    first.write_text("Bank\tbank\nAal\teel\n")
    second.write_text("Bank\tbench\n")
    bad.write_text("Aal\teel\nBank\n")
    assert read_entries([first, second]) == {"Bank": "bench", "Aal": "eel"}
    with pytest.raises(CorpusError, match=r"c\.tsv: line 2 is not a word and its translation"):
        read_entries([bad])


def test_the_command_writes_a_list(toy_prepared: Path, tmp_path: Path) -> None:
    entries, text, output = (tmp_path / name for name in ("entries.tsv", "text.txt", "new/out.tsv"))
    entries.write_text("Startbahn\trunway\nZander\tpike\n")
    text.write_text("Die Startbahn.\n")
    arguments = ["lexicon", toy_prepared, "--pair", "de-en", "--entries", entries, "--text", text,
                 "--output", output]  # fmt: skip
    done = CliRunner().invoke(app, list(map(str, arguments)))
    assert done.exit_code == 0, done.output
    assert output.read_text() == "Startbahn\trunway\n"
    half = CliRunner().invoke(app, [*map(str, arguments), "--firsts", str(entries)])
    assert half.exit_code == 2
    assert "--firsts and --heads go together" in half.output


def test_data_without_links_make_no_list() -> None:
    source, target, _ = SENTENCE
    with pytest.raises(CorpusError, match="have no links of words"):
        uses(prepared((source, target, [])))
