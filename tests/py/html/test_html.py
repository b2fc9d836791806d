"""HTML in, HTML out: what is text, what is not, and that nothing else changes."""

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import justhtml
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from dragoman.config import Limits
from dragoman.errors import InvalidElementsError, UnsupportedFormatError
from dragoman.html import HtmlPage, tags
from dragoman.html.serialize import serialized
from dragoman.html.short_page import ShortPage
from dragoman.html.units import children, units
from dragoman.markup.annotate import annotate
from dragoman.native.pages import PageReader
from dragoman.pipeline.pipeline import Pipeline
from dragoman.text.protect import Protection, hidden
from dragoman.types import (
    Element,
    Hypothesis,
    LanguagePair,
    Segment,
    Span,
    TextFormat,
    TranslationRequest,
)
from tests.support.cases.markup_cases import CASES, Chaos, echo, respond
from tests.support.helpers import CharacterTokenizer, WordTokenizer, manifest, pipeline
from tests.support.paths import SHARED

PAGES = sorted((SHARED / "pages").glob("*.html"))


class PageTokenizer(WordTokenizer):
    size = 100_000  # words of a whole page


def texts(source: str, language: str = "de") -> list[str]:
    """The text of each unit."""
    root = justhtml.JustHTML(source, fragment=True, sanitize=False).root
    return [unit.text for unit in units(root, language)]


def translated(
    source: str,
    model: Callable[[Segment], Hypothesis] = echo,
    tokenizer: CharacterTokenizer | WordTokenizer | None = None,
    source_pieces: int = 80,
    target: str = "en",
) -> tuple[str, Any, Any]:
    """The HTML of a translation, and the page as it was and as it is."""
    pages = []

    async def read(text: str, language: str) -> ShortPage:
        pages.append(ShortPage(text, language, Limits()))
        return pages[0]

    tokenizer = tokenizer or CharacterTokenizer()
    made = Pipeline(
        manifest(tokenizer.size, source_pieces, pair=LanguagePair("de", target)),
        tokenizer,
        Limits(),
        read,
    )
    request = TranslationRequest(source, "de", target, format=TextFormat.HTML)
    response = respond(made, request, model)
    assert (response.sentences, response.content) == ((), None)
    assert all(warning.span is None for warning in response.warnings)
    return response.text, HtmlPage(source, "de").root, pages[0]._page.root


# --- what is a text ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("", []),
        ("Ja", ["Ja"]),
        ("<p>Ja <b>gut</b><p>Nein", ["Ja gut", "Nein"]),
        ("<div>Ja <b>gut</b><p>Nein</p>so</div>", ["Ja gut", "so", "Nein"]),
        ("<a href=x><div>Ja</div></a>", ["Ja"]),
        ("<p>eins\n  zwei</p>", ["eins   zwei"]),
        ("<pre>eins\n  zwei</pre>", ["eins\n  zwei"]),
        ("<p>eins<br>zwei", ["eins\nzwei"]),
        ("<p> <b> </b> <img src=x>", []),
        ("<p>Ein <code>ls\n-l</code> Wort", ["Ein ls\n-l Wort"]),
        ("<code>nichts</code>", []),
        ("<script>x</script><style>y</style><textarea>z</textarea><noscript>n</noscript>", []),
        ("<p>a <button>Weiter</button> b", ["a  b", "Weiter"]),
        ("<select><option>Rot<option>Blau</select>", ["Rot", "Blau"]),
        ("<ul><li>Eins<li>Zwei</ul>", ["Eins", "Zwei"]),
        ("<table><tr><th abbr=Kurz>Lang<td>Zelle</table>", ["Kurz", "Lang", "Zelle"]),
        ("<div translate=no>Ja <p title=x>Nein</div>", []),
        ("<div class='a notranslate'>Ja</div>", []),
        ("<div contenteditable>Ja</div><div contenteditable=false>Nein</div>", ["Nein"]),
        ("<p lang=en>Yes<p lang=de-AT>Ja", ["Ja"]),
        ("<my-tag>Ja</my-tag> nein", ["Ja nein"]),
        ("<p><svg><text>Bild</text></svg> Text", [" Text"]),
        ("<ruby>Wort<rt>wort</rt></ruby>", ["Wort"]),
        ("<!-- weg --><p>a<!-- weg -->b", ["ab"]),
        ("&lt;b&gt; &amp;amp; &auml;", ["<b> &amp; ä"]),
    ],
)
def test_units(source: str, expected: list[str]) -> None:
    assert texts(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<img alt='Ein Hund' src=x title=Bild>", ["Ein Hund", "Bild"]),
        ("<input placeholder=Name value=Wert>", ["Name"]),
        ("<input type=button value=Los><input type=submit value=Senden>", ["Los"]),
        ("<input type=RESET value=Neu>", ["Neu"]),
        ("<textarea placeholder=Text>x</textarea>", ["Text"]),
        ("<meta name=Description content=Kurz><meta name=author content=Ich>", ["Kurz"]),
        ("<p aria-label=Hinweis data-title=x alt=y></p>", ["Hinweis"]),
        ("<p title=''></p><p title=' '></p>", []),
        ("<p>Ja <code title=x>y</code>", ["Ja y"]),
        ("<picture><img alt=Bild></picture>", ["Bild"]),
        ("<video><track label=Deutsch></video>", ["Deutsch"]),
        ("<select><optgroup label=Farben></select>", ["Farben"]),
        ("<p title='eins\nzwei'></p>", ["eins zwei"]),
    ],
)
def test_attributes(source: str, expected: list[str]) -> None:
    assert texts(source) == expected


