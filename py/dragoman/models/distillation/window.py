"""As much of a distillation as fits into a window of time: `dragoman model window`.

    pack --unpack--> RUN/prepared --train--> RUN/teacher --beam search--> RUN/translations
                                    RUN/prepared + translations --> RUN/taught --> RUN/student

A window goes on where the last one ended: with RUN itself, or on another machine with the pack and
what CARRY holds: slim checkpoints of teacher and student, and the translations.
"""

from __future__ import annotations

import io
import tarfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from dragoman.errors import TrainingError
from dragoman.models.data.prepared import load_prepared, read_meta
from dragoman.models.data.vocabulary import read_vocabulary
from dragoman.models.distillation.settings import WindowSettings
from dragoman.models.distillation.translations import (
    taught_data,
    translate_shards,
)
from dragoman.models.packing.pack import VOCABULARY, unpack
from dragoman.models.packing.parts import found_parts, read_parts, write_parts
from dragoman.models.training.reporting import Display
from dragoman.models.training.settings import TrainSettings
from dragoman.models.training.slim import slim
from dragoman.models.training.train import CHECKPOINT, LOG, Ending, Trainer
from dragoman.student.architecture import Architecture

TEACHER_SLIM, STUDENT_SLIM, TRANSLATIONS = "teacher.slim", "student.slim", "translations.tar"


class Stage(StrEnum):
    """What a window works on."""

    TEACHER = "teacher"
    TRANSLATE = "translate"
    STUDENT = "student"


@dataclass(frozen=True)
class Window:
    """One window.

    Attributes:
        direction: source and target.
        seconds: until it ends, saving aside.
        stage: to begin with; None: the first that is not done.
        carry: folder of what goes to another machine, read at the start and written at the end.
        limit, part_bytes: of a file there, of each part of one.
        clock: seconds; tests have one of their own.
    """

    pack: Path
    run: Path
    direction: tuple[str, str]
    seconds: float
    settings: WindowSettings
    stage: Stage | None = None
    device: str = "cpu"
    carry: Path | None = None
    limit: int = 45_000_000
    part_bytes: int = 0
    clock: Callable[[], float] = time.monotonic


def work(
    window: Window,
    display: Display,
    say: Callable[[str], None],
    stop: Callable[[], bool] = lambda: False,
) -> Stage | None:
    """Work until time is over; the stage that comes next, None when the student is done.

    Raises:
        CorpusError: the pack is missing or damaged, or RUN is of another.
        TrainingError: a stage lacks what the one before makes, or a checkpoint does not fit.
    """
    end = window.clock() + window.seconds

    def over() -> bool:
        return window.clock() >= end or stop()

    prepared = window.run / "prepared"
    opened = unpack(window.pack, prepared)
    if not opened.meta["validation"]:
        raise TrainingError(f"{window.pack} has no texts to validate on: pack it with --validation")
    _unpack_translations(window)
    stages = _Stages(window, display, say, over)
    stage: Stage | None = window.stage or stages.first_open()
    following = {Stage.TEACHER: Stage.TRANSLATE, Stage.TRANSLATE: Stage.STUDENT}
    while stage is not None:
        if not stages.run(stage):
            break
        say(f"{stage}: done")
        stage = following.get(stage)
    _carry(window, stage, say)
    return stage


