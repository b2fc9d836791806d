"""`dragoman model train`: a student from prepared data, resumable at any step.

The state of a run is its checkpoint: parameters, their moving average, the optimizer, and the place
in the data. Batches are a function of seed, epoch and position, so a run that was killed goes on
exactly as it would have gone: the same batches, and with as many threads the same bits.
"""

from __future__ import annotations

import math
import os
import platform
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from types import FrameType
from typing import Any

import sacrebleu
import sentencepiece
import torch
from torch import Tensor

from dragoman.errors import TrainingError
from dragoman.models.checkpoint import UNREADABLE, load_state, save_model, save_state
from dragoman.models.checkpoint import load_model as load_model
from dragoman.models.loss import guided_alignment, smoothed_cross_entropy
from dragoman.models.network import Architecture, Student
from dragoman.models.prepared import Batch, PreparedData, batches_from
from dragoman.models.reporting import Display, Lines, RunLog, Step

# Fresh memory is slow to touch: keep what was allocated once. Three times faster on two cores.
ALLOCATOR = {
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_TRIM_THRESHOLD_": str(16 << 30),
    "MALLOC_TOP_PAD_": str(256 << 20),
}
CHECKPOINT, BEST, LOG = "checkpoint.pt", "best.pt", "log.jsonl"


@dataclass(frozen=True)
class TrainSettings:
    """How to train.

    Attributes:
        steps: updates in all; the last `cooldown` of them lower the rate linearly to zero.
        batch_pieces: padded pieces of the longer side in a batch.
        rate: highest learning rate, reached after `warm_up` steps, then inverse square root decay.
        smoothing: label smoothing, in [0, 1).
        guide_weight: weight of the guided alignment loss.
        clip: largest gradient norm.
        average: decay of the exponential moving average of the parameters, in [0, 1).
        validate_every: steps between two validations.
        save_every: steps between two checkpoints.
        log_every: steps of one row of the log.
        bfloat16: compute in bfloat16 (parameters stay float32).

    Raises:
        TrainingError: a value is out of its range.
    """

    steps: int = 12_000
    cooldown: int = 3_000
    batch_pieces: int = 2_500
    rate: float = 2e-3
    warm_up: int = 1_000
    smoothing: float = 0.1
    guide_weight: float = 0.2
    clip: float = 1.0
    average: float = 0.999
    validate_every: int = 500
    save_every: int = 250
    log_every: int = 50
    bfloat16: bool = True
    seed: int = 1

    def __post_init__(self) -> None:
        at_least = {
            "steps": 1, "cooldown": 0, "batch_pieces": 1, "warm_up": 1, "guide_weight": 0,
            "validate_every": 1, "save_every": 1, "log_every": 1, "seed": 0,
        }  # fmt: skip
        for name, least in at_least.items():
            if not getattr(self, name) >= least:
                raise TrainingError(f"{name} is {getattr(self, name)}; the least is {least}")
        for name in ("rate", "clip"):
            if not 0 < getattr(self, name) < math.inf:
                raise TrainingError(f"{name} is {getattr(self, name)}; it must be above 0")
        for name in ("smoothing", "average"):
            if not 0 <= getattr(self, name) < 1:
                raise TrainingError(f"{name} is {getattr(self, name)}; it must be in [0, 1)")

    def rate_at(self, step: int) -> float:
        """Learning rate of update `step`, counted from 1."""
        rate = self.rate * min(step / self.warm_up, math.sqrt(self.warm_up / step))
        return rate * min(1.0, (self.steps - step + 1) / max(1, self.cooldown))


@dataclass(frozen=True)
class Progress:
    """Where a run stands: the next batch is number `position` of `epoch`."""

    step: int = 0
    epoch: int = 0
    position: int = 0
    pieces: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Window:
    """Sums over the steps since the last row of the log."""

    steps: int = 0
    pieces: int = 0
    loss: float = 0.0
    guide: float = 0.0
    seconds: float = 0.0

    def plus(self, pieces: int, loss: float, guide: float, seconds: float) -> Window:
        return Window(
            self.steps + 1,
            self.pieces + pieces,
            self.loss + loss,
            self.guide + guide,
            self.seconds + seconds,
        )


