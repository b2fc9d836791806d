"""The description of the API: complete, and its examples work."""

from __future__ import annotations

from typing import Any

import httpx
import jsonschema_rs
import pytest

from dragoman.server import Settings, create_app
from tests.support.hosts import capital_parts

API = create_app(Settings()).openapi()
OPERATIONS = [
    pytest.param(operation, id=f"{method} {path}")
    for path, methods in API["paths"].items()
    for method, operation in methods.items()
]
JSON = "application/json"


def resolved(schema: dict[str, object]) -> dict[str, object]:
    """A schema that validates by itself."""
    return {**schema, "components": API["components"]}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_error_has_examples_that_fit_its_schema(operation: dict[str, Any]) -> None:
    assert {"200", "403", "405"} <= set(operation["responses"])
    for status, response in operation["responses"].items():
        if status == "200":
            continue
        media = response["content"][JSON]
        assert media["schema"] == {"$ref": "#/components/schemas/ErrorAnswer"}
        assert media["examples"]
        for example in media["examples"].values():
            jsonschema_rs.validate(resolved(media["schema"]), example["value"])


@pytest.mark.parametrize("path", ["/v1/translate", "/v1/batch"])
def test_translation_has_all_its_errors(path: str) -> None:
    documented = set(API["paths"][path]["post"]["responses"])
    assert documented == {
        "200",
        "400",
        "403",
        "404",
        "405",
        "408",
        "413",
        "415",
        "422",
        "500",
        "503",
        "504",
    }


@pytest.mark.parametrize(
    "name",
    [
        "TranslateBody",
        "TranslateAnswer",
        "BatchBody",
        "BatchAnswer",
        "GraphBody",
        "GraphAnswer",
        "Models",
        "Health",
    ],
)
def test_examples_fit_their_schemas(name: str) -> None:
    schema = API["components"]["schemas"][name]
    jsonschema_rs.validate(resolved({"$ref": f"#/components/schemas/{name}"}), schema["example"])


@pytest.mark.parametrize(
    ("path", "body", "answer"),
    [
        ("/v1/translate", "TranslateBody", "TranslateAnswer"),
        ("/v1/batch", "BatchBody", "BatchAnswer"),
        ("/v1/graph", "GraphBody", "GraphAnswer"),
    ],
)
async def test_examples_work_and_answers_are_as_described(
    path: str, body: str, answer: str
) -> None:
    app = create_app(Settings(), lambda *_: capital_parts())
    transport = httpx.ASGITransport(app)
    schemas = API["components"]["schemas"]
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://localhost") as client,
    ):
        response = await client.post(path, json=schemas[body]["example"])
    assert response.status_code == 200
    jsonschema_rs.validate(resolved({"$ref": f"#/components/schemas/{answer}"}), response.json())
    described = set(schemas[answer]["properties"]) - {"detected"}  # of source "auto" only
    assert set(response.json()) == described


def test_the_body_of_a_stream_is_described_in_both_kinds() -> None:
    operation = API["paths"]["/v1/stream"]["post"]
    content = operation["requestBody"]["content"]
    schema = content[JSON]["schema"]
    jsonschema_rs.validate(resolved(schema), schema["example"])
    assert set(content) == {JSON, "text/plain"}
    query = {parameter["name"] for parameter in operation["parameters"]}
    assert query == set(schema["properties"]) - {
        "text",
        "glossary",
        "memory",
    }  # no list fits into a query
    assert "whenFull" in query
