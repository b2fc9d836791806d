from __future__ import annotations

import gzip
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dragoman.errors import CorpusError
from dragoman.models.data.bands import LengthBand
from dragoman.models.data.corpus import (
    CLEANING_RULES,
    Pair,
    SourceFile,
    capped,
    list_sources,
    read_lines,
    read_manifest,
    read_pairs,
    read_tsv_columns,
    reason_to_drop,
)
from dragoman.models.data.recipe import FileSource, Recipe

BROKEN = {
    "empty": ("Hello.", ""),
    "too long": ("a" * 601, "b" * 601),
    "no letters": ("42 !", "zweiundvierzig"),
    "mostly not letters": ("a = 1 + 2 + 3;", "a ist 6 und mehr"),
    "length ratio": ("Yes.", "Ja, das ist nun wirklich eine ganz andere Sache."),
    "untranslated": ("the same four words", "the same four words"),
    "wrong encoding": ("beautiful", "schÃ¶n"),
    "numbers differ": ("It was in the year 1984.", "Das war im Jahr 1985."),
}


@pytest.mark.parametrize("rule", CLEANING_RULES)
def test_each_rule_has_a_pair_that_it_drops(rule: str) -> None:
    assert reason_to_drop(*BROKEN[rule]) == rule


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Yes.", "Ja."),
        ("Hello World", "Hello World"),  # names stay
        ("It cost 1,000.50 dollars.", "Es kostete 1.000,50 Dollar."),
        ("On 5/24 we met at the station.", "Am 24.5. trafen wir uns am Bahnhof."),
        ("Übergrößenträger", "Person who wears outsize"),
        ("Room 5", "Zimmer"),  # short: numbers may be words
        # Scripts whose vowels are marks on letters, with digits of their own, of few characters.
        ("Children are playing in the school.", "ကလေးတွေ ကျောင်းမှာ ကစားနေကြတယ်။"),
        ("The war ended here in the year 1945.", "انتهت الحرب هنا في عام ١٩٤٥ ميلادي."),
        (
            "He lived in the small house near the river for more than twenty years.",
            "他在河边的小房子里住了二十多年。",
        ),
    ],
)
def test_good_pairs_are_kept(first: str, second: str) -> None:
    assert reason_to_drop(first, second) is None


@pytest.mark.parametrize(
    ("rule", "first", "second"),
    [
        ("numbers differ", "The war ended here in the year 1945.", "انتهت الحرب هنا في عام ١٩٤٦."),
        ("length ratio", "Yes, that is something else altogether indeed.", "是的。"),
        ("mostly not letters", "It is 1 + 2 + 3.", "ကစား = 1 + 2 + 3 + 4 + 5 + 6"),
    ],
)
def test_the_rules_hold_in_other_scripts(rule: str, first: str, second: str) -> None:
    assert reason_to_drop(first, second) == rule


def test_lines_of_plain_and_packed_files(tmp_path: Path) -> None:
    content = "\ufeffone\r\nzwei\u2028drei\n\nvier".encode()
    plain, packed = tmp_path / "a.tsv", tmp_path / "a.tsv.gz"
    plain.write_bytes(content)
    packed.write_bytes(gzip.compress(content))
    expected = ["one", "zwei\u2028drei", "", "vier"]
    assert list(read_lines(plain)) == list(read_lines(packed)) == expected


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.gz", b"no gzip"),
        ("a.gz", gzip.compress(b"one\n" * 999, mtime=0)[:-9]),
        ("a.gz", gzip.compress(b"one two three\n" * 99, mtime=0)[:14] + b"\xff" * 40),
        ("a.xz", b"no xz"),
        ("a.bz2", b"no bz2"),
        ("a.tsv", b"\xff\xfe"),
    ],
)
def test_damaged_files_are_named(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(CorpusError, match=name):
        list(read_lines(path))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"none\.tsv"):
        list(read_lines(tmp_path / "none.tsv"))


def test_sources_are_chosen_by_pair_class_and_weight(toy_data: Path) -> None:
    def names(**changes: Any) -> list[str]:
        recipe = Recipe("toy", ("en", "de"), **changes)
        return [source.name for source in list_sources(toy_data, recipe)]

    assert names() == ["digits", "noise"]
    assert names(classes=("free",)) == ["digits"]
    assert names(weights={"digits": 0.0}) == ["noise"]
    with pytest.raises(CorpusError, match="no source of the classes own"):
        names(classes=("own",))