class _Stages:
    """The stages of one window."""

    def __init__(
        self,
        window: Window,
        display: Display,
        say: Callable[[str], None],
        over: Callable[[], bool],
    ) -> None:
        self.window, self.display, self.say, self.over = window, display, say, over
        self.prepared = window.run / "prepared"
        self.meta = read_meta(self.prepared)
        self.names = [str(row["name"]) for row in self.meta["sources"]]
        self.data = load_prepared(self.prepared, *window.direction)

    def first_open(self) -> Stage:
        if self._exists(Stage.STUDENT, STUDENT_SLIM):
            return Stage.STUDENT
        if any(self.translations.glob("*.npz")):
            return Stage.TRANSLATE
        return Stage.TEACHER

    def run(self, stage: Stage) -> bool:
        """Whether the stage is done; else time is over."""
        if stage is Stage.TRANSLATE:
            return self._translate()
        trainer = self._teacher() if stage is Stage.TEACHER else self._student()
        ending = trainer.run(self.display, self.over)
        self.say(f"{stage}: {ending}, step {trainer.progress.step:,} of {trainer.settings.steps:,}")
        return ending is Ending.FINISHED

    def _translate(self) -> bool:
        if not self._exists(Stage.TEACHER, TEACHER_SLIM):
            raise TrainingError(f"{self.window.run} has no teacher: begin with that stage")
        teacher, how = self._teacher(), self.window.settings.translating
        with teacher.averaged():
            done, of = translate_shards(
                teacher.model, self.data, self.names, self.translations, how, self.over
            )
        self.say(f"translate: {done:,} of {of:,} shards")
        return done == of

    def _teacher(self) -> Trainer:
        settings = self.window.settings.teaching(bool(self.meta["packed_links"]))
        sizes = self.window.settings.teacher(self.data.vocabulary_size)
        return self._trainer(Stage.TEACHER, TEACHER_SLIM, self.prepared, settings, sizes)

    def _student(self) -> Trainer:
        taught = self.window.run / "taught"
        if not (taught / "meta.json").exists():
            if not any(self.translations.glob("*.npz")):
                raise TrainingError(f"{self.translations} has no translations: make them first")
            made, of = taught_data(self.prepared, *self.window.direction, self.translations, taught)
            self.say(f"student: {made:,} of {of:,} targets are the teacher's")
        settings = self.window.settings.learning()
        sizes = self.window.settings.student(self.data.vocabulary_size)
        return self._trainer(Stage.STUDENT, STUDENT_SLIM, taught, settings, sizes)

    def _trainer(
        self,
        stage: Stage,
        slimmed: str,
        folder: Path,
        settings: TrainSettings,
        sizes: Architecture,
    ) -> Trainer:
        carried = self.window.carry / slimmed if self.window.carry else None
        validation = self.meta["validation"]
        if self.meta["columns"][0] != self.window.direction[0]:
            validation = [(second, first) for first, second in validation]
        return Trainer(
            self.window.run / stage,
            load_prepared(folder, *self.window.direction),
            read_vocabulary(folder / VOCABULARY),
            [(source, target) for source, target in validation],
            sizes,
            settings,
            self.window.device,
            carried=carried if carried and found_parts(carried) else None,
        )

    def _exists(self, stage: Stage, slimmed: str) -> bool:
        carry = self.window.carry
        here = (self.window.run / stage / CHECKPOINT).exists()
        return here or bool(carry and found_parts(carry / slimmed))

    @property
    def translations(self) -> Path:
        return self.window.run / "translations"


def _unpack_translations(window: Window) -> None:
    """Shards that were carried here, where this run has none."""
    folder = window.run / "translations"
    if window.carry is None or folder.exists() or not found_parts(window.carry / TRANSLATIONS):
        return
    folder.mkdir(parents=True)
    with tarfile.open(fileobj=io.BytesIO(read_parts(window.carry / TRANSLATIONS))) as archive:
        archive.extractall(folder, filter="data")


def _carry(window: Window, stage: Stage | None, say: Callable[[str], None]) -> None:
    """Write what the next stage needs on another machine, and remove what it does not."""
    if window.carry is None:
        return
    files: list[Path] = []
    for name, slimmed in ((Stage.TEACHER, TEACHER_SLIM), (Stage.STUDENT, STUDENT_SLIM)):
        run = window.run / name
        needed = stage in (
            (Stage.TEACHER, Stage.TRANSLATE) if name is Stage.TEACHER else (Stage.STUDENT, None)
        )
        if needed and (run / CHECKPOINT).exists():
            made = slim(
                run / CHECKPOINT, run / LOG, window.carry / slimmed, window.limit, window.part_bytes
            )
            say(f"{slimmed}: {made.form}, {made.size / 1e6:,.1f} MB")
            files += made.files
        elif needed:
            files += found_parts(window.carry / slimmed)
        else:
            for part in found_parts(window.carry / slimmed):
                part.unlink()
    shards = sorted((window.run / "translations").glob("*.npz"))
    if shards and stage is not None:
        stream = io.BytesIO()
        with tarfile.open(fileobj=stream, mode="w") as archive:
            for shard in shards:
                fact = tarfile.TarInfo(shard.name)
                fact.size = shard.stat().st_size
                with shard.open("rb") as content:
                    archive.addfile(fact, content)
        files += write_parts(window.carry / TRANSLATIONS, stream.getvalue(), window.part_bytes)
    say(f"{window.carry}: {len(files)} files, {sum(f.stat().st_size for f in files) / 1e6:,.1f} MB")