# --- there and back ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source",
    [
        "",
        "Ja",
        "<p>Ja <b>gut</b>!</p>",
        "<p>Ein <a href=\"x?a=1&amp;b=2\">Wort<br>mehr</a> <img src=\"a\">.</p>",
        "<pre>\n\nZeile</pre>",
        "<template><pre>\n\nZeile</pre></template>",
        "<p> Ja <!-- c --> <i> </i>nein <code>x &lt; y</code> <b>ja</b> <i>so</i>.</p>\n",
        "<!DOCTYPE html><html><head><title>Ja</title></head><body>Nein</body></html>",
        "<template><p>Ja</p></template><script>if (a < b) c();</script>",
        "<p title='Ja \"nein\"'>x</p>",
    ],
)  # fmt: skip
def test_a_model_that_copies_changes_nothing(source: str) -> None:
    assert translated(source)[0] == source


def test_words_move_with_their_nodes() -> None:
    def swapped(segment: Segment) -> Hypothesis:
        """The words of a sentence from last to first."""
        copied = echo(segment)
        width = segment.width
        rows = [copied.attention[i * width : (i + 1) * width] for i in range(len(copied.ids))]
        flat = type(copied.attention)("f", [cell for row in reversed(rows) for cell in row])
        return type(copied)(segment, copied.ids[::-1], copied.log_probabilities, flat, True)

    source = '<p><a href="a">eins</a> zwei <b id="b">drei <i>vier</i></b> <code>fünf</code></p>'
    text, _, _ = translated(source, swapped, WordTokenizer())
    assert text == (
        '<p><code>fünf</code> <b id="b"><i>vier</i> drei</b> zwei <a href="a">eins</a></p>'
    )


def test_hostile_text_stays_text() -> None:
    source = "<p title='&quot;><script>x</script>'>&lt;script&gt;alert(1)&lt;/script&gt;</p>"
    text, before, after = translated(source, Chaos(3), WordTokenizer())
    assert "<script>" not in text.replace("&quot;><script>x</script>", "")
    assert_same_page(before, after)


def test_broken_html_of_any_allowed_depth() -> None:
    deep = "<b>" * 250 + "Ja" + "<i>" * 250
    text, before, after = translated(deep)
    assert text.count("<b>") == 250
    assert_same_page(before, after)


async def test_elements_belong_to_plain_text() -> None:
    made = Pipeline(manifest(), CharacterTokenizer(), Limits(), PageReader(Limits()))
    request = TranslationRequest(
        "<p>", "de", "en", format=TextFormat.HTML, elements=(Element(Span(0, 1)),)
    )
    with pytest.raises(InvalidElementsError):
        await made.pages.of(request)


async def test_a_host_without_a_parser_says_so() -> None:
    request = TranslationRequest("<p>Ja", "de", "en", format=TextFormat.HTML)
    with pytest.raises(UnsupportedFormatError) as caught:
        await pipeline().pages.of(request)
    assert caught.value.details == {"format": "html"}


# --- any page, any model -----------------------------------------------------------------------


def elements_below(root: Any) -> list[Any]:
    result = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        result += [node] if isinstance(node, justhtml.Element) else []
        waiting += [c for c in reversed(children(node)) if not isinstance(c, justhtml.Text)]
    return result


def assert_same_page(before: Any, after: Any) -> None:
    """The same elements with the same attributes, the same blocks in the same order, and what is
    not translated as it was."""
    old, new = elements_below(before), elements_below(after)
    assert Counter(map(signature, new)) == Counter(map(signature, old))
    assert [n.name for n in new if not tags.inline(n)] == [
        n.name for n in old if not tags.inline(n)
    ]
    assert Counter(map(kept, new)) == Counter(map(kept, old))
    identities = [node.attrs["id"] for node in new if "id" in node.attrs]
    assert Counter(identities) == Counter(n.attrs["id"] for n in old if "id" in n.attrs)
    # Nothing that had words is left without, and nothing else gets any.
    assert Counter(signature(n) for n in new if has_text(n)) == Counter(
        signature(n) for n in old if has_text(n)
    )


def has_text(node: Any) -> bool:
    return bool(re.sub("[\x00-\x20\x7f-\xa0\ufffe\uffff]", "", node.to_text()).strip())


def signature(node: Any) -> tuple[str, tuple[Any, ...]]:
    """Name and attributes, without those that people read, and the language of the whole page."""
    read = {*tags.text_attributes(node), *(["lang"] if node.name == "html" else [])}
    return node.name, tuple(sorted((n, v) for n, v in node.attrs.items() if n not in read))


