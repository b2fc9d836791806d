"""The same JSON, a little at a time."""

import json
from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import LanguagePairError
from dragoman.wire.responses import RangeUnit, json_bytes
from dragoman.wire.slices import batch_slices, json_slices, parts

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(st.text(max_size=3), inside),
    max_leaves=20,
)


@given(_JSON)
def test_slices_are_the_json(data: Any) -> None:
    assert json.loads(b"".join(json_slices(data))) == data


@given(_JSON, st.integers(0, 8))
def test_whatever_is_looked_into(data: Any, levels: int) -> None:
    assert b"".join(json_slices(data, levels)) == json_bytes(data)


def test_a_long_list_is_many_slices() -> None:
    slices = list(json_slices({"matrix": [0.5] * 10_000}))
    assert json.loads(b"".join(slices)) == {"matrix": [0.5] * 10_000}
    assert max(map(len, slices)) < 5_000


def test_parts_are_of_a_size() -> None:
    made = list(parts(b"x" * 1_000 for _ in range(200)))
    assert [len(part) for part in made] == [66_000, 66_000, 66_000, 2_000]


def test_a_batch_is_made_outcome_by_outcome() -> None:
    made = []

    def outcomes() -> Iterator[Any]:
        for number in range(3):
            made.append(number)
            yield LanguagePairError("de", "fr", str(number))

    slices = batch_slices(outcomes(), RangeUnit.UTF16)
    begun = next(slices) + next(slices)
    assert made == [0]
    data = json.loads(begun + b"".join(slices))
    assert [outcome["ok"] for outcome in data["outcomes"]] == [False, False, False]
    assert made == [0, 1, 2]
    assert b"".join(batch_slices([], RangeUnit.UTF16)) == b'{"outcomes":[]}'
