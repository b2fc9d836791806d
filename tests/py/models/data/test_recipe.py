from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from dragoman.errors import RecipeError
from dragoman.models.data.corpus import Pair, list_sources, read_pairs
from dragoman.models.data.recipe import FileSource, read_recipe
from tests.support.paths import ROOT

GOOD = 'name = "x"\ncolumns = ["en", "de"]\n'
BAND = '[[bands]]\nname = "terse"\nsources = ["news"]\nfactor = 0.1\n'


def _write(folder: Path, text: str) -> Path:
    path = folder / "recipe.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_recipe_with_all_keys(tmp_path: Path) -> None:
    text = GOOD + (
        'classes = ["free"]\ndefault_weight = 0.5\nvocabulary_size = 500\nmax_pieces = 60\n'
        "seed = 3\nopenings = '„('\n[weights]\na = 2\nb = 0.25\n[caps]\na = 10\n"
    )
    recipe = read_recipe(_write(tmp_path, text))
    assert recipe.columns == ("en", "de")
    assert recipe.classes == ("free",)
    assert [recipe.weight(name) for name in "abc"] == [2, 0.25, 0.5]
    assert recipe.caps == {"a": 10}
    assert (recipe.vocabulary_size, recipe.max_pieces, recipe.seed) == (500, 60, 3)
    assert recipe.openings == "„("


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('columns = ["en", "de"]\n', "no 'name'"),
        ('name = "x"\n', "no 'columns'"),
        (GOOD + "wieght = 1\n", "unknown key 'wieght'; known: augmented_share, bands, caps"),
        ('name = "x"\ncolumns = ["en"]\n', "columns are two languages"),
        ('name = "x"\ncolumns = 3\n', "columns is a list of texts"),
        (GOOD + "classes = [1]\n", "classes is a list of texts"),
        (GOOD + "weights = 2\n", "weights is a table of numbers"),
        (GOOD + "caps = [1]\n", "caps is a table of numbers"),
        (GOOD + "files = 1\n", "files are tables, each under [[files]]"),
        (GOOD + "files = [1]\n", "a file source has the keys"),
        ('name = "x"\ncolumns = ["en", "en"]\n', "two languages"),
        (GOOD + "vocabulary_size = 70000\n", "300 to 65,536"),
        (GOOD + 'openings = "(a"\n', "openings are marks, no letters"),
        (GOOD + "openings = 1\n", "openings are marks"),
        (GOOD + "max_pieces = 300\n", "1 to 256"),
        (GOOD + 'default_weight = "much"\n', "weight of default_weight"),
        (GOOD + "[weights]\nbible = -1\n", "weight of bible"),
        (GOOD + "[caps]\nbible = 0.5\n", "cap of bible"),
        (GOOD + "classes = []\n", "licence class"),
        (GOOD + "augmented_share = 2\n", "augmented_share is 0 to 1"),
        (GOOD + "bands = 1\n", "bands are tables, each under [[bands]]"),
        (GOOD + "[[bands]]\nname = 'terse'\n", "a band has the keys factor, name, sources"),
        (GOOD + BAND + "most = 0\n", "the band terse is from 0 to more"),
        (GOOD + BAND + "least = '1'\n", "the figures of the band terse are numbers"),
        (GOOD + BAND.replace("0.1", "-1"), "its factor from 0 to 1000"),
        (GOOD + BAND.replace('["news"]', "[]"), "a band has a name, and sources"),
        ("name = \n", "recipe.toml: it is not TOML: "),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(RecipeError) as caught:
        read_recipe(_write(tmp_path, text))
    assert message in caught.value.message
    assert "recipe.toml" in caught.value.message


def test_a_pair_is_of_the_first_band_that_has_its_length(tmp_path: Path) -> None:
    long = BAND.replace("terse", "long").replace("0.1", "1.5") + "least = 1.25\n"
    text = GOOD + "[weights]\nnews = 4\n" + BAND + "most = 0.75\n" + long
    recipe = read_recipe(_write(tmp_path, text))
    lengths = [(4, 2), (4, 3), (4, 4), (4, 5)]
    assert [recipe.banded("news", *length) for length in lengths] == [
        "news_terse", "news", "news", "news_long"
    ]  # fmt: skip
    assert recipe.banded("talk", 4, 1) == "talk"
    weights = [recipe.weight(name) for name in ("news_terse", "news", "news_long", "talk")]
    assert weights == pytest.approx([0.4, 4, 6, 1])


