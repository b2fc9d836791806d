"""Requests, options, graphs and limits as the bridge gets them, and what is refused of them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dragoman.errors import InvalidElementsError, InvalidRequestError
from dragoman.routing.graph import Constant, Input, Output
from dragoman.types import (
    AlignmentKind,
    ElementKind,
    OverlongPolicy,
    Priority,
    Span,
    TextFormat,
    TranslationMemory,
    TranslationRequest,
    WhenFull,
)
from dragoman.wire.requests import read_graph, read_limits, read_options, read_request

PLAIN = {"text": "Ja 😀 <b>", "source": "de", "target": "en"}


def read(**changes: Any) -> TranslationRequest:
    return read_request(json.dumps({**PLAIN, **changes}))


def test_the_least_that_a_request_says() -> None:
    request = read()
    assert (request.text, request.source, request.target) == ("Ja 😀 <b>", "de", "en")
    assert request.alignment is AlignmentKind.HARD
    assert request.priority is Priority.INTERACTIVE
    assert (request.deadline, request.cache, request.beam, request.prefix) == (
        None,
        True,
        None,
        None,
    )
    assert (request.elements, request.alternatives, request.memory) == ((), 0, None)


def test_all_that_a_request_may_say() -> None:
    request = read(
        alignment="soft",
        overlong="refuse",
        priority="near",
        deadline=2,
        whenFull="wait",
        cache=False,
        format="html",
        elements=[{"range": [3, 5], "kind": "opaque"}],
        beam=4,
        alternatives=3,
        prefix="Yes",
    )
    assert request.alignment is AlignmentKind.SOFT
    assert request.overlong is OverlongPolicy.REFUSE
    assert request.priority is Priority.NEAR
    assert request.when_full is WhenFull.WAIT
    assert request.format is TextFormat.HTML
    assert (request.deadline, request.cache) == (2.0, False)
    assert (request.beam, request.alternatives, request.prefix) == (4, 3, "Yes")
    (element,) = request.elements  # its range counts UTF-16 units, its span characters
    assert (element.span, element.kind) == (Span(3, 4), ElementKind.OPAQUE)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"text": None}, "'text' is not a string"),
        ({"target": 5}, "'target' is not a string"),
        ({"deadline": "2"}, "the deadline is no number: '2'"),
        ({"deadline": True}, "the deadline is no number: True"),
        ({"cache": 1}, "'cache' is neither true nor false: 1"),
        ({"beam": 2.0}, "'beam' is no whole number: 2.0"),
        ({"alternatives": True}, "'alternatives' is no whole number: True"),
        ({"prefix": ["Yes"]}, "'prefix' is not a string: ['Yes']"),
        ({"memory": "yes"}, "'memory' is neither true nor false: 'yes'"),
        ({"memory": True}, "no translation memory was brought when the workers were opened"),
        ({"priority": "first"}, "the request cannot be read"),
    ],
)
def test_a_field_of_another_kind_is_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        read(**changes)
    assert message in str(caught.value)


@pytest.mark.parametrize("text", ["", "[]", "5", "null", '{"text": "Ja"}', "[" * 100_000])
def test_what_is_no_request_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequestError, match="the request cannot be read"):
        read_request(text)


def test_an_element_that_begins_inside_a_character() -> None:
    with pytest.raises(InvalidElementsError):
        read(elements=[{"range": [4, 5], "kind": "inline"}])


def test_a_request_means_the_memory_that_was_brought() -> None:
    memory = TranslationMemory()
    wanted = json.dumps({**PLAIN, "memory": True})
    assert read_request(wanted, memory).memory is memory
    assert read_request(json.dumps(PLAIN), memory).memory is None


def test_options_have_no_text_of_their_own() -> None:
    options = read_options(json.dumps({**PLAIN, "priority": "background", "beam": 2}))
    assert (options.text, options.priority, options.beam) == ("", Priority.BACKGROUND, 2)
    with pytest.raises(InvalidRequestError, match="the options cannot be read"):
        read_options("[]")


def test_a_graph() -> None:
    languages = {"source": "de", "target": "en"}
    template = ["# ", {"input": "title"}, {"output": "heading"}]
    graph = {"variables": {"title": "Haus"}, "requests": [{"template": template, **languages}]}
    variables, requests = read_graph(json.dumps(graph))
    assert variables == {"title": "Haus"}
    (request,) = requests
    assert request.template == (Constant("# "), Input("title"), Output("heading"))


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        ({"variables": {"x": 5}, "requests": []}, "a variable's value is not a string"),
        ({"requests": [{"template": [5]}]}, "no chunk of a template: 5"),
        ({"requests": [{"template": [{"input": 5}]}]}, "no chunk of a template: {'input': 5}"),
        (
            {"requests": [{"template": [{"input": "x", "output": "y"}]}]},
            "no chunk of a template: {'input': 'x', 'output': 'y'}",
        ),
        ({}, "the requests cannot be read: KeyError('requests')"),
    ],
)
def test_a_graph_that_is_none(graph: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        read_graph(json.dumps(graph))
    assert message in str(caught.value)


def test_limits() -> None:
    limits = read_limits('{"text_characters": 1000, "glossary_terms": 7}')
    assert (limits.text_characters, limits.glossary_terms) == (1_000, 7)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"text_characters": 0}', "no limit: 'text_characters' of 0"),
        ('{"text_characters": 1.5}', "no limit: 'text_characters' of 1.5"),
        ('{"text_characters": true}', "no limit: 'text_characters' of True"),
        ('{"letters": 5}', "no limit: 'letters' of 5"),
        ("[]", "the limits cannot be read"),
        ("{", "the limits cannot be read"),
    ],
)
def test_limits_that_are_none(text: str, message: str) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        read_limits(text)
    assert message in str(caught.value)
