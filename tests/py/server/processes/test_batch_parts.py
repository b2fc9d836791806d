"""A batch over several processes: cut and joined."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.server.processes.batch_parts import join, split
from dragoman.wire.responses import json_bytes

texts = st.text(st.characters(exclude_categories=[]))  # lone surrogates, too


@given(st.lists(texts), st.integers(0, 5), st.booleans())
def test_the_parts_are_the_batch(given_texts: list[str], parts: int, cache: bool) -> None:
    body = {"texts": given_texts, "source": "de", "cache": cache}
    cut = [json.loads(part) for part in split(json.dumps(body).encode(), parts)]
    assert 1 <= len(cut) <= max(1, parts)
    assert [text for part in cut for text in part["texts"]] == given_texts
    for part in cut:
        assert {**part, "texts": given_texts} == body
        assert part["texts"] or len(cut) == 1


def test_parts_are_of_about_as_many_characters() -> None:
    batch = ["x" * 10] * 8 + ["x" * 100]
    first, second = split(json.dumps({"texts": batch}).encode(), 2)
    assert json.loads(first) == {"texts": ["x" * 10] * 8}
    assert json.loads(second) == {"texts": ["x" * 100]}


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"[]", b"null", b"\xff", b"[" * 99_999, b'{"text": "a"}', b'{"texts": 5}',
        b'{"texts": ["a", 5]}', b'{"texts": ["a"]}', b'{"texts": []}',
    ],
)  # fmt: skip
def test_what_cannot_be_cut_is_left_as_it_is(body: bytes) -> None:
    assert split(body, 4) == [body]


def test_a_batch_of_too_many_texts_is_left_as_it_is() -> None:
    body = json.dumps({"texts": ["a", "b", "c"]}).encode()
    assert split(body, 2, 2) == [body]
    assert split(body, 2, 3) == [b'{"texts": ["a"]}', b'{"texts": ["b", "c"]}']


@given(st.lists(st.lists(st.integers()), min_size=1))
def test_joined_answers_are_the_answer(parts: list[list[int]]) -> None:
    answers = [json_bytes({"outcomes": part}) for part in parts if part]
    if answers:
        joined = json.loads(join(answers))
        assert joined == {"outcomes": [one for part in parts for one in part]}


@pytest.mark.parametrize("answer", [b"", b"{}", b'{"outcomes":[]', b"'outcomes':[]}"])
def test_what_is_no_answer_is_not_joined(answer: bytes) -> None:
    with pytest.raises(ValueError, match="no answer of a batch"):
        join([answer])
