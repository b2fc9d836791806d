from __future__ import annotations

import sys

import pytest

from dragoman.errors import WorkshopError
from dragoman.models.data.aligner import align, grow_diag_final_and, load_eflomal

Links = set[tuple[int, int]]


@pytest.mark.parametrize(
    ("forward", "backward", "expected"),
    [
        (set(), set(), set()),
        ({(0, 0), (1, 1)}, {(0, 0), (1, 1)}, {(0, 0), (1, 1)}),  # they agree
        # (0, 1) is a neighbour of (0, 0), and target 1 has no link yet
        ({(0, 0), (0, 1)}, {(0, 0)}, {(0, 0), (0, 1)}),
        # so is (1, 1), by a diagonal step; and from there (2, 1), since 2 has none
        ({(0, 0), (1, 1)}, {(0, 0), (2, 1)}, {(0, 0), (1, 1), (2, 1)}),
        # both ends of (0, 1) have links: it is not needed
        ({(0, 0), (1, 1), (0, 1)}, {(0, 0), (1, 1)}, {(0, 0), (1, 1)}),
        # far from every link, but both ends are free ("final-and")
        ({(0, 0), (4, 5)}, {(0, 0)}, {(0, 0), (4, 5)}),
        # far, and one end has a link already: left out
        ({(0, 0), (0, 5)}, {(0, 0)}, {(0, 0)}),
        # of two such, the first of the forward direction comes first
        ({(5, 7)}, {(5, 9)}, {(5, 7)}),
    ],
)
def test_grow_diag_final_and(forward: Links, backward: Links, expected: Links) -> None:
    assert grow_diag_final_and(frozenset(forward), frozenset(backward)) == expected


def test_links_of_a_language_that_is_only_renamed() -> None:
    sentences = [[10, 11, 12], [11, 12], [12, 10], [10, 11], [12], [10], [11], [11, 10, 12]] * 20
    renamed = [[piece + 100 for piece in sentence] for sentence in sentences]
    links = align(sentences, renamed)
    assert links[0] == ((0, 0), (1, 1), (2, 2))
    right = sum(row == tuple((i, i) for i in range(len(s))) for row, s in zip(links, sentences))  # noqa: B905
    assert right >= 0.9 * len(sentences)


def test_a_missing_aligner_is_named_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "eflomal", None)
    with pytest.raises(WorkshopError, match=r"needs eflomal.*pip install 'dragoman\[models\]'"):
        load_eflomal()
