"""A batch cut into smaller ones, and their answers joined to one.

Invariant: the parts hold the texts of the batch in order, each once, and everything else of it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import accumulate

from dragoman.server.json_bodies import read_patiently
from dragoman.server.problems import ProblemError
from dragoman.types import AlignmentKind

BATCH = "/v1/batch"

_OPENING, _CLOSING = b'{"outcomes":[', b"]}"


def split(body: bytes, parts: int, most: int | None = None) -> list[bytes]:
    """Bodies of at most so many parts of about as many characters.

    What is no batch is left as it is: the route says what is wrong with it. So is one that asks for
    soft alignment: its answer is too large to be put together here, and is sent as it is made.

    Args:
        most: texts that a batch may have; None: any number. One of more is left as it is, as its
            parts would pass.
    """
    try:
        data = read_patiently(body)
    except (ProblemError, ValueError, RecursionError):
        return [body]
    texts = data.get("texts") if isinstance(data, dict) else None
    if isinstance(data, dict) and data.get("alignment") == AlignmentKind.SOFT:
        return [body]
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        return [body]
    if most is not None and len(texts) > most:
        return [body]
    cut = [part for part in _shares(texts, parts) if part]
    if len(cut) < 2:
        return [body]
    return [_written({**data, "texts": part}) for part in cut]


def _written(data: Mapping[str, object]) -> bytes:
    """As JSON, a value at a time: to write all of it at once would hold up others."""
    return "".join(json.JSONEncoder().iterencode(data)).encode()


def _shares(texts: Sequence[str], parts: int) -> list[list[str]]:
    """Runs of texts; each text goes where its middle falls among all characters."""
    parts = max(1, parts)
    shares: list[list[str]] = [[] for _ in range(parts)]
    lengths = [len(text) + 1 for text in texts]
    ends = list(accumulate(lengths))
    for text, length, end in zip(texts, lengths, ends, strict=True):
        middle = end - length / 2
        shares[int(middle * parts / ends[-1])].append(text)
    return shares


def join(answers: Sequence[bytes]) -> bytes:
    """The answer of the whole batch.

    Raises:
        ValueError: one is not an answer of a batch.
    """
    inner = []
    for answer in answers:
        if not (answer.startswith(_OPENING) and answer.endswith(_CLOSING)):
            raise ValueError("this is no answer of a batch")
        inner.append(answer[len(_OPENING) : -len(_CLOSING)])
    return _OPENING + b",".join(inner) + _CLOSING
