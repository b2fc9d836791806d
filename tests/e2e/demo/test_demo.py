"""The demo page, as people use it."""

from __future__ import annotations

from tests.support.pages import OpenPage, Server, ready_or_reload, translated, wait_until_ready

PARAGRAPH = "Guten Morgen! Ich habe gestern ein Buch gelesen. Das Wetter ist heute sehr schön."


def test_translates_as_one_types(open_page: OpenPage) -> None:
    page = open_page().page
    page.locator("#source").press_sequentially("Guten Morgen!")
    wait_until_ready(page)
    assert "morning" in translated(page).lower()
    page.locator("#source").fill(PARAGRAPH)
    page.wait_for_function("() => document.querySelector('#output').textContent.includes('book')")
    assert "weather" in translated(page)


def test_hovering_a_word_lights_its_counterpart(open_page: OpenPage) -> None:
    page = open_page().page
    page.locator("#source").fill("Ich habe ein Buch.")
    wait_until_ready(page)
    translated(page)
    page.locator("#output .word", has_text="book").hover()
    page.wait_for_selector("#mirror .linked")
    assert page.locator("#mirror .linked").all_inner_texts() == ["Buch"]


def test_keys_walk_the_words_and_say_what_they_stand_for(open_page: OpenPage) -> None:
    page = open_page().page
    page.locator("#source").fill("Ich habe ein Buch.")
    wait_until_ready(page)
    translated(page)
    page.locator("#output .word").first.focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("() => document.activeElement.dataset.word") == "1"
    assert page.locator("#aligned").inner_text() != ""


def test_is_cross_origin_isolated(open_page: OpenPage) -> None:
    assert open_page().page.evaluate("() => crossOriginIsolated") is True


def test_fits_a_phone(open_page: OpenPage) -> None:
    page = open_page(viewport={"width": 360, "height": 740}).page
    page.locator("#source").fill(PARAGRAPH)
    wait_until_ready(page)
    translated(page)
    width = page.evaluate("() => document.scrollingElement.scrollWidth")
    assert width <= 360
    page.locator("#source").fill(PARAGRAPH * 40)
    assert page.locator(".pane").first.evaluate("(pane) => pane.clientHeight") < 740


# A model of which a part has come, in the panel of languages.
ROW = """<li><span class="name">Französisch – Englisch</span><span class="facts">19,5 MB</span>
  <button class="plain">Weiter</button><button class="plain">Verwerfen</button>
  <progress></progress><span class="bytes">9,0 MB von 19,5 MB sind schon da</span></li>"""
# What could stand in place of a word.
CHOICE = """<section class="words"><ul><li><button class="choice"><strong>snapshots</strong><span
  class="rest"> are available, we can have breakfast together.</span>
  <small>wahrscheinlich falsch</small></button></li></ul></section>"""
# How far something reaches over the inner edge of what it is in, in pixels.
OVER = """([inner, outer]) => document.querySelector(inner).getBoundingClientRect().right
  - document.querySelector(outer).getBoundingClientRect().right"""


def test_cuts_off_neither_what_can_be_done_nor_a_remark_on_a_phone(open_page: OpenPage) -> None:
    page = open_page(viewport={"width": 360, "height": 740}, locale="de-DE").page
    wait_until_ready(page)
    page.locator("#open-memory").click()
    box = page.locator("#memory .close").bounding_box()
    assert box is not None
    assert (box["width"], box["height"]) == (40, 40)
    page.keyboard.press("Escape")
    page.locator("#open-library").click()
    page.locator("#library .kept li").first.wait_for()
    page.locator("#library .offered").evaluate("(list, row) => { list.innerHTML = row; }", ROW)
    for part in ("button:nth-of-type(1)", "button:nth-of-type(2)", "progress"):
        assert page.evaluate(OVER, [f"#library .offered {part}", "#library"]) < 0
    page.keyboard.press("Escape")
    page.locator("#choices").evaluate(
        "(box, choice) => { box.innerHTML = choice; box.hidden = false; }", CHOICE
    )
    assert page.evaluate(OVER, ["#choices small", "#choices"]) < 0


def test_works_with_the_server_stopped(open_page: OpenPage, own_server: Server) -> None:
    watched = open_page(own_server.url + "/")
    page = watched.page
    ready_or_reload(page)
    page.locator("#source").fill("Guten Morgen!")
    translated(page)
    page.wait_for_selector("#offline[data-state='ready']", state="visible")
    own_server.stop()
    watched.expect_error("Failed to load resource")  # the check for a newer version
    page.goto(own_server.url + "/?again")
    ready_or_reload(page)
    page.locator("#source").fill(PARAGRAPH)
    page.wait_for_function("() => document.querySelector('#output').textContent.includes('book')")
    assert page.evaluate("() => crossOriginIsolated") is True


def test_too_long_a_text_is_refused_with_the_figures(open_page: OpenPage) -> None:
    page = open_page().page
    wait_until_ready(page)
    page.locator("#source").fill("wort " * 120_000)
    page.wait_for_selector("#over-limit", state="visible")
    assert page.locator("#count").inner_text() == "600,000 / 500,000"
    assert "100,000 characters too long" in page.locator("#over-limit").inner_text()
