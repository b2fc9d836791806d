from __future__ import annotations

from dragoman.app.addresses import typing
from dragoman.app.typist import Typist


def test_what_is_to_be_typed_waits_for_the_page() -> None:
    """As with the first start of the app, `dragoman app --clipboard`."""
    scripts: list[str] = []
    typist = Typist(scripts.append)
    typist.type("Guten Morgen")
    typist.loading()
    assert scripts == []
    typist.loaded(True)
    assert scripts == [typing("Guten Morgen")]
    typist.type("Guten Abend")
    assert scripts[1:] == [typing("Guten Abend")]


def test_of_several_texts_the_last_one_is_typed_once() -> None:
    scripts: list[str] = []
    typist = Typist(scripts.append)
    for text in "eins", "zwei", "":
        typist.type(text)
    typist.loaded(False)
    assert scripts == []
    typist.loaded(True)
    typist.loading()
    typist.loaded(True)
    assert scripts == [typing("zwei")]