class Ending(StrEnum):
    """Why `Trainer.run` came back."""

    FINISHED = "finished"
    STOPPED = "stopped"  # it was asked to
    TIME_UP = "time up"


def never() -> bool:
    return False


class Trainer:
    """One training run in a folder of its own: ``checkpoint.pt``, ``best.pt``, ``log.jsonl``.

    Raises:
        TrainingError: model, data, settings and the folder's checkpoint do not fit each other.
    """

    def __init__(
        self,
        folder: Path,
        data: PreparedData,
        vocabulary: sentencepiece.SentencePieceProcessor,
        validation: list[tuple[str, str]],
        sizes: Architecture,
        settings: TrainSettings,
    ) -> None:
        if sizes.vocabulary_size != data.vocabulary_size:
            raise TrainingError(
                f"the model has {sizes.vocabulary_size} pieces, the data {data.vocabulary_size}"
            )
        if not validation:
            raise TrainingError("there is no sentence to validate on")
        folder.mkdir(parents=True, exist_ok=True)
        torch.manual_seed(settings.seed)
        self.folder, self.data, self.settings = folder, data, settings
        self.vocabulary, self.validation = vocabulary, validation
        self.model = Student(sizes, torch.bfloat16 if settings.bfloat16 else torch.float32)
        self.average = [parameter.detach().clone() for parameter in self.model.parameters()]
        self.optimizer = torch.optim.Adam(
            self.model.parameters(), lr=settings.rate, betas=(0.9, 0.98), eps=1e-9, fused=True
        )
        self.progress, self.window = Progress(), Window()
        self.best = -1.0
        self.log = RunLog(folder / LOG)
        if (folder / CHECKPOINT).exists():
            self._resume()
        self.log.cut(self.progress.step)

    # The loop.

    def run(
        self,
        display: Display | None = None,
        stop: Callable[[], bool] = never,
        minutes: float | None = None,
    ) -> Ending:
        """Train to the last step, validating and saving on the way.

        Args:
            stop: asked after each step; True ends the run, saved.
            minutes: the run ends, saved, with the first step after so many minutes.
        """
        display = display or Lines(print)
        end = math.inf if minutes is None else time.monotonic() + 60 * minutes
        batches = batches_from(
            self.data,
            self.settings.seed,
            self.settings.batch_pieces,
            self.progress.epoch,
            self.progress.position,
        )
        while self.progress.step < self.settings.steps:
            self._advance(batches, display, end)
            if stop():
                return self._leave(Ending.STOPPED)
            if time.monotonic() >= end:
                return self._leave(Ending.TIME_UP)
        return Ending.FINISHED

    def _leave(self, ending: Ending) -> Ending:
        if self.progress.step >= self.settings.steps:
            return Ending.FINISHED
        if self.progress.step % self.settings.save_every:
            self.save()
        return ending

    def _advance(
        self, batches: Iterator[tuple[int, int, Batch]], display: Display, end: float
    ) -> None:
        """One step, and what is due after it."""
        start = time.monotonic()
        epoch, position, batch = next(batches)
        loss, guide = self._update(batch)
        pieces, seconds = int(batch.target_mask.sum()), time.monotonic() - start
        self.window = self.window.plus(pieces, loss, guide, seconds)
        done = self.progress
        self.progress = Progress(
            done.step + 1, epoch, position, done.pieces + pieces, done.seconds + seconds
        )
        settings, number = self.settings, done.step + 1
        budget = end - time.monotonic() if end < math.inf else None
        display.step(Step(number, settings.steps, loss / pieces, pieces, seconds, budget))
        last = number == settings.steps
        if number % settings.log_every == 0:
            self._log_losses(display)
        if last or number % settings.validate_every == 0:
            self._validate(display)
        if last or number % settings.save_every == 0:
            self.save()

    def _update(self, batch: Batch) -> tuple[float, float]:
        """One update; sums over the batch's pieces of cross-entropy and guided alignment loss."""
        settings = self.settings
        for group in self.optimizer.param_groups:
            group["lr"] = settings.rate_at(self.progress.step + 1)
        target, mask = torch.from_numpy(batch.target), torch.from_numpy(batch.target_mask)
        output, log_weights = self.model(
            torch.from_numpy(batch.source), torch.from_numpy(batch.source_mask), target
        )
        logits = self.model.logits(output[mask])
        cross_entropy = smoothed_cross_entropy(logits, target[mask], settings.smoothing)
        guide = guided_alignment(log_weights, torch.from_numpy(batch.guide))
        loss = (cross_entropy + settings.guide_weight * guide) / mask.sum()
        self.optimizer.zero_grad(set_to_none=False)
        loss.backward()  # type: ignore[no-untyped-call]
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), settings.clip)
        if not bool(torch.isfinite(norm)):
            raise TrainingError(
                f"step {self.progress.step + 1}: the gradient is not finite; a lower rate may help"
            )
        self.optimizer.step()
        decay = min(settings.average, (1 + self.progress.step) / (10 + self.progress.step))
        with torch.no_grad():
            torch._foreach_lerp_(self.average, list(self.model.parameters()), 1 - decay)
        return float(cross_entropy.detach()), float(guide.detach())

    # What the run tells.

    def _log_losses(self, display: Display) -> None:
        window, step = self.window, self.progress.step
        seconds_left = (self.settings.steps - step) * window.seconds / window.steps
        row: dict[str, Any] = {
            "step": step,
            "epoch": self.progress.epoch,
            "loss": round(window.loss / window.pieces, 4),
            "guide": round(window.guide / window.pieces, 4),
            "rate": round(self.settings.rate_at(step), 6),
            "pieces_per_second": round(window.pieces / max(window.seconds, 1e-9)),
            "seconds": round(self.progress.seconds),
            "minutes_left": round(seconds_left / 60, 1),
        }
        self.window = Window()
        self._tell(row, display)

    def _validate(self, display: Display) -> None:
        start = time.monotonic()
        with self.averaged():
            hypotheses = translate(
                self.model, self.vocabulary, [source for source, _ in self.validation]
            )
        references = [[target for _, target in self.validation]]
        bleu = sacrebleu.corpus_bleu(hypotheses, references).score
        chrf = sacrebleu.corpus_chrf(hypotheses, references).score
        seconds = self.progress.seconds + time.monotonic() - start
        self.progress = replace(self.progress, seconds=seconds)
        row = {"step": self.progress.step, "bleu": round(bleu, 2), "chrf": round(chrf, 2)}
        self._tell({**row, "example": hypotheses[0]}, display)
        if chrf > self.best:
            self.best = chrf
            with self.averaged():
                save_model(self.model, self.folder / BEST, {**row, **self._facts()})

    def _tell(self, row: dict[str, Any], display: Display) -> None:
        self.log.add(row)
        display.row(row)

    def _facts(self) -> dict[str, Any]:
        """What a model card says of the training."""
        return {
            "seconds": round(self.progress.seconds),
            "pieces": self.progress.pieces,
            "hardware": hardware(),
            "settings": asdict(self.settings),
        }

    def averaged(self) -> _Averaged:
        """A context in which the model has its averaged parameters."""
        return _Averaged(list(self.model.parameters()), self.average)

    # The checkpoint.

    def save(self) -> None:
        state = {
            "sizes": asdict(self.model.sizes),
            "model": self.model.state_dict(),
            "average": self.average,
            "optimizer": self.optimizer.state_dict(),
            "progress": asdict(self.progress),
            "window": asdict(self.window),
            "best": self.best,
            "random": torch.get_rng_state(),
            "settings": asdict(self.settings),
            "data": self.data.fingerprint(),
        }
        save_state(state, self.folder / CHECKPOINT)

    def _resume(self) -> None:
        path = self.folder / CHECKPOINT
        state = load_state(path)
        self._check_same_run(state)
        try:
            self.model.load_state_dict(state["model"])
            self.average = state["average"]
            self.optimizer.load_state_dict(state["optimizer"])
            self.progress = Progress(**state["progress"])
            self.window = Window(**state.get("window", {}))
            self.best = float(state["best"])
            torch.set_rng_state(state["random"])
        except UNREADABLE as error:
            raise TrainingError(f"{path} is not a checkpoint of a run: {error}") from error

    def _check_same_run(self, state: dict[str, Any]) -> None:
        """The place in the data means nothing if the batches are others."""
        asked = {
            **{f"model size {name}": value for name, value in asdict(self.model.sizes).items()},
            **{name: getattr(self.settings, name) for name in ("seed", "batch_pieces")},
            **{f"data: {name}": value for name, value in self.data.fingerprint().items()},
        }
        found = {
            **{f"model size {name}": value for name, value in state.get("sizes", {}).items()},
            **state.get("settings", {}),
            **{f"data: {name}": value for name, value in state.get("data", {}).items()},
        }
        for name, value in asked.items():
            if found.get(name, value) != value:
                raise TrainingError(
                    f"{self.folder} holds a run with {name} {found[name]}, not {value}; "
                    "take the same, or another folder"
                )


