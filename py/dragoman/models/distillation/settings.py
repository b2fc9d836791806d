"""One window of a distillation, and its settings: the options of `model window`."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import accumulate
from pathlib import Path
from typing import Annotated

from dragoman.errors import TrainingError
from dragoman.models.data.rows import Shape
from dragoman.models.network.student import Student
from dragoman.models.network.teacher import TeacherSizes
from dragoman.student.architecture import Architecture


class Stage(StrEnum):
    """What a window works on, in this order."""

    TEACHER = "teacher"
    BACK = "back"
    FINISH = "finish"
    TRANSLATE = "translate"
    STUDENT = "student"


@dataclass(frozen=True)
class WindowSettings:
    """The defaults: a Transformer base as teacher, the tiny student, rows for one accelerator.

    Raises:
        TrainingError: a value is out of its range.
    """

    budget: Annotated[float, "Minutes in all, of all windows; each stage has its share."] = 13.0
    teacher_share: Annotated[float, "Of the minutes: the teacher learns."] = 0.28
    back_share: Annotated[float, "It translates texts in one language, if there are any."] = 0.16
    finish_share: Annotated[float, "It goes on with those translations."] = 0.17
    translate_share: Annotated[float, "It translates for the student, which has the rest."] = 0.11
    teacher_dimension: Annotated[int, "Size of the teacher's vectors."] = 512
    teacher_feed_forward: Annotated[int, "Size of its feed-forward layers."] = 2048
    teacher_heads: Annotated[int, "Its attention heads."] = 8
    teacher_layers: Annotated[int, "Layers of its encoder, and of its decoder."] = 6
    teacher_dropout: Annotated[float, "Its dropout, in [0, 1)."] = 0.1
    teacher_rate: Annotated[float, "Its highest learning rate."] = 2e-3
    teacher_warm_up: Annotated[int, "Updates until then."] = 300
    teacher_rows: Annotated[int, "Rows a batch."] = 432
    dimension: Annotated[int, "Size of the student's vectors."] = 256
    feed_forward: Annotated[int, "Size of its feed-forward layers."] = 1536
    heads: Annotated[int, "Its attention heads."] = 8
    encoder_layers: Annotated[int, "Layers of its encoder."] = 6
    decoder_layers: Annotated[int, "Layers of its decoder."] = 2
    rate: Annotated[float, "Its highest learning rate."] = 1.2e-3
    warm_up: Annotated[int, "Updates until then."] = 100
    rows: Annotated[int, "Rows a batch."] = 512
    places: Annotated[int, "Pieces a row; a longer pair is left out."] = 128
    shard: Annotated[int, "Sentences translated at a time; a part of them is dropped."] = 50_000
    average: Annotated[float, "Decay of the averaged parameters, in [0, 1)."] = 0.997
    log_every: Annotated[int, "Updates a row of the log."] = 100
    bfloat16: Annotated[bool, "Numbers to compute in.", "--bfloat16/--float32"] = True
    compiled: Annotated[bool, "On an accelerator: compile layers.", "--compile/--eager"] = True
    seed: Annotated[int, "Of parameters and batches."] = 1
    initial: str = ""  # Name of the model that the student began with, for the card; "": none.

    def __post_init__(self) -> None:
        if not 0 < self.budget < math.inf:
            raise TrainingError(f"budget is {self.budget}; it must be above 0")
        if not (min(self._shares) >= 0 and sum(self._shares) < 1):
            raise TrainingError(
                f"the shares of the minutes are {self._shares}; none is below 0, and together they "
                "leave something to the student"
            )
        for name in ("teacher_rate", "rate"):
            if not 0 < getattr(self, name) < math.inf:
                raise TrainingError(f"{name} is {getattr(self, name)}; it must be above 0")
        for name in ("teacher_dropout", "average"):
            if not 0 <= getattr(self, name) < 1:
                raise TrainingError(f"{name} is {getattr(self, name)}; it must be in [0, 1)")
        for name in ("teacher_warm_up", "teacher_rows", "warm_up", "rows", "shard", "log_every"):
            if getattr(self, name) < 1:
                raise TrainingError(f"{name} is {getattr(self, name)}; the least is 1")
        if self.places < 8 or self.seed < 0:
            raise TrainingError("a row has at least 8 places, and a seed is at least 0")

    @property
    def _shares(self) -> tuple[float, ...]:
        return self.teacher_share, self.back_share, self.finish_share, self.translate_share

    def ends(self) -> dict[Stage, float]:
        """Seconds of all windows at which each stage ends; a stage that is done sooner gives."""
        ends = [*accumulate(self._shares), 1.0]
        return {stage: 60 * self.budget * end for stage, end in zip(Stage, ends, strict=True)}

    def teacher(self, vocabulary_size: int) -> TeacherSizes:
        return TeacherSizes(
            vocabulary_size, self.teacher_dimension, self.teacher_feed_forward, self.teacher_heads,
            self.teacher_layers,
        )  # fmt: skip

    def student(self, vocabulary_size: int) -> Architecture:
        return Architecture(
            vocabulary_size, self.dimension, self.feed_forward, self.heads, self.encoder_layers,
            self.decoder_layers,
        )  # fmt: skip

    @property
    def teacher_shape(self) -> Shape:
        return Shape(self.teacher_rows, self.places)

    @property
    def shape(self) -> Shape:
        return Shape(self.rows, self.places)


@dataclass(frozen=True)
class Window:
    """One window.

    Attributes:
        direction: source and target of the student.
        seconds: until it ends, saving aside.
        texts: by language, files with a sentence a line.
        initial: what the student begins with.
        stage: to begin with; None: where the last window ended.
        carry: folder of what goes to another machine, read at the start and written at the end.
        limit, part_bytes: of a file there, of each part of one.
        clock: seconds; tests have one of their own.
    """

    pack: Path
    run: Path
    direction: tuple[str, str]
    seconds: float
    settings: WindowSettings
    texts: Mapping[str, Sequence[Path]] = field(default_factory=dict)
    initial: Student | None = None
    stage: Stage | None = None
    device: str = "cpu"
    carry: Path | None = None
    limit: int = 45_000_000
    part_bytes: int = 0
    clock: Callable[[], float] = time.monotonic
