"""A pivot through the native hosts: the translator and the command, with two models."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from dragoman.config import Limits
from dragoman.errors import BundleCorruptError, LanguagePairError, TextTooLongError
from dragoman.native.bundles import BundleSource
from dragoman.native.translator import Translator
from dragoman.types import Element, LanguagePair, PlacedElement, Span
from tests.support.helpers import FakeSource, assert_covers
from tests.support.hosts import MakeBundle

DE_EN, EN_FR = LanguagePair("de", "en"), LanguagePair("en", "fr")
DE_FR = LanguagePair("de", "fr")


@pytest.fixture
def two_models(real_bundle: Path, tmp_path: Path) -> Path:
    """The real model, and the same graph once more, as if it went from English to French."""
    for name in ("de-en", "en-fr"):
        folder = tmp_path / "models" / name
        folder.mkdir(parents=True)
        manifest = json.loads((real_bundle / "manifest.json").read_text())
        manifest["name"], (manifest["source"], manifest["target"]) = name, name.split("-")
        for file in manifest["files"].values():
            (folder / file["path"]).symlink_to(real_bundle / file["path"])
        (folder / "manifest.json").write_text(json.dumps(manifest))
    return tmp_path / "models"


# --- the translator --------------------------------------------------------------------------


def test_models_of_other_pairs_are_loaded_on_demand() -> None:
    source = FakeSource({DE_EN: 10, EN_FR: 10})
    with Translator(source, pair=DE_EN) as translator:
        assert (translator.source, translator.target, translator.legs) == ("de", "en", (DE_EN,))
        assert source.loads == [DE_EN]
        assert translator.translate("Ja.").request.target == "en"
        response = translator.translate("Yes.", source="en", target="fr")
        assert (response.text, response.request.target) == ("Yes.", "fr")
        assert source.loads == [DE_EN, EN_FR]
        with pytest.raises(LanguagePairError, match="available: de-en, en-fr"):
            translator.translate("Oui.", source="fr")
    assert source.alive == []


def test_a_pair_without_a_model_goes_over_english() -> None:
    source = FakeSource({EN_FR: 10, DE_EN: 10})
    with Translator(source, pair=DE_FR) as translator:
        assert translator.legs == (DE_EN, EN_FR)
        assert source.loads == [DE_EN, EN_FR]  # before the first request
        responses = list(translator.translate_many(["Ja. Nein.", "Gut."]))
    assert [response.text for response in responses] == ["Ja. Nein.", "Gut."]
    assert responses[0].request.target == "fr"
    assert_covers(responses[0])


def test_a_model_over_the_budget_is_unloaded() -> None:
    source = FakeSource({DE_EN: 10, EN_FR: 10})
    with Translator(source, Limits(model_bytes=15), DE_EN) as translator:
        translator.translate("Yes.", source="en", target="fr")
        assert [use.pair for use in translator._running.registry.models] == [EN_FR]


def test_what_cannot_be_loaded_is_told_at_once() -> None:
    source = FakeSource({DE_EN: 10, EN_FR: 10})
    source.failures[EN_FR] = BundleCorruptError("a hash differs")
    with pytest.raises(BundleCorruptError):
        Translator(source, pair=DE_FR)
    assert source.alive == []
    with pytest.raises(LanguagePairError):
        Translator(source, pair=LanguagePair("fr", "de"))
    with pytest.raises(LanguagePairError, match="available: none"):
        Translator(FakeSource({}))


def test_a_bundle_that_comes_later_is_found(make_bundle: MakeBundle) -> None:
    first = make_bundle("de-en")
    bundles = BundleSource([first.parent])
    assert list(bundles.pairs) == [DE_EN]
    with pytest.raises(LanguagePairError):
        bundles.size(EN_FR)
    make_bundle("en-fr", source="en", target="fr")
    assert bundles.size(EN_FR) > 0
    assert list(bundles.pairs) == [DE_EN, EN_FR]


# --- the command -----------------------------------------------------------------------------


def test_the_command_says_that_it_goes_over_english(two_models: Path) -> None:
    words = [sys.executable, "-m", "dragoman", "translate", "--models", str(two_models)]
    pair = ["--from", "de", "--to", "fr", "--threads", "1"]
    run = subprocess.run(
        [*words, *pair, "--json"], input="Guten Morgen! 😀 Wie geht's?\n", capture_output=True,
        text=True, timeout=120, check=False,
    )  # fmt: skip
    assert run.returncode == 0
    assert run.stderr.splitlines()[0] == (
        "dragoman: no model from de to fr: translating de to en, then en to fr"
    )
    data = json.loads(run.stdout)
    source, target = data["source"], data["text"]
    assert source == "Guten Morgen! 😀 Wie geht's?\n"
    read = written = 0
    for sentence in data["sentences"]:
        (start, end), (to, until) = sentence["source"], sentence["target"]
        assert source[read:start] == target[written:to]
        read, written = end, until
    assert data["alignment"]["links"]
    quiet = subprocess.run(
        [*words, *pair, "--quiet"], input="Guten Morgen!", capture_output=True, text=True,
        timeout=120, check=False,
    )  # fmt: skip
    assert (quiet.returncode, quiet.stderr) == (0, "")


def test_the_command_without_a_way(two_models: Path) -> None:
    words = [sys.executable, "-m", "dragoman", "translate", "--models", str(two_models)]
    run = subprocess.run(
        [*words, "--from", "fr", "--to", "de"], input="Oui.", capture_output=True, text=True,
        timeout=120, check=False,
    )  # fmt: skip
    assert run.returncode == 1
    assert run.stderr == (
        "dragoman: there is no model from 'fr' to 'de'; available: de-en, en-fr\n"
    )


def test_html_and_elements_go_over_english(two_models: Path) -> None:
    page = '<p>Guten <b>Morgen</b>, <a href="x">mein Freund</a>! Das ist <code>ls</code>.</p>\n'
    with Translator.load("de", "fr", [two_models], threads=1) as translator:
        response = translator.translate(page, text_format="html")
        text = "Guten Morgen, mein Freund!"
        link = Element(Span(14, 25))
        marked = translator.translate(text, elements=[link])
    for part in "<b>", "</b>", '<a href="x">', "</a>", "<code>ls</code>":
        assert response.text.count(part) == 1
    assert response.text.startswith("<p>")
    assert response.text.endswith("</p>\n")
    assert marked.content is not None
    (placed,) = [item for item in marked.content if isinstance(item, PlacedElement)]
    assert placed.element == 0
    assert placed.content
    assert_covers(marked)


def test_of_a_page_the_text_counts_and_not_the_markup(two_models: Path) -> None:
    limits = Limits(text_characters=20, page_text_characters=50)
    page = f"<p class={'x' * 100}>Guten <b>Morgen</b>, mein Freund!</p>\n"
    for pair in (DE_EN, DE_FR):
        with Translator.load(*pair, [two_models], threads=1, limits=limits) as translator:
            assert "<b>" in translator.translate(page, text_format="html").text
            with pytest.raises(TextTooLongError) as caught:
                translator.translate(page * 3, text_format="html")
        assert (caught.value.requested, caught.value.allowed) == (80, 50)
