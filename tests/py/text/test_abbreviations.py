from __future__ import annotations

import pytest

from dragoman.text.abbreviations import Abbreviation, LanguageRules, rules_for

LANGUAGES = ["cs", "de", "en", "es", "fr", "it", "nl", "pl", "pt", "ru", "sk", "xx"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_entries_are_written_as_they_are_looked_up(language: str) -> None:
    """Without white space and without the final stop."""
    for entry in rules_for(language).abbreviations:
        assert entry == entry.strip().rstrip(".")
        assert len(entry) <= 12  # or the splitter would not look back far enough


@pytest.mark.parametrize("language", LANGUAGES)
def test_starters_are_capitalized(language: str) -> None:
    rules = rules_for(language)
    assert all(word[0].isupper() and word.isalpha() for word in rules.starters)
    assert all(word == word.lower() for word in rules.casual)


@pytest.mark.parametrize(("language", "names"), [("en", "Will May Mark"), ("de", "Horst Rose")])
def test_starters_are_no_names(language: str, names: str) -> None:
    assert not rules_for(language).starters & set(names.split())


@pytest.mark.parametrize(
    ("language", "entry", "kind"),
    [
        ("en", "Mr", Abbreviation.LEADING),
        ("en", "e.g", Abbreviation.LEADING),
        ("en", "No", Abbreviation.NUMBERED),
        ("en", "U.S", Abbreviation.OPEN),
        ("en", "p.m", Abbreviation.CLOSING),
        ("de", "z.B", Abbreviation.LEADING),
        ("de", "Nr", Abbreviation.NUMBERED),
        ("de", "Jan", Abbreviation.OPEN),
        ("de", "usw", Abbreviation.CLOSING),
        ("xx", "Dr", Abbreviation.LEADING),
    ],
)
def test_kinds(language: str, entry: str, kind: Abbreviation) -> None:
    assert rules_for(language).abbreviations[entry] is kind


@pytest.mark.parametrize("tag", ["de", "DE", "de-AT", "de_CH", "de-Latn-DE"])
def test_language_tags(tag: str) -> None:
    assert rules_for(tag) is rules_for("de")


@pytest.mark.parametrize("tag", ["", "xx", "und", "-", "deu"])
def test_unknown_languages_get_the_default(tag: str) -> None:
    rules = rules_for(tag)
    assert isinstance(rules, LanguageRules)
    assert not rules.starters
    assert rules.ordinals is None


def test_only_german_writes_ordinals_before_capitals() -> None:
    assert [tag for tag in LANGUAGES if rules_for(tag).ordinals] == ["de"]