class _Averaged:
    def __init__(self, parameters: list[torch.nn.Parameter], average: list[Tensor]) -> None:
        self.parameters, self.average = parameters, average

    def __enter__(self) -> None:
        self.kept = [parameter.detach().clone() for parameter in self.parameters]
        self._set(self.average)

    def __exit__(self, *_: object) -> None:
        self._set(self.kept)

    def _set(self, values: list[Tensor]) -> None:
        with torch.no_grad():
            torch._foreach_copy_(list[Tensor](self.parameters), values)


def translate(
    model: Student,
    vocabulary: sentencepiece.SentencePieceProcessor,
    sentences: list[str],
    batch: int = 64,
) -> list[str]:
    """Greedy translations, in the order of the sentences (for validation)."""
    encoded = [[*ids, 0] for ids in vocabulary.encode(sentences)]
    order = sorted(range(len(encoded)), key=lambda index: len(encoded[index]))
    outputs: list[list[int]] = [[] for _ in encoded]
    for start in range(0, len(order), batch):
        chosen = order[start : start + batch]
        width = len(encoded[chosen[-1]])
        source = torch.zeros(len(chosen), width, dtype=torch.long)
        mask = torch.zeros(len(chosen), width, dtype=torch.bool)
        for row, index in enumerate(chosen):
            source[row, : len(encoded[index])] = torch.tensor(encoded[index])
            mask[row, : len(encoded[index])] = True
        for index, ids in zip(chosen, model.greedy(source, mask, _limit(width)), strict=True):
            # A limit a sentence: what comes out must not depend on the companions in the batch.
            outputs[index] = ids[: _limit(len(encoded[index]))]
    return list(vocabulary.decode(outputs))


