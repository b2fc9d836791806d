"""A glossary in the extension's settings: for all pages, and for those of one site."""

from __future__ import annotations

from pathlib import Path

from tests.support.extension.host import Host, wait_until
from tests.support.extension.panel import text_of, translate

LISTED = 'return [...document.querySelectorAll("#terms .terms .name")].map((one) => one.innerText)'


def open_settings(host: Host) -> None:
    host.open_own_page("options.html")
    there = "return document.querySelector('#glossary-site').options.length > 1"
    assert wait_until(lambda: host.evaluate(there), 30)
    for side, language in (("source", "de"), ("target", "en")):
        choose(host, f"#glossary-{side}", language)


def choose(host: Host, selector: str, value: str) -> None:
    host.evaluate(
        f"""const select = document.querySelector("{selector}");
            select.value = "{value}";
            select.dispatchEvent(new Event("change"));"""
    )


def add(host: Host, source: str, target: str) -> None:
    host.evaluate(
        f"""const [source, target] = document.querySelectorAll("#terms .field input");
            source.value = "{source}";
            target.value = "{target}";"""
    )
    host.click("#terms .add")
    assert wait_until(lambda: f"{source} → {target}" in host.evaluate(LISTED), 30)


def only_on(host: Host, site: str) -> None:
    choose(host, "#glossary-site", "another")
    host.evaluate(
        f"""const name = document.querySelector("#glossary-site-name");
            name.value = "{site}";
            name.dispatchEvent(new Event("change"));"""
    )
    chosen = "return document.querySelector('#glossary-site').value"
    assert wait_until(lambda: host.evaluate(chosen) == site, 30)


def test_a_page_uses_terms_for_all_pages_and_its_site_alone(host: Host, site: str) -> None:
    open_settings(host)
    add(host, "Kaffee", "zeppelin")
    only_on(host, "example.org")
    add(host, "Kaffee", "gondola")
    host.goto(f"{site}/article.html")
    assert translate(host)["error"] == ""
    assert wait_until(lambda: "zeppelin" in text_of(host).lower(), 30) is True
    assert "gondola" not in text_of(host).lower()

    open_settings(host)
    only_on(host, "127.0.0.1")
    add(host, "Kaffee", "marzipan")
    host.goto(f"{site}/article.html?again")
    assert translate(host)["error"] == ""
    assert wait_until(lambda: "marzipan" in text_of(host).lower(), 30) is True
    assert "zeppelin" not in text_of(host).lower()


def test_a_bad_line_of_a_file_is_named(host: Host, tmp_path: Path) -> None:
    (tmp_path / "firma.tsv").write_text("Rechner\tzeppelin\n\n…\tworse\n")
    open_settings(host)
    host.choose_files("#terms input[type=file]", tmp_path / "firma.tsv")
    said = "return document.querySelector('#terms .problem').textContent"
    assert wait_until(lambda: host.evaluate(said), 30)
    assert host.evaluate(said).startswith("Line 3 has no term in it")
