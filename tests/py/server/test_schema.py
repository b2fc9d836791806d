"""Bodies that are wrong in a million places end at the first one."""

from typing import Any

import pytest
from pydantic import ValidationError

from dragoman.errors import InvalidRequestError
from dragoman.server.schema import BatchBody, GraphBody, StreamBody, TranslateBody

PAIR = {"source": "de", "target": "en"}
MANY = 100_000
FIELDS = {f"field{number}": 1 for number in range(MANY)}


def graph(template: Any) -> dict[str, Any]:
    return {"requests": [{**PAIR, "template": template}]}


@pytest.mark.parametrize(
    ("kind", "data", "expected"),
    [
        (GraphBody, graph([1] * MANY), "too_long"),
        (GraphBody, graph([1] * 10_000), "string_type"),
        (GraphBody, graph([FIELDS]), "extra_forbidden"),
        (GraphBody, {"requests": [1] * 10_000}, "model_type"),
        (GraphBody, {"requests": [FIELDS]}, "extra_forbidden"),
        (GraphBody, {"requests": [], "variables": FIELDS}, "texts"),
        (GraphBody, {"requests": [], "variables": dict.fromkeys("abc", 1)}, "texts"),
        (GraphBody, FIELDS, "extra_forbidden"),
        (BatchBody, {**PAIR, "texts": [1] * MANY}, "string_type"),
        (TranslateBody, {**PAIR, "text": "", "elements": [{}] * 500_000}, "too_long"),
        (StreamBody, {**PAIR, "text": "", **FIELDS}, "extra_forbidden"),
    ],
)
def test_validation_ends_at_the_first_error(kind: Any, data: Any, expected: str) -> None:
    with pytest.raises(ValidationError) as caught:
        kind.model_validate(data)
    errors = caught.value.errors(include_input=False, include_url=False)
    assert errors[0]["type"] == expected
    assert len(errors) <= 3  # one for each kind of thing that a chunk may be


def test_what_is_right_is_read() -> None:
    body = GraphBody.model_validate({**graph(["a", {"input": "x"}]), "variables": {"x": "y"}})
    assert body.requests[0].template[0] == "a"
    assert body.variables == {"x": "y"}


@pytest.mark.parametrize("elements", [[1] * MANY, [FIELDS], [{"range": [0, 0], "kind": "b"}]])
def test_elements_are_read_up_to_the_first_that_is_wrong(elements: list[Any]) -> None:
    body = TranslateBody.model_validate({**PAIR, "text": "", "elements": elements})
    with pytest.raises(InvalidRequestError, match=r"element 0 cannot be read: .+") as caught:
        body.request()
    assert caught.value.details == {"element": 0}
