"""What is translated or offered without a click, once somebody has said so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.support.extension.chromium import ChromiumHost
from tests.support.extension.host import Host, wait_until
from tests.support.extension.panel import COFFEE, text_of, translate
from tests.support.extension.pictures import PICTURES, keep
from tests.support.sites import serve

REGISTERED = "async () => (await chrome.scripting.getRegisteredContentScripts()).length > 0"
# What the background offers the page in front, asked as its script asks when a page comes.
OFFERED = """async () => {
  const [tab] = await chrome.tabs.query({ active: true, lastFocusedWindow: true });
  const ask = () => chrome.runtime.sendMessage({
    type: "arrived",
    sample: {
      text: document.body.innerText,
      declared: document.documentElement.lang,
      selected: "",
      isPdf: false,
      declines: false,
    },
  });
  const answers = await chrome.scripting.executeScript({ target: { tabId: tab.id }, func: ask });
  return answers[0].result.offer;
}"""


def test_pages_in_another_language_are_offered(allowed: ChromiumHost, site: str) -> None:
    allowed.goto(f"{site}/article.html")
    assert allowed.overlay_text() == ""
    allowed.click_button()
    wait_until(lambda: allowed.in_panel("return document.querySelector('#source')?.value") == "de")
    allowed.in_panel("document.querySelector('#offer').click()")
    wait_until(lambda: allowed.in_panel("return document.querySelector('#offer').checked"))
    wait_until(lambda: allowed.worker.evaluate(REGISTERED))
    allowed.goto(f"{site}/article.html?again")
    offer = wait_until(lambda: allowed.overlay_text(), 30)
    assert "This page is in German. Translate it into English?" in offer
    allowed.click_in_overlay("Translate")
    wait_until(lambda: COFFEE in allowed.evaluate("return document.body.innerText"))
    allowed.goto(f"{site}/article.html?third")
    wait_until(lambda: allowed.overlay_text(), 30)
    assert allowed.worker.evaluate(OFFERED)["source"] == "de"
    allowed.click_in_overlay("Never on this site")
    allowed.goto(f"{site}/article.html?fourth")
    # Asked once more, after the page itself was answered.
    assert allowed.worker.evaluate(OFFERED) is None
    assert allowed.overlay_text() == ""


def test_frames_of_other_sites_need_the_permission(
    allowed: ChromiumHost, site: str, tmp_path: Path
) -> None:
    (tmp_path / "outer.html").write_text(
        f"<html lang=de><p>Wir haben ein Haus am See.</p><iframe src={site}/frame.html></iframe>"
    )
    outer = serve(tmp_path)
    allowed.goto(f"http://127.0.0.1:{outer.server_address[1]}/outer.html")
    assert translate(allowed)["error"] == ""
    inner = allowed.page.frame_locator("iframe").locator("p")
    assert wait_until(lambda: "Innen" not in inner.inner_text()) is True
    allowed.in_panel("document.querySelector('#restore').click()")
    assert wait_until(lambda: inner.inner_text() == "Innen steht auch ein Satz.", 20) is True
    outer.shutdown()


def test_a_language_is_always_translated_until_its_rule_is_removed(
    free_host: Host, two_pages: Callable[[], str]
) -> None:
    host, first = free_host, two_pages()
    host.goto(f"{first}/de.html")
    host.click_button()
    source = "return document.querySelector('#source')?.value"
    wait_until(lambda: host.in_panel(source) == "de")
    host.in_panel("document.querySelector('#alwaysLanguages').click()")
    assert wait_until(lambda: COFFEE in text_of(host)) is True
    host.goto(f"{two_pages()}/de.html")
    assert wait_until(lambda: COFFEE in text_of(host)) is True
    said = "return box.textContent"
    assert "Show the original" in wait_until(lambda: host.overlay(said), 20)
    host.goto(f"{first}/en.html")
    assert "Yesterday we went" in text_of(host)
    host.open_own_page("options.html")
    rules = "return document.querySelector('#alwaysLanguages')?.textContent ?? ''"
    wait_until(lambda: "German" in host.in_panel(rules), 30)
    host.in_panel("document.querySelector('#alwaysLanguages button').click()")
    assert wait_until(lambda: "Nothing yet" in host.in_panel(rules), 30) is True
    if PICTURES:
        keep(host.screenshot(), "rules.html", host, "options")


def test_a_tab_stays_translated_while_links_are_followed(
    free_host: Host, two_pages: Callable[[], str]
) -> None:
    host = free_host
    host.goto(f"{two_pages()}/de.html")
    assert translate(host)["status"] == "Translated."
    host.in_panel("document.querySelector('#stay').click()")
    kept = "return document.querySelector('#stay').checked"
    wait_until(lambda: host.in_panel(kept), 20)
    host.goto(f"{two_pages()}/de.html?further")
    assert wait_until(lambda: COFFEE in text_of(host)) is True
