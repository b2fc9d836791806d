from __future__ import annotations

import justhtml
import pytest

from dragoman.html.same import same


def tree(source: str) -> justhtml.Node:
    return justhtml.JustHTML(source, sanitize=False).root


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("<p>ja", "<p>ja</p>", True),
        ("<p>ja", "<p>nein", False),
        ("<p>ja", "<b>ja", False),
        ("<p a=1 b=2>", "<p b=2 a=1>", True),
        ("<p a>", "<p a=''>", True),
        ("<p a=1>", "<p a=2>", False),
        ("<p>ja<b></b>", "<p>ja", False),
        ("<p><b></b><i></i>", "<p><i></i><b></b>", False),
        ("<!-- a -->", "<!-- b -->", False),
        ("<!doctype html>", "", False),
        ("<!doctype html>", "<!DOCTYPE HTML>", True),
        ("<svg><a></a></svg>", "<a></a>", False),
        ("<template>ja</template>", "<template>nein</template>", False),
        ("<template>ja</template>", "<template>ja</template>", True),
    ],
)
def test_trees(one: str, other: str, expected: bool) -> None:
    assert same(tree(one), tree(other)) is expected


def test_texts_side_by_side_are_one() -> None:
    one, other = tree("<p>ja"), tree("<p>")
    (paragraph,) = other.query("p")
    paragraph.append_child(justhtml.Text("j"))
    paragraph.append_child(justhtml.Text("a"))
    assert same(one, other)
