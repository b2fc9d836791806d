"""How to train: every option of `dragoman model train` that is no file."""

from __future__ import annotations

import math
from dataclasses import dataclass

from dragoman.errors import TrainingError
from dragoman.models.data.batches import BatchPlan
from dragoman.models.training.optimizers import OptimizerKind
from dragoman.student.architecture import Dropout

# Places in the data mean nothing when these differ: a run does not go on with others.
OF_THE_BATCHES = ("seed", "batch_pieces", "batch_sentences", "bucket_width")


@dataclass(frozen=True)
class TrainSettings:
    """How to train.

    Attributes:
        steps: updates in all; the last `cooldown` of them lower the rate linearly to zero.
        batch_pieces: padded pieces of the longer side in a batch.
        batch_sentences: pairs in a batch instead; 0: by pieces.
        bucket_width: 0: sorted by length in windows; above: buckets of so many pieces (`batches`).
        accumulate: batches whose gradients make one update.
        rate: highest learning rate, reached after `warm_up` steps, then inverse square root decay.
        smoothing: label smoothing, in [0, 1).
        guide_weight: weight of the guided alignment loss.
        clip: largest gradient norm.
        dropout: of embeddings and sub-layers, in [0, 1).
        dropout_attention: of attention weights, in [0, 1).
        dropout_inner: between the maps of feed-forward layers, in [0, 1).
        average: decay of the exponential moving average of the parameters, in [0, 1).
        validate_every: steps between two validations.
        patience: end after so many validations in a row without a better chrF; 0: never.
        save_every: steps between two checkpoints.
        log_every: steps of one row of the log.
        bfloat16: compute in bfloat16 (parameters stay float32).
        optimizer: what makes updates of gradients (`optimizers`).
        initial: name of the model that the run begins with, for the card; "" for none.
        compiled: the loss by code that is compiled for it (`loss.smoothed_cross_entropy`).

    Raises:
        TrainingError: a value is out of its range.
    """

    steps: int = 12_000
    cooldown: int = 3_000
    batch_pieces: int = 2_500
    batch_sentences: int = 0
    bucket_width: int = 0
    accumulate: int = 1
    rate: float = 2e-3
    warm_up: int = 1_000
    smoothing: float = 0.1
    guide_weight: float = 0.2
    clip: float = 1.0
    dropout: float = 0.0
    dropout_attention: float = 0.0
    dropout_inner: float = 0.0
    average: float = 0.999
    validate_every: int = 500
    patience: int = 0
    save_every: int = 250
    log_every: int = 50
    bfloat16: bool = True
    optimizer: str = OptimizerKind.ADAM.value
    compiled: bool = False
    initial: str = ""
    seed: int = 1

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

    @property
    def plan(self) -> BatchPlan:
        return BatchPlan(self.seed, self.batch_pieces, self.batch_sentences, self.bucket_width)

    @property
    def rates(self) -> Dropout:
        return Dropout(self.dropout, self.dropout_attention, self.dropout_inner)
