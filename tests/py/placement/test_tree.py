"""The markup of one sentence as a tree."""

from __future__ import annotations

from dragoman.placement.tree import Inset, Node, Tree, tree
from tests.support.runs import run_of


def tree_of(written: str) -> Tree:
    return tree(*run_of(written))


def outline(node: Node) -> list[object]:
    """A node as a list: nodes are lists, insets the numbers of their elements."""
    return [
        outline(item) if isinstance(item, Node) else item.tags[0].element for item in node.items
    ]


def insets(made: Tree) -> list[Inset]:
    return [item for node in made.nodes for item in node.items if isinstance(item, Inset)]


def test_a_sentence_without_elements_is_its_root() -> None:
    made = tree_of("eins zwei")
    (root,) = made.nodes
    assert (root.index, root.parent, root.items, root.words) == (0, 0, [], True)
    assert (root.start, root.end) == (0, 9)
    assert made.texts == [(0, 0)]


def test_elements_are_nodes_parents_before_children() -> None:
    made = tree_of("a <0>b <1>c</1></0> <2>d</2>")
    assert [node.parent for node in made.nodes] == [0, 0, 1, 0]
    assert outline(made.nodes[0]) == [[[]], []]
    assert [(node.start, node.end) for node in made.nodes] == [(0, 7), (2, 5), (4, 5), (6, 7)]
    # Which text belongs to which: "a ", "b ", "c", " ", "d".
    assert made.texts == [(0, 0), (2, 1), (4, 2), (5, 0), (6, 3)]


def test_white_space_at_its_edges_is_not_the_reach_of_a_node() -> None:
    node = tree_of("a<0> b </0>").nodes[1]
    assert (node.start, node.end) == (2, 3)


def test_an_element_that_began_before_is_open_on_the_left() -> None:
    made = tree_of("a</1> b</0> c")
    outer, inner = made.nodes[1:]
    assert (outer.open_left, outer.open_right, inner.open_left) == (True, False, True)
    assert outer.closes is not None
    assert outer.closes.element == 0
    assert inner.parent == outer.index


def test_an_element_that_goes_on_is_open_on_the_right() -> None:
    node = tree_of("a <0>b").nodes[1]
    assert (node.open_left, node.open_right) == (False, True)


def test_a_node_needs_a_word_unless_something_is_in_it_that_stays() -> None:
    made = tree_of("<0>a</0> <1>b <2>c</2></1> <3>d [4:X1]</3> <5>[6:X2]</5>")
    needs = {node.opens.element: node.needs_word for node in made.nodes if node.opens}
    assert needs == {0: True, 1: False, 2: True, 3: False, 5: False}


def test_what_has_no_words_is_an_inset() -> None:
    made = tree_of("a [0:] b <1> </1> c <2></2>")
    assert len(made.nodes) == 1
    assert [[tag.element for tag in inset.tags] for inset in insets(made)] == [
        [0],
        [1, -1, 1],
        [2, 2],
    ]
    assert not any(inset.opaque for inset in insets(made))


def test_insets_side_by_side_are_one_but_opaque_ones_stand_alone() -> None:
    made = tree_of("a [0:][1:]<2></2>[3:X1][4:]")
    assert [[tag.element for tag in inset.tags] for inset in insets(made)] == [
        [0, 1, 2, 2],
        [3],
        [4],
    ]
    assert [inset.opaque for inset in insets(made)] == [False, True, False]


def test_insets_at_the_edges_of_an_element_are_pinned_there() -> None:
    made = tree_of("<0>[1:]a[2:]b[3:]</0>")
    assert [inset.pinned for inset in insets(made)] == [-1, 0, 1]
