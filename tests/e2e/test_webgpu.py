"""WebGPU beside WebAssembly, in Chromium on its software adapter: equal output, nothing lost.

The software adapter computes on the processor: what it says of correctness holds, of speed nothing.
Firefox has no adapter here.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
import sentencepiece
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, Route

from dragoman.models.measures.in_browser import launch
from tests.support.pages import READY_MS, Server, Watched, watch
from tests.support.paths import ROOT

ADAPTER = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"]
VOCABULARY = ROOT / "models" / "de-en" / "vocabulary.spm"
EOS = 0

SENTENCES = [
    "Das Wetter ist heute schön.",
    "Ja.",
    "Können Sie mir bitte sagen, wo der nächste Bahnhof ist?",
    "Ich habe gestern ein neues Buch gekauft.",
    "Meine Schwester wohnt seit drei Jahren in Hamburg und arbeitet dort in einem Krankenhaus.",
    "Wir fahren morgen ans Meer.",
]
# DRAGOMAN_WEBGPU_SENTENCES=all: those of the parity suite too (minutes).
if os.environ.get("DRAGOMAN_WEBGPU_SENTENCES") == "all":
    LINES = (ROOT / "tests" / "parity" / "sentences.txt").read_text().splitlines()
    SENTENCES += [line for line in LINES if line and line[0] not in "#["]

# Sums of products are the same integers. What lies between them is rounded differently by a few
# units in the last place, and where a value is quantized that may tip it over: one step of 255.
SAME_SENTENCES = 0.9
MOST_SCORE = 0.25
MEDIAN_SCORE = 1e-4
MOST_ATTENTION = 0.15
MEDIAN_ATTENTION = 1e-4

Output = dict[str, Any]


@pytest.fixture(scope="module")
def gpu_browser(playwright: Playwright) -> Iterator[Browser]:
    started = launch(playwright, "chromium", *ADAPTER)
    yield started
    started.close()


def blank_page(context: BrowserContext, server: Server) -> Watched:
    """An empty page of the site's origin: no demo, no service worker."""
    context.set_default_timeout(READY_MS)
    context.route(
        f"{server.url}/blank",
        lambda route: route.fulfill(body="<title>blank</title>", content_type="text/html"),
    )
    watched = Watched(context.new_page())
    watch(watched, server.url)
    watched.page.goto(f"{server.url}/blank")
    return watched


