"""Glossaries as plain data."""

import json
from typing import Any

import pytest

from dragoman.errors import InvalidGlossaryError
from dragoman.types import Glossary, Term
from dragoman.wire.glossary import GlossaryReader
from dragoman.wire.requests import read_request


def test_terms_and_words_to_keep() -> None:
    data = [{"source": "Rechner", "target": "computer"}, {"source": "Anna"}]
    expected = Glossary((Term("Rechner", "computer"), Term("Anna", "Anna")))
    assert GlossaryReader()(data) == expected
    request = {"text": "", "source": "de", "target": "en"}
    assert read_request(json.dumps(request)).glossary is None
    assert read_request(json.dumps({**request, "glossary": data})).glossary == expected


def test_an_equal_glossary_is_the_same() -> None:
    read = GlossaryReader()
    first = read([{"source": "a"}])
    assert read([{"source": "a"}]) is first
    assert read([{"source": "b"}]) is not first
    assert read(None) is None
    assert read([]) == Glossary()


@pytest.mark.parametrize(
    ("data", "term"),
    [
        ({}, None),
        ("Rechner", None),
        (["Rechner"], 0),
        ([{"source": "a"}, {"target": "b"}], 1),
        ([{"source": "a", "target": 1}], 0),
        ([{"source": "a", "target": "b", "note": "c"}], 0),
        ([{"source": ""}], 0),
        ([{"source": "a", "target": "..."}], 0),
        ([{"source": " a"}], 0),
        ([{"source": "a\nb"}], 0),
        ([{"source": "a", "target": "\x00b"}], 0),
    ],
)
def test_what_is_no_glossary(
    data: dict[Any, Any] | list[dict[str, int | str] | str] | str, term: int | None
) -> None:
    with pytest.raises(InvalidGlossaryError) as caught:
        GlossaryReader()(data)
    assert caught.value.details == {"term": term}
