"""Published models in the built extension, against a publisher on loopback."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

import pytest
from playwright.sync_api import Playwright

import dragoman
from dragoman.models.measures.in_browser import browser_path
from dragoman.store.carry import export
from dragoman.store.store import Store
from tests.support.extension.chromium import ChromiumHost
from tests.support.extension.firefox import FirefoxHost
from tests.support.extension.host import Host, wait_until
from tests.support.extension.models import models, packed, publisher_of_two, with_catalogue
from tests.support.offering import fill
from tests.support.published import sentences
from tests.support.publisher import Publisher
from tests.support.sites import serve

PICTURES = os.environ.get("DRAGOMAN_PICTURES")
TEXT = " ".join(sentences(3))
READY = "return document.querySelector('#translate:enabled:not([hidden])')?.id"
Open = Callable[[], Host]


@pytest.fixture(scope="session")
def published() -> Iterator[tuple[Publisher, str]]:
    with publisher_of_two() as found:
        yield found


@pytest.fixture
def publisher(published: tuple[Publisher, str]) -> Iterator[Publisher]:
    found = published[0]
    found.requests.clear()
    yield found
    found.on_block = lambda _: None
    found.faults.clear()


@pytest.fixture(params=["chromium", "firefox"])
def open_host(
    request: pytest.FixtureRequest,
    playwright: Playwright,
    tmp_path: Path,
    published: tuple[Publisher, str],
) -> Iterator[Open]:
    """Opens the browser; a second time with the same profile."""
    running: list[ChromiumHost | FirefoxHost] = []
    path = browser_path(request.param)
    name = "chrome" if request.param == "chromium" else "firefox"
    folder = with_catalogue(
        name, tmp_path / "changed", published[1], given=request.param == "chromium"
    )
    archive = packed(folder) if request.param == "firefox" else None

    def open_it() -> Host:
        for other in running:
            other.close()
        running.clear()
        profile = tmp_path / "profile"
        if request.param == "chromium":
            running.append(ChromiumHost(playwright, path, profile, folder))
        else:
            running.append(FirefoxHost(path, profile, archive))
        return running[0]

    yield open_it
    for host in running:
        host.close()
        assert host.errors == []


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    folder = tmp_path / "site"
    folder.mkdir()
    french = "Ce matin nous sommes allés au marché pour acheter du pain et du fromage."
    page = f"<!doctype html><html lang=fr><link rel=icon href=data:,><p id=known>{french}</p>"
    (folder / "page.html").write_text(f"{page}<p id=made>{TEXT}</p>")
    running = serve(folder)
    yield f"http://127.0.0.1:{running.server_address[1]}/page.html"
    running.shutdown()
    running.server_close()


def row(pair: str, part: str) -> str:
    return f"#offered li[data-pair='{pair}'] {part}"


def listed(host: Host, name: str) -> list[str]:
    found = (
        f"[...document.querySelectorAll('#{name} li:not([hidden])')].map((li) => li.dataset.pair)"
    )
    return list(host.in_panel(f"return {found}"))


def open_languages(host: Host) -> None:
    host.open_own_page("options.html")
    wait_until(lambda: listed(host, "models"), 30)


def fetch(host: Host, pair: str) -> None:
    host.click(row(pair, ".start"))
    assert wait_until(lambda: pair in listed(host, "models"), 60) is True


def ended(host: Host) -> None:
    """Wait for the end of a translation that was begun in the panel."""
    running = ("Getting the translator ready", "0 of", "1 of")
    wait_until(
        lambda: text_of(host, "#status") and not text_of(host, "#status").startswith(running)
    )
    assert [text_of(host, "#status"), text_of(host, "#error")] == ["Translated.", ""]


def text_of(host: Host, selector: str) -> str:
    return str(host.in_panel(f"return document.querySelector({selector!r})?.textContent ?? ''"))


def expected(source: str, target: str, folder: Path) -> str:
    store = Store(folder / "store")
    fill(store, models())
    with dragoman.load(source, target, [store.root]) as translator:
        return str(translator.translate(TEXT).text)


def test_nothing_is_asked_of_anybody_before_a_click(
    open_host: Open, publisher: Publisher, site: str
) -> None:
    host = open_host()
    host.goto(site)
    host.click_button()
    what = "return document.querySelector('#fetching:not([hidden]) #fetch-what')?.textContent"
    assert str(wait_until(lambda: host.in_panel(what), 30)).startswith("French to English: ")
    open_languages(host)
    wait_until(lambda: len(listed(host, "offered")) == 2, 30)
    assert publisher.requests == []


def test_a_click_fetches_and_a_restart_without_a_network_translates(
    open_host: Open, publisher: Publisher, site: str, tmp_path: Path
) -> None:
    host = open_host()
    open_languages(host)
    assert listed(host, "offered") == ["en-es", "fr-en"]
    fetch(host, "fr-en")
    assert len(publisher.requests) == 3
    assert "1 model fetched" in text_of(host, "#total")
    assert listed(host, "offered") == ["en-es"]
    host = open_host()
    publisher.fail("/", *[lambda handler, _: handler.status(503)] * 20)
    host.goto(site)
    host.click_button()
    wait_until(
        lambda: host.in_panel(
            "return document.querySelector('#translate:enabled:not([hidden])')?.id"
        ),
        30,
    )
    host.in_panel("document.querySelector('#translate').click()")
    made = "return document.querySelector('#made').innerText"
    ended(host)
    assert host.evaluate(made) == expected("fr", "en", tmp_path)
    assert len(publisher.requests) == 3


@pytest.mark.usefixtures("publisher")
def test_a_pivot_says_the_sum_and_fetches_both_legs(
    open_host: Open, site: str, tmp_path: Path
) -> None:
    host = open_host()
    open_languages(host)
    host.click(row("en-es", ".start"))  # gives the permission, where it is asked for
    wait_until(lambda: "en-es" in listed(host, "models"), 60)
    host.in_panel("document.querySelector('#models li[data-pair=en-es] button').click()")
    wait_until(lambda: "en-es" in listed(host, "offered"), 30)
    host.goto(site)
    host.click_button()
    wait_until(lambda: host.in_panel("return document.querySelector('#source')?.value") == "fr", 30)
    host.in_panel(
        """const target = document.querySelector("#target");
           target.value = "es";
           target.dispatchEvent(new Event("change"));"""
    )
    what = "return document.querySelector('#fetch-what').textContent"
    wait_until(lambda: "Spanish" in host.in_panel(what), 30)
    assert host.in_panel(what) == "French to Spanish, over English: 31 MB"
    wait_until(
        lambda: host.in_panel("return document.querySelector('#fetch-box .start')?.id") == ""
    )
    host.in_panel("document.querySelector('#fetch-box .start').click()")
    assert wait_until(lambda: host.in_panel(READY), 60) == "translate"
    host.in_panel("document.querySelector('#translate').click()")
    ended(host)
    assert host.evaluate("return document.querySelector('#made').innerText") == expected(
        "fr", "es", tmp_path
    )


def test_a_fetch_is_paused_gone_on_with_and_cancelled(
    open_host: Open, publisher: Publisher
) -> None:
    held = Event()

    def slowly(_: int) -> None:
        held.wait(0.005)

    publisher.on_block = slowly
    host = open_host()
    open_languages(host)
    host.click(row("fr-en", ".start"))
    value = f"return document.querySelector({row('fr-en', 'progress')!r}).value"
    wait_until(lambda: host.in_panel(value) > 3_000_000, 60)
    host.click(row("fr-en", ".pause"))
    said = row("fr-en", ".bytes")
    assert wait_until(lambda: text_of(host, said).startswith("Paused: "), 30) is True
    came = host.in_panel(value)
    assert text_of(host, row("fr-en", ".start")).startswith("Go on: ")
    host.click(row("fr-en", ".start"))
    wait_until(lambda: host.in_panel(value) > came, 60)
    assert publisher.resumed()
    host.click(row("fr-en", ".pause"))
    wait_until(lambda: text_of(host, said).startswith("Paused: "), 30)
    host.click(row("fr-en", ".cancel"))
    assert wait_until(lambda: text_of(host, row("fr-en", ".start")) == "Fetch", 30) is True
    assert text_of(host, said) == ""
    held.set()
    fetch(host, "fr-en")


def test_files_are_brought_without_a_network(
    open_host: Open, publisher: Publisher, tmp_path: Path
) -> None:
    store = Store(tmp_path / "desktop")
    fill(store, {("fr", "en"): models()["fr", "en"]})
    export(store, store.models, tmp_path / "models.tar")
    host = open_host()
    open_languages(host)
    host.choose_files("#files", tmp_path / "models.tar")
    assert wait_until(lambda: "fr-en" in listed(host, "models"), 60) is True
    assert text_of(host, "#library-status") == "Added: French to English"
    (tmp_path / "letter.txt").write_text("Dear reader")
    host.choose_files("#files", tmp_path / "letter.txt")
    wait_until(lambda: text_of(host, "#library-error"), 30)
    assert text_of(host, "#library-error").startswith("These files are no model.")
    assert publisher.requests == []


def test_what_cannot_be_fetched_says_why(open_host: Open, publisher: Publisher) -> None:
    publisher.fail("fr-en", *[lambda handler, _: handler.status(404)] * 4)
    host = open_host()
    open_languages(host)
    host.click(row("fr-en", ".start"))
    said = "The publisher does not have the model any more. What has come is kept."
    wait_until(lambda: text_of(host, row("fr-en", ".bytes")) == said, 60)
    assert text_of(host, row("fr-en", ".bytes")) == said


@pytest.mark.parametrize("open_host", ["chromium"], indirect=True)
def test_a_permission_that_is_given_after_the_panel_was_closed_is_used(
    open_host: Open, publisher: Publisher
) -> None:
    """As the browser says it to the background: no test answers Chromium's prompt."""
    host = open_host()
    assert isinstance(host, ChromiumHost)
    host.worker.evaluate(
        """async () => {
          const wanted = { pair: { source: "fr", target: "en" }, at: Date.now() };
          await chrome.storage.session.set({ "fetch-wanted": wanted });
          chrome.permissions.onAdded.dispatch({ origins: ["http://127.0.0.1/*"] });
        }"""
    )
    open_languages(host)
    assert wait_until(lambda: "fr-en" in listed(host, "models"), 60) is True
    assert len(publisher.requests) == 3


def test_the_permission_is_asked_for_by_the_click(
    playwright: Playwright, tmp_path: Path, published: tuple[Publisher, str], publisher: Publisher
) -> None:
    """Chromium's prompt is not answered: what it would be asked is seen; nothing comes before."""
    folder = with_catalogue("chrome", tmp_path / "changed", published[1])
    host = ChromiumHost(playwright, browser_path("chromium"), tmp_path / "profile", folder)
    open_languages(host)
    host.in_panel(
        """window.asked = [];
           chrome.permissions.request = async (wanted) => { asked.push(wanted); return false; };"""
    )
    host.click(row("fr-en", ".start"))
    assert wait_until(lambda: host.in_panel("return asked"), 20) == [
        {"origins": ["http://127.0.0.1/*"]}
    ]
    said = "Without the permission nothing can be fetched."
    assert wait_until(lambda: text_of(host, row("fr-en", ".bytes")) == said, 20) is True
    assert publisher.requests == []
    host.close()