def _limit(width: int) -> int:
    """Most target pieces of a sentence of `width` source pieces, EOS included in both."""
    return 2 * width + 8


@contextmanager
def stop_requests() -> Iterator[Callable[[], bool]]:
    """Within it, the first SIGTERM or SIGINT (Ctrl+C) is a request that `Trainer.run` can ask for.

    A second one does what it usually does.
    """
    asked = threading.Event()
    usual = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def restore() -> None:
        for number, handler in usual.items():
            signal.signal(number, handler)

    def ask(_: int, __: FrameType | None) -> None:
        asked.set()
        restore()

    for number in usual:
        signal.signal(number, ask)
    try:
        yield asked.is_set
    finally:
        restore()


def hardware() -> str:
    """Processor and threads, for the model card: "AMD EPYC 7B13, 2 threads"."""
    name = platform.processor() or platform.machine()
    facts = Path("/proc/cpuinfo")
    if facts.exists():
        lines = facts.read_text(encoding="utf-8", errors="replace").splitlines()
        names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
        name = names[0] if names else name
    threads = torch.get_num_threads()
    return f"{name}, {threads} thread{'s' if threads > 1 else ''}"


def use_allocator_settings() -> None:
    """Start this process again with the allocator settings, unless it has them."""
    if any(os.environ.get(name) != value for name, value in ALLOCATOR.items()):
        command = [sys.executable, *sys.orig_argv[1:]]
        os.execve(command[0], command, {**os.environ, **ALLOCATOR})  # noqa: S606
