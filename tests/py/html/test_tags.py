from __future__ import annotations

import justhtml
import pytest

from dragoman.html.tags import Role, Tags, style, text_attributes


def element(source: str) -> justhtml.Element:
    (made,) = justhtml.JustHTML(f"<div id=x>{source}</div>", sanitize=False).query("#x > *")
    assert isinstance(made, justhtml.Element)
    return made


@pytest.mark.parametrize(
    ("source", "role"),
    [
        ("<b>ja</b>", Role.INLINE),
        ("<p>ja</p>", Role.BLOCK),
        ("<my-word>ja</my-word>", Role.INLINE),
        ("<br>", Role.BREAK),
        ("<img>", Role.HELD),
        ("<svg></svg>", Role.HELD),
        ("<button>ja</button>", Role.ISLAND),
        ("<code>x</code>", Role.OPAQUE),
        ("<b translate=NO>x</b>", Role.OPAQUE),
        ("<b translate>x</b>", Role.INLINE),
        ("<b class='a notranslate'>x</b>", Role.OPAQUE),
        ("<b class=notranslated>x</b>", Role.INLINE),
        ("<b contenteditable>x</b>", Role.OPAQUE),
        ("<b contenteditable=FALSE>x</b>", Role.INLINE),
        ("<b lang=fr>x</b>", Role.OPAQUE),
        ("<b lang=DE-at>x</b>", Role.INLINE),
        ("<b lang=''>x</b>", Role.INLINE),
        ("<p translate=no>x</p>", Role.BLOCK),  # It divides, whatever is in it.
    ],
)
def test_roles_on_a_german_page(source: str, role: Role) -> None:
    assert Tags("de-CH").role(element(source)) is role


def test_the_root_may_be_in_another_language() -> None:
    (root,) = justhtml.JustHTML("<html lang=fr>", sanitize=False).query("html")
    assert isinstance(root, justhtml.Element)
    assert not Tags("de").opaque(root)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<b>ja</b>", True),
        ("<b class=x style='color: red'>ja</b>", True),
        ("<b id=x>ja</b>", False),
        ("<b onclick='x()'>ja</b>", False),
        ("<a>ja</a>", False),
    ],
)
def test_what_only_looks(source: str, expected: bool) -> None:
    assert style(element(source)) is expected


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("<p title=Ja data-x=Nein aria-label=So>", ["title", "aria-label"]),
        ("<p title=' '>", []),
        ("<img alt=Haus label=x>", ["alt"]),
        ("<p alt=Haus>", []),
        ("<input type=Button value=Ja>", ["value"]),
        ("<input type=submit value=Ja>", []),
        ("<input value=Ja>", []),
        ("<meta name=Description content=Ja>", ["content"]),
        ("<meta name=viewport content=Ja>", []),
        ("<meta content=Ja>", []),
    ],
)
def test_attributes_that_people_read(source: str, names: list[str]) -> None:
    assert list(text_attributes(element(source))) == names
