"""Pages of all kinds, translated by a fake that reverses the order of elements, and restored.

What is judged is the page: the same nodes afterwards, nothing executed, no console error.
Pages of our own are always there; saved ones are looked at where `DRAGOMAN_PAGES` names a folder.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.support.pages import OpenPage
from tests.support.paths import ROOT
from tests.support.sites import DIFFERENCES, PAGES, SAVED, SNAPSHOT

OWN = [path.stem for path in sorted((ROOT / "tests" / "fixtures" / "pages").glob("*.html"))]
STILL = [name for name in OWN if name not in {"react", "vue", "frame", "shadow", "scroll"}]


def start(page: Page, *, reverse: bool = True) -> None:
    page.add_script_tag(path=PAGES / "library.js")
    page.evaluate(f"() => {{ window.before = ({SNAPSHOT})(); }}")
    page.evaluate("(reverse) => { dragoman.start({ reverse }); }", reverse)


# What a page changes is heard before the next frame; only then is it known that there is more.
SETTLED = """() => {
  const { phase } = dragoman.running.page.progress;
  window.calm = phase === "translated" ? (window.calm ?? 0) + 1 : 0;
  return window.calm >= 3;
}"""


def settle(page: Page) -> None:
    page.evaluate("() => { window.calm = 0; }")
    page.wait_for_function(SETTLED, timeout=120_000)


def restore(page: Page) -> list[str]:
    """Take the translation back; what is then not as it was."""
    page.evaluate("() => dragoman.running.page.restore()")
    differences: list[str] = page.evaluate(DIFFERENCES)
    return differences


@pytest.mark.parametrize("name", STILL)
def test_comes_back_as_it_was(open_page: OpenPage, site: str, name: str) -> None:
    watched = open_page(f"{site}/{name}.html")
    watched.expect_error("Failed to load resource")  # images that are not there
    page = watched.page
    start(page)
    settle(page)
    progress = page.evaluate("() => ({ ...dragoman.running.page.progress })")
    assert progress["failed"] == 0
    assert progress["done"] > 0 or name == "rtl"
    assert restore(page) == []


def test_translates_all_that_is_text_and_nothing_else(open_page: OpenPage, site: str) -> None:
    page = open_page(f"{site}/article.html").page
    start(page, reverse=False)
    settle(page)
    assert page.title() == "EIN TAG AM SEE"
    left = page.evaluate(
        """() => {
          const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
          const left = [];
          for (let node = walker.nextNode(); node; node = walker.nextNode()) {
            const { localName } = node.parentNode;
            if (localName !== "script" && /[a-zäöüß]/.test(node.data)) left.push(node.data);
          }
          return left;
        }"""
    )
    assert left == [
        "wetter --morgen",
        "Dieser Satz bleibt deutsch.",
        "This sentence was English all along.",
    ]
    assert page.locator("html").get_attribute("lang") == "en"
    assert page.locator("img").get_attribute("alt") == "EIN BILD VOM SEE"


def test_forms_send_what_they_sent(open_page: OpenPage, site: str) -> None:
    page = open_page(f"{site}/forms.html").page
    data = "() => Object.fromEntries(new FormData(document.querySelector('form')))"
    page.locator("select").select_option(index=0)
    before = page.evaluate(data)
    start(page)
    settle(page)
    assert page.evaluate(data) == before
    assert page.locator("#editor").inner_text() == "Hier schreibt der Leser."
    page.locator("#zaehlen").click()
    page.locator("#zaehlen").click()
    assert "2" in page.locator("#zaehlen").inner_text()


def test_nothing_executes(open_page: OpenPage, site: str) -> None:
    page = open_page(f"{site}/hostile.html").page
    elements = page.evaluate("() => document.body.querySelectorAll('*').length")
    start(page)
    settle(page)
    page.locator("button").click()
    page.locator("p").nth(2).hover()
    assert page.evaluate("() => [window.executions, window.clicks]") == [0, 1]
    assert page.evaluate("() => document.body.querySelectorAll('*:not(script)').length") == elements
    assert restore(page) == []


def test_shadow_roots_and_those_that_come_late(open_page: OpenPage, site: str) -> None:
    page = open_page(f"{site}/shadow.html").page
    start(page, reverse=False)
    page.wait_for_function(
        "() => document.querySelector('x-spaet').shadowRoot?.textContent === 'SPÄTER GEKOMMEN.'"
    )
    settle(page)
    texts = page.evaluate(
        """() => [...document.querySelectorAll("x-karte")]
              .map((card) => card.shadowRoot.querySelector("p").textContent)"""
    )
    assert texts == ["TEXT IM SCHATTEN.", "Text im Schatten."]
    assert page.locator("x-karte span").all_inner_texts() == ["TITEL VON AUSSEN", "Bleibt so"]


def test_frames_of_the_same_origin(open_page: OpenPage, site: str) -> None:
    page = open_page(f"{site}/frames.html").page
    page.frame_locator("iframe >> nth=1").locator("p").wait_for()
    start(page, reverse=False)
    settle(page)
    assert (
        page.frame_locator("iframe >> nth=0").locator("p").inner_text()
        == "INNEN STEHT AUCH EIN SATZ."
    )
    assert page.frame_locator("iframe >> nth=1").locator("p").inner_text() == "IM ZWEITEN RAHMEN."
    page.evaluate("() => { document.querySelector('iframe').src = 'article.html'; }")
    page.frame_locator("iframe >> nth=0").locator("h1", has_text="EIN TAG AM SEE").wait_for()


def test_what_scrolling_brings(open_page: OpenPage, site: str) -> None:
    page = open_page(f"{site}/scroll.html").page
    start(page)
    for count in (30, 45, 60, 75):
        page.evaluate("() => scrollTo(0, document.body.scrollHeight)")
        page.wait_for_function(f"() => document.querySelectorAll('p').length >= {count}")
    settle(page)
    assert page.evaluate("() => document.body.innerText.match(/[a-z]/)") is None


FRAMEWORKS = ("react", "vue")
# Of the page's own timers, which go on under translation: its lists change with them.
STEPS = "() => Number(/\\d+/.exec(document.querySelector('#clock').textContent)[0])"
MORE_STEPS = f"(most) => ({STEPS})() >= most"


@pytest.mark.parametrize("name", FRAMEWORKS)
@pytest.mark.parametrize("reverse", [False, True])
def test_a_framework_goes_on_rendering(
    open_page: OpenPage, site: str, name: str, reverse: bool
) -> None:
    page = open_page(f"{site}/{name}.html").page
    page.locator("#counter").wait_for()
    start(page, reverse=reverse)
    wait_for_text(page, "h1", "EINE SEITE MIT ")
    for _ in range(3):
        page.locator("#counter button").click()
    page.locator("#name").press_sequentially("Eva")
    wait_for_text(page, "#hello", "HALLO EVA, GUTEN TAG!")
    wait_for_text(page, "#counter", "3 PUNKTE")
    wait_for_text(page, "#counter b", "3")
    page.wait_for_function(MORE_STEPS, arg=page.evaluate(STEPS) + 10)
    assert page.locator("#name").input_value() == "Eva"
    page.evaluate("() => dragoman.running.page.restore()")
    wait_for_text(page, "#hello", "Hallo Eva, guten Tag!")
    wait_for_text(page, "#clock", "Schritte vergangen")
    wait_for_text(page, "#counter", "Sie haben 3 mal auf Weiter gedrückt, also 3 Punkte.")
    fruits = sorted(page.locator("#list li").all_inner_texts())
    assert fruits == [
        "Eine Apfel liegt hier.",
        "Eine Birne liegt hier.",
        "Eine Kirsche liegt hier.",
    ]
    page.evaluate("() => unmount()")
    assert page.locator("#root").inner_html() == ""


def wait_for_text(page: Page, selector: str, text: str) -> None:
    page.wait_for_function(
        "([selector, text]) => document.querySelector(selector).textContent.includes(text)",
        arg=[selector, text],
    )


def test_a_page_of_twenty_thousand_nodes_stays_alive(open_page: OpenPage, site: str) -> None:
    """What runs in one go is bounded by design; here it is seen that it paints meanwhile."""
    page = open_page(f"{site}/many.html").page
    page.evaluate(
        """() => {
          window.painted = 0;
          const tick = () => { painted += 1; requestAnimationFrame(tick); };
          tick();
        }"""
    )
    start(page)
    settle(page)
    assert page.evaluate("() => dragoman.running.page.progress.done") == 8_001
    assert page.evaluate("() => painted") > 20
    assert restore(page) == []


SCRIPTS = re.compile(rb"<script\b.*?</script>", re.DOTALL | re.IGNORECASE)


@pytest.mark.skipif(not SAVED.is_dir(), reason="no folder of saved pages")
@pytest.mark.parametrize("path", sorted(SAVED.glob("*.html")), ids=lambda path: path.stem)
def test_saved_pages_come_back_as_they_were(open_page: OpenPage, site: str, path: Path) -> None:
    """Without their scripts and all that they load: what they say is what is looked at."""
    html = SCRIPTS.sub(b"", path.read_bytes())
    watched = open_page(f"{site}/frame.html")
    watched.expect_error("")
    page = watched.page
    page.route(
        "**/*",
        lambda route: (
            route.fulfill(body=html, content_type="text/html; charset=utf-8")
            if route.request.url == f"{site}/saved.html"
            else route.abort()
        ),
    )
    page.goto(f"{site}/saved.html")  # Its frames have failed to load then.
    start(page)
    settle(page)
    progress = page.evaluate("() => ({ ...dragoman.running.page.progress })")
    assert progress["failed"] == 0
    assert progress["done"] > 20
    assert restore(page) == []
