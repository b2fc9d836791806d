"""A text with stretches exchanged, and where things are in it."""

from __future__ import annotations

from dragoman.routing.edited import Edit, Edited
from dragoman.types import Span

EDITS = [Edit(Span(3, 4), "\n> "), Edit(Span(6, 6), "-\n"), Edit(Span(9, 11), "")]
BARE = "Ein fortge  setzt."
EDITED = Edited(EDITS)


def test_the_edited_text() -> None:
    assert EDITED.text("abc defghijkl") == "abc\n> de-\nfghkl"


def test_words_have_nothing_of_what_is_around_them() -> None:
    text = EDITED.text(BARE)
    assert text == "Ein\n> fo-\nrtg setzt."
    spans = [Span(0, 3), Span(4, 6), Span(4, 9), Span(6, 9), Span(11, 18)]
    assert [EDITED.words(span).of(text) for span in spans] == [
        "Ein", "fo", "fo-\nrtg", "rtg", " setzt."
    ]  # fmt: skip


def test_what_is_empty_stays_empty() -> None:
    assert EDITED.words(Span(3, 3)) == Span(3, 3)
    assert EDITED.words(Span(4, 4)) == Span(6, 6)
    assert EDITED.words(Span(6, 6)) == Span(10, 10)


def test_no_edits() -> None:
    assert Edited([]).text("abc") == "abc"
    assert Edited([]).whole(Span(1, 3)) == Span(1, 3)
