"""How large teacher and student are, and how long they learn: the options of `model window`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from dragoman.models.distillation.translations import Translating
from dragoman.models.training.settings import TrainSettings
from dragoman.student.architecture import Architecture


@dataclass(frozen=True)
class WindowSettings:
    """The defaults: a Transformer base as teacher, the tiny student, large batches."""

    teacher_dimension: Annotated[int, "Size of the teacher's vectors."] = 512
    teacher_feed_forward: Annotated[int, "Size of its feed-forward layers."] = 2048
    teacher_heads: Annotated[int, "Its attention heads."] = 8
    teacher_layers: Annotated[int, "Layers of its encoder, and of its decoder."] = 6
    teacher_steps: Annotated[int, "Its updates."] = 12_000
    teacher_dropout: Annotated[float, "Its dropout, in [0, 1)."] = 0.1
    teacher_rate: Annotated[float, "Its highest learning rate."] = 1e-3
    dimension: Annotated[int, "Size of the student's vectors."] = 256
    feed_forward: Annotated[int, "Size of its feed-forward layers."] = 1536
    heads: Annotated[int, "Its attention heads."] = 8
    encoder_layers: Annotated[int, "Layers of its encoder."] = 6
    decoder_layers: Annotated[int, "Layers of its decoder."] = 2
    steps: Annotated[int, "The student's updates."] = 20_000
    rate: Annotated[float, "Its highest learning rate."] = 2e-3
    batch_pieces: Annotated[int, "Padded pieces a batch, of the longer side."] = 40_000
    warm_up: Annotated[int, "Updates until the highest rate."] = 1_000
    validate_every: Annotated[int, "Updates between validations."] = 1_000
    beam: Annotated[int, "Hypotheses that the teacher's search follows."] = 4
    shard_pairs: Annotated[int, "Pairs that the teacher translates at a time."] = 20_000
    bfloat16: Annotated[bool, "Numbers to compute in.", "--bfloat16/--float32"] = True
    seed: Annotated[int, "Of parameters and batches."] = 1

    def teacher(self, vocabulary_size: int) -> Architecture:
        return Architecture(
            vocabulary_size, self.teacher_dimension, self.teacher_feed_forward, self.teacher_heads,
            self.teacher_layers, self.teacher_layers, "transformer", "attention",
        )  # fmt: skip

    def student(self, vocabulary_size: int) -> Architecture:
        return Architecture(
            vocabulary_size, self.dimension, self.feed_forward, self.heads, self.encoder_layers,
            self.decoder_layers,
        )  # fmt: skip

    def teaching(self, guided: bool) -> TrainSettings:
        return self._training(
            self.teacher_steps, self.teacher_rate, guided, dropout=self.teacher_dropout
        )

    def learning(self) -> TrainSettings:
        return self._training(self.steps, self.rate, guided=False)

    def _training(
        self, steps: int, rate: float, guided: bool, dropout: float = 0.0
    ) -> TrainSettings:
        return TrainSettings(
            steps=steps, cooldown=steps // 4, batch_pieces=self.batch_pieces, rate=rate,
            warm_up=self.warm_up, guide_weight=0.2 if guided else 0.0, dropout=dropout,
            validate_every=self.validate_every, save_every=self.validate_every,
            bfloat16=self.bfloat16, seed=self.seed,
        )  # fmt: skip

    @property
    def translating(self) -> Translating:
        return Translating(self.shard_pairs, self.beam, self.batch_pieces)
