"""`make bench`: ours beside bergamot-translator, on one machine, in one run, with the same weights.

Writes build/bench.json, build/bench.md, build/bench.svg and build/bench.png. Parts:

    peers      words a second, interleaved; one sentence a call, 64, a page; latency
    startup    navigation to the first translated sentence, cold and warm, and its stages
    memory     the peak with one model, and the curve over 10,000 sentences
    native     the native core, 1 thread, 32 sentences a batch
    agreement  how many of 500 sentences are translated identically, and why not the others
    profile    where the time goes, stage by stage
    published  published sizes with their shortlist, with VNNI and without (needs DATA/formats)

    .venv/bin/python -m tests.bench.peers --data ../shared/data
    .venv/bin/python -m tests.bench.peers --quick --only peers --only native

Run it on a machine that does nothing else. `--quick` shows that everything works; its figures mean
nothing. `--without-vnni`, with `--only peers`, `profile` or `agreement`: as on a processor that has
none, which Chromium's compiler then takes it for. `--browser firefox` runs what is not bound to
Chromium and writes build/bench-firefox.json.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import subprocess
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import onnxruntime
from playwright.sync_api import Playwright, sync_playwright

from tests.bench.peers import (
    agreement,
    kernel_stages,
    memory,
    native_speed,
    published_peers,
    report,
    stages,
    startup,
    throughput,
)
from tests.bench.peers.bergamot import BUNDLE, WITHOUT_VNNI, Bench, bench
from tests.bench.texts import Supply
from tests.support.paths import ROOT

SHOWN_DIFFERENCES = 20
# Name, translator, options; the last is as published, which keeps no sentences either.
MEMORY: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("ours", "ours", {"threads": 1}),
    ("ours, no sentence cache", "ours", {"threads": 1, "cache": False}),
    ("bergamot", "bergamot", {}),
)
BEAMS = (1, 4)  # greedy search, and what the embedded models ask for
EXPLAINED = 120  # differences that are looked into: a second each
PACKAGES = ("onnxruntime-web", "pyodide", "@browsermt/bergamot-translator")


@dataclass(frozen=True)
class Run:
    """What the parts share; each takes its sentences from the start of a supply of its own."""

    playwright: Playwright
    bench: Bench
    data: Path | None
    quick: bool
    vnni: bool = True

    def supply(self, seed: int = 1) -> Supply:
        return Supply(self.data, seed)


def peers(run: Run) -> dict[str, Any]:
    rounds = 2 if run.quick else 9
    return throughput.summary(throughput.measure(run.bench, run.supply(), rounds, run.quick))


def startup_(run: Run) -> dict[str, Any]:
    return startup.measure(run.playwright, run.bench, 1 if run.quick else 5)


def memory_(run: Run) -> dict[str, Any]:
    sentences = 500 if run.quick else 10_000
    curves = {
        name: memory.measure(run.bench, run.supply(), sentences, peer, options)
        for name, peer, options in MEMORY
    }
    return {
        "peak_mb": curves["ours"]["peak_mb"],
        "bergamot_peak_mb": curves["bergamot"]["peak_mb"],
        "growth_mb": curves["ours, no sentence cache"]["growth_second_half_mb"],
        "peak_measured_by": memory.HOW,
        "models_mb": memory.several_models(run.bench),
        "translators": memory.several_translators(run.bench),
        "memory": curves,
    }


def native(run: Run) -> dict[str, Any]:
    sentences, runs = (200, 1) if run.quick else (3_000, 3)
    return native_speed.measure(run.supply(), sentences, runs)


def agreement_(run: Run) -> dict[str, Any]:
    count, explained = (30, 10) if run.quick else (500, EXPLAINED)
    texts = run.supply().sentences(count)
    greedy, beam = (agreement.compare(run.bench, texts, explained, size) for size in BEAMS)
    return {
        "share_identical": greedy.identical,
        "share_explained": greedy.explained,
        "share_identical_beam": beam.identical,
        "share_explained_beam": beam.explained,
        "agreement": _causes(greedy),
        "agreement_beam": _causes(beam),
    }


def _causes(found: agreement.Agreement) -> dict[str, Any]:
    return {
        "sentences": found.sentences,
        "beam": found.beam,
        "share_identical_engines": found.identical_engines,
        "looked_into": len(found.differences),
        "causes": found.causes,
        "differences": [asdict(d) for d in found.differences[:SHOWN_DIFFERENCES]],
    }


def profile(run: Run) -> dict[str, Any]:
    found = stages.measure(run.bench, run.supply(), run.quick)
    return {**found, "kernel": kernel_stages.measure(run.bench, run.supply(2), run.quick)}


def published(run: Run) -> dict[str, Any]:
    if run.data is None or not (run.data / "formats").is_dir():
        return {}
    found = {
        name: published_peers.measure(run.playwright, run.data, run.quick, vnni=vnni)
        for name, vnni in (("published", False), ("published_vnni", True))
    }
    ratios = {
        f"{name}.{key}": value
        for name, figures in found.items()
        for key, value in figures.items()
        if key.startswith("ratio")
    }
    return ratios | found


PARTS: dict[str, Callable[[Run], dict[str, Any]]] = {
    "peers": peers,
    "startup": startup_,
    "memory": memory_,
    "native": native,
    "profile": profile,
    "agreement": agreement_,
    "published": published,
}
# The others launch Chromium with profiles and flags of their own.
IN_FIREFOX = {"peers", "native", "profile", "agreement"}
WITHOUT = {"peers", "profile", "agreement"}


def about(run: Run) -> dict[str, Any]:
    """What the figures belong to."""
    packages = {
        name: json.loads((ROOT / "node_modules" / name / "package.json").read_text())["version"]
        for name in PACKAGES
    }
    manifest = json.loads((BUNDLE / "manifest.json").read_text(encoding="utf-8"))
    graph = (BUNDLE / manifest["files"]["graph"]["path"]).read_bytes()
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "processor": processor(),
        "cores": os.cpu_count(),
        "load": [round(value, 2) for value in os.getloadavg()],
        "system": platform.platform(),
        "python": platform.python_version(),
        "browser": f"{run.bench.browser.browser_type.name.title()} {run.bench.browser.version}",
        "versions": {**packages, "onnxruntime": onnxruntime.__version__},
        "commit": commit(),
        "model": f"{manifest['name']} {manifest['version']}",
        "graph_sha256": hashlib.sha256(graph).hexdigest(),
        "text": run.supply().source,
        "quick": run.quick,
        "without_vnni": not run.vnni,
    }


def processor() -> str:
    facts = Path("/proc/cpuinfo")
    lines = (
        facts.read_text(encoding="utf-8", errors="replace").splitlines() if facts.exists() else []
    )
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def commit() -> str:
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    return found.stdout.strip() or "unknown"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, help="data folder with dev/; without it, made-up text")
    parser.add_argument("--only", action="append", choices=list(PARTS), help="may be repeated")
    parser.add_argument("--quick", action="store_true", help="small counts: does it work?")
    parser.add_argument("--browser", choices=("chromium", "firefox"), default="chromium")
    parser.add_argument("--without-vnni", action="store_true", help="Chromium takes none")
    parser.add_argument("--output", type=Path, help="build/bench.json, or build/bench-firefox.json")
    given = parser.parse_args()
    firefox = given.browser == "firefox"
    chosen = given.only or [name for name in PARTS if not firefox or name in IN_FIREFOX]
    if firefox and set(chosen) - IN_FIREFOX:
        parser.error(f"in Firefox: {', '.join(sorted(IN_FIREFOX))}")
    if given.without_vnni and (firefox or set(chosen) - WITHOUT):
        parser.error(f"without VNNI: --only {', --only '.join(sorted(WITHOUT))}, in Chromium")
    flags = [WITHOUT_VNNI] if given.without_vnni else []
    output = given.output or ROOT / "build" / f"bench{'-firefox' if firefox else ''}.json"
    data = given.data if given.data and (given.data / "dev").is_dir() else None
    results: dict[str, Any] = {}
    with sync_playwright() as playwright, bench(playwright, given.browser, *flags) as opened:
        run = Run(playwright, opened, data, given.quick, not given.without_vnni)
        results["about"] = about(run)
        for name in chosen:
            print(f"{name} ...", flush=True)
            results |= PARTS[name](run)
            write(results, output)
    print(report.markdown(results))


def write(results: dict[str, Any], output: Path) -> None:
    """After every part: a run that is stopped leaves what it had."""
    output.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(results, indent=1, ensure_ascii=False)
    output.write_text(text + "\n", encoding="utf-8")
    output.with_suffix(".md").write_text(report.markdown(results), encoding="utf-8")
    report.picture(results, output)


if __name__ == "__main__":
    main()
