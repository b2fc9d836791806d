"""The tarballs for npm: their form, and an application of each bundler, run in both browsers."""

from __future__ import annotations

import functools
import http.server
import json
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser

from tests.packages.conftest import TIMEOUT, built
from tests.support.paths import ROOT

APPS = Path(__file__).parent / "apps"
EXAMPLES = ROOT / "examples" / "javascript"
BUNDLERS = {
    "vite": ["npx", "--no-install", "vite", "build", "--logLevel", "warn"],
    "webpack": ["npx", "--no-install", "webpack", "--stats", "errors-warnings"],
    "rollup": ["npx", "--no-install", "rollup", "-c", "--silent"],
    "esbuild": ["node", "esbuild.config.js"],
    # Makes pages on a server too, which takes the package's entry for Node.
    "next": ["npx", "--no-install", "next", "build", "--turbopack"],
    "next-webpack": ["npx", "--no-install", "next", "build", "--webpack"],
}
# Next.js tells its makers what it does, and where it builds, unless it is told not to.
QUIET = {"NEXT_TELEMETRY_DISABLED": "1"}
TARBALLS = ("dragoman-[0-9]*.tgz", "dragoman-model-de-en-*.tgz", "dragoman-model-en-de-*.tgz")
# Until a translation is there, on a machine that has much else to do; in milliseconds.
READY_MS = 120_000
# What the package has beside its scripts.
FILES = "dragoman-files"


def run(*command: str | Path, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=folder,
        env=os.environ | QUIET,
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT,
    )


