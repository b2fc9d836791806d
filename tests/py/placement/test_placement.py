"""Elements in translations: random ones keep the invariants, and worked ones go where they should.

In the worked cases a word is a piece, and the links are those that are written down.
"""

import re
from array import array
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dragoman.types import Hypothesis, Segment, TranslationResponse
from tests.support.cases.markup_cases import (
    CASES,
    MARKED_TEXTS,
    Chaos,
    MarkedText,
    asked,
    assert_markup,
    marked,
    respond,
)
from tests.support.helpers import WordTokenizer, pipeline

# --- any model at all --------------------------------------------------------------------------


@settings(max_examples=CASES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(MARKED_TEXTS, st.integers(0, 2**32), st.sampled_from([7, 80]))
def test_whatever_the_model_does(marked: MarkedText, seed: int, room: int) -> None:
    made = pipeline(WordTokenizer(), source_pieces=room)
    assert_markup(respond(made, asked(marked), Chaos(seed)))


# --- one model in particular -------------------------------------------------------------------


def scripted(target: str, links: Iterable[tuple[int, int]]) -> Callable[[Segment], Hypothesis]:
    """A model that writes `target`, looking from word to word as `links` say."""

    def model(segment: Segment) -> Hypothesis:
        words = target.split()
        ids = tuple(TOKENIZER._id(word) for word in words)
        rows = [[0.0] * segment.width for _ in words]
        for source, word in links:
            rows[word][source] = 1.0
        flat = array("f", [weight for row in rows for weight in row])
        return Hypothesis(segment, ids, (0.0,) * (len(ids) + 1), flat, finished=True)

    return model


TOKENIZER = WordTokenizer()
ROMAN = {"a": "inline", "b": "inline", "code": "opaque", "img": "void"}


def parsed(source: str) -> tuple[MarkedText, list[str]]:
    """Elements by their tags; `<img>` and `<code>` hold no tags."""
    stack: list[list[Any]] = [[]]
    forest: list[Any] = []
    names: list[str] = []
    for close, name, text in re.findall(r"<(/?)(\w+)>|([^<]+)", source):
        if text:
            stack[-1].append(("text", text))
        elif close:
            inside = stack.pop()
            kind = ROMAN[name]
            held = "".join(t for _, t in inside) if kind == "opaque" else inside
            stack[-1].append((kind, held))
        else:
            names.append(name)
            if ROMAN[name] == "void":
                stack[-1].append(("void", ""))
            else:
                stack.append([])
    forest = stack[0]
    return marked(forest), names


def shown(response: TranslationResponse, names: list[str]) -> str:
    def write(content: Any) -> Iterator[str]:
        for item in content:
            if not hasattr(item, "element"):
                yield item.of(response.text)
                continue
            name = names[item.element]
            if item.content is not None:
                yield f"<{name}>{''.join(write(item.content))}</{name}>"
            elif name == "code":
                held = response.request.elements[item.element].span.of(response.request.text)
                yield f"<code>{held}</code>"
            else:
                yield f"<{name}>"

    return "".join(write(response.content))


SAME = [(0, 0), (1, 1), (2, 2), (3, 3)]
BACK = [(0, 3), (1, 2), (2, 1), (3, 0)]


@pytest.mark.parametrize(
    ("source", "target", "links", "expected"),
    [
        ("eins <a>zwei</a> drei vier", "one two three four", SAME, "one <a>two</a> three four"),
        ("<a>eins</a> zwei drei vier", "four three two one", BACK, "four three two <a>one</a>"),
        ("<a>eins <b>zwei</b></a> drei vier", "four three two one", BACK,
         "four three <a><b>two</b> one</a>"),
        ("<a>eins</a> <b>zwei</b> drei vier", "four three two one", BACK,
         "four three <b>two</b> <a>one</a>"),
        # The words of one element are parted: it reaches over what is between.
        ("<a>eins zwei</a> drei vier", "first three second four", [(0, 0), (2, 1), (1, 2), (3, 3)],
         "<a>first three second</a> four"),
        # Links that say nothing, and too few words.
        ("eins <a>zwei</a> drei vier", "one two three four", [], "one <a>two</a> three four"),
        ("<a>eins</a> <b>zwei</b> drei vier", "one", [(0, 0)], "<a>on</a><b>e</b>"),
        ("<a>eins</a> <b>zwei</b> drei vier", "", [], "<a>eins</a> <b>zwei</b> drei vier"),
        ("<a>eins <code>ls</code></a> zwei", ")", [(0, 0)], "<a>eins <code>ls</code></a> zwei"),
        # Its word was dropped, or only a mark is linked to it: a word, not the mark.
        ("Weiter <a>nicht</a> .", "Go on .", [(0, 0), (2, 2)], "Go <a>on</a> ."),
        ("Weiter <a>nicht</a> .", "Go on .", [(0, 0), (0, 1), (1, 2)], "Go <a>on</a> ."),
        ("<a>Ja</a> <b>gern</b> .", "Sure .", [(0, 0), (2, 1)], "<a>Sur</a><b>e</b> ."),
        ("<a>Ja</a> <b>gern</b> .", "O .", [(0, 0), (2, 1)], "<a>Ja</a> <b>gern</b> ."),
        ("Elf <a>Prozent</a>", "Eleven %", [(0, 0), (1, 1)], "Eleven <a>%</a>"),
        # Parts of words.
        ("CO<b>2</b>-Ausstoß", "CO2-emissions", [(0, 0)], "CO<b>2</b>-emissions"),
        ("<b>D</b>er Hund", "The dog", [(0, 0), (1, 1)], "<b>T</b>he dog"),
        ("un<b>möglich</b>", "impossible", [(0, 0)], "<b>impossible</b>"),
        # Opaque: copied, made another word of, dropped, doubled.
        ("eins <code>ls -l</code> drei", "one X1 three", SAME[:3], "one <code>ls -l</code> three"),
        ("eins <code>ls -l</code> drei", "one foo three", SAME[:3], "one <code>ls -l</code> three"),
        ("eins <code>ls -l</code> drei", "one three", [(0, 0), (2, 1)],
         "one <code>ls -l</code> three"),
        ("eins <code>ls -l</code> drei", "one X1 X1 three", [(0, 0), (1, 1), (2, 3)],
         "one <code>ls -l</code> three"),
        # Void: beside its neighbours; at the edge of an element it stays there.
        ("eins <img>zwei drei vier", "four three two one", BACK, "four three <img>two one"),
        ("<a><img>eins</a> zwei drei vier", "four three two one", BACK,
         "four three two <a><img>one</a>"),
        # Beside opaque text, and an element that holds nothing else: where its copy is.
        ("<code>ls</code><img><code>cd</code> drei", "three X1X1", [(0, 1), (1, 0)],
         "three <code>ls</code><img><code>cd</code>"),
        ("<a><code>ls</code></a> <b>zwei</b> drei", "two X1 three", [(0, 1), (1, 0), (2, 2)],
         "<b>Two</b> <a><code>ls</code></a> three"),
        # A copy of the stand-in's own word, which the text has besides.
        ("<code>ls</code><code>cd</code>\u0301X1", "X1X1\u0301X1", [(0, 0)],
         "<code>ls</code><code>cd</code>\u0301X1"),
    ],
)  # fmt: skip
def test_where_elements_go(
    source: str, target: str, links: Iterable[tuple[int, int]], expected: str
) -> None:
    text, names = parsed(source)
    response = respond(pipeline(TOKENIZER), asked(text), scripted(target, links))
    assert_markup(response)
    assert shown(response, names) == expected
