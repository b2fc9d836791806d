"""The demo as an installed app: what browsers ask of one, and what it is opened with."""

from __future__ import annotations

import json
import urllib.request
from urllib.parse import urljoin

import pytest

from tests.support.pages import OpenPage, Server, translated, wait_until_ready

# As another app shares, by way of the browser: a form that the service worker is to answer.
SHARE = """([address, text, name, content]) => {
  const form = document.createElement("form");
  Object.assign(form, { method: "POST", enctype: "multipart/form-data", action: address });
  const said = Object.assign(document.createElement("input"), { name: "text", value: text });
  const files = Object.assign(document.createElement("input"), { name: "documents", type: "file" });
  const transfer = new DataTransfer();
  if (name) transfer.items.add(new File([content], name));
  files.files = transfer.files;
  form.append(said, files);
  document.body.append(form);
  form.submit();
}"""


def test_the_manifest_names_only_what_is_there(server: Server) -> None:
    address = f"{server.url}/manifest.webmanifest"
    with urllib.request.urlopen(address) as response:
        assert response.headers["Content-Type"] == "application/manifest+json"
        manifest = json.loads(response.read())
    shortcuts = [icon for shortcut in manifest["shortcuts"] for icon in shortcut["icons"]]
    images = [*manifest["icons"], *manifest["screenshots"], *shortcuts]
    assert len(images) == 8
    for image in images:
        with urllib.request.urlopen(urljoin(address, image["src"])) as response:
            assert response.headers["Content-Type"] == image["type"]
            content = response.read()
        if image["type"] == "image/png":  # its header says its size
            size = [int.from_bytes(content[start : start + 4]) for start in (16, 20)]
            assert "x".join(map(str, size)) == image["sizes"]


def test_the_page_can_be_installed(open_page: OpenPage) -> None:
    page = open_page().page
    if page.context.browser and page.context.browser.browser_type.name != "chromium":
        pytest.skip("only Chromium tells what it thinks of a manifest")
    session = page.context.new_cdp_session(page)
    assert session.send("Page.getAppManifest")["errors"] == []
    found = session.send("Page.getInstallabilityErrors")["installabilityErrors"]
    # The profile of a test is a private one: nothing else may stand in the way.
    assert [error["errorId"] for error in found] == ["in-incognito"]


def test_shortcuts_open_what_they_name_and_the_address_forgets_it(
    open_page: OpenPage, server: Server
) -> None:
    page = open_page(server.url + "/?open=history").page
    page.locator("dialog#history[open]").wait_for()
    assert page.url == server.url + "/"
    page.goto(server.url + "/?open=documents")
    page.locator("#documents .choose:focus").wait_for()
    wait_until_ready(page)


def test_what_is_shared_is_opened_and_sent_nowhere(open_page: OpenPage, own_server: Server) -> None:
    watched = open_page(own_server.url + "/")
    page = watched.page
    page.wait_for_selector("#offline[data-state='ready']", state="visible")
    # Shown as text, without the rules for forms that the demo has.
    page.goto(own_server.url + "/dragoman.js")
    own_server.stop()
    watched.expect_error("Failed to load resource")  # the check for a newer version
    watched.expect_error("Error in input stream")  # Firefox tells of what leaving breaks off
    arguments = [own_server.url + "/share", "Guten Morgen!", "gruss.txt", "Guten Abend!"]
    page.evaluate(SHARE, arguments)
    page.locator(".jobs li[data-state='done']", has_text="gruss.txt").wait_for()
    assert page.locator("#source").input_value() == "Guten Morgen!"
    assert "morning" in translated(page)
    assert page.url == own_server.url + "/"
