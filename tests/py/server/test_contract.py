"""The API keeps what its description says, whatever is sent: schemathesis makes the requests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from dragoman.server import Settings, create_app
from tests.support.hosts import capital_parts
from tests.support.serving import serving

EXAMPLES = int(os.environ.get("DRAGOMAN_EXAMPLES", "60"))
CHECKS = [
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A server that translates into capitals, in a thread."""
    with serving(create_app(Settings(), lambda *_: capital_parts())) as made:
        yield made


schema = schemathesis.openapi.from_dict(create_app(Settings()).openapi())
schema.config.generation.update(modes=list(schemathesis.GenerationMode))


@schema.parametrize()
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
def test_every_answer_is_one_that_was_described(case: schemathesis.Case[Any], address: str) -> None:
    response = case.call(base_url=address)
    assert response.status_code not in (500, 503)  # 504 is what a deadline of no time asks for
    case.validate_response(response, checks=CHECKS)


def test_every_route_is_described() -> None:
    assert set(schema) == {
        "/v1/translate", "/v1/batch", "/v1/detect", "/v1/documents", "/v1/graph", "/v1/stream",
        "/v1/models", "/healthz", "/healthz/ready", "/metrics",
    }  # fmt: skip
