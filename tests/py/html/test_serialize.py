"""A tree as HTML that is read as it stands there, and the tree as it was afterwards."""

from __future__ import annotations

import justhtml
import pytest

from dragoman.html.serialize import nodes_below, serialized


def tree(source: str) -> justhtml.Node:
    return justhtml.JustHTML(source, fragment=True, sanitize=False).root


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<p>Ja & nein</p>", "<p>Ja &amp; nein</p>"),
        ("<!-- a -- b --->", "<!-- a -- b --->"),
        ("<noscript><b>&amp;</b></noscript>", "<noscript><b>&amp;</b></noscript>"),
        ("<pre>\n\nx</pre>", "<pre>\n\nx</pre>"),
        ("<pre>\nx</pre>", "<pre>x</pre>"),
        ("<a =b>x</a>", "<a =b>x</a>"),
        ("<input disabled=disabled>", '<input disabled="disabled">'),
        ("<p>a&#13;b</p>", "<p>a&#13;b</p>"),
        ("<svg><link>x</link></svg>", "<svg><link>x</link></svg>"),
    ],
)
def test_what_the_serializer_would_not_write(source: str, expected: str) -> None:
    root = tree(source)
    assert serialized(root, source, "") == expected
    assert serialized(root, source, "") == expected  # nothing of it was changed


def test_a_page_that_says_our_own_stand_in() -> None:
    source = "<a =b>equals-sign equals-signss</a><!-- equals-sign.0. -- -->"
    assert serialized(tree(source), source, "equals-sign-") == source


def test_nodes_of_templates_are_below_too() -> None:
    names = sorted(node.name for node in nodes_below(tree("<p><template><b>x</b></template></p>")))
    assert names == ["#document-fragment", "#document-fragment", "#text", "b", "p", "template"]