def test_a_quotation_mark_in_a_manifest_is_text(tmp_path: Path) -> None:
    path = tmp_path / "manifest.tsv"
    rows = 'a-b\tone\tfree\tMIT\t"an open quote\na-b\ttwo\tfree\tMIT\tnote\n'
    path.write_text("pair\tname\tclass\tlicence\tnote\n" + rows, encoding="utf-8")
    assert [row["name"] for row in read_manifest(path)] == ["one", "two"]


def test_a_manifest_without_a_column(tmp_path: Path) -> None:
    path = tmp_path / "manifest.tsv"
    path.write_text("pair\tname\tclass\na-b\tone\tfree\n", encoding="utf-8")
    with pytest.raises(CorpusError, match="no column 'licence'"):
        read_manifest(path)


def test_dropped_pairs_are_counted_by_rule(toy_data: Path) -> None:
    dropped: Counter[str] = Counter()
    path = toy_data / "train" / "en-de" / "noise.tsv.xz"
    assert list(read_pairs(SourceFile("noise", "free", "", path), dropped)) == []
    assert dropped == {
        "length ratio": 1, "no letters": 1, "untranslated": 1, "not two columns": 1, "empty": 1
    }  # fmt: skip


def test_a_cap_is_a_fixed_choice_in_file_order() -> None:
    pairs = [Pair(str(n), str(n), "x") for n in range(100)]

    def chosen(cap: int | None, seed: int) -> list[Pair]:
        return list(capped(lambda: iter(pairs), cap, seed))

    assert chosen(10, 1) == chosen(10, 1) != chosen(10, 2)
    assert len(chosen(10, 1)) == 10
    assert chosen(10, 1) == sorted(chosen(10, 1), key=lambda pair: int(pair.first))
    assert chosen(None, 1) == chosen(100, 1) == chosen(500, 1) == pairs


def test_two_texts_side_by_side_are_a_source(tmp_path: Path) -> None:
    (tmp_path / "a.en").write_text("one\nt\two\n")
    (tmp_path / "a.de.gz").write_bytes(gzip.compress(b"eins\nzwei\n"))
    source = SourceFile("a", "free", "", tmp_path / "a.en", tmp_path / "a.de.gz")
    assert list(read_pairs(source, Counter())) == [
        Pair("one", "eins", "a"),
        Pair("t wo", "zwei", "a"),
    ]
    (tmp_path / "a.en").write_text("one\n")
    with pytest.raises(CorpusError, match=r"a\.en ends before line 2"):
        list(read_pairs(source, Counter()))


def test_a_recipe_names_sources_of_its_own(toy_data: Path, tmp_path: Path) -> None:
    file = FileSource("mine", "MIT", "free", ("a.tsv",))
    recipe = Recipe("toy", ("en", "de"), files=(file,))
    (only,) = list_sources(tmp_path, recipe)  # no manifest is needed
    assert only == SourceFile("mine", "free", "MIT", tmp_path / "a.tsv")
    names = [source.name for source in list_sources(toy_data, recipe)]
    assert names == ["digits", "mine", "noise"]
    with pytest.raises(CorpusError, match="two sources have the name 'mine'"):
        list_sources(tmp_path, Recipe("toy", ("en", "de"), files=(file, file)))
    with pytest.raises(CorpusError, match="two sources have the name 'augmented'"):
        list_sources(tmp_path, replace(recipe, files=(replace(file, name="augmented"),)))
    band = LengthBand("long", ("mine",), 2.0)
    banded = replace(file, name="mine_long")
    with pytest.raises(CorpusError, match="two sources have the name 'mine_long'"):
        list_sources(tmp_path, Recipe("toy", ("en", "de"), files=(file, banded), bands=(band,)))


def test_columns_by_language(tmp_path: Path) -> None:
    path = tmp_path / "dev.tsv"
    path.write_text("en\tfr\tde\none\tun\teins\n", encoding="utf-8")
    assert read_tsv_columns(path, "de", "en") == [("eins", "one")]
    with pytest.raises(CorpusError, match="no column 'es'; it has en, fr, de"):
        read_tsv_columns(path, "en", "es")
    path.write_text("en\tde\none\n", encoding="utf-8")
    with pytest.raises(CorpusError, match="line 2 has 1 columns"):
        read_tsv_columns(path, "en", "de")
    path.write_text("en\tde\n", encoding="utf-8")
    with pytest.raises(CorpusError, match="no sentence"):
        read_tsv_columns(path, "en", "de")