def must(*command: str | Path, folder: Path = ROOT) -> str:
    done = run(*command, folder=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


# --- form --------------------------------------------------------------------------------------


@pytest.mark.parametrize("tarball", TARBALLS)
def test_exports_and_types_resolve_everywhere(tarball: str) -> None:
    path = built(tarball)
    must("npx", "--no-install", "attw", path, "--profile", "esm-only")
    told = must("npx", "--no-install", "publint", path, "--strict")
    assert "All good!" in told


def test_node_translates_in_three_lines_and_ends_by_itself(applications: Path) -> None:
    shutil.copyfile(EXAMPLES / "node.mjs", applications / "node.mjs")
    done = run("node", "node.mjs", folder=applications)
    assert (done.returncode, done.stdout, done.stderr) == (0, "Good morning!\n", "")


NODE_CASES = """
import { LanguageDetector, Translator } from "dragoman";
import "dragoman-model-de-en";
const before = Object.getOwnPropertyNames(globalThis).length;
const pair = { sourceLanguage: "de", targetLanguage: "en" };
const found = {};
const japanese = Translator.create({ ...pair, targetLanguage: "ja" });
found.missing = await japanese.catch(({ code }) => code);
const translator = await Translator.create(pair);
const text = "Ich habe ein Buch. Es ist neu.";
const { sentences, alignment } = await translator.translateDetailed(text);
found.sentences = sentences.map(({ source }) => text.slice(...source));
found.words = alignment.sourceWords.length;
found.streamed = "";
for await (const piece of translator.translateStreaming(text)) found.streamed += piece;
const signal = AbortSignal.abort();
found.aborted = await translator.translate(text, { signal }).catch(({ name }) => name);
const letter = new File(["Guten Morgen!"], "brief.txt");
const { file } = await translator.translateDocument(letter);
found.document = [file.name, await file.text()];
const waiting = translator.translate("Wo ist der Bahnhof?").catch(({ name }) => name);
translator.destroy();
found.destroyed = await waiting;
const [first] = await (await LanguageDetector.create()).detect("Wo ist der Bahnhof?");
found.detected = first.detectedLanguage;
found.globals = Object.getOwnPropertyNames(globalThis).length - before;
console.log(JSON.stringify(found));
"""


def test_what_node_has_of_a_browser_stays_inside_of_the_package(applications: Path) -> None:
    done = run("node", "--input-type=module", "--eval", NODE_CASES, folder=applications)
    assert done.stderr == ""
    assert json.loads(done.stdout) == {
        "missing": "language-pair",
        "sentences": ["Ich habe ein Buch.", "Es ist neu."],
        "words": 9,
        "streamed": "I have a book. It's new.",
        "aborted": "AbortError",
        "document": ["brief.en.txt", "Good morning!"],
        "destroyed": "AbortError",
        "detected": "de",
        "globals": 0,
    }


# --- applications --------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def applications(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample applications, with the packed packages installed beside the bundlers."""
    folder = tmp_path_factory.mktemp("apps") / "apps"
    shutil.copytree(APPS, folder, ignore=shutil.ignore_patterns("node_modules", "dist"))
    quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
    must("npm", "ci", *quiet, folder=folder)
    packages = [built(pattern) for pattern in TARBALLS[:2]]
    must("npm", "install", "--no-save", *quiet, *packages, folder=folder)
    return folder


class Handler(http.server.SimpleHTTPRequestHandler):
    """A plain file server: no headers for isolation, but whoever asks may read."""

    def end_headers(self) -> None:
        self.send_header("Access-Control-Allow-Origin", "*")
        super().end_headers()

    def log_message(self, *_: Any) -> None:
        """Nothing: the console of the tests is for tests."""


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    handler = functools.partial(Handler, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def shown(browser: Browser, address: str, *origins: str) -> str:
    """What a page shows in the end; it may ask its own server and `origins` only."""
    context = browser.new_context()
    try:
        page = context.new_page()
        page.set_default_timeout(READY_MS)
        told: list[str] = []
        parts = urlsplit(address)
        allowed = (f"{parts.scheme}://{parts.netloc}/", *origins, "blob:", "data:")
        page.on("console", lambda message: told.append(message.text))
        page.on("pageerror", lambda error: told.append(str(error)))
        page.on(
            "request",
            lambda asked: None if asked.url.startswith(allowed) else told.append(asked.url),
        )
        page.goto(address)
        try:
            page.wait_for_function("document.querySelector('output').textContent !== ''")
        except Exception as error:
            raise AssertionError(told) from error
        assert page.evaluate("crossOriginIsolated") is False
        assert told == []
        return str(page.text_content("output"))
    finally:
        context.close()


@pytest.fixture(scope="session")
def bundled(applications: Path) -> Any:
    """Builds the application with a bundler, once; the folder of what it made."""

    @functools.cache
    def build(bundler: str) -> Path:
        told = must(*BUNDLERS[bundler], folder=applications)
        if bundler.startswith("next"):
            (applications / "dist").mkdir(exist_ok=True)
            (applications / "out").rename(applications / "dist" / bundler)
        assert not re.search(r"\bwarning\b", told, re.IGNORECASE), told
        out = applications / "dist" / bundler
        if not (out / "index.html").exists():
            page = (APPS / "index.html").read_text().replace("./src/main.js", "./main.js")
            (out / "index.html").write_text(page)
        return out

    return build


@pytest.mark.parametrize("bundler", BUNDLERS)
def test_a_bundled_application_translates(browser: Browser, bundled: Any, bundler: str) -> None:
    out = bundled(bundler)
    sizes = {path.stat().st_size for path in out.rglob("*") if path.is_file()}
    model = (ROOT / "models" / "de-en" / "model.onnx").stat().st_size
    assert model in sizes  # A file of its own, to the byte: nothing was put into scripts.
    with serving(out) as address:
        assert shown(browser, f"{address}/index.html") == "Good morning!"


def test_without_a_bundler(browser: Browser, applications: Path) -> None:
    with serving(applications) as address:
        assert shown(browser, f"{address}/plain.html?run=./src/main.js") == "Good morning!"


def test_without_a_model_it_says_what_to_install(browser: Browser, applications: Path) -> None:
    with serving(applications) as address:
        told = shown(browser, f"{address}/plain.html?run=./src/missing.js")
    assert told == (
        'language-pair: there is no model from "de" to "en"; available: none. A model is a '
        'package: npm install dragoman-model-de-en, then import "dragoman-model-de-en"'
    )


def test_files_of_another_origin(browser: Browser, applications: Path, tmp_path: Path) -> None:
    shutil.copytree(applications / "node_modules" / "dragoman" / "dist" / FILES, tmp_path / "files")
    shutil.copytree(ROOT / "build" / "web" / "models", tmp_path / "files" / "models")
    with serving(applications) as address, serving(tmp_path) as other:
        page = f"{address}/plain.html?run=./src/elsewhere.js&from={other}/files"
        assert shown(browser, page, other) == "Good morning!"


def test_the_polyfill_keeps_to_the_standard(browser: Browser, applications: Path) -> None:
    with serving(applications) as address:
        found = json.loads(shown(browser, f"{address}/plain.html?run=./src/polyfill.js"))
    assert found == {
        "constructor": "TypeError",
        "availability": "downloadable",
        "unknownPair": "unavailable",
        "region": "downloadable",
        "noLanguages": "TypeError",
        "noTag": "RangeError",
        "createUnknown": "NotSupportedError",
        "createNothing": "TypeError",
        "createAborted": "AbortError",
        "progress": [[0, 1], [1, 1]],
        "instance": True,
        "languages": ["de", "en"],
        "text": "Good morning!",
        "empty": "",
        "blank": " \n",
        "translateAborted": "AbortError",
        "quota": True,
        "usage": 13,
        "streamed": "Good morning!",
        "kept": "available",
        "destroyed": ["AbortError", "AbortError"],
    }


def test_the_polyfills_detector_keeps_to_the_standard(browser: Browser, applications: Path) -> None:
    with serving(applications) as address:
        found = json.loads(shown(browser, f"{address}/plain.html?run=./src/detector.js"))
    assert found == {
        "constructor": "TypeError",
        "availability": "available",
        "known": "available",
        "unknown": "unavailable",
        "noTag": "RangeError",
        "createUnknown": "NotSupportedError",
        "createNoTag": "RangeError",
        "createAborted": "AbortError",
        "monitorThrows": "EvalError",
        "progress": [[0, 1], [1, 1]],
        "instance": True,
        "expected": ["en-US", "de"],
        "frozen": True,
        "nothingExpected": None,
        "first": "de",
        "last": "und",
        "descending": True,
        "sum": True,
        "empty": ["und"],
        "detectAborted": "AbortError",
        "usage": 13,
        "quota": True,
        "endedBySignal": "AbortError",
        "destroyed": ["AbortError", "AbortError"],
    }


# --- examples ------------------------------------------------------------------------------------

IN_A_WORKER = """<!doctype html><link rel="icon" href="data:,"><output></output>
<script type="module">
const worker = new Worker("worker.js", { type: "module" });
worker.onmessage = ({ data }) => (document.querySelector("output").textContent = data);
worker.postMessage("Guten Morgen!");
</script>"""


@pytest.mark.parametrize("page", ["page.html", "in-a-worker.html"])
def test_the_examples_of_a_page_and_a_worker(
    browser: Browser, applications: Path, page: str
) -> None:
    for example in EXAMPLES.iterdir():
        shutil.copyfile(example, applications / example.name)
    (applications / "in-a-worker.html").write_text(IN_A_WORKER)
    with serving(applications) as address:
        assert shown(browser, f"{address}/{page}") == "Good morning!"
