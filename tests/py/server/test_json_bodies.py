"""Bodies of JSON with very many values: refused before they are read, or read beside the others."""

import json

import pytest

from dragoman.server.json_bodies import FEW_BYTES, JSON_VALUES, read_json
from dragoman.server.problems import ProblemError
from tests.support.hosts import capital_parts
from tests.support.serving import client

MANY = [
    b'{"variables":{},"requests":[{"template":[' + b"1," * 700_000 + b"1]}]}",  # 1.4 MB
    b'{"texts":[' + b'"",' * 1_400_000 + b'""]}',
    b'{"elements":[' + b"{}," * 1_900_000 + b"{}]}",
    b"[" * 1_000_000,
]


@pytest.mark.parametrize("body", MANY, ids=["template", "texts", "elements", "lists"])
@pytest.mark.parametrize(
    "path", ["/v1/translate", "/v1/batch", "/v1/graph", "/v1/stream", "/v1/detect"]
)
async def test_too_many_values_are_refused(path: str, body: bytes) -> None:
    async with client(lambda *_: capital_parts()) as server:
        headers = {"Content-Type": "application/json"}
        answer = await server.post(path, content=body, headers=headers)
    assert answer.status_code == 413
    assert answer.json()["error"]["code"] == "too-many-values"
    assert answer.json()["error"]["details"] == {"allowed": JSON_VALUES}


async def test_what_is_in_strings_is_no_value() -> None:
    text = '[,{\\"' * 100_000
    assert await read_json(json.dumps({"text": text}).encode()) == {"text": text}


async def test_many_values_are_read_as_few() -> None:
    data = {"elements": [{"range": [0, 1], "kind": "inline", "parent": None}] * 20_000, "é": "ü\n"}
    assert await read_json(json.dumps(data).encode()) == data
    assert await read_json(json.dumps(data).encode("utf-16")) == data


@pytest.mark.parametrize("body", [b"[1,]" * 20_000, b'{"a":' * 30_000, b'["' + b"a,," * 20_000])
async def test_what_is_no_json_is_refused(body: bytes) -> None:
    with pytest.raises((ValueError, RecursionError)):
        await read_json(body)


async def test_strings_that_never_end_are_read_once() -> None:
    with pytest.raises(ProblemError):
        await read_json(b"[" * (JSON_VALUES + 1) + b'"' + b"\\" * 4_000_000)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/detect", b'{"text": "' + rb"a\n" * 2_000_000 + b'"}'),
        ("/v1/translate", b'{"text": "' + rb"a\n" * 2_000_000 + b'"'),
    ],
    ids=["one", "none"],
)
async def test_long_bodies_are_not_read_at_once(
    path: str, body: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They were: one that is none was read a second time, to find out what is wrong with it."""

    def refuse(text: str | bytes) -> object:
        assert len(text) <= FEW_BYTES
        return json.JSONDecoder().decode(text if isinstance(text, str) else text.decode())

    monkeypatch.setattr(json, "loads", refuse)
    async with client(lambda *_: capital_parts()) as server:
        headers = {"Content-Type": "application/json"}
        answer = await server.post(path, content=body, headers=headers)
    if path == "/v1/detect":
        assert answer.status_code == 200
    else:
        assert answer.status_code == 400
        assert b'"message":"the body is not JSON"' in answer.content
