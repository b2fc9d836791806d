"""A page is translated from the panel and given back; what stays as it is is said."""

from __future__ import annotations

from pathlib import Path

from tests.support.extension.chromium import ChromiumHost
from tests.support.extension.host import Host, wait_until
from tests.support.extension.panel import COFFEE, IN_CHROMIUM, status, translate
from tests.support.extension.pictures import PICTURES, keep
from tests.support.sites import SNAPSHOT, serve

DIFFERENCES = f"""
  const now = ({SNAPSHOT})();
  return window.before.length === now.length && window.before.every(([node, text, children], at) =>
    node === now[at][0] && text === now[at][1] && children.every((c, i) => c === now[at][2][i]));
"""


def test_two_clicks_translate_a_page_and_one_gives_it_back(host: Host, site: str) -> None:
    host.goto(f"{site}/article.html")
    host.evaluate(f"window.before = ({SNAPSHOT})()")
    assert translate(host) == {"status": "Translated.", "error": ""}
    text = host.evaluate("return document.body.innerText")
    assert COFFEE in text
    assert "Dieser Satz bleibt deutsch." in text
    assert "This sentence was English all along." in text
    assert "wetter --morgen" in text
    assert "Gestern" not in text
    assert host.evaluate("return document.documentElement.lang") == "en"
    host.in_panel("document.querySelector('#restore').click()")
    wait_until(lambda: host.evaluate("return document.documentElement.lang") == "de")
    assert wait_until(lambda: host.evaluate(DIFFERENCES), 20) is True


def test_every_frame_of_the_site(host: Host, site: str) -> None:
    host.goto(f"{site}/frames.html")
    assert translate(host)["status"] == "Translated."
    text = host.evaluate(
        """return [...document.querySelectorAll("iframe")]
             .map((frame) => frame.contentDocument.body.innerText).join(" ")"""
    )
    assert "Innen" not in text
    assert "zweiten" not in text


@IN_CHROMIUM  # Firefox isolates no page of an extension
def test_the_engine_is_isolated_where_the_browser_lets_it_be(host: ChromiumHost, site: str) -> None:
    host.goto(f"{site}/frame.html")
    translate(host)
    assert host.in_engine_page("return crossOriginIsolated") is True


def test_a_background_that_was_ended_comes_again(host: Host, site: str) -> None:
    host.goto(f"{site}/frame.html")
    translate(host)
    host.end_background()
    host.evaluate("document.body.insertAdjacentHTML('beforeend', '<p>Wir trinken Kaffee.</p>')")
    text = "return document.body.innerText"
    assert wait_until(lambda: COFFEE in host.evaluate(text)) is True
    host.goto(f"{site}/frame.html?again")
    assert translate(host)["status"] == "Translated."


STUBBORN = """<!doctype html><html lang=de><link rel=icon href=data:,>
<p>Wir haben ein Haus am See und ein kleines Boot. Wir trinken Kaffee.</p>
<div id=closed></div><iframe width=300 height=200 src=%s></iframe>
<script>
  const root = document.querySelector("#closed").attachShadow({ mode: "closed" });
  root.innerHTML = "<p>Dieser Teil ist verschlossen.</p>";
</script>"""


def test_what_stays_as_it_is_is_said(host: Host, site: str, tmp_path: Path) -> None:
    (tmp_path / "stubborn.html").write_text(STUBBORN % f"{site}/frame.html")
    empty = "<!doctype html><html lang=de><link rel=icon href=data:,><p>1 2 3</p>"
    (tmp_path / "empty.html").write_text(empty)
    outer = serve(tmp_path)
    address = f"http://127.0.0.1:{outer.server_address[1]}"
    host.goto(f"{address}/stubborn.html")
    assert translate(host)["status"] == "Translated."
    notes = """return [...document.querySelectorAll(".note:not([hidden]) p")]
                 .map((note) => note.textContent)"""
    assert wait_until(lambda: len(host.in_panel(notes)) == 2, 20), host.in_panel(notes)
    assert host.in_panel(notes) == [
        "1 frame needs permission: it is of another site.",
        "1 part of this page is closed by the page itself and stays as it is.",
    ]
    if PICTURES:
        keep(host.panel_screenshot(), "stubborn.html", host, "panel")
    host.goto(f"{address}/empty.html")
    host.click_button()
    source = "return document.querySelector('#form:not([hidden]) #source')?.value"
    wait_until(lambda: host.in_panel(source) == "de", 30)
    host.in_panel("document.querySelector('#translate').click()")
    said = "There is no text on this page that can be translated."
    assert wait_until(lambda: status(host) == said, 30), status(host)
    outer.shutdown()


MENU = """<!doctype html><html lang=de><link rel=icon href=data:,>
<nav><a href=#>Wanderlust</a> <a href=#>Kontakt</a></nav>
<p>Wir haben ein Haus am See und ein kleines Boot. Wir trinken Kaffee und lesen die Zeitung.</p>"""


def test_a_menu_keeps_an_entry_whose_translation_is_doubtful(host: Host, tmp_path: Path) -> None:
    (tmp_path / "menu.html").write_text(MENU, encoding="utf-8")
    outer = serve(tmp_path)
    host.goto(f"http://127.0.0.1:{outer.server_address[1]}/menu.html")
    host.evaluate(f"window.before = ({SNAPSHOT})()")
    assert translate(host)["status"] == "Translated."
    entries = """return [...document.querySelectorAll("nav a")].map((entry) =>
      [entry.textContent, entry.getAttribute("data-dragoman-doubtful"),
       getComputedStyle(entry).textDecorationStyle])"""
    assert host.evaluate(entries) == [
        ["Wanderlust", "text", "dotted"],
        ["Contact", None, "solid"],
    ]
    assert "coffee" in host.evaluate("return document.body.innerText")
    if PICTURES:
        keep(host.screenshot(), "menu.html", host, "doubtful")
    host.in_panel("document.querySelector('#restore').click()")
    wait_until(lambda: host.evaluate("return document.documentElement.lang") == "de")
    assert wait_until(lambda: host.evaluate(DIFFERENCES), 20) is True
    outer.shutdown()
