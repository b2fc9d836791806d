"""How to train an alignment head."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

from dragoman.errors import TrainingError


@dataclass(frozen=True)
class AlignmentSettings:
    """How to train the head.

    What a field means stands beside it: the help of `dragoman model` has it from there.

    Raises:
        TrainingError: a value is out of its range.
    """

    steps: Annotated[int, "Updates; the rate falls linearly to zero over them."] = 1_500
    size: Annotated[int, "Of the head: a multiple of 8, at most the model's dimension."] = 64
    batch_pieces: Annotated[int, "Padded pieces a batch, of the longer side."] = 2_500
    rate: Annotated[float, "Learning rate before it falls."] = 2e-3
    warm_up: int = 50  # Steps that rise to it.
    lower_case: Annotated[float, "Share of pairs seen in lower case, in [0, 1]."] = 0.5
    report_every: int = 50  # Steps of one row of what is told.
    seed: Annotated[int, "Of the head, of the batches, and of what is in lower case."] = 1

    def __post_init__(self) -> None:
        for name in ("steps", "batch_pieces", "warm_up", "report_every"):
            if getattr(self, name) < 1:
                raise TrainingError(f"{name} is {getattr(self, name)}; the least is 1")
        if self.size < 8 or self.size % 8:
            raise TrainingError(f"the head's size is {self.size}; it must be a multiple of 8")
        if self.seed < 0:
            raise TrainingError(f"seed is {self.seed}; the least is 0")
        if not 0 < self.rate < math.inf:
            raise TrainingError(f"rate is {self.rate}; it must be above 0, and a number")
        if not 0 <= self.lower_case <= 1:
            raise TrainingError(f"lower_case is {self.lower_case}; it must be in [0, 1]")

    def rate_at(self, step: int) -> float:
        """Learning rate of update `step`, counted from 1."""
        return self.rate * min(1.0, step / self.warm_up) * (self.steps - step + 1) / self.steps
