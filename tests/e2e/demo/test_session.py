"""What the demo keeps and takes up: swapping, reloading, addresses, a history, two languages."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.e2e.demo.holding import go_on, hold_languages
from tests.support.pages import (
    OpenPage,
    Server,
    ready_or_reload,
    translated,
    wait_until_ready,
)

SENTENCE = "Heute Morgen bin ich früh aufgestanden und mit dem Hund in den Park gegangen. "


def pair(page: Page) -> tuple[str, str]:
    source, target = page.locator("#source-language"), page.locator("#target-language")
    return source.input_value(), target.input_value()


def type_and_wait(page: Page, text: str) -> str:
    page.locator("#source").fill(text)
    wait_until_ready(page)
    page.wait_for_selector("#target-pane:not([data-stale])")
    return translated(page)


def test_swapping_moves_the_translation_across(open_page: OpenPage) -> None:
    page = open_page().page
    english = type_and_wait(page, "Guten Morgen!")
    page.locator("#swap").click()
    assert pair(page) == ("en", "de")
    assert page.locator("#source").input_value() == english
    wait_until_ready(page)
    page.wait_for_function("() => /Morgen/.test(document.querySelector('#output').textContent)")


def test_reloading_keeps_text_and_pair(open_page: OpenPage) -> None:
    watched = open_page()
    page = watched.page
    wait_until_ready(page)
    page.locator("#swap").click()
    page.locator("#source").fill("Good morning!")
    page.wait_for_function("() => /Morgen/.test(document.querySelector('#output').textContent)")
    watched.reload()
    assert page.locator("#source").input_value() == "Good morning!"
    wait_until_ready(page)
    assert "Morgen" in translated(page)
    assert pair(page) == ("en", "de")


def test_an_address_opens_a_text_which_is_sent_nowhere(open_page: OpenPage, server: Server) -> None:
    watched = open_page(server.url + "/#en/de/Good%20morning%21")
    page = watched.page
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    wait_until_ready(page)
    assert "Morgen" in translated(page)
    assert (pair(page), page.locator("#source").input_value()) == (("en", "de"), "Good morning!")
    page.evaluate("() => { location.hash = '#de-AT/en/Ich habe ein Buch.'; }")
    page.wait_for_function("() => /book/.test(document.querySelector('#output').textContent)")
    assert pair(page) == ("de", "en")
    assert page.url == server.url + "/"
    assert [url for url in asked if "ood" in url or "Buch" in url] == []


def test_what_was_cleared_comes_back(open_page: OpenPage) -> None:
    page = open_page().page
    type_and_wait(page, "Guten Morgen!")
    page.locator("#clear").click()
    assert page.locator("#source").input_value() == ""
    page.locator("#undo-clear").click()
    assert page.locator("#source").input_value() == "Guten Morgen!"
    page.wait_for_function("() => /morning/i.test(document.querySelector('#output').textContent)")
    assert page.locator("#undo-clear").is_hidden()


OLDER = """() => localStorage.setItem("dragoman-history", JSON.stringify([
  { source: "en", target: "de", text: "Good morning!", translation: "Guten Morgen!" },
]))"""


def test_an_entry_of_the_history_brings_its_languages_before_those_that_there_are_are_known(
    open_page: OpenPage,
) -> None:
    watched = open_page()
    page = watched.page
    wait_until_ready(page)
    page.evaluate(OLDER)
    hold_languages(page)
    watched.reload()
    page.locator("#open-history").click()
    page.locator("#history .entry").click()
    assert pair(page) == ("", "")
    go_on(page)
    wait_until_ready(page)
    assert "Morgen" in translated(page)
    assert pair(page) == ("en", "de")


def test_what_failed_to_load_can_be_tried_again_whatever_is_typed_meanwhile(
    open_page: OpenPage,
) -> None:
    watched = open_page(service_workers="block")
    page = watched.page
    wait_until_ready(page)
    watched.expect_error("Failed to load resource")
    page.route("**/models/index.json", lambda route: route.abort())
    watched.reload()
    page.wait_for_selector("#error", state="visible")
    page.locator("#source").fill("Guten Morgen!")
    page.wait_for_selector("#target-pane[aria-busy='false']")
    page.locator("#clear").click()
    page.wait_for_timeout(500)
    assert page.locator("#error").is_visible()
    page.locator("#page-language").select_option("de")
    assert page.locator("#error").inner_text().startswith("Eine Datei konnte nicht")
    page.unroute("**/models/index.json")
    page.locator("#retry").click()
    wait_until_ready(page)
    assert page.locator("#status").inner_text() == "Bereit"


def test_the_history_opens_forgets_and_is_switched_off(open_page: OpenPage) -> None:
    page = open_page().page
    type_and_wait(page, "Guten Morgen!")
    page.locator("#source").fill("Ich habe ein Buch.")
    page.wait_for_function("() => /book/.test(document.querySelector('#output').textContent)")
    page.wait_for_selector("#target-pane[aria-busy='false']:not([data-stale])")
    page.locator("#open-history").click()
    texts = page.locator("#history .entries .name")
    assert texts.all_inner_texts() == ["Ich habe ein Buch.", "Guten Morgen!"]
    texts.last.click()
    assert page.locator("#source").input_value() == "Guten Morgen!"
    page.locator("#open-history").click()
    page.get_by_label("Keep a history").uncheck()
    assert texts.count() == 0
    kept = page.evaluate("() => JSON.stringify(localStorage)")
    assert "Morgen" not in kept
    assert "Buch" not in kept


def test_speaks_german_where_the_browser_does_and_english_when_told(open_page: OpenPage) -> None:
    watched = open_page(locale="de-AT")
    page = watched.page
    assert page.evaluate("() => document.documentElement.lang") == "de"
    assert page.locator("#clear").inner_text() == "" or page.locator("#clear").is_hidden()
    type_and_wait(page, "Guten Morgen!")
    assert page.locator("#status").inner_text() == "Übersetzt, 1 Satz"
    assert page.get_by_role("button", name="Sprachen tauschen: Englisch – Deutsch").is_visible()
    page.locator("#source").fill("wort " * 120_000)
    page.wait_for_selector("#over-limit", state="visible")
    assert page.locator("#over-limit").inner_text() == (
        "Der Text ist um 100.000 Zeichen zu lang. Kürzen Sie ihn, um ihn zu übersetzen."
    )
    page.locator("#source").fill("Guten Morgen!")
    page.locator("#page-language").select_option("en")
    page.wait_for_function(
        "() => /^Translated/.test(document.querySelector('#status').textContent)"
    )
    assert page.evaluate("() => document.documentElement.lang") == "en"
    assert page.locator("#source").input_value() == "Guten Morgen!"
    # Nothing is left in the other language, in attributes either.
    said = page.evaluate("""() => [...document.querySelectorAll("body *")].flatMap((element) => [
      element.getAttribute("aria-label"), element.title, element.getAttribute("placeholder"),
      ...[...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data),
    ]).filter((text) => /[äöüß]|Sprache|Übersetz|Datei/.test(text ?? ""))""")
    assert said == []
    watched.reload()
    assert page.evaluate("() => document.documentElement.lang") == "en"


def test_sentences_of_a_long_text_are_there_at_once_and_panes_scroll_together(
    open_page: OpenPage,
) -> None:
    page = open_page(viewport={"width": 1200, "height": 800}).page
    wait_until_ready(page)
    page.evaluate("""() => {
      globalThis.seen = [];
      const pane = document.querySelector("#target-pane");
      const bar = document.querySelector("#working");
      const watched = document.querySelector("#output");
      new MutationObserver(() => {
        if (pane.getAttribute("aria-busy") !== "true") return;
        globalThis.seen.push([watched.textContent, bar.max, bar.value]);
      }).observe(watched, { childList: true, characterData: true, subtree: true });
    }""")
    page.locator("#source").fill(SENTENCE * 60)
    page.wait_for_function(
        "() => document.querySelector('#status').textContent === 'Translated, 60 sentences'"
    )
    whole = page.locator("#output").inner_text()
    seen = [step for step in page.evaluate("() => globalThis.seen") if step[0]]
    assert len(seen) > 3
    assert all(whole.startswith(text.strip()) for text, _, _ in seen)
    assert {most for _, most, _ in seen[1:]} == {1}
    page.locator("#source").hover()
    page.mouse.wheel(0, 100_000)
    page.wait_for_function("""() => {
      const [source, target] = document.querySelectorAll(".pane .scroller");
      const left = target.scrollHeight - target.clientHeight - target.scrollTop;
      return source.scrollTop > 100 && target.scrollTop > 100 && left < 2;
    }""")


# Sentences that differ, for one that was translated is known; and when some of them are there.
LONG = "".join(
    f"Am {day}. Tag bin ich früh aufgestanden und mit dem Hund in den Park gegangen. "
    for day in range(2_000)
)
PARTIAL = """() => document.querySelector("#target-pane[aria-busy='true']:not([data-stale])")
  && document.querySelector("#output").textContent !== "" """


def test_escape_stops_and_what_has_come_stays(open_page: OpenPage) -> None:
    page = open_page().page
    wait_until_ready(page)
    page.locator("#source").fill(LONG)
    page.wait_for_function(PARTIAL)
    page.keyboard.press("Escape")
    assert page.locator("#status").inner_text() == "Stopped"
    page.wait_for_selector("#target-pane[aria-busy='false']:not([data-stale])")
    assert page.locator("#working").is_hidden()
    assert page.locator("#copy").is_visible()
    said = page.locator("#output").inner_text()
    assert said != ""
    page.wait_for_timeout(1_000)
    assert page.locator("#output").inner_text() == said
    page.locator("#page-language").select_option("de")
    assert page.locator("#status").inner_text() == "Abgebrochen"


def test_escape_while_a_text_waits_leaves_the_translation_before(open_page: OpenPage) -> None:
    page = open_page().page
    english = type_and_wait(page, "Guten Morgen!")
    # In one go: a text waits for a quarter of a second.
    page.locator("#source").evaluate("""(source) => {
      source.value = "Ich habe ein Buch.";
      source.dispatchEvent(new Event("input", { bubbles: true }));
      new MutationObserver((_, watched) => {
        watched.disconnect();
        source.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
      }).observe(document.querySelector("#target-pane"), { attributeFilter: ["data-stale"] });
    }""")
    page.wait_for_function("() => document.querySelector('#status').textContent === 'Stopped'")
    page.wait_for_timeout(1_000)
    assert page.locator("#output").inner_text() == english
    assert page.locator("#target-pane").get_attribute("data-stale") is None
    assert page.locator("#copy").is_visible()
    page.keyboard.press("Control+Enter")
    page.wait_for_function("() => /book/.test(document.querySelector('#output').textContent)")


def test_escape_that_closes_a_dialog_stops_nothing(open_page: OpenPage) -> None:
    page = open_page().page
    wait_until_ready(page)
    page.locator("#source").fill(LONG)
    page.wait_for_function(PARTIAL)
    page.locator("#open-history").click()
    page.keyboard.press("Escape")
    assert page.locator("#history").is_hidden()
    assert page.locator("#target-pane").get_attribute("aria-busy") == "true"
    before = len(page.locator("#output").inner_text())
    page.wait_for_function(
        "(before) => document.querySelector('#output').innerText.length > before", arg=before
    )


def test_swaps_with_the_server_stopped(open_page: OpenPage, own_server: Server) -> None:
    watched = open_page(own_server.url + "/")
    page = watched.page
    ready_or_reload(page)
    page.locator("#source").fill("Guten Morgen!")
    translated(page)
    page.wait_for_selector("#offline[data-state='ready'][data-kept='de-en en-de']")
    assert page.locator("#offline").get_attribute("title") == (
        "Works without a network: German to English, English to German"
    )
    own_server.stop()
    watched.expect_error("Failed to load resource")  # the check for a newer version
    page.locator("#swap").click()
    wait_until_ready(page)
    page.wait_for_function("() => /Morgen/.test(document.querySelector('#output').textContent)")


# A voice for German alone, which writes down what it would say.
VOICE = """
window.said = [];
const voice = { lang: "de-DE", localService: true, default: true, name: "Anna", voiceURI: "anna" };
const speech = Object.assign(new EventTarget(), {
  getVoices: () => [voice], cancel: () => undefined, speak: ({ text }) => window.said.push(text),
});
Object.defineProperty(window, "speechSynthesis", { value: speech });
window.SpeechSynthesisUtterance = class extends EventTarget {
  constructor(text) { super(); this.text = text; }
};
"""


def test_a_pane_is_read_aloud_where_there_is_a_voice_for_its_language(open_page: OpenPage) -> None:
    watched = open_page()
    page = watched.page
    wait_until_ready(page)
    page.add_init_script(VOICE)
    watched.reload()
    type_and_wait(page, "Guten Morgen!")
    assert page.locator("#read-target").is_hidden()
    read = page.locator("#read-source")
    assert read.inner_text() == "Read aloud"
    read.click()
    assert page.evaluate("window.said") == ["Guten Morgen!"]
    assert read.inner_text() == "Stop reading"
    read.click()
    assert read.inner_text() == "Read aloud"
    page.locator("#source").fill("")
    assert read.is_hidden()
