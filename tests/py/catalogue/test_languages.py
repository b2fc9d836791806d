"""The language of the user, as systems name it."""

from __future__ import annotations

import locale
from collections.abc import Iterator

import pytest

from dragoman.catalogue.languages import closest, name_of, tag_of, user_language
from dragoman.errors import InvalidRequestError


@pytest.fixture(autouse=True)
def nothing_is_remembered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(variable, raising=False)
    user_language.cache_clear()
    yield
    user_language.cache_clear()


@pytest.mark.parametrize(
    ("value", "tag"),
    [
        ("de_DE", "de-DE"),
        ("de_DE.UTF-8", "de-DE"),
        ("de_DE@euro", "de-DE"),
        ("de_DE.ISO-8859-15@euro", "de-DE"),
        ("C", "en"),
        ("C.UTF-8", "en"),
        ("POSIX", "en"),
        ("???", "en"),
    ],
)
def test_the_language_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, value: str, tag: str
) -> None:
    monkeypatch.setenv("LC_ALL", value)
    assert user_language() == tag
    assert name_of("fr") == ("French" if tag == "en" else "Französisch")


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("German_Germany", "Französisch"),
        ("Norwegian Bokmål_Norway", "fransk"),
        ("Klatchian_Klatch", "French"),
        (None, "French"),
    ],
)
def test_windows_names_it_in_words(
    monkeypatch: pytest.MonkeyPatch, value: str | None, name: str
) -> None:
    monkeypatch.setattr(locale, "getlocale", lambda: (value, "1252"))
    assert name_of("fr") == name


ENDLESS = "en-" + "-".join(["abcdefgh"] * 2_000)


@pytest.mark.parametrize(
    "name", ["", "\0", "\0xſ9", "\udcff", "de_DE.UTF-8", "Klatchian", ENDLESS, "a" * 101]
)
def test_what_is_no_language(name: str) -> None:
    """Bytes of a shell that are no text come as lone surrogates."""
    with pytest.raises(InvalidRequestError, match="there is no language "):
        tag_of(name)


def test_a_tag_without_end_is_served_by_nothing() -> None:
    assert closest(ENDLESS, ["de", "en"]) is None


@pytest.mark.parametrize("tag", ["", "???", "no such tag", "../x", ENDLESS])
def test_what_is_no_tag_is_called_what_it_is(tag: str) -> None:
    assert name_of(tag, "en") == tag
