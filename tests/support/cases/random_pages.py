"""Pages made up of what real ones have, in any order: for the page path and for the DOM path."""

from __future__ import annotations

import random

_PARTS = [
    "ja", " nein ", "a&nbsp;b", "&amp;", "1 < 2", "<b>", "</b>", "<i class='x y'>", "</i>", "<p>",
    "</p>", "<div data-x=1>", "</div>", "<br>", "<img src=a alt='Ein Bild'>", "<!-- a -- b -->",
    "<!--x-->", "<noscript><img src=a>&amp;</noscript>", "<script>if (a<b) x('</p>')</script>",
    "<style>p>b{}</style>", "<a href='x?a&b' title=Gut>", "</a>", "<ul><li>", "<li>", "</ul>",
    "<table><tr><td>", "</td>", "</table>", "<button>", "</button>",
    "<textarea>\n x</textarea>", "<pre>\n\n", "</pre>", "<code>x</code>",
    "<svg><path d=x /></svg>", "&#13;", "\r\n", "\u200b", "&shy;", "·", "<template><p>x</template>",
    "<input type=button value=Los disabled>", "<my-tag =x>", "</my-tag>", "<title>x</title>",
]  # fmt: skip


def random_page(number: int) -> str:
    """The page of a number, always the same."""
    chance = random.Random(number)
    body = "".join(chance.choices(_PARTS, k=chance.randrange(1, 30)))
    start = chance.choice(["<!DOCTYPE html><body>",
                           "<!DOCTYPE html><html lang=de><head><title>x</title><body>",
                           "\n<html><meta charset=latin1><body class=b>"])  # fmt: skip
    return start + body
