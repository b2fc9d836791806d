"""A table of names learned from pairs and texts."""

import json
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dragoman.cli.model.app import app
from dragoman.errors import CorpusError
from dragoman.models.data.names import (
    TextWords,
    WordCount,
    count_words,
    names_file,
    text_words,
    with_common_names,
)
from dragoman.text.terms.names import read_names

PAIRS = [
    ("Jeff sah den Hund.", "Jeff saw the dog."),
    ("Der Hund sah Jeff's Haus.", "The dog saw Jeff's house."),
    ("Ulm ist alt.", "Ulm is old."),
]


def test_words_with_a_capital_are_counted_once_a_sentence() -> None:
    assert count_words(PAIRS) == [
        WordCount("Der", 1, 0),
        WordCount("Haus", 1, 0),
        WordCount("Hund", 2, 0),
        WordCount("Jeff", 2, 2),
        WordCount("Ulm", 1, 1),
    ]


def test_the_first_word_of_a_sentence_says_nothing_of_capitals() -> None:
    words = text_words(["Das Haus in Ulm", "Ulm hat ein haus"])
    assert words.capitals == {"Haus": 1, "Ulm": 1}
    assert words.has_name("Ulm")
    assert not words.has_name("Haus")
    assert not words.has_name("Das")


def test_a_name_that_both_languages_write_alike_counts_as_copied() -> None:
    german = text_words(["in Oslo und Bonn an der Hand", "in Oslo"])
    english = text_words(["from Oslo to Bonn", "a Hand of a hand"])
    counts = [WordCount("Bonn", 4, 0), WordCount("Oslo", 1, 0)]
    assert with_common_names(counts, german, english) == [
        WordCount("Bonn", 4, 0),
        WordCount("Oslo", 2, 2),
    ]
    assert with_common_names(counts, TextWords(Counter(), Counter()), english) == counts


def some_counts() -> list[WordCount]:
    names = [f"K{a}{b}in" for a in "aeiou" for b in ("wal", "rem", "dor", "lub")]
    words = [f"{a}{b}ung" for a in ("Ver", "Ent", "Auf", "Ein") for b in ("tag", "bau", "lad")]
    return [*(WordCount(word, 4, 4) for word in names), *(WordCount(word, 4, 0) for word in words)]


def test_a_table_tells_what_it_has_never_seen() -> None:
    table = read_names(names_file(sorted(some_counts(), key=lambda one: one.word), bits=10))
    assert table.score("Kawalin") > table.score("Vorbauung")


@pytest.mark.parametrize(
    ("tables", "expected"),
    [
        ({"alone": {"Mann": "man"}, "formulas": {"Auf Lager": "In stock"}}, 4),
        ({"formulas": {"Auf Lager": "In stock"}, "alone": {}}, 3),
        ({"formulas": {}}, 2),
    ],
)
def test_a_table_has_the_least_format_that_can_say_it(
    tables: dict[str, dict[str, str]], expected: int
) -> None:
    content = names_file(some_counts(), tables, bits=10)
    assert json.loads(content.partition(b"\n")[0])["format"] == expected
    read = read_names(content)
    assert dict(read.formulas) == tables.get("formulas", {})
    assert dict(read.alone) == tables.get("alone", {})


def test_what_the_regression_gets_wrong_is_listed() -> None:
    odd = [WordCount("Kuwelin", 900, 0), *some_counts()]
    # Too few weights to tell them apart by more than their mean.
    content = names_file(odd, bits=1)
    header = json.loads(content.partition(b"\n")[0])
    assert "Kuwelin" in header["words"] or read_names(content).score("Kuwelin") <= 0
    assert read_names(content).score("Kuwelin") < 0


def test_a_word_list_goes_into_the_same_file() -> None:
    tables = {"lexicon": {"Startbahn": "runway"}, "firsts": {"Golf": "golf"}, "heads": {}}
    read = read_names(names_file(some_counts(), tables, bits=8))
    assert read.lexicon == {"Startbahn": "runway"}
    assert read.firsts == {"Golf": "golf"}
    assert read.heads == {}
    assert read_names(names_file(some_counts(), bits=8)).lexicon == {}


def test_equal_counts_give_equal_bytes() -> None:
    assert names_file(some_counts(), bits=8) == names_file(some_counts(), bits=8)


def test_the_command_writes_a_table(tmp_path: Path) -> None:
    folder = tmp_path / "train" / "en-de"
    folder.mkdir(parents=True)
    (tmp_path / "train" / "manifest.tsv").write_text(
        "pair\tname\tpairs\tclass\tlicence\nen-de\tmade\t1\tfree\tCC0\n"
    )
    import lzma

    with lzma.open(folder / "made.tsv.xz", "wt") as out:
        out.writelines(f"{english}\t{german}\n" for german, english in PAIRS)
    recipe = tmp_path / "recipe.toml"
    recipe.write_text('name = "made"\ncolumns = ["en", "de"]\nclasses = ["free"]\n')
    text = tmp_path / "text.txt"
    text.write_text("in Oslo\n")
    output = tmp_path / "new" / "names.table"
    arguments = ["names", str(recipe), "--data", str(tmp_path), "--pair", "de-en", "--source-text",
                 str(text), "--target-text", str(text), "--output", str(output)]  # fmt: skip
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    assert "learned from 6 words" in done.output
    wrong = CliRunner().invoke(app, [*arguments, "--pair", "de-fr"])
    assert isinstance(wrong.exception, CorpusError)
    assert wrong.exception.message == "the recipe 'made' is of en-de, not de-fr"
    assert read_names(output.read_bytes()).score("Oslo") > read_names(output.read_bytes()).score(
        "Haus"
    )
