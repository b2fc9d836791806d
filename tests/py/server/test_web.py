"""The documentation page and the web files."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from dragoman.server import Settings, create_app
from dragoman.server.static import cache_control

BASE = "http://127.0.0.1:8765"
FILES = {
    "index.html": "text/html; charset=utf-8",
    "sw.js": "text/javascript; charset=utf-8",
    "manifest.webmanifest": "application/manifest+json",
    "app-7XQ3ZJ5K.js": "text/javascript; charset=utf-8",
    "pyodide/pyodide.mjs": "text/javascript; charset=utf-8",
    "pyodide/pyodide.asm.wasm": "application/wasm",
    "wheels/dragoman-0.1.0-py3-none-any.whl": "application/zip",
    "models/de-en/model.onnx": "application/octet-stream",
    "models/de-en/manifest.json": "application/json",
    "style.css": "text/css; charset=utf-8",
    "icon.svg": "image/svg+xml",
}


@pytest.fixture
def web(tmp_path: Path) -> Path:
    folder = tmp_path / "web"
    for name in FILES:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"content of {name}")
    (tmp_path / "secret.txt").write_text("secret")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    return folder


@pytest.fixture
async def server(web: Path) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(create_app(Settings(web=web)))
    async with httpx.AsyncClient(transport=transport, base_url=BASE) as made:
        yield made


@pytest.mark.parametrize(("name", "kind"), FILES.items())
async def test_files_have_the_types_that_browsers_insist_on(
    server: httpx.AsyncClient, name: str, kind: str
) -> None:
    response = await server.get(f"/{name}")
    assert response.status_code == 200
    assert response.text == f"content of {name}"
    assert response.headers["content-type"] == kind
    assert response.headers["etag"]
    assert response.headers["cross-origin-embedder-policy"] == "require-corp"


async def test_the_root_is_the_index_page(server: httpx.AsyncClient) -> None:
    response = await server.get("/")
    assert response.text == "content of index.html"
    assert response.headers["cache-control"] == "no-cache"
    assert response.headers["cross-origin-opener-policy"] == "same-origin"


async def test_what_was_not_changed_is_not_sent_again(server: httpx.AsyncClient) -> None:
    etag = (await server.get("/sw.js")).headers["etag"]
    response = await server.get("/sw.js", headers={"If-None-Match": etag})
    assert response.status_code == 304
    assert response.content == b""
    assert response.headers["cache-control"] == "no-cache"
    assert response.headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("index.html", False),
        ("sw.js", False),
        ("service-worker.js", False),
        ("manifest.webmanifest", False),
        ("manifest.json", False),
        ("ort-wasm-simd-threaded.wasm", False),
        ("python_stdlib.zip", False),
        ("dragoman-0.1.0-py3-none-any.whl", False),
        ("pyodide.asm.mjs", False),
        ("release-20261121.js", False),
        ("main.abcdefgh.js", False),
        ("app-7XQ3ZJ5K.js", True),
        ("app-7XQ3ZJ5K.js.map", True),
        ("chunk.0123456789abcdef.css", True),
    ],
)
def test_only_hashed_names_are_kept(name: str, kept: bool) -> None:
    assert ("immutable" in cache_control(name)) is kept
    assert ("no-cache" in cache_control(name)) is not kept


@pytest.mark.parametrize(
    "path", ["/../secret.txt", "/%2e%2e/secret.txt", "/link.txt", "/a%00b", "/" + "x" * 5000]
)
async def test_nothing_outside_of_the_folder_is_served(
    server: httpx.AsyncClient, path: str
) -> None:
    response = await server.get(path)
    assert response.status_code == 404
    assert response.json()["error"]["code"] == "not-found"


async def test_the_api_is_there_beside_the_files(server: httpx.AsyncClient) -> None:
    assert (await server.get("/healthz")).json()["status"] == "ok"
    assert (await server.get("/docs")).headers["content-type"] == "text/html; charset=utf-8"


async def test_a_part_of_a_file(server: httpx.AsyncClient) -> None:
    response = await server.get("/models/de-en/model.onnx", headers={"Range": "bytes=0-6"})
    assert response.status_code == 206
    assert response.text == "content"


async def test_without_files_the_root_leads_to_the_documentation() -> None:
    transport = httpx.ASGITransport(create_app(Settings()))
    async with httpx.AsyncClient(transport=transport, base_url=BASE) as server:
        response = await server.get("/")
    assert response.status_code == 307
    assert response.headers["location"] == "/docs"


async def test_the_documentation_needs_no_other_origin(server: httpx.AsyncClient) -> None:
    response = await server.get("/docs")
    assert "://" not in response.text
    assert not re.search(r"""(?:src|href)=["']//""", response.text)
    policy = response.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; connect-src 'self'")
    for tag in "script", "style":
        (inline,) = re.findall(rf"<{tag}>(.*?)</{tag}>", response.text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inline.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