@pytest.fixture(scope="module")
def engines(gpu_browser: Browser, server: Server) -> Iterator[Page]:
    """A page with both engines as `engines`: starting them takes seconds."""
    script = subprocess.run(
        ["npx", "--no-install", "esbuild", "tests/e2e/webgpu_engines.ts", "--bundle"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    context = gpu_browser.new_context()
    watched = blank_page(context, server)
    watched.page.add_script_tag(content=script.stdout)
    watched.page.evaluate("async () => { globalThis.engines = await startEngines(); }")
    yield watched.page
    context.close()
    assert watched.unexpected() == []


def mini_batch(sentences: list[str], attention: bool = True) -> dict[str, Any]:
    processor = sentencepiece.SentencePieceProcessor(model_file=str(VOCABULARY))
    rows = [[*row[:79], EOS] for row in processor.encode(sentences)]
    return {
        "rows": rows,
        "limits": [2 * len(row) + 12 for row in rows],
        "attention": attention,
    }


def both(page: Page, given: dict[str, Any]) -> tuple[Output, Output]:
    script = "async (given) => [await engines.wasm(given), await engines.webgpu(given)]"
    wasm, webgpu = page.evaluate(script, given)
    return wasm, webgpu


def pieces(output: Output, row: int) -> list[int]:
    ids: list[int] = output["ids"][row * output["steps"] : (row + 1) * output["steps"]]
    return ids[: ids.index(EOS) + 1] if EOS in ids else ids


def differences(a: Output, b: Output, name: str, given: dict[str, Any]) -> list[float]:
    """Of each cell of each row that both translate alike."""
    rows = given["rows"]
    width = max(map(len, rows)) if name == "attention" else 1
    found = []
    for row in range(len(rows)):
        if (same := pieces(a, row)) == pieces(b, row):
            ours, theirs = (each[name][row * each["steps"] * width :] for each in (a, b))
            cells = len(same) * width
            found += [abs(x - y) for x, y in zip(ours[:cells], theirs[:cells], strict=True)]
    return sorted(found)


def test_both_engines_give_the_same(engines: Page) -> None:
    given = mini_batch(SENTENCES)
    count = len(SENTENCES)
    wasm, webgpu = both(engines, given)
    same = [row for row in range(count) if pieces(wasm, row) == pieces(webgpu, row)]
    assert len(same) >= SAME_SENTENCES * count
    scores = differences(wasm, webgpu, "scores", given)
    attention = differences(wasm, webgpu, "attention", given)
    assert scores[-1] <= MOST_SCORE
    assert scores[len(scores) // 2] <= MEDIAN_SCORE
    assert attention[-1] <= MOST_ATTENTION
    assert attention[len(attention) // 2] <= MEDIAN_ATTENTION


def test_a_row_is_translated_alike_whatever_its_companions_are(engines: Page) -> None:
    given = {**mini_batch(SENTENCES[:4], attention=False), "limits": [4, 4, 4, 6]}
    script = """async ({ rows, limits, attention }) => ({
      together: await engines.webgpu({ rows, limits, attention }),
      alone: await engines.webgpu({ rows: [rows[3]], limits: [limits[3]], attention }),
    })"""
    outputs = engines.evaluate(script, given)
    together, alone = outputs["together"], outputs["alone"]
    expected = pieces(alone, 0)
    assert pieces(together, 3) == expected
    first = 3 * together["steps"]
    assert together["scores"][first : first + len(expected)] == alone["scores"][: len(expected)]
    assert together["attention"] == []


def test_each_row_stops_at_its_own_limit(engines: Page) -> None:
    given = {**mini_batch(SENTENCES[2:6], attention=False), "limits": [1, 0, 3, 2]}
    wasm, webgpu = both(engines, given)
    assert webgpu["steps"] == 3
    assert webgpu["ids"] == wasm["ids"]


def test_a_stopped_run_leaves_the_engine_usable(engines: Page) -> None:
    script = """async (given) => {
      const enough = () => Promise.reject(new Error("enough"));
      const message = await engines.webgpu(given, enough).catch((error) => error.message);
      return [message, (await engines.webgpu(given)).ids];
    }"""
    given = {**mini_batch(SENTENCES[:1]), "limits": [3]}
    stopped, ids = engines.evaluate(script, given)
    assert stopped == "enough"
    assert ids == both(engines, given)[0]["ids"]


def test_what_is_too_large_names_the_limit_and_both_figures(engines: Page) -> None:
    script = """async () => {
      const rows = Array.from({ length: 70_000 }, () => [9]);
      const limits = rows.map(() => 1);
      const run = engines.webgpu({ rows, limits, attention: false });
      const { code, message, details } = await run.catch((error) => error);
      return { code, message, ...details };
    }"""
    assert engines.evaluate(script) == {
        "code": "engine",
        "message": "the GPU's maxComputeWorkgroupsPerDimension is 65535; 70000 would be needed",
        "limit": "maxComputeWorkgroupsPerDimension",
        "requested": 70_000,
        "allowed": 65_535,
    }


def test_buffers_are_used_again_and_go_with_the_engine(engines: Page) -> None:
    """The last one: it ends the engine."""
    script = """async (given) => {
      await engines.webgpu(given);
      const before = engines.buffers.count();
      for (let turn = 0; turn < 3; turn++) await engines.webgpu(given);
      const after = engines.buffers.count();
      await engines.close();
      const error = await engines.webgpu(given).catch(({ code, message }) => `${code}: ${message}`);
      return { before, after, lost: engines.buffers.lost, error };
    }"""
    outcome = engines.evaluate(script, {**mini_batch(SENTENCES[:2]), "limits": [1, 1]})
    assert outcome["after"] == outcome["before"]
    assert outcome["lost"] == "destroyed"
    assert outcome["error"].startswith("engine: the GPU device is lost")


# --- The workers, as shipped -------------------------------------------------------------------

# Before the engine worker's own script: its devices, and what to do with them.
WORKER_PRELUDE = """
{
  const { requestDevice } = GPUAdapter.prototype;
  const { submit } = GPUQueue.prototype;
  const devices = new Map();
  self.submissions = 0;
  self.destroyAfter = Infinity;
  GPUAdapter.prototype.requestDevice = async function (...options) {
    const device = await requestDevice.apply(this, options);
    devices.set(device.queue, device);
    return device;
  };
  GPUQueue.prototype.submit = function (...commands) {
    submit.apply(this, commands);
    self.submissions++;
    if (--self.destroyAfter < 0) devices.get(this).destroy();
  };
}
"""

TRANSLATE = """async ({ engine, sentences }) => {
  const { Translator } = await import("/dragoman.js");
  const pair = { sourceLanguage: "de", targetLanguage: "en" };
  const translator = await Translator.create({ ...pair, engine });
  const options = { cache: false, beam: 1 };
  const all = sentences.map((sentence) => translator.translateDetailed(sentence, options));
  globalThis.translator = translator;
  return (await Promise.all(all)).map(({ text, alignment }) => ({ text, links: alignment.links }));
}"""


def with_prelude(route: Route) -> None:
    response = route.fetch()
    route.fulfill(response=response, body=WORKER_PRELUDE + response.text())


@pytest.fixture
def gpu_page(gpu_browser: Browser, server: Server) -> Iterator[Page]:
    context = gpu_browser.new_context()
    context.route("**/engine-*.js", with_prelude)
    watched = blank_page(context, server)
    yield watched.page
    context.close()
    assert watched.unexpected() == []


def engine_worker(page: Page) -> Any:
    return next(worker for worker in page.workers if "/engine-" in worker.url)


def state(page: Page) -> dict[str, Any]:
    (found,) = page.evaluate("async () => (await translator.statistics()).engines")
    return dict(found)


def test_a_device_that_is_lost_in_mid_run_loses_no_request(gpu_page: Page) -> None:
    sentences = SENTENCES[5:6]
    on_gpu = gpu_page.evaluate(TRANSLATE, {"engine": "webgpu", "sentences": sentences})
    assert state(gpu_page) == {
        "bundle": "de-en",
        "name": "webgpu",
        "why": "asked",
        "adapter": "google swiftshader",
        "fromRows": 1,
    }
    worker = engine_worker(gpu_page)
    assert worker.evaluate("() => submissions") > 0

    worker.evaluate("() => { destroyAfter = 0; }")
    again = """async (sentences) => {
      const options = { cache: false, beam: 1 };
      const all = sentences.map((sentence) => translator.translateDetailed(sentence, options));
      const responses = await Promise.all(all);
      return responses.map(({ text, alignment }) => ({ text, links: alignment.links }));
    }"""
    assert gpu_page.evaluate(again, sentences) == on_gpu
    lost = state(gpu_page)
    assert (lost["name"], lost["why"]) == ("wasm", "failed")
    assert "lost" in lost["detail"]

    submissions = worker.evaluate("() => submissions")
    assert gpu_page.evaluate(again, sentences) == on_gpu
    assert worker.evaluate("() => submissions") == submissions


def test_auto_does_not_take_software_for_a_gpu(gpu_page: Page) -> None:
    gpu_page.evaluate(TRANSLATE, {"engine": "auto", "sentences": SENTENCES[:1]})
    gpu_page.evaluate("""async () => {
      const isOpen = async () => (await translator.statistics()).engines[0].why === "unmeasured";
      while (await isOpen()) await new Promise((resolve) => { setTimeout(resolve, 100); });
    }""")
    assert state(gpu_page) == {
        "bundle": "de-en",
        "name": "wasm",
        "why": "no-gpu",
        "detail": "google swiftshader is software",
    }
    assert engine_worker(gpu_page).evaluate("() => submissions") == 0


def test_asking_for_webgpu_where_there_is_none_is_an_error(
    playwright: Playwright, server: Server
) -> None:
    browser = launch(playwright, "chromium")
    try:
        watched = blank_page(browser.new_context(), server)
        refused = watched.page.evaluate(
            f"""() => ({TRANSLATE})({{ engine: "webgpu", sentences: [] }})
              .then(() => null, ({{ code, message }}) => ({{ code, message }}))"""
        )
        assert refused["code"] == "not-supported"
        assert "WebGPU was asked for" in refused["message"]
    finally:
        browser.close()
