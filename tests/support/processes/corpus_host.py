"""A corpus run with a model that makes capitals, as a process that a test can kill.

python corpus_host.py OUTPUT WORKERS FORMAT SHARD_LINES SOURCE...
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from dragoman.corpus.executors import LocalProcesses
from dragoman.corpus.plan import CorpusJob
from dragoman.corpus.run import translate_corpus
from dragoman.corpus.shards import Model, RowFormat, model_digest
from dragoman.engines.fake import echo
from dragoman.errors import LanguagePairError
from dragoman.native.bundles import Parts
from dragoman.types import EngineOutput, MiniBatch
from tests.support.helpers import manifest, pipeline
from tests.support.hosts import capital

MODEL = Model("de", "en", None, model_digest(manifest()))


class CapitalEngine:
    """Translates "Guten Tag." into "GUTEN TAG."; remembers nothing."""

    async def run(self, batch: MiniBatch, *, attention: bool) -> EngineOutput:
        return echo(batch, attention, capital)

    async def close(self) -> None:
        """Nothing to give back."""


def load_capitals(_: Model) -> Parts:
    return Parts(pipeline(), CapitalEngine())


def load_and_die(_: Model) -> Parts:
    os._exit(9)


def load_nothing(model: Model) -> Parts:
    raise LanguagePairError(model.source, model.target, "")


class OddError(Exception):
    """Cannot be made again of what it was pickled to."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(first + second)


def load_and_fail_oddly(_: Model) -> Parts:
    raise OddError("so ", "odd")


def main() -> None:
    output, workers, rows, shard_lines, *sources = sys.argv[1:]
    job = CorpusJob(MODEL, RowFormat(rows), shard_lines=int(shard_lines))
    executor = LocalProcesses(int(workers), load_capitals)
    try:
        summary = translate_corpus([Path(s) for s in sources], Path(output), job, executor)
        sys.stdout.write(f"{summary}\n")
    finally:
        executor.close()


if __name__ == "__main__":
    main()
