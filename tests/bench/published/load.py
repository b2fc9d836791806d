"""How long a published model takes to load, from its files to a translator that is ready.

    .venv/bin/python -m tests.bench.published.load --json

Models of the published sizes with random weights are put into a store of their own; each is then
loaded in a process of its own, imports included. On a machine that does other things too, the
seconds of the processor (`load_cpu_s`) are what compares.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path

from dragoman.catalogue.models import PublishedFile, PublishedModel, Source, shipped
from dragoman.store.store import Store
from dragoman.student.architecture import Architecture
from tests.support.published import make_model

TINY = Architecture(32_000, 256, 1536, 8, 6, 2)
MEMORY = replace(TINY, dimension=384, decoder_layers=4)
NETWORKS = {
    "tiny": TINY,
    "base-memory": MEMORY,
    "base": replace(TINY, dimension=512, feed_forward=2048),
}
# Pieces of the target's side, and of the source's where it has a vocabulary of its own.
VOCABULARIES = {"32000": (32_000, None), "64000": (64_000, None), "2x32000": (32_000, 32_000)}
SHAPES = {
    f"{name}-{pieces}": (replace(sizes, vocabulary_size=target), source)
    for name, sizes in NETWORKS.items()
    for pieces, (target, source) in VOCABULARIES.items()
}
MADE = {
    name: partial(make_model, sizes, source_pieces=source)
    for name, (sizes, source) in SHAPES.items()
}
LOAD = """
import sys, time, json, re, pathlib
start, began = time.perf_counter(), time.process_time()
import dragoman
with dragoman.load("fr", "en", [pathlib.Path(sys.argv[1])], threads=1) as translator:
    ready, computed = time.perf_counter(), time.process_time()
    translator.translate("bade figo kula.")
    first = time.perf_counter()
status = pathlib.Path("/proc/self/status").read_text()
peak = int(re.search(r"VmHWM:\\s+(\\d+)", status)[1]) / 1024
print(json.dumps({"load_s": round(ready - start, 2), "load_cpu_s": round(computed - began, 2),
                  "first_sentence_s": round(first - ready, 3), "peak_mib": round(peak)}))
"""


def put(folder: Path, sizes: Architecture, source: int | None) -> None:
    """A model of these sizes, as a store has it."""
    made, store = make_model(sizes, source_pieces=source), Store(folder)
    contents = {"model": made.model, "vocab": made.vocabulary}
    if made.target_vocabulary:
        contents = {"model": made.model, "srcvocab": made.vocabulary}
        contents["trgvocab"] = made.target_vocabulary
    files = []
    for kind, content in contents.items():
        file = PublishedFile(
            kind, f"{kind}.fren.bin", len(content), sha256(content).hexdigest(),
            (Source("http://localhost/", "none", len(content)),),
        )  # fmt: skip
        part = store.partial(kind)
        part.write_bytes(content)
        store.keep(part, file)
        files.append(file)
    model = PublishedModel(
        "bench", "fr", "en", "bench", None, None, None, "MPL-2.0", tuple(files)
    )  # fmt: skip
    store.install(model, shipped())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3, help="The best of so many is told.")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--shape", action="append", choices=SHAPES, help="All, unless named.")
    options = parser.parse_args()
    for name in options.shape or SHAPES:
        with tempfile.TemporaryDirectory() as folder:
            put(Path(folder), *SHAPES[name])
            runs = [
                json.loads(subprocess.check_output([sys.executable, "-c", LOAD, folder]))
                for _ in range(options.runs)
            ]
        best = min(runs, key=lambda run: float(run["load_cpu_s"]))
        print(json.dumps({"shape": name} | best) if options.json else f"{name:26} {best}")


if __name__ == "__main__":
    main()
