"""Where the tags go: an event before the atom that it says, on the cheapest way."""

from __future__ import annotations

import pytest

from dragoman.placement.atoms import Atom, parts_of
from dragoman.placement.path import Costs, Event, EventKind, Sentence, place
from dragoman.placement.tree import Inset, tree
from dragoman.types import Span
from tests.support.runs import run_of, words_of


def sentence(written: str, links: str, renditions: tuple[int | None, ...] = ()) -> Sentence:
    """A sentence whose target has a word for each letter of `links`: the index of the source word
    that it is linked to, or "-" for none; "." is a mark without links, "," one of the last word."""
    run, text = run_of(written)
    made = tree(run, text)
    parts = parts_of(words_of(text), [])
    opaque = [
        item
        for node in made.nodes
        for item in node.items
        if isinstance(item, Inset) and item.opaque
    ]
    owners = [[node for start, node in made.texts if start <= p.span.start][-1] for p in parts]
    atoms = [_atom(at, link, len(parts)) for at, link in enumerate(links)]
    where = dict(zip(opaque, renditions, strict=True))
    return Sentence(made, parts, owners, atoms, where, text)


def _atom(at: int, link: str, parts: int) -> Atom:
    last = [(parts - 1, 1.0)]
    linked = {"-": [], ".": [], ",": last}.get(link) if link in "-.," else [(int(link), 1.0)]
    return Atom(Span(at, at + 1), at, 0.2 if link in ".," else 1.0, linked or [], link not in ".,")


def written(gaps: list[list[Event]] | None) -> str | None:
    """Atoms as dots, tags and insets with the numbers of their elements."""
    if gaps is None:
        return None
    return ".".join("".join(map(_mark, gap)) for gap in gaps)


def _mark(event: Event) -> str:
    if event.inset is not None:
        return f"[{event.inset.tags[0].element}]"
    tag = event.node.opens or event.node.closes
    number = tag.element if tag else ""
    return {EventKind.OPEN: f"<{number}>", EventKind.CLOSE: f"</{number}>"}.get(event.kind, "")


@pytest.mark.parametrize(
    ("source", "links", "expected"),
    [
        ("a <0>b</0> c", "012", ".<0>.</0>."),
        ("a <0>b</0> c", "210", ".<0>.</0>."),
        ("<0>a</0> b c", "120", "..<0>.</0>"),
        # Two words of one element: what is between them is taken in.
        ("<0>a b</0> c", "021", "<0>...</0>"),
        # The order of elements is that of their words.
        ("<0>a</0> <1>b</1>", "10", "<1>.</1><0>.</0>"),
        ("<0>a <1>b</1></0> c", "210", ".<0><1>.</1>.</0>"),
        # Nothing is linked: where it stood.
        ("a <0>b</0> c", "---", ".<0>.</0>."),
        # It is open on one side: its first or its last words are the sentence's.
        ("a</0> b", "10", "..</0>"),
        ("a <0>b", "10", "<0>.."),
    ],
)
def test_elements_follow_their_words(source: str, links: str, expected: str) -> None:
    assert written(place(sentence(source, links))) == expected


def test_too_few_atoms_are_told() -> None:
    assert place(sentence("<0>a</0> <1>b</1>", "0")) is None
    assert place(sentence("<0>a</0>", "")) is None


@pytest.mark.parametrize(
    ("source", "links", "expected"),
    [
        # Its word has no link: the nearest, not the mark, which would cost less.
        ("a b <0>c</0>", "01.", ".<0>.</0>."),
        ("a <0>b</0> c", "02.", "<0>.</0>.."),
        # Its word is linked to a mark: the word beside the mark.
        ("a b <0>c</0>", "01,", ".<0>.</0>."),
        # What another element has is left to it, where there is another word.
        ("<0>a</0> <1>b</1>", "0-.", "<0>.</0><1>.</1>."),
        # Marks that have an element to themselves keep it, inside another and by themselves.
        ("a <0>.</0>", "0.", ".<0>.</0>"),
        ("a <0><1>(</1>b</0> c", "0.2.", ".<0><1>.</1>.</0>."),
    ],
)
def test_what_had_letters_has_more_than_marks(source: str, links: str, expected: str) -> None:
    assert written(place(sentence(source, links))) == expected


def test_marks_alone_hold_no_word() -> None:
    assert place(sentence("<0>a</0>", "..")) is None


@pytest.mark.parametrize(
    ("source", "links", "expected"),
    [
        ("a [0:]b c", "012", ".[0].."),
        ("a [0:]b c", "210", ".[0].."),
        ("<0>[1:]a b</0> c", "201", ".<0>[1]..</0>"),  # pinned to an edge
        ("a b[0:]", "01", "..[0]"),
    ],
)
def test_insets_stay_beside_their_neighbours(source: str, links: str, expected: str) -> None:
    assert written(place(sentence(source, links))) == expected


def test_opaque_text_is_where_the_model_wrote_it() -> None:
    # The words around it changed places.
    assert written(place(sentence("a [0:X1] c", "20", (2,)))) == "..[0]"
    assert written(place(sentence("a [0:X1] c", "20", (0,)))) == "[0].."


def test_costs_decide() -> None:
    """A word of another element in between: taken in, unless that costs more than leaving out."""
    made = sentence("<0>a b</0> c", "021")
    assert written(place(made, Costs(left_out=2.0, taken_in=1.0))) == "<0>...</0>"
    assert written(place(made, Costs(left_out=0.5, taken_in=1.0))) == "<0>.</0>.."
