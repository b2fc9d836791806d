"""How to train: every option of `dragoman model train` that is no file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Any

from dragoman.errors import TrainingError
from dragoman.models.data.batches import BatchPlan
from dragoman.student.architecture import Dropout

# Places in the data mean nothing when these differ: a run does not go on with others.
OF_THE_BATCHES = ("seed", "batch_pieces", "batch_sentences", "bucket_width")


class OptimizerKind(StrEnum):
    """What makes updates of gradients (`optimizers`)."""

    ADAM = "adam"
    MUON = "muon"


@dataclass(frozen=True)
class TrainSettings:
    """How to train.

    What a field means stands beside it: the help of `dragoman model` has it from there.

    Raises:
        TrainingError: a value is out of its range.
    """

    steps: Annotated[int, "Updates in all."] = 12_000
    cooldown: Annotated[int, "Last updates, with a rate that falls linearly to zero."] = 3_000
    batch_pieces: Annotated[int, "Padded pieces a batch, of the longer side."] = 2_500
    batch_sentences: Annotated[int, "Pairs a batch, in place of pieces; 0: by pieces."] = 0
    bucket_width: Annotated[
        int, "Batches of buckets so many pieces wide; 0: of windows sorted by length."
    ] = 0
    accumulate: Annotated[int, "Batches whose gradients make one update."] = 1
    rate: Annotated[float, "Highest learning rate; inverse square root decay after it."] = 2e-3
    warm_up: Annotated[int, "Updates until the highest rate."] = 1_000
    smoothing: Annotated[float, "Label smoothing, in [0, 1)."] = 0.1
    guide_weight: Annotated[float, "Weight of the guided alignment loss."] = 0.2
    clip: Annotated[float, "Largest gradient norm."] = 1.0
    dropout: Annotated[float, "Of embeddings and sub-layers, in [0, 1)."] = 0.0
    dropout_attention: Annotated[float, "Of attention weights, in [0, 1)."] = 0.0
    dropout_inner: Annotated[float, "Between the maps of feed-forward layers, in [0, 1)."] = 0.0
    average: Annotated[float, "Decay of the averaged parameters, in [0, 1)."] = 0.999
    validate_every: Annotated[int, "Updates between validations."] = 500
    patience: Annotated[int, "End after so many validations without a better chrF; 0: never."] = 0
    save_every: Annotated[int, "Updates between checkpoints."] = 250
    log_every: Annotated[int, "Updates a row of the log."] = 50
    bfloat16: Annotated[
        bool,
        "Numbers to compute in; float32 where the processor has no instructions for bfloat16. "
        "Parameters stay float32.",
        "--bfloat16/--float32",
    ] = True
    optimizer: Annotated[str, "adam, or muon: that for the matrices inside, adam for the rest."] = (
        OptimizerKind.ADAM.value
    )
    compiled: Annotated[bool, "Compile the loss: faster, needs a C++ compiler.", "--compile"] = (
        False
    )
    initial: str = ""  # Name of the model that the run began with, for the card; "": none.
    seed: Annotated[int, "Of the parameters and of the batches."] = 1

    def __post_init__(self) -> None:
        at_least = {
            "steps": 1, "cooldown": 0, "batch_pieces": 1, "warm_up": 1, "guide_weight": 0,
            "validate_every": 1, "save_every": 1, "log_every": 1, "seed": 0, "batch_sentences": 0,
            "bucket_width": 0, "accumulate": 1, "patience": 0,
        }  # fmt: skip
        for name, least in at_least.items():
            if not getattr(self, name) >= least:
                raise TrainingError(f"{name} is {getattr(self, name)}; the least is {least}")
        for name in ("rate", "clip"):
            if not 0 < getattr(self, name) < math.inf:
                raise TrainingError(f"{name} is {getattr(self, name)}; it must be above 0")
        for name in ("smoothing", "average", "dropout", "dropout_attention", "dropout_inner"):
            if not 0 <= getattr(self, name) < 1:
                raise TrainingError(f"{name} is {getattr(self, name)}; it must be in [0, 1)")
        if self.optimizer not in list(OptimizerKind):
            known = ", ".join(OptimizerKind)
            raise TrainingError(f"{self.optimizer!r} is no optimizer; known: {known}")

    def rate_at(self, step: int) -> float:
        """Learning rate of update `step`, counted from 1."""
        rate = self.rate * min(step / self.warm_up, math.sqrt(self.warm_up / step))
        return rate * min(1.0, (self.steps - step + 1) / max(1, self.cooldown))

    def of_run(self, state: Mapping[str, Any]) -> TrainSettings:
        """With the name that a checkpoint's run began with: what is said now had no part in it."""
        return replace(self, initial=state.get("settings", {}).get("initial", ""))

    @property
    def plan(self) -> BatchPlan:
        return BatchPlan(self.seed, self.batch_pieces, self.batch_sentences, self.bucket_width)

    @property
    def rates(self) -> Dropout:
        return Dropout(self.dropout, self.dropout_attention, self.dropout_inner)
