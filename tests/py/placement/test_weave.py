"""A translation with its tags, white space where it stood."""

from __future__ import annotations

import pytest

from dragoman.placement.atoms import Atom
from dragoman.placement.path import Event, EventKind
from dragoman.placement.tree import Inset, Tree, tree
from dragoman.placement.weave import Rendition, Texts, Woven, weave
from dragoman.types import Span
from tests.support.runs import run_of, shown, words_of

OPEN, CLOSE, INSET = EventKind.OPEN, EventKind.CLOSE, EventKind.INSET


def woven(source: str, target: str, *gaps: str, rendition: Rendition | None = None) -> Woven:
    """`gaps`: before each word and at the end, tags as "<0>" and insets as "[0]"."""
    run, text = run_of(source)
    made = tree(run, text)
    words = [word for word in words_of(target) if rendition is None or word != rendition.span]
    atoms = [Atom(word, index, 1.0) for index, word in enumerate(words)]
    texts = Texts(target, text, run, lambda tag: f"real{tag.element}")
    events = [[_event(made, mark) for mark in gap.split()] for gap in gaps]
    opaque = [inset for inset in _insets(made) if inset.opaque]
    return weave(events, atoms, texts, dict.fromkeys(opaque, rendition))


def _insets(made: Tree) -> list[Inset]:
    return [item for node in made.nodes for item in node.items if isinstance(item, Inset)]


def _event(made: Tree, mark: str) -> Event:
    number = int(mark.strip("</>[]"))
    if mark[0] == "[":
        (inset,) = [inset for inset in _insets(made) if inset.tags[0].element == number]
        return Event(INSET, made.nodes[0], inset)
    (node,) = [node for node in made.nodes if node.opens and node.opens.element == number]
    return Event(CLOSE if mark[1] == "/" else OPEN, node)


@pytest.mark.parametrize(
    ("source", "target", "gaps", "expected"),
    [
        ("a <0>b</0> c", "x y z", ("", "<0>", "</0>", ""), "x <0>y</0> z"),
        # White space stands inside the element where it stood inside in the source.
        ("a<0> b </0>c", "x y z", ("", "<0>", "</0>", ""), "x<0> y </0>z"),
        ("<0>a </0><1>b</1>", "x y", ("<0>", "</0> <1>", "</1>"), "<0>x </0><1>y</1>"),
        # The middle of a word.
        ("<0>a</0>b", "xy", ("<0>", "</0>"), "<0>xy</0>"),
        # A void element, with white space on one side and on both.
        ("a [0:]b", "x y", ("", "[0]", ""), "x [0:real0]y"),
        ("a [0:] b", "x y", ("", "[0]", ""), "x [0:real0] y"),
        # An element around white space holds it.
        ("a<0> </0>b", "x y", ("", "[0]", ""), "x<0> </0>y"),
        ("a", "x  y", ("", "", ""), "x  y"),
    ],
)
def test_white_space_stands_where_it_stood(
    source: str, target: str, gaps: tuple[str, ...], expected: str
) -> None:
    made = woven(source, target, *gaps)
    assert shown(made.tags, made.text) == expected
    assert [span.of(made.text) for span in made.atoms] == target.split()


def test_opaque_text_is_as_it_was_in_the_place_of_its_copy() -> None:
    made = woven("a [0:X1] b", "x X1 y", "", "[0]", "", rendition=Rendition(Span(2, 4), 1))
    assert shown(made.tags, made.text) == "x [0:real0] y"
    assert [span.of(made.text) for span in made.opaque.values()] == ["real0"]


def test_opaque_text_that_the_model_dropped_has_the_white_space_of_the_source() -> None:
    made = woven("a [0:X1] b", "x y", "", "[0]", "")
    assert made.text == "x real0 y"
    made = woven("a[0:X1]b", "x y", "", "[0]", "")
    assert made.text == "xreal0 y"
