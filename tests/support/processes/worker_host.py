"""A worker process with a model that makes capitals.

The words of a text may ask for more: "warte" for a mini-batch that never ends, "stirb" for the end
of the process, "stirb-einmal" for the end of the first process that sees it, "halt" for a process
that is stopped.
"""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

from dragoman.engines.fake import echo
from dragoman.errors import LanguagePairError
from dragoman.native.bundles import Parts
from dragoman.server.processes.worker import main
from dragoman.types import EngineOutput, MiniBatch
from tests.support.helpers import FIRST_ID, pipeline
from tests.support.hosts import capital


class ObedientEngine:
    def __init__(self) -> None:
        self._surroundings = Path(os.environ["DRAGOMAN_TEST_FOLDER"])

    async def run(self, batch: MiniBatch, *, attention: bool) -> EngineOutput:
        text = "".join(chr(id_ - FIRST_ID) for id_ in batch.ids if id_ >= FIRST_ID)
        if "stirb" in text:
            self._die("einmal" in text)
        if "halt" in text:
            self._surroundings.joinpath(f"waits-{os.getpid()}").touch()
            os.kill(os.getpid(), signal.SIGSTOP)
        if "warte" in text:
            self._surroundings.joinpath(f"waits-{os.getpid()}").touch()
            await asyncio.Event().wait()
        return echo(batch, attention, capital)

    def _die(self, once: bool) -> None:
        marker = self._surroundings / "died"
        if not once or not marker.exists():
            marker.touch()
            os.abort()

    async def close(self) -> None:
        """Nothing to give back."""


def load(source: str, target: str) -> Parts:
    if (source, target) != ("de", "en"):
        raise LanguagePairError(source, target, "de-en")
    return Parts(pipeline(), ObedientEngine())


if __name__ == "__main__":
    main(load)
