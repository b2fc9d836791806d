"""HTML that means another thing once it was read and written again.

In all of these the handler is text, or in an attribute, when a browser reads it first. The words
"ja" and "nein" are there to be translated, so that something is written.
"""

from __future__ import annotations

import random

from dragoman.errors import InvalidRequestError
from tests.support.cases.markup_cases import shouted

HANDLER = "<img src onerror=pwned()>"
MUTATIONS = (
    f"<form><math><mtext></form><form><mglyph><style></math>{HANDLER}</style></mglyph></form>ja",
    f"<form><math><mtext></form><form>ja<mglyph><style></math>{HANDLER}</style></mglyph></form>",
    f"<form><p>ja<math><mtext></form><form><mglyph><style></math>{HANDLER}</style></mglyph></form>",
    f"<p>ja<form><b></form><form>nein<math><mtext><form><mglyph><style></math>{HANDLER}</style>",
    f"ja<math><mtext><table><mglyph><style><!--</style>{HANDLER}--></style>",
    f"<math><mtext><table>ja<mglyph><style><math>{HANDLER}</style></table>",
    f"<svg></p><style><a id='</style>{HANDLER}'></style>ja",
    f"ja<svg><p>nein<style><g title='</style>{HANDLER}'>",
    f"<p>ja<noscript><p title='</noscript>{HANDLER}'></noscript>",
    f"<p>ja</b><textarea>\n\n</textarea><title></title>{HANDLER.replace('<', '&lt;')}",
    f"<p title='</p>{HANDLER}'>ja</i>nein",
    f"<b>ja<p>nein</b><xmp></b><a title='</xmp>{HANDLER}'>so</xmp>",
    f"<table>ja<tr><td><style><!--</style><a title='--></style>{HANDLER}'>nein</table>",
    f"<select>ja<style></select>{HANDLER}</style><option>nein</select>",
    f"<a href=x>ja<table><tr><td><a title='</a>{HANDLER}'>nein<a></table>",
    f"<template><p>ja</b>nein<svg><desc></template>{HANDLER.replace('<', '&lt;')}",
    f"ja<math><annotation-xml encoding=text/html><style></math>{HANDLER}</style>",
    f"<b>ja<p>so</b><!-- -- !> {HANDLER.replace('>', '&gt;')} -->nein",
    f"<iframe><p title='</iframe>{HANDLER}'>ja</iframe></b>nein",
    f"<p>ja</b><svg><foreignObject><math><mi></p><style></math>{HANDLER}</style>",
    "<p>ja</b><a title='&lt;img src onerror=pwned()&gt;' =&quot;&gt;&lt;img>nein",
)
_PARTS = f"""
    <b>|</b>|<a href=x>|</a>|<p>|</p>|<div>|<table>|<tr>|<td>|</table>|<form>|</form>|<math>|</math>
    <mtext>|<mglyph>|<malignmark>|<svg>|</svg>|<style>|</style>|<title>|</title>|<desc>|<mi>|<nobr>
    <foreignObject>|<annotation-xml encoding=text/html>|<select>|<option>|<noscript>|</noscript>
    <template>|</template>|<h1>|<button>|<!--|-->|{HANDLER}|<![CDATA[|]]>|ja |nein |<textarea>|<pre>
    </textarea>|<font color=x>|<caption>|<xmp>|</xmp>|<iframe>|<body>|<frameset>|<dd>|<li>
    <p title='|'>
"""
PARTS = tuple(part.strip() for line in _PARTS.strip().splitlines() for part in line.split("|"))


def mixed(count: int, seed: int) -> list[str]:
    """Sources of parts at random."""
    chosen = random.Random(seed)
    return ["".join(chosen.choices(PARTS, k=chosen.randint(3, 16))) for _ in range(count)]


def written(source: str) -> str | None:
    """What a translation writes of it; None: it is refused."""
    try:
        return shouted(source)
    except InvalidRequestError:
        return None
