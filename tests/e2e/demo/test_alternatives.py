"""A click on a word of the translation: other words there, other translations of its sentence."""

from __future__ import annotations

from playwright.sync_api import Locator, Page

from tests.support.pages import OpenPage, translated, wait_until_ready

TEXT = "Guten Morgen! Das Wetter ist heute schön. Ich habe ein Buch."
READY = "#choices .{part}[aria-busy='false']"


def opened(open_page: OpenPage, **options: object) -> Page:
    page = open_page(**options).page
    page.locator("#source").fill(TEXT)
    wait_until_ready(page)
    page.wait_for_selector("#target-pane:not([data-stale])")
    translated(page)
    return page


def sentences(page: Page) -> list[str]:
    """Those of the translation; none has a sign of its end within."""
    text = page.locator("#output").inner_text()
    return [part.strip() for part in text.replace("!", "!\n").replace(".", ".\n").splitlines()]


def word(page: Page, text: str) -> Locator:
    return page.locator("#output .word", has_text=text)


def ask(page: Page, text: str) -> tuple[Locator, Locator]:
    """Click on a word: what may be chosen for it, and for its sentence."""
    word(page, text).click()
    return choices(page)


def choices(page: Page) -> tuple[Locator, Locator]:
    for part in ("words", "sentences"):
        page.wait_for_selector(READY.format(part=part))
    return page.locator("#choices .words .choice"), page.locator("#choices .sentences .choice")


def test_another_word_changes_the_rest_of_its_sentence_and_no_other(open_page: OpenPage) -> None:
    page = opened(open_page)
    before = sentences(page)
    words, _ = ask(page, "nice")
    assert page.get_by_role("dialog", name="Instead of “nice”").is_visible()
    said = [item.inner_text().split()[0] for item in words.all()]
    assert len(said) == len({*said, "nice"}) - 1 >= 3
    words.first.click()
    after = sentences(page)
    assert page.locator("#choices").is_hidden()
    assert (after[0], after[2]) == (before[0], before[2])
    assert after[1].startswith(f"The weather is {said[0]}")
    assert page.locator("#status").inner_text() == "The sentence was changed"
    # The focus is where it was, and the words of the new sentence stand for those of the text.
    assert page.evaluate("() => document.activeElement.textContent") == said[0]
    word(page, said[0]).hover()
    assert page.locator("#mirror .linked").all_inner_texts() == ["schön"]
    word(page, "book").hover()
    assert page.locator("#mirror .linked").all_inner_texts() == ["Buch"]


def test_another_sentence_is_whole_and_shows_what_differs(open_page: OpenPage) -> None:
    page = opened(open_page)
    before = sentences(page)
    _, others = ask(page, "nice")
    said = others.all_inner_texts()
    assert 2 <= len(said) == len(set(said) - {before[1]})
    assert others.first.locator("mark").count() >= 1
    marked = others.first.locator("mark").all_inner_texts()
    assert not {*marked} & {*before[1].rstrip(".").split()}
    others.first.click()
    assert sentences(page) == [before[0], said[0], before[2]]


def test_what_was_chosen_is_copied_kept_and_restored(open_page: OpenPage) -> None:
    page = opened(open_page)
    before = page.locator("#output").inner_text()
    words, _ = ask(page, "nice")
    words.first.click()
    chosen = page.locator("#output").inner_text()
    assert chosen != before
    kept = page.evaluate("() => JSON.parse(localStorage.getItem('dragoman-history'))")
    assert [entry["translation"] for entry in kept] == [chosen]
    # It stays while the text is typed on.
    page.locator("#source").press("End")
    page.locator("#source").press_sequentially(" Danke!")
    page.wait_for_function("() => /thank/i.test(document.querySelector('#output').textContent)")
    assert page.locator("#output").inner_text().startswith(chosen)
    ask(page, "weather")
    page.get_by_role("button", name="Restore").click()
    assert page.locator("#output").inner_text().startswith(before)
    ask(page, "weather")
    assert page.get_by_role("button", name="Restore").is_hidden()


def test_swapping_takes_what_was_chosen(open_page: OpenPage) -> None:
    page = opened(open_page)
    words, _ = ask(page, "nice")
    words.first.click()
    chosen = page.locator("#output").inner_text()
    page.locator("#swap").click()
    assert page.locator("#source").input_value() == chosen


def test_works_by_keys_alone(open_page: OpenPage) -> None:
    page = opened(open_page)
    page.locator("#output [role='button']").focus()
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    name = page.evaluate("() => document.activeElement.textContent")
    page.keyboard.press("Enter")
    words, others = choices(page)
    assert page.locator("#choices [role='status']").inner_text() == (
        f"{words.count() + others.count()} choices. Arrow keys move between them."
    )
    page.keyboard.press("ArrowDown")
    assert words.first.evaluate("(item) => item === document.activeElement")
    page.keyboard.press("ArrowUp")
    assert others.last.evaluate("(item) => item === document.activeElement")
    for _ in range(12):
        page.keyboard.press("Tab")
        assert page.evaluate("() => document.activeElement.closest('#choices') !== null")
    page.keyboard.press("Escape")
    assert page.locator("#choices").is_hidden()
    assert page.evaluate("() => document.activeElement.textContent") == name
    page.keyboard.press("Enter")
    choices(page)
    page.keyboard.press("End")
    said = others.last.inner_text()
    page.keyboard.press("Enter")
    assert said in page.locator("#output").inner_text()


def test_typing_and_clicking_elsewhere_close_it(open_page: OpenPage) -> None:
    page = opened(open_page)
    ask(page, "nice")
    word(page, "book").click()
    assert page.get_by_role("dialog", name="Instead of “book”").is_visible()
    word(page, "book").click()
    assert page.locator("#choices").is_hidden()
    word(page, "book").click()
    page.locator("#source").evaluate("(field) => { field.focus(); }")
    page.keyboard.type("x")
    assert page.locator("#choices").is_hidden()


def test_a_drag_selects_text_and_opens_nothing(open_page: OpenPage) -> None:
    page = opened(open_page)
    start, end = word(page, "weather").bounding_box(), word(page, "nice").bounding_box()
    assert start
    assert end
    page.mouse.move(start["x"] + 1, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(end["x"] + end["width"] - 1, end["y"] + end["height"] / 2, steps=5)
    page.mouse.up()
    selected = page.evaluate("() => document.getSelection().toString()")
    assert selected.startswith(("weather", "eather"))
    assert page.locator("#choices").is_hidden()
    # A click that only takes the selection away opens nothing either; the next one does.
    word(page, "book").click()
    assert page.locator("#choices").is_hidden()
    word(page, "book").click()
    assert page.locator("#choices").is_visible()


def test_a_sign_has_other_sentences_only(open_page: OpenPage) -> None:
    page = opened(open_page)
    word(page, "!").click()
    page.wait_for_selector(READY.format(part="sentences"))
    assert page.locator("#choices .words").is_hidden()


def test_speaks_german_on_a_phone(open_page: OpenPage) -> None:
    page = opened(open_page, locale="de-DE", viewport={"width": 360, "height": 740})
    ask(page, "nice")
    assert page.get_by_role("dialog", name="Statt „nice“").is_visible()
    assert page.locator("#choices h3").all_inner_texts() == [
        "Andere Wörter hier",
        "Der ganze Satz",
    ]
    box = page.locator("#choices").bounding_box()
    assert box
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 360
    assert box["y"] >= 0
    assert box["y"] + box["height"] <= 740
    assert page.evaluate("() => document.scrollingElement.scrollWidth") <= 360
