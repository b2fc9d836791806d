"""Published models for browsers: what a server has itself, or what its site has."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from dragoman.server import Settings, create_app
from dragoman.store.get import Getter
from dragoman.store.plan import Silent
from dragoman.store.store import Store
from tests.support.publisher import world


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with world(tmp_path) as published:
        made = Store(tmp_path / "store")
        models = [m for m in (published.catalogue.find("fr", "en"),) if m]
        Getter(made, published.catalogue, None, httpx.Client).get(models, Silent())
        yield made


def ask(
    store: Store,
    path: str,
    headers: dict[str, str] | None = None,
    method: str = "GET",
    **settings: Any,
) -> httpx.Response:
    app = create_app(Settings(models=(store.root,), **settings))

    async def asked() -> httpx.Response:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as made:
            return await made.request(method, path, headers=headers)

    return asyncio.run(asked())


def sha256_of(store: Store) -> str:
    return store.models[0].manifest.files["model"].sha256


def test_a_server_offers_its_store(store: Store) -> None:
    answer = ask(store, "/published/catalogue.json")
    assert answer.headers["cache-control"] == "no-cache"
    (model,) = answer.json()["models"]
    assert (model["from"], model["to"], model["publisher"]) == ("fr", "en", "Testers")
    url = model["files"][0]["sources"][0]["url"]
    file = ask(store, f"/published/{url}")
    assert file.content == store.path(sha256_of(store)).read_bytes()
    assert file.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert file.headers["etag"] == f'"{sha256_of(store)}"'
    assert file.headers["content-type"] == "application/octet-stream"


def test_a_fetch_goes_on_where_it_was(store: Store) -> None:
    url = f"/published/files/{sha256_of(store)}"
    tag = f'"{sha256_of(store)}"'
    content = store.path(sha256_of(store)).read_bytes()
    rest = ask(store, url, headers={"Range": "bytes=1000-", "If-Range": tag})
    assert rest.status_code == 206
    assert rest.headers["content-range"] == f"bytes 1000-{len(content) - 1}/{len(content)}"
    assert rest.content == content[1000:]
    other = ask(store, url, headers={"Range": "bytes=1000-", "If-Range": '"other"'})
    assert (other.status_code, other.content) == (200, content)


@pytest.mark.parametrize("name", ["0" * 64, "..%2fcatalogue.json", "x"])
def test_nothing_else_is_there(store: Store, name: str) -> None:
    assert ask(store, f"/published/files/{name}").status_code == 404


def test_a_site_with_a_mirror_of_its_own_is_served_as_it_is(store: Store, tmp_path: Path) -> None:
    site = tmp_path / "web"
    (site / "published").mkdir(parents=True)
    (site / "published" / "catalogue.json").write_text(json.dumps({"models": ["its own"]}))
    answer = ask(store, "/published/catalogue.json", web=site)
    assert answer.json() == {"models": ["its own"]}


def test_a_site_with_an_empty_mirror_gets_the_servers(store: Store, tmp_path: Path) -> None:
    site = tmp_path / "web"
    (site / "published").mkdir(parents=True)
    (site / "published" / "catalogue.json").write_text(json.dumps({"models": []}))
    answer = ask(store, "/published/catalogue.json", web=site)
    assert len(answer.json()["models"]) == 1


def test_another_origin_that_is_allowed_may_read_and_resume(store: Store) -> None:
    page = {"Origin": "https://example.org"}
    origins = ("https://example.org",)
    answer = ask(store, "/published/catalogue.json", page, allow_origins=origins)
    assert answer.headers["access-control-allow-origin"] == "https://example.org"
    assert answer.headers["access-control-expose-headers"] == "Content-Range, ETag"
    asked = {**page, "Access-Control-Request-Method": "GET"}
    allowed = ask(store, "/published/catalogue.json", asked, "OPTIONS", allow_origins=origins)
    assert "If-Range" in allowed.headers["access-control-allow-headers"]
    assert ask(store, "/published/catalogue.json", headers=page).status_code == 403
