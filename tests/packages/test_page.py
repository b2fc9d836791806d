"""`pip install 'dragoman[page]'`, then `dragoman serve`: a page, and no other step."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import urllib.request
import venv
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import Message
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.packages.conftest import Environment, built

# A released page is not to grow unseen; today it has 39.
MOST_MB = 42


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    made = Environment(tmp_path_factory.mktemp("page"))
    venv.create(made.folder, with_pip=True)
    wheel = built("dragoman-*.whl")
    made.install(f"dragoman[page] @ file://{wheel}", built("dragoman_page-*.whl"), lock="server")
    return made


@contextmanager
def served(environment: Environment) -> Iterator[tuple[str, str]]:
    """The address of `dragoman serve` in an empty folder, and what it said before."""
    home = environment.folder / "home"
    home.mkdir(exist_ok=True)
    with subprocess.Popen(
        [environment.folder / "bin" / "dragoman", "serve", "--port", "0"],
        cwd=home, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONUNBUFFERED": "1"},
    ) as server:  # fmt: skip
        assert server.stdout is not None
        try:
            told = ""
            for line in server.stdout:
                told += line
                if "Application startup complete" in line:
                    break
            port = re.search(r"http://[\w.]+:(\d+)", told)
            assert port, told
            yield f"http://127.0.0.1:{port[1]}", told
        finally:
            server.terminate()


@pytest.fixture(scope="module")
def site(environment: Environment) -> Iterator[str]:
    with served(environment) as (address, told):
        assert "no page" not in told
        yield address


def get(address: str) -> tuple[bytes, Message]:
    with urllib.request.urlopen(address, timeout=60) as answer:
        return answer.read(), answer.headers


def test_the_page_is_there_and_isolated(site: str) -> None:
    content, headers = get(f"{site}/")
    assert b"<title data-text=" in content
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["Cross-Origin-Embedder-Policy"] == "require-corp"


def test_every_file_is_what_its_service_worker_expects(site: str) -> None:
    worker = get(f"{site}/sw.js")[0].decode()
    expected = dict(re.findall(r'\{ path: "([^"]+)", sha256: "([0-9a-f]{64})" \}', worker))
    assert "index.html" in expected
    found = {path: hashlib.sha256(get(f"{site}/{path}")[0]).hexdigest() for path in expected}
    assert found == expected


def test_it_translates_in_the_browser(browser: Browser, site: str) -> None:
    page = browser.new_page()
    page.goto(f"{site}/#de/en/Guten%20Morgen!")
    expect(page.locator("#output")).to_contain_text("Good morning!", timeout=120_000)
    assert page.evaluate("crossOriginIsolated") is True
    page.close()


def test_without_it_the_server_says_how_to_get_it(tmp_path: Path) -> None:
    made = Environment(tmp_path)
    venv.create(made.folder, with_pip=True)
    made.install(f"dragoman[server] @ file://{built('dragoman-*.whl')}", lock="server")
    with served(made) as (_, told):
        assert told.splitlines()[1] == (
            "dragoman: the API alone is served, no page: "
            "pip install 'dragoman[page]' installs it, --web names a built one"
        )


# Of each part of the page, by how its text begins or what it names.
LICENCES = {
    "MPL-2.0.txt": "Mozilla Public License Version 2.0",
    "CC-BY-SA-4.0.txt": "Attribution-ShareAlike 4.0 International",
    "cpython-INCORPORATED": "Makoto Matsumoto and Takuji Nishimura",
    "cpython-LICENSE": "PYTHON SOFTWARE FOUNDATION LICENSE VERSION 2",
    "idb-LICENSE": "Jake Archibald",
    "modern-tar-LICENSE": "MIT License",
    "onnxruntime-LICENSE": "Microsoft Corporation",
    "onnxruntime-ThirdPartyNotices.txt": "THIRD PARTY SOFTWARE NOTICES",
    "pyodide-LIBRARIES": "Copyright (c) 2008-2020 Stefan Krah",
    "pypdf-LICENSE": "Redistribution and use",
    "LICENSE.absl": "Apache License",
}


def test_the_licence_of_every_part_is_with_it() -> None:
    with zipfile.ZipFile(built("dragoman_page-*.whl")) as archive:
        texts = {
            name.rpartition("/")[2]: archive.read(name).decode()
            for name in archive.namelist()
            if ".dist-info/licenses/" in name
        }
    assert {n: part for n, part in LICENCES.items() if part not in texts.get(n, "")} == {}


def test_its_wheel_has_a_size_that_is_told() -> None:
    assert built("dragoman_page-*.whl").stat().st_size < MOST_MB * 1_000_000
