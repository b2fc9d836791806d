"""Who may ask, and what every answer says about itself."""

from __future__ import annotations

import logging

import httpx
import pytest

from dragoman.errors import InvalidRequestError
from dragoman.server import Settings, create_app
from dragoman.server.middleware import host_name
from dragoman.server.run import without_query
from tests.support.hosts import capital_parts

BODY = {"text": "Guten Tag.", "source": "de", "target": "en"}


def client(
    settings: Settings | None = None, base: str = "http://127.0.0.1:8765"
) -> httpx.AsyncClient:
    app = create_app(settings or Settings(), lambda *_: capital_parts())
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=base)


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8765", "127.0.0.1:1", "[::1]:8765"])
async def test_local_names_are_answered(host: str) -> None:
    async with client() as server:
        assert (await server.get("/healthz", headers={"Host": host})).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8765", "127.0.0.1.evil.example", "192.168.1.5", ""]
)
@pytest.mark.parametrize("path", ["/healthz", "/v1/translate", "/docs", "/nothing"])
async def test_other_names_are_refused(host: str, path: str) -> None:
    async with client() as server:
        response = await server.get(path, headers={"Host": host})
    assert response.status_code == 403
    assert response.json()["error"]["code"] == "host-not-allowed"


async def test_a_server_for_other_machines_answers_to_addresses_and_given_names() -> None:
    async with client(Settings(host="0.0.0.0", allow_hosts=("box.lan",))) as server:  # noqa: S104
        for host, status in {
            "192.168.1.5:8765": 200,
            "[fe80::1]": 200,
            "box.lan": 200,
            "evil.example": 403,
        }.items():
            assert (await server.get("/healthz", headers={"Host": host})).status_code == status


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "http://127.0.0.1:9999",
        "http://localhost:8765",
        "https://127.0.0.1:8765",
        "null",
        "",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
async def test_pages_of_other_origins_are_refused(origin: str, method: str) -> None:
    async with client() as server:
        headers = {"Origin": origin, "Access-Control-Request-Method": "POST"}
        response = await server.request(method, "/v1/translate", json=BODY, headers=headers)
    assert response.status_code == 403
    assert response.json()["error"]["code"] == "origin-not-allowed"
    assert "access-control-allow-origin" not in response.headers


async def test_the_servers_own_pages_are_answered() -> None:
    async with client() as server:
        headers = {"Origin": "http://127.0.0.1:8765"}
        response = await server.post("/v1/translate", json=BODY, headers=headers)
    assert response.status_code == 200
    assert response.json()["text"] == "GUTEN TAG."


async def test_an_allowed_origin_gets_cors() -> None:
    origin = "https://example.org"
    async with client(Settings(allow_origins=(origin,))) as server:
        preflight = await server.options(
            "/v1/translate",
            headers={
                "Origin": origin,
                "Access-Control-Request-Method": "POST",
                "Access-Control-Request-Headers": "content-type",
                "Access-Control-Request-Private-Network": "true",
            },
        )
        response = await server.post("/v1/translate", json=BODY, headers={"Origin": origin})
        wrong = await server.post("/v1/translate", json={}, headers={"Origin": origin})
        other = await server.post(
            "/v1/translate", json=BODY, headers={"Origin": "https://example.org.evil.example"}
        )
    assert preflight.status_code == 204
    assert preflight.headers["access-control-allow-origin"] == origin
    assert preflight.headers["access-control-allow-methods"] == "GET, POST"
    assert preflight.headers["access-control-allow-headers"] == "Content-Type, If-Range, Range"
    assert preflight.headers["access-control-allow-private-network"] == "true"
    assert response.status_code == 200
    assert response.headers["access-control-allow-origin"] == origin
    assert response.headers["vary"] == "Origin"
    assert "access-control-allow-credentials" not in response.headers
    assert wrong.status_code == 422
    assert wrong.headers["access-control-allow-origin"] == origin  # the page can read the error
    assert other.status_code == 403


async def test_all_origins_may_be_allowed() -> None:
    async with client(Settings(allow_origins=("*",))) as server:
        headers = {"Origin": "https://anyone.example"}
        response = await server.get("/healthz", headers=headers)
    assert response.headers["access-control-allow-origin"] == "*"


@pytest.mark.parametrize(
    "origin", ["example.org", "https://example.org/", "https://a b", "https://", "null"]
)
def test_what_is_no_origin_is_not_taken(origin: str) -> None:
    with pytest.raises(ValueError, match="is not an origin"):
        Settings(allow_origins=(origin,))


@pytest.mark.parametrize(
    "origin", ["https://example.org", "http://[::1]:80", "moz-extension://0a1b-2c", "*"]
)
def test_what_is_an_origin_is_taken(origin: str) -> None:
    assert Settings(allow_origins=(origin,)).allows_origin(origin)


def test_a_web_folder_that_is_missing_is_a_typed_error(tmp_path: object) -> None:
    from pathlib import Path

    with pytest.raises(InvalidRequestError, match="there is no folder"):
        Settings(web=Path(str(tmp_path)) / "nowhere")


@pytest.mark.parametrize("path", ["/", "/docs", "/healthz", "/openapi.json", "/nothing"])
async def test_every_answer_is_isolated(path: str) -> None:
    async with client() as server:
        response = await server.get(path)
    assert response.headers["cross-origin-opener-policy"] == "same-origin"
    assert response.headers["cross-origin-embedder-policy"] == "require-corp"
    assert response.headers["cross-origin-resource-policy"] == "same-origin"
    assert response.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("localhost", "localhost"),
        ("LOCALHOST:8765", "localhost"),
        ("localhost.:80", "localhost"),
        ("[::1]:80", "::1"),
        ("[::1]", "::1"),
        ("127.0.0.1:8765", "127.0.0.1"),
        ("localhost:evil.example", ""),
        ("localhost:80:80", ""),
        ("localhost:", ""),
        ("localhost@evil.example", ""),
        ("evil.example/localhost", ""),
        ("[::1]evil.example", ""),
        ("[::1", ""),
        ("[localhost]", ""),
        ("localhost:123456", ""),
        ("local\thost", ""),
        ("", ""),
    ],
)
def test_a_host_header_is_a_name_and_a_port(host: str, name: str) -> None:
    assert host_name(host) == name


def test_the_access_log_has_no_queries_and_names_of_files(caplog: pytest.LogCaptureFixture) -> None:
    log = logging.getLogger("tests.access")
    log.addFilter(without_query)
    with caplog.at_level(logging.INFO):
        log.info(
            '%s - "%s %s HTTP/%s" %d', "127.0.0.1:5", "GET", "/v1/stream?text=geheim", "1.1", 200
        )
        log.info(
            '%s - "%s %s HTTP/%s" %d',
            "127.0.0.1:5",
            "GET",
            "/download_file/k.geheim.txt",
            "1.1",
            200,
        )
    assert caplog.messages == [
        '127.0.0.1:5 - "GET /v1/stream HTTP/1.1" 200',
        '127.0.0.1:5 - "GET /download_file/ HTTP/1.1" 200',
    ]


@pytest.mark.parametrize("path", ["/docs", "/healthz", "/nothing"])
async def test_no_page_is_shown_in_a_frame_of_another(path: str) -> None:
    async with client() as server:
        policy = (await server.get(path)).headers["content-security-policy"]
    assert policy.endswith("frame-ancestors 'none'")
