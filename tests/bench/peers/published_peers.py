"""Published sizes beside bergamot in Chromium, both with the publishers' shortlist, one run.

    .venv/bin/python -m tests.bench.peers.published_peers --data ../shared/data --json

Weights are random and the same for both; vocabulary and shortlist are a published model's
(`data/formats`). Each text is an English sentence cut to 20 pieces, and no network of these ever
ends a translation: both engines take 42 steps for each, so that words a second compare equal work.
With `--without-vnni` Chromium uses no instructions of that family.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import sentencepiece
from playwright.sync_api import Page, Playwright, sync_playwright

from dragoman.marian.file import Item, read_bin, write_bin
from dragoman.marian.names import BIAS
from dragoman.marian.shortlist import read_shortlist
from dragoman.models.measures.in_browser import launch
from tests.bench.peers.bergamot import (
    PACKAGE,
    PAGE,
    TIMEOUT_MS,
    WEB,
    WITHOUT_VNNI,
    watch,
)
from tests.bench.peers.isolated_site import Site
from tests.bench.peers.memory import Watcher, renderers
from tests.bench.peers.throughput import Series, ratio
from tests.bench.published.load import NETWORKS
from tests.bench.published.shortlists import sentences
from tests.bench.texts import words
from tests.support.kernel.bundles import complete, write
from tests.support.published import PublishedModel, make_model

SHAPES = ("tiny", "base-memory")
SETTINGS = {"1": (1, 16), "64": (64, 1)}  # sentences a call, and calls a round
LIMITS = {"source_pieces": 128, "target_factor": 2.0, "target_extra": 2}
PIECES = 20
PAIR = {"from": "en", "to": "de"}
OURS = {"ours, 1 thread": {"threads": 1}, "ours, 2 threads": {"threads": 2}}
THEIRS = "bergamot"


def published(data: Path, shape: str) -> PublishedModel:
    """Random weights around a published vocabulary and shortlist."""
    formats = data / "formats"
    vocabulary = gzip.decompress((formats / "vocab.deen.spm.gz").read_bytes())
    shortlist = gzip.decompress((formats / "lex.50.50.ende.s2t.bin.gz").read_bytes())
    pieces = read_shortlist(shortlist, verified=True).sources
    made = make_model(replace(NETWORKS[shape], vocabulary_size=pieces))
    model = write_bin(list(map(_endless, read_bin(made.model))))
    return replace(made, model=model, vocabulary=vocabulary, shortlist=shortlist)


def _endless(item: Item) -> Item:
    """The end is never chosen."""
    if item.name != BIAS:
        return item
    bias = np.frombuffer(item.data, "<f4").copy()
    bias[0] = -1e6
    return replace(item, data=bias.tobytes())


def cut(texts: Iterable[str], pieces: Any) -> Iterator[str]:
    """To as many pieces each; what is shorter, or cut into others then, is left out."""
    seen: set[str] = set()
    for text in texts:
        short = pieces.decode(pieces.encode(text)[:PIECES])
        if len(pieces.encode(short)) == PIECES and short not in seen and "." not in short:
            seen.add(short)
            yield short


EN_DE = ("en", "de")


def site(made: PublishedModel, folder: Path, pairs: Sequence[tuple[str, str]] = (EN_DE,)) -> Site:
    """The built files with this model alone, and the other engine with the same files."""
    entries, bundles = [], {}
    for source, target in pairs:
        name, pair = f"{source}-{target}", {"source": source, "target": target}
        bundle = write(made, folder / name)
        path = bundle / "manifest.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | pair | {"limits": LIMITS}))
        complete(made, bundle)
        entry = {"bundle": name, "name": "made", "version": "1", "bytes": len(made.model)}
        entries.append(entry | pair)
        bundles[f"/models/{name}/"] = bundle
    mounts: dict[str, Path | bytes] = {
        "/bench/index.html": PAGE,
        "/bench/peers.mjs": (Path(__file__).parent / "peers.mjs").read_bytes(),
        "/bergamot/": PACKAGE,
        "/marian/model.bin": made.model,
        "/marian/vocabulary.spm": made.vocabulary,
        "/marian/shortlist.bin": made.shortlist,
        "/models/index.json": json.dumps({"models": entries}).encode(),
        **bundles,
        "/": WEB,
    }
    return Site(mounts)


@dataclass
class Run:
    page: Page
    texts: Iterator[str]
    series: dict[str, dict[str, Series]]

    def call(self, function: str, argument: object) -> Any:
        script = f"async (given) => (await import('/bench/peers.mjs')).{function}(given)"
        return self.page.evaluate(script, argument)

    def open(self) -> dict[str, float]:
        """Milliseconds until each can translate."""
        found = {}
        for name, options in OURS.items():
            given = {"name": name, "peer": "ours", "options": {**options, "pair": PAIR}}
            found[name] = round(self.call("open", given))
        theirs = {"name": THEIRS, "peer": THEIRS, "options": {"pair": PAIR}}
        found[THEIRS] = round(self.call("open", theirs))
        return found

    def warm_up(self, calls: int) -> None:
        """V8 compiles in two tiers."""
        for setting, (per_call, _) in SETTINGS.items():
            for _ in range(calls if setting == "1" else 1):
                self._round(per_call, 1, None)

    def round(self, turn: int) -> None:
        for setting, (per_call, calls) in SETTINGS.items():
            self._round(per_call, calls, self.series[setting], turn)

    def _round(
        self, per_call: int, calls: int, kept: dict[str, Series] | None, turn: int = 0
    ) -> None:
        texts = [next(self.texts) for _ in range(per_call * calls)]
        names = [*OURS, THEIRS]
        for name in (*names[turn % 3 :], *names[: turn % 3]):
            found = self.call("run", {"name": name, "texts": texts, "perCall": per_call})
            seconds = sum(found["milliseconds"]) / 1000
            if kept is not None:
                kept[name].speeds.append(words(texts) / seconds)
                kept[name].token_speeds.append(PIECES * len(texts) / seconds)


def measure(
    playwright: Playwright, data: Path, quick: bool = False, *, vnni: bool = True
) -> dict[str, Any]:
    """Ratios of each shape; those at the top are of the shape that has the smaller one."""
    shapes = {shape: _measured(playwright, data, shape, quick, vnni) for shape in SHAPES}
    least = {
        name: min(shape[name] for shape in shapes.values())
        for name in ("ratio_64_1t", "ratio_1_1t", "ratio_64_2t")
    }
    return {**least, "vnni": vnni, "shapes": shapes}


def _measured(
    playwright: Playwright, data: Path, shape: str, quick: bool, vnni: bool
) -> dict[str, Any]:
    made = published(data, shape)
    series = {setting: {name: Series() for name in (*OURS, THEIRS)} for setting in SETTINGS}
    pieces = sentencepiece.SentencePieceProcessor(model_proto=made.vocabulary)
    texts = cut(sentences(data, "en", "de", 3_000).source, pieces)
    browser = launch(playwright, "chromium", *([] if vnni else [WITHOUT_VNNI]))
    try:
        with tempfile.TemporaryDirectory() as folder, site(made, Path(folder)) as served:
            page = browser.new_page()
            page.set_default_timeout(TIMEOUT_MS)
            complaints = watch(page, served.url)
            page.goto(f"{served.url}/bench/index.html")
            run = Run(page, texts, series)
            opened = run.open()
            run.warm_up(2 if quick else 20)
            for number in range(1 if quick else 5):
                run.round(number)
            if complaints:
                raise RuntimeError("; ".join(complaints))
    finally:
        browser.close()
    ratios = {
        f"ratio_{setting}_{threads}t": ratio(series[setting][ours], series[setting][THEIRS])
        for setting, ours, threads in (
            ("64", "ours, 1 thread", 1),
            ("1", "ours, 1 thread", 1),
            ("64", "ours, 2 threads", 2),
        )
    }
    speeds = {
        setting: {name: round(median(one.speeds)) for name, one in contenders.items()}
        for setting, contenders in series.items()
    }
    return {
        **{name: found["median"] for name, found in ratios.items()},
        "quartiles": {name: found["quartiles"] for name, found in ratios.items()},
        "words_s": speeds,
        "open_ms": opened,
    }


MEMORY = """async (options) => {
  const { Translator } = await import("/dragoman.js");
  const began = performance.now();
  globalThis.kept = await Translator.create({ targetLanguage: "de", threads: 1, ...options });
  const ms = performance.now() - began;
  await globalThis.kept.translate("The house is old, and the garden is large.");
  return ms;
}"""


def memory(playwright: Playwright, data: Path, shape: str) -> dict[str, Any]:
    """Peak footprint of the page's process and milliseconds to load: a model, two for a pivot."""
    found: dict[str, Any] = {"shape": shape}
    made = published(data, shape)
    with tempfile.TemporaryDirectory() as folder, site(made, Path(folder)) as at:
        found |= _visits(playwright, at, {"sourceLanguage": "en"}, "")
    legs = (("fr", "en"), EN_DE)
    with tempfile.TemporaryDirectory() as folder, site(made, Path(folder), legs) as at:
        found |= _visits(playwright, at, {"sourceLanguage": "fr"}, "pivot_")
    return found


def _visits(
    playwright: Playwright, at: Site, options: Mapping[str, str], prefix: str
) -> dict[str, float]:
    found: dict[str, float] = {}
    browser = launch(playwright, "chromium")
    try:
        for visit in ("cold", "warm"):
            page = browser.new_page()
            page.goto(f"{at.url}/bench/index.html")
            with Watcher(renderers(browser)) as watcher:
                found[f"{prefix}{visit}_create_ms"] = round(page.evaluate(MEMORY, options))
            found[f"{prefix}{visit}_peak_mb"] = round(watcher.peak, 1)
            page.close()
    finally:
        browser.close()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--without-vnni", action="store_true")
    parser.add_argument("--memory", choices=NETWORKS, help="Memory and loading of one shape.")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with sync_playwright() as playwright:
        if options.memory:
            found = memory(playwright, options.data, options.memory)
        else:
            vnni = not options.without_vnni
            found = measure(playwright, options.data, options.quick, vnni=vnni)
    print(json.dumps(found, indent=None if options.json else 1))


if __name__ == "__main__":
    main()
