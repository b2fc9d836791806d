"""The stages of one window: what each works on, until its share of the time is over.

Stages.run(stage)   teacher, finish, student: a `Learner`; back, translate: shards
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import sacrebleu
import torch

from dragoman.errors import CorpusError, TrainingError
from dragoman.models.data.batches import Ragged
from dragoman.models.data.bleu import bleu_of
from dragoman.models.data.prepared import read_meta
from dragoman.models.data.vocabulary import read_vocabulary
from dragoman.models.distillation.learning import Learner, M, Pace
from dragoman.models.distillation.ledger import STUDENT_SLIM, TEACHER_SLIM, Account
from dragoman.models.distillation.material import Material, Pair
from dragoman.models.distillation.settings import Stage, Window
from dragoman.models.distillation.texts import checksum, read_texts
from dragoman.models.distillation.translations import Task, translate_shards, translated
from dragoman.models.network.checkpoint import save_model
from dragoman.models.network.packed import Packed, PackedStudent, PackedTeacher
from dragoman.models.network.precision import compute_type
from dragoman.models.network.student import Student
from dragoman.models.network.teacher import Teacher
from dragoman.models.packing.pack import VOCABULARY
from dragoman.models.packing.parts import found_parts
from dragoman.models.training.host import open_device
from dragoman.models.training.optimizers import Optimizers, make_stacked
from dragoman.models.training.reporting import Display
from dragoman.models.training.train import BEST, CHECKPOINT, take_parameters, translate
from dragoman.student.architecture import Architecture

# Of the teacher's matrices a step takes rate times so much away; its Adam has so much of the rate.
DECAY, ADAM_SHARE = 0.02, 0.5
# Shares of a stage's time from which its rate falls.
FINISH_FALLS, STUDENT_FALLS = 0.25, 0.2


class Stages:
    """What one window does."""

    def __init__(
        self,
        window: Window,
        account: Account,
        display: Display,
        say: Callable[[str], None],
        over: Callable[[], bool],
    ) -> None:
        self.window, self.account = window, account
        self.display, self.say, self.over = display, say, over
        self.settings = window.settings
        self.device = open_device(window.device)
        self.compute = compute_type(self.device, self.settings.bfloat16)
        if self.device.type == "cuda":
            torch.set_float32_matmul_precision("high")
            # It would plan anew for each width of a search.
            torch.backends.cuda.enable_cudnn_sdp(False)
        self.meta = read_meta(window.run / "prepared")
        self.vocabulary = read_vocabulary(window.run / "prepared" / VOCABULARY)
        self.sizes = self.settings.teacher(int(self.meta["vocabulary_size"]))
        self.student_sizes = self._student_sizes()

    def run(self, stage: Stage) -> bool:
        """Whether the stage is done; else the window is over."""
        working = {
            Stage.TEACHER: self._teach, Stage.BACK: self._translate_back,
            Stage.FINISH: self._finish, Stage.TRANSLATE: self._translate,
            Stage.STUDENT: self._learn,
        }  # fmt: skip
        return working[stage]()

    # The teacher.

    def _teach(self) -> bool:
        self._not_lost(TEACHER_SLIM)
        pace = Pace(self.settings.teacher_rate, self.settings.teacher_warm_up)
        return self._teacher_learns(with_back=False, pace=pace)

    def _finish(self) -> bool:
        self._needs_teacher()
        pace = Pace(self.settings.teacher_rate, self.settings.teacher_warm_up, FINISH_FALLS)
        return self._teacher_learns(with_back=True, pace=pace)

    def _teacher_learns(self, with_back: bool, pace: Pace) -> bool:
        mix, shape = self.material.for_teacher(with_back), self.settings.teacher_shape
        self.teacher.learn(mix, shape, pace, self.account.share, self.over, self.display)
        done = self.account.share() >= 1
        self.teacher.save()
        for direction in self.material.pairs if done else ():
            self._tell_teacher(direction)
        return done

    def _tell_teacher(self, direction: Pair) -> None:
        """Its translations of the texts to validate on."""
        rows = _validation(self.meta, direction)
        sources = Ragged.of(self.vocabulary.encode([source for source, _ in rows]), np.uint16)
        tag = self.material.towards(direction[1])
        with self.teacher.averaged():
            made = translated(self.teacher.model, sources, np.arange(len(rows)), tag)
        if made is None:  # nobody ends it
            return
        hypotheses = self.vocabulary.decode([made.row(n).tolist() for n in range(len(rows))])
        scores = _scores(hypotheses, rows, direction[1])
        self.teacher.note({"pair": "-".join(direction), **scores}, self.display)

    def _translate_back(self) -> bool:
        return self._make(self.material.back())

    def _translate(self) -> bool:
        return self._make(self.material.for_student())

    def _make(self, tasks: Sequence[Task]) -> bool:
        self._needs_teacher()

        def over() -> bool:
            return self.account.share() >= 1 or self.over()

        complete = True
        with self.teacher.averaged():
            for task in tasks:
                folder, model = self.material.folder, self.teacher.model
                done, of = translate_shards(model, task, folder, self.settings.shard, over)
                self.say(f"{task.name}: {done:,} of {of:,} shards, {len(task.numbers):,} sentences")
                complete = complete and done == of
        return complete or self.account.share() >= 1

    def _not_lost(self, slimmed: str) -> None:
        """That a stage which goes on has what it goes on with."""
        if self.account.ledger.is_under_way and not _there(self.window, slimmed):
            raise TrainingError(
                f"{slimmed} of the window before is not there: neither in {self.window.run} nor "
                f"in {self.window.carry or 'a folder that was carried'}"
            )

    def _needs_teacher(self) -> None:
        if not _there(self.window, TEACHER_SLIM):
            raise TrainingError(f"{self.window.run} has no teacher: begin with that stage")

    @cached_property
    def teacher(self) -> Learner[Teacher]:
        settings = self.settings
        torch.manual_seed(settings.seed)
        model = Teacher(self.sizes, self.compute, settings.teacher_dropout).to(self.device)
        optimizer = make_stacked(model, settings.teacher_rate, self.compute, DECAY, ADAM_SHARE)
        packed = PackedTeacher(model, settings.places, self._compiled)
        return self._learner(TEACHER_SLIM, packed, self.sizes, optimizer)

    # The student.

    def _learn(self) -> bool:
        self._not_lost(STUDENT_SLIM)
        mix = self.material.mix_for_student()
        if "teacher" in self.__dict__:
            del self.__dict__["teacher"]  # its room is the student's now
        student, pace = self.student, Pace(self.settings.rate, self.settings.warm_up, STUDENT_FALLS)
        student.learn(mix, self.settings.shape, pace, self.account.share, self.over, self.display)
        done = self.account.share() >= 1
        student.save()
        self.keep_student()
        return done

    def keep_student(self) -> None:
        """``best.pt``: the student as it is, with its scores."""
        self._not_lost(STUDENT_SLIM)
        student, rows = self.student, _validation(self.meta, self.window.direction)
        with student.averaged():
            hypotheses = translate(student.model, self.vocabulary, [source for source, _ in rows])
            scores = _scores(hypotheses, rows, self.window.direction[1])
            student.note({**scores, "example": hypotheses[0]}, self.display)
            facts = {
                "step": student.progress.step,
                **scores,
                "seconds": round(student.progress.seconds),
                "pieces": student.progress.pieces,
                **student.made_with,
            }
            save_model(student.model, student.folder / BEST, facts)

    def _student_sizes(self) -> Architecture:
        """Those of what it begins with, told of before time is spent on a teacher."""
        if self.window.initial is None:
            return self.settings.student(self.sizes.vocabulary_size)
        sizes = replace(self.window.initial.sizes, alignment=0)
        if sizes.vocabulary_size != self.sizes.vocabulary_size:
            raise TrainingError(
                f"the student to begin with has {sizes.vocabulary_size} pieces, "
                f"the data {self.sizes.vocabulary_size}"
            )
        if (sizes.encoder, sizes.decoder) != ("transformer", "ssru"):
            raise TrainingError(
                f"the student to begin with is of {sizes.encoder} and {sizes.decoder}; "
                "only transformer and ssru learn from packed rows"
            )
        return sizes

    @cached_property
    def student(self) -> Learner[Student]:
        settings = self.settings
        torch.manual_seed(settings.seed)
        model = Student(self.student_sizes, self.compute)
        if self.window.initial is not None:
            take_parameters(model, self.window.initial)
        model.to(self.device)
        packed = PackedStudent(model, settings.places, self._compiled)
        optimizer = make_stacked(model, settings.rate, self.compute)
        return self._learner(STUDENT_SLIM, packed, self.student_sizes, optimizer)

    # What both need.

    def _learner(
        self, slimmed: str, packed: Packed[M], sizes: object, optimizer: Optimizers
    ) -> Learner[M]:
        carried = self.window.carry / slimmed if self.window.carry else None
        return Learner(
            self.window.run / slimmed.removesuffix(".slim"),
            packed,
            sizes,
            optimizer,
            self.settings,
            carried if carried and found_parts(carried) else None,
        )

    @cached_property
    def material(self) -> Material:
        """Pairs and texts; wrong ones are told of before time is spent."""
        return Material(
            self.window.run / "prepared",
            self.window.direction,
            self.sizes,
            self.window.run / "translations",
            self.settings.shard,
            self._texts(),
        )

    def _texts(self) -> dict[str, Ragged]:
        """The texts; they are those that earlier windows translated.

        Raises:
            CorpusError: they cannot be read, or are others.
        """
        files = self.window.texts
        texts = {name: read_texts(files[name], self.vocabulary) for name in sorted(files)}
        sums = {name: checksum(rows) for name, rows in texts.items()}
        ledger = self.account.ledger
        if ledger.texts is not None and ledger.texts != sums:
            raise CorpusError(
                "the texts in one language are not those that this run began with: give the same"
            )
        self.account.ledger = replace(ledger, texts=sums)
        return texts

    @property
    def _compiled(self) -> bool:
        return self.settings.compiled and self.device.type == "cuda"


def _there(window: Window, slimmed: str) -> bool:
    """Whether a network was saved, here or on another machine."""
    here = (window.run / slimmed.removesuffix(".slim") / CHECKPOINT).exists()
    return here or bool(window.carry and found_parts(window.carry / slimmed))


def _validation(meta: Mapping[str, Any], direction: Pair) -> list[Pair]:
    """The texts of a pack to validate on, in a direction."""
    rows = [(first, second) for first, second in meta["validation"]]
    swapped = meta["columns"][0] != direction[0]
    return [(second, first) for first, second in rows] if swapped else rows


def _scores(hypotheses: list[str], rows: Sequence[Pair], target: str) -> dict[str, float]:
    references = [[target for _, target in rows]]
    return {
        "bleu": round(bleu_of(target).corpus_score(hypotheses, references).score, 2),
        "chrf": round(sacrebleu.corpus_chrf(hypotheses, references).score, 2),
    }