def test_sources_of_a_recipe_itself(tmp_path: Path) -> None:
    entry = '[[files]]\nname = "mine"\nlicence = "MIT"\nclass = "free"\npaths = ["a.en", "a.de"]\n'
    recipe = read_recipe(_write(tmp_path, GOOD + entry))
    assert recipe.files == (FileSource("mine", "MIT", "free", ("a.en", "a.de")),)

    with pytest.raises(RecipeError, match="one TSV or two texts"):
        read_recipe(_write(tmp_path, GOOD + entry.replace('"a.en", "a.de"', "")))
    with pytest.raises(RecipeError, match="keys class, licence, name, paths"):
        read_recipe(_write(tmp_path, GOOD + entry.replace("licence", "license")))


def test_what_lies_beside_the_recipe_is_found_from_any_data_folder(tmp_path: Path) -> None:
    entry = '[[files]]\nname = "mine"\nlicence = "MIT"\nclass = "free"\npaths = ["./own/a.tsv"]\n'
    recipe = read_recipe(_write(tmp_path, GOOD + entry))
    assert recipe.files[0].paths == (str(tmp_path.resolve() / "own" / "a.tsv"),)
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "a.tsv").write_text("Good day.\tGuten Tag.\n", encoding="utf-8")
    (source,) = list_sources(tmp_path / "elsewhere", recipe)
    assert list(read_pairs(source, Counter())) == [Pair("Good day.", "Guten Tag.", "mine")]


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(RecipeError) as caught:
        read_recipe(tmp_path / "none.toml")
    assert caught.value.message == f"{tmp_path / 'none.toml'}: there is no such file"
    with pytest.raises(RecipeError) as caught:
        read_recipe(tmp_path)
    assert caught.value.message == f"{tmp_path}: Is a directory"
    (tmp_path / "latin.toml").write_bytes(b'name = "\xe4"')
    with pytest.raises(RecipeError, match=r"latin\.toml: it is not UTF-8"):
        read_recipe(tmp_path / "latin.toml")


def test_the_recipes_of_the_repository_can_be_read() -> None:
    recipes = sorted(ROOT.glob("recipes/*.toml"))
    assert recipes
    assert [read_recipe(path).name for path in recipes] == [path.stem for path in recipes]


def test_a_side_that_a_model_made_is_one_of_the_columns(tmp_path: Path) -> None:
    text = """name = "x"
columns = ["en", "de"]
[[files]]
name = "made"
licence = "MIT"
class = "free"
paths = ["made.tsv"]
synthetic = "SIDE"
"""
    path = tmp_path / "recipe.toml"
    path.write_text(text.replace("SIDE", "de"))
    assert read_recipe(path).files[0].synthetic == "de"
    path.write_text(text.replace("SIDE", "fr"))
    with pytest.raises(RecipeError, match="what a model made of made is a column"):
        read_recipe(path)


def test_what_a_model_made_is_a_source_or_a_target(tmp_path: Path) -> None:
    entry = """[[files]]
name = "made"
licence = "MIT"
class = "free"
paths = ["made.tsv"]
distilled = "de"
"""
    (source,) = read_recipe(_write(tmp_path, GOOD + entry)).files
    assert (source.distilled, source.synthetic) == ("de", "")
    with pytest.raises(RecipeError, match="made is either synthetic or distilled"):
        read_recipe(_write(tmp_path, GOOD + entry + 'synthetic = "en"\n'))


def test_a_recipe_may_begin_as_editors_of_windows_write_it(tmp_path: Path) -> None:
    path = tmp_path / "recipe.toml"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert read_recipe(path) == read_recipe(_write(tmp_path, GOOD))


def test_who_wrote_a_source_is_kept(tmp_path: Path) -> None:
    entry = """[[files]]
name = "written"
licence = "MIT"
class = "free"
paths = ["written.tsv"]
"""
    assert read_recipe(_write(tmp_path, GOOD + entry)).files[0].author == ""
    entry += 'author = "a language model"\n'
    assert read_recipe(_write(tmp_path, GOOD + entry)).files[0].author == "a language model"
    with pytest.raises(RecipeError, match="may have synthetic or distilled, and author"):
        read_recipe(_write(tmp_path, GOOD + entry + 'writer = "me"\n'))
