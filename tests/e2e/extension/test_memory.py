"""Translation memories in the extension's settings: a page's sentences come from them."""

from __future__ import annotations

from pathlib import Path

from tests.support.extension.host import Host, wait_until
from tests.support.extension.panel import COFFEE, text_of, translate

LISTED = """
return [...document.querySelectorAll("#memories .memories li")].map((row) => row.innerText)
"""
OWN = "Coffee is what we drink."


def test_a_page_takes_sentences_from_a_memory_until_it_is_removed(
    host: Host, site: str, tmp_path: Path
) -> None:
    (tmp_path / "saetze.tsv").write_text(f"de\ten\nWir trinken Kaffee.\t{OWN}\n")
    host.open_own_page("options.html")
    source = "return document.querySelector('#memory-source').value"
    assert wait_until(lambda: host.evaluate(source), 30)
    host.evaluate("document.querySelector('#memory-source').value = 'de'")
    host.evaluate("document.querySelector('#memory-target').value = 'en'")
    host.choose_files("#memories input[type=file]", tmp_path / "saetze.tsv")
    assert wait_until(lambda: "saetze.tsv" in "".join(host.evaluate(LISTED)), 30) is True
    (row,) = host.evaluate(LISTED)
    assert "1 sentence, German to English" in row

    host.goto(f"{site}/article.html")
    assert translate(host)["error"] == ""
    assert wait_until(lambda: OWN in text_of(host), 30) is True

    host.open_own_page("options.html")
    remove = "#memories .memories button:last-child"
    assert wait_until(lambda: host.evaluate(f"return !!document.querySelector('{remove}')"), 30)
    host.click(remove)
    assert wait_until(lambda: "There is none yet." in host.evaluate(LISTED)[0], 30) is True
    host.goto(f"{site}/article.html?again")
    assert translate(host)["error"] == ""
    assert wait_until(lambda: COFFEE in text_of(host), 30) is True
    assert OWN not in text_of(host)
