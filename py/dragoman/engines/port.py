"""The engine port: what runs a model. Implementations are in `engines/`."""

from __future__ import annotations

from typing import Protocol

from dragoman.types import EngineOutput, MiniBatch


class Engine(Protocol):
    """Runs one mini-batch at a time.

    The service calls `run` again only after the last call has ended, and never after `close`.
    """

    async def run(self, batch: MiniBatch, *, attention: bool) -> EngineOutput:
        """Greedy translations of a mini-batch.

        When the task that awaits this is cancelled, the work stops: nobody wants it any more. The
        call must end soon after, for the next mini-batch waits for that.

        Raises:
            EngineError: the model failed, or the engine has gone.
        """
        ...

    async def close(self) -> None:
        """Give back what the engine holds; afterwards it is of no use."""
        ...
