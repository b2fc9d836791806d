"""What `import` reads of a command, and who is said to have made a model."""

import pytest

from dragoman.catalogue.models import Catalogue, PublishedModel, shipped
from dragoman.engines.bundle import Manifest, ModelArchitecture, ModelLimits
from dragoman.errors import StoreError
from dragoman.store.carry import direction
from dragoman.store.manifests import NOBODY, described
from dragoman.store.store import attribution, from_catalogue


def knowing(*pairs: tuple[str, str]) -> Catalogue:
    models = tuple(
        PublishedModel("", source, target, "tiny", None, None, None, "", ())
        for source, target in pairs
    )
    return Catalogue("2026-01-01", "Testers", "", "", models)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fr-en", ("fr", "en")),
        ("fr:en", ("fr", "en")),
        ("tlh-en", ("tlh", "en")),
        ("zh-Hans-en", ("zh-Hans", "en")),
        ("zh_Hans-en", ("zh-Hans", "en")),
        ("en-zh-Hant", ("en", "zh-Hant")),
        ("sr-Latn-zh-Hans", ("sr-Latn", "zh-Hans")),
        ("pt-BR-en", ("pt-BR", "en")),
        ("en-pt-BR", ("en", "pt-BR")),
        ("zh-TW-de", ("zh-TW", "de")),  # and not Twi in Germany
        ("zh:tw-DE", ("zh", "tw-DE")),
    ],
)
def test_a_direction_is_cut_between_two_tags(text: str, expected: tuple[str, str]) -> None:
    for catalogue in (NOBODY, shipped()):
        assert direction(text, catalogue) == expected


def test_what_the_catalogue_knows_goes_first() -> None:
    assert direction("zh-tw-de", knowing(("zh-tw", "de"))) == ("zh-tw", "de")
    assert direction("zh-tw-de", knowing(("zh", "en"), ("en", "tw-de"))) == ("zh", "tw-de")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fr", "'fr' is no direction such as fr-en"),
        ("", "is no direction"),
        ("../x-en", "is no direction"),
        ("a:b:c", "is no direction"),
        ("zh-tw-de", "may be several directions; say zh:tw-de or zh-tw:de"),
    ],
)
def test_what_is_no_direction_or_several(text: str, message: str) -> None:
    with pytest.raises(StoreError, match=message):
        direction(text, NOBODY)


def manifest(name: str, published: dict[str, object]) -> Manifest:
    return Manifest(
        name, "1", "fr", "en", {}, ModelArchitecture(9, 8), ModelLimits(9, 2.0, 9),
        {"licence": "not recorded", "published": published},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "published"),
    [
        ("fr-en-imported", {"catalogue": "2026-01-01", "publisher": "Testers"}),  # as of 0.11
        ("fr-en-imported", {"catalogue": "", "publisher": "", "home": "translateLocally"}),
        ("fr-en-tiny", {"catalogue": "2026-01-01", "publisher": "Testers", "imported": True}),
    ],
)
def test_what_was_imported_is_of_no_publisher(name: str, published: dict[str, object]) -> None:
    made = manifest(name, published)
    assert not from_catalogue(made)
    assert attribution(made) == "publisher not recorded, licence not recorded"
    assert described(made)[1].publisher == "not recorded"


def test_what_was_fetched_is_of_its_publisher() -> None:
    made = manifest("fr-en-tiny", {"catalogue": "2026-01-01", "publisher": "Testers", "home": "h"})
    assert from_catalogue(made)
    assert attribution(made).startswith("Firefox Translations, Testers and contributors, ")
    assert described(made)[1].publisher == "Testers"