def kept(node: Any) -> str:
    """The HTML of what is opaque."""
    opaque = tags.Tags("de").opaque(node)
    return node.to_html(pretty=False) if opaque or node.name in ("script", "style") else ""


def unlabelled(html: str) -> str:
    """Without the language of the whole page, which a translation changes."""
    return re.sub(r'(<html\b[^>]*?) lang="[^"]*"', r"\1", html)


def flattened(html: str) -> str:
    """White space and what no model can take are not compared."""
    return re.sub(r"[ \n\r\t\f]+", " ", annotate(html).text)


_TAG_NAMES = """
    <b>|</b>|<a href=x>|</a>|<p>|</p>|<div>|</div>|<code>|</code>|<br>|<img alt=Bild>|<i>|</i>|<td>
    <table>|<tr>|</table>|<ul>|<li>|</ul>|<pre>|</pre>|<!-- -->|<x-y>|</x-y>|<svg>|</svg>|<option>
    <select>|</select>|<button>|</button>|<span translate=no>|</span>|<textarea>|</textarea>|<h1>
    <template>|</template>|<![CDATA[|]]>|<ruby>|<rt>|<wbr>|</h1>|<math>|</math>|<style>|</style>
"""
_TAGS = st.sampled_from([tag.strip() for tag in re.split(r"[|\n]", _TAG_NAMES) if tag.strip()])
_SOURCES = st.lists(
    st.one_of(
        _TAGS,
        st.sampled_from(["Ja", " Hund", "\n", "läuft. ", "&amp;", "<", "&#0;", "\ud800", "Nein "]),
        st.text(max_size=4),
    ),
    max_size=24,
).map("".join)


@settings(max_examples=CASES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_SOURCES, st.integers(0, 2**32))
def test_any_string_gives_the_same_page(source: str, seed: int) -> None:
    _, before, after = translated(source, Chaos(seed), PageTokenizer())
    assert_same_page(before, after)


@settings(max_examples=CASES // 2, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_SOURCES)
def test_any_string_copied_is_the_same(source: str) -> None:
    page = HtmlPage(source, "de").text
    assume(not hidden(page, Protection("de", "en")).is_rewritten)  # "0£" is "£0" in English
    text, _, _ = translated(source, source_pieces=500)
    trees = [serialized(HtmlPage(html, "de").root, html, "") for html in (text, source)]
    assert flattened(trees[0]) == flattened(trees[1])


def test_elements_of_mathml_with_names_that_html_never_ends_are_ended() -> None:
    source = "Ja<math><wbr><template></template>Ja</wbr></math>"
    assert serialized(HtmlPage(source, "de").root, source, "") == source
    translated("Ja<math><wbr><template>", Chaos(1), PageTokenizer())


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<a =b>Ja</a>", "<a =b>Ja</a>"),
        ("<a =x=1 title=Gut>equals-sign</a>", "<a =x=1 title=Gut>equals-sign</a>"),
        ("<a =y EQUALS-SIGNx>Ja</a>", "<a =y EQUALS-SIGNx>Ja</a>"),
        ("<a =y x='equals&#45;sign'>Ja</a>", "<a =y x='equals&#45;sign'>Ja</a>"),
        ("<template><a =b>Ja</a></template>", "<template><a =b>Ja</a></template>"),
    ],
)
def test_names_of_attributes_that_only_a_browser_takes(source: str, expected: str) -> None:
    text, _, _ = translated(source, source_pieces=500)
    assert text == expected
    again, _, _ = translated(text, source_pieces=500)
    assert again == expected


@pytest.mark.parametrize(
    "source",
    [
        "<code>x</code>0 Ja",
        "Ja <code>x</code>12 Nein <code>y</code> ja",
        "<code>x</code>1<code>y</code>2",
        "Modell X15 mit <code>ls</code>5 Optionen",
        "Modell X15 mit <code>ls</code>5 Optionen und X1",
    ],
)
def test_a_figure_right_after_what_is_opaque_stays_there(source: str) -> None:
    text, _, _ = translated(source, source_pieces=500)
    assert text == source


@pytest.mark.parametrize(
    "source",
    ["Ja \xa0<b> Nein</b>", "Ja\xa0 <b> Nein</b>", "Ja <b>\xa0 Nein</b>", "Ja<b> </b>\xa0Nein"],
)
def test_white_space_on_both_sides_of_a_tag_stays_there(source: str) -> None:
    text, _, _ = translated(source, source_pieces=500)
    assert text == source


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_real_pages(path: Path) -> None:
    source = path.read_text("utf-8", errors="replace")
    # Dutch writes figures as German does, so that nothing of them is changed.
    text, _, _ = translated(source, source_pieces=500, target="nl")
    trees = [serialized(HtmlPage(html, "de").root, html, "") for html in (text, source)]
    assert unlabelled(flattened(trees[0])) == unlabelled(flattened(trees[1]))
    for seed in range(3):
        _, before, after = translated(source, Chaos(seed), PageTokenizer())
        assert_same_page(before, after)
