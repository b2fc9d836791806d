"""Which sentences a model is to translate."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from dragoman.errors import CorpusError
from dragoman.models.data.recipe import Recipe
from dragoman.models.synthesis.selection import (
    Selection,
    Sentence,
    Text,
    admitted,
    chosen,
    monolingual,
    named,
    shares,
)

RECIPE = Recipe("x", ("en", "de"))
MANIFEST = (
    "language\tname\tclass\tlicence\n"
    "de\tzeitung\tfree\tCC0\nde\tgeheim\tnc\tno use\nde\tbuch\tcopyleft\tGPL\nen\tnews\tfree\tCC0\n"
)


def text(*lines: str, name: str = "a") -> Text:
    return Text(name, "CC0", "free", lambda: map(Sentence, lines))


@pytest.mark.parametrize("name", ["", "ud/gsd", "../other"])
def test_a_source_whose_name_is_none_of_a_file_is_refused_before_the_work(name: str) -> None:
    with pytest.raises(CorpusError, match="a source cannot be called"):
        text(name=name)


def mono(folder: Path) -> Path:
    (folder / "mono" / "de").mkdir(parents=True)
    (folder / "mono" / "manifest.tsv").write_text(MANIFEST)
    (folder / "mono" / "de" / "buch.txt").write_text("Ein \u2028  Satz\there.\nNoch einer.\n")
    with lzma.open(folder / "mono" / "de" / "zeitung.txt.xz", "wt") as stream:
        stream.write("Alles neu.\n")
    return folder


def test_texts_that_the_recipe_admits(tmp_path: Path) -> None:
    sentences = monolingual(mono(tmp_path), RECIPE, "de")
    assert [(one.name, one.licence, one.licence_class) for one in sentences] == [
        ("buch", "GPL", "copyleft"),
        ("zeitung", "CC0", "free"),
    ]
    # Whatever white space a line has, it stays one line of one column.
    assert [one.text for one in sentences[0].read()] == ["Ein Satz here.", "Noch einer."]
    with pytest.raises(CorpusError, match="no text of 'fr' and the classes free, copyleft"):
        monolingual(tmp_path, RECIPE, "fr")
    with pytest.raises(CorpusError, match=r"news\.txt: there is no such file, nor a packed one"):
        monolingual(tmp_path, RECIPE, "en")


def test_sources_by_name_and_their_figures() -> None:
    texts = [text(name="a"), text(name="b"), text(name="c")]
    sentences, most = named(texts, ["c", "a=20"])
    assert ([one.name for one in sentences], most) == (["a", "c"], {"a": 20})
    assert named(texts, []) == (texts, {})
    with pytest.raises(CorpusError, match="there is no source 'd'; there are a, b, c"):
        named(texts, ["d"])
    with pytest.raises(CorpusError, match="'a=few': after the name comes a number"):
        named(texts, ["a=few"])


def test_sentences_within_the_limits_each_once() -> None:
    lines = "Zwei Worte", "Das sind drei", "Das sind drei", "Das sind nun vier", "x" * 601 + " y z"
    selection = Selection(least_words=3, most_words=3)
    assert [one.text for one in admitted(text(*lines), selection)] == ["Das sind drei"]


@pytest.mark.parametrize(
    ("counts", "weights", "sentences", "expected"),
    [
        ({"a": 100, "b": 300}, {"a": 1.0, "b": 1.0}, 40, {"a": 10, "b": 30}),
        ({"a": 100, "b": 300}, {"a": 3.0, "b": 1.0}, 40, {"a": 20, "b": 20}),
        ({"a": 10, "b": 1000}, {"a": 50.0, "b": 1.0}, 110, {"a": 10, "b": 100}),
        ({"a": 10, "b": 20}, {"a": 1.0, "b": 0.0}, 0, {"a": 10, "b": 0}),
        ({"a": 10, "b": 20}, {"a": 1.0, "b": 1.0}, 99, {"a": 10, "b": 20}),
    ],
)
def test_shares(
    counts: dict[str, int], weights: dict[str, float], sentences: int, expected: dict[str, int]
) -> None:
    assert shares(counts, weights, sentences) == expected


def test_the_choice_depends_on_the_seed_alone() -> None:
    source = text(*(f"Das ist Satz {number}" for number in range(100)))
    picked = list(chosen(source, Selection(seed=1), 10, 100))
    assert len(picked) == 10
    assert picked == sorted(picked, key=lambda one: int(one.text.split()[-1]))
    assert picked == list(chosen(source, Selection(seed=1), 10, 100))
    assert picked != list(chosen(source, Selection(seed=2), 10, 100))
    assert len(list(chosen(source, Selection(), 500, 100))) == 100


@pytest.mark.parametrize(
    ("figures", "message"),
    [
        ({"least_words": 9, "most_words": 3}, "sentences have 9 to 3 words"),
        ({"sentences": -1}, "the sentences are -1 and the seed 1"),
    ],
)
def test_figures_that_cannot_be(figures: dict[str, int], message: str) -> None:
    with pytest.raises(CorpusError, match=message):
        Selection(**figures)
