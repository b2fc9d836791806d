"""`dragoman model train`: a student from prepared data, resumable at any step.

The state of a run is its checkpoint: parameters, their moving average, the optimizer, and the place
in the data. Batches are a function of seed, epoch and position, so a run that was killed goes on
exactly as it would have gone: the same batches, and with as many threads the same bits.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Any

import sacrebleu
import sentencepiece
import torch
from torch import Tensor
from torch.nn import functional

from dragoman.errors import TrainingError
from dragoman.models.data.batches import Batch, Place, TrainingData
from dragoman.models.network.checkpoint import UNREADABLE, load_state, save_model, save_state
from dragoman.models.network.checkpoint import load_model as load_model
from dragoman.models.network.loss import guided_alignment, smoothed_cross_entropy
from dragoman.models.network.precision import compute_type
from dragoman.models.network.student import Architecture, Student
from dragoman.models.training.averaged import Averaged, check_finite
from dragoman.models.training.feed import Ahead, on_device
from dragoman.models.training.host import hardware, open_device
from dragoman.models.training.optimizers import make_optimizers
from dragoman.models.training.reporting import Display, Lines, RunLog, Step
from dragoman.models.training.settings import OF_THE_BATCHES
from dragoman.models.training.settings import TrainSettings as TrainSettings
from dragoman.models.training.slim import check_not_further, load_slim, restored

CHECKPOINT, BEST, LOG, CURVE = "checkpoint.pt", "best.pt", "log.jsonl", "curve.svg"
ROWS = 128  # Products of the output layer have a multiple of so many rows: few shapes.
REWARM = 100  # Updates over which the rate rises again after an optimizer began anew.


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

    @property
    def mean(self) -> float:
        """Loss a piece."""
        return self.loss / self.pieces

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
    NO_BETTER = "no better"  # the last `patience` validations were not better than the best
    STOPPED = "stopped"  # it was asked to
    TIME_UP = "time up"


def never() -> bool:
    return False


class Trainer:
    """One training run in a folder of its own: ``checkpoint.pt``, ``best.pt``, ``log.jsonl``.

    Args:
        initial: a new run begins with its parameters; without the alignment head, which is trained
            on a finished model.
        carried: a slim checkpoint, that a run in an empty folder goes on with: its optimizer is
            new, and the rate rises to what it would be over `REWARM` updates.

    Raises:
        TrainingError: model, data, settings and the folder's checkpoint do not fit each other.
    """

    def __init__(
        self,
        folder: Path,
        data: TrainingData,
        vocabulary: sentencepiece.SentencePieceProcessor,
        validation: list[tuple[str, str]],
        sizes: Architecture,
        settings: TrainSettings,
        device: str = "cpu",
        initial: Student | None = None,
        carried: Path | None = None,
    ) -> None:
        if sizes.vocabulary_size != data.vocabulary_size:
            raise TrainingError(
                f"the model has {sizes.vocabulary_size} pieces, the data {data.vocabulary_size}"
            )
        if not validation:
            raise TrainingError("there is no sentence to validate on")
        self.device = open_device(device)
        folder.mkdir(parents=True, exist_ok=True)
        torch.manual_seed(settings.seed)
        self.folder, self.data, self.settings = folder, data, settings
        self.vocabulary, self.validation = vocabulary, validation
        compute = compute_type(self.device, settings.bfloat16)
        self.model = Student(sizes, compute, settings.rates)
        if initial is not None:
            take_parameters(self.model, initial)
        self.model.to(self.device)
        self.average = [parameter.detach().clone() for parameter in self.model.parameters()]
        self.optimizer = make_optimizers(
            self.model, settings.optimizer, settings.rate, bfloat16=compute == torch.bfloat16
        )
        self.progress, self.window = Progress(), Window()
        self.best, self.stale = -1.0, 0
        self.restarted: int | None = None
        self._shown = math.nan
        self._lost: list[Tensor] = []  # losses that the accelerator was not asked for yet
        self.log = RunLog(folder / LOG)
        if (folder / CHECKPOINT).exists():
            self._resume()
            if carried is not None:
                check_not_further(carried, folder, self.progress.step)
        elif carried is not None:
            self._restart(carried)
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
        batches = self.data.batches(self.settings.plan, self.progress.epoch, self.progress.position)
        if self.device.type == "cpu":
            return self._run(batches, display, stop, end)
        ahead = Ahead(batches)
        try:
            return self._run(ahead, display, stop, end)
        finally:
            ahead.close()

    def _run(
        self, batches: Iterator[Place], display: Display, stop: Callable[[], bool], end: float
    ) -> Ending:
        while self.progress.step < self.settings.steps:
            if self.settings.patience and self.stale >= self.settings.patience:
                return self._leave(Ending.NO_BETTER)
            self._advance(batches, display, end)
            if stop():
                return self._leave(Ending.STOPPED)
            if time.monotonic() >= end:
                return self._leave(Ending.TIME_UP)
        return Ending.FINISHED

    def _leave(self, ending: Ending) -> Ending:
        if self.progress.step >= self.settings.steps:
            return Ending.FINISHED
        if self._lost:
            loss, guide = torch.stack(self._lost).sum(dim=0).tolist()
            self._lost.clear()
            window = self.window
            self.window = replace(window, loss=window.loss + loss, guide=window.guide + guide)
        if self.progress.step % self.settings.save_every:
            self.save()
        return ending

    def _advance(self, batches: Iterator[Place], display: Display, end: float) -> None:
        """One step, and what is due after it."""
        start = time.monotonic()
        places = list(islice(batches, self.settings.accumulate))
        epoch, position, _ = places[-1]
        loss, guide = self._update([batch for _, _, batch in places])
        pieces = sum(int(batch.target_mask.sum()) for _, _, batch in places)
        seconds = time.monotonic() - start
        self.window = self.window.plus(pieces, loss, guide, seconds)
        done = self.progress
        self.progress = Progress(
            done.step + 1, epoch, position, done.pieces + pieces, done.seconds + seconds
        )
        settings, number = self.settings, done.step + 1
        budget = end - time.monotonic() if end < math.inf else None
        if loss or self.device.type == "cpu":
            self._shown = loss / pieces if self.device.type == "cpu" else self.window.mean
        display.step(Step(number, settings.steps, self._shown, pieces, seconds, budget))
        last = number == settings.steps
        if number % settings.log_every == 0:
            self._log_losses(display)
        if last or number % settings.validate_every == 0:
            self._validate(display)
        if last or number % settings.save_every == 0:
            self.save()

    @property
    def _unasked(self) -> bool:
        """Whether this step asks the accelerator nothing: only one that is told of does."""
        number = self.progress.step + 1
        told = number % self.settings.log_every == 0 or number == self.settings.steps
        return self.device.type == "cuda" and not told

    def _update(self, batches: Sequence[Batch]) -> tuple[float, float]:
        """One update; sums over the batches' pieces of cross-entropy and guided alignment loss."""
        settings = self.settings
        self.optimizer.set_rate(self.rate_at(self.progress.step + 1))
        self.optimizer.zero_grad()
        pieces = sum(int(batch.target_mask.sum()) for batch in batches)
        losses = [self._gradients(batch, pieces) for batch in batches]
        norm = self._clip(settings.clip)
        if not self._unasked and not bool(torch.isfinite(norm)):
            raise TrainingError(
                f"step {self.progress.step + 1}: the gradient is not finite; a lower rate may help"
            )
        self.optimizer.step()
        decay = min(settings.average, (1 + self.progress.step) / (10 + self.progress.step))
        with torch.no_grad():
            torch._foreach_lerp_(self.average, list(self.model.parameters()), 1 - decay)
        if self.device.type == "cpu":
            return sum(float(loss) for loss, _ in losses), sum(float(guide) for _, guide in losses)
        return self._gathered(losses)

    def _gathered(self, losses: Sequence[tuple[Tensor, Tensor]]) -> tuple[float, float]:
        """What was lost since the accelerator was asked last; nothing where it is not asked."""
        self._lost.extend(torch.stack(pair) for pair in losses)
        number = self.progress.step + 1
        due = number % self.settings.save_every == 0 or number % self.settings.validate_every == 0
        if self._unasked and not due:
            return 0.0, 0.0
        loss, guide = torch.stack(self._lost).sum(dim=0).tolist()
        self._lost.clear()
        if not math.isfinite(loss):
            raise TrainingError(f"step {number}: the loss is not finite; a lower rate may help")
        return loss, guide

    def rate_at(self, step: int) -> float:
        """Learning rate of update `step`: less for a while after an optimizer began anew."""
        rate = self.settings.rate_at(step)
        if self.restarted is None:
            return rate
        return rate * min(1.0, (step - self.restarted) / REWARM)

    def _clip(self, most: float) -> Tensor:
        """The norm of all gradients, which are scaled down where it is above `most`."""
        parameters = list(self.model.parameters())
        norm = torch.nn.utils.get_total_norm([p.grad for p in parameters if p.grad is not None])
        if (
            self._unasked or float(norm) > most
        ):  # else a pass over all gradients would change nothing
            torch.nn.utils.clip_grads_with_norm_(parameters, most, norm)
        return norm

    def _gradients(self, batch: Batch, pieces: int) -> tuple[Tensor, Tensor]:
        """Add the gradients of a batch's losses, as shares of an update of so many pieces."""
        source, source_mask, target, links, places = on_device(batch, self.device)
        forced = self.model(source, source_mask, target)
        chosen = forced.output.flatten(0, 1)[places]
        logits = self.model.logits(functional.pad(chosen, (0, 0, 0, -len(chosen) % ROWS)))
        cross_entropy = smoothed_cross_entropy(
            logits,
            target.flatten()[places],
            self.settings.smoothing,
            1 / pieces,
            self.settings.compiled,
        )
        guide = guided_alignment(forced.guided, links)
        loss = cross_entropy + guide * (self.settings.guide_weight / pieces)
        loss.backward()  # type: ignore[no-untyped-call]
        return cross_entropy.detach() * pieces, guide.detach()

    # What the run tells.

    def _log_losses(self, display: Display) -> None:
        window, step = self.window, self.progress.step
        seconds_left = (self.settings.steps - step) * window.seconds / window.steps
        row: dict[str, Any] = {
            "step": step,
            "epoch": self.progress.epoch,
            "loss": round(window.loss / window.pieces, 4),
            "guide": round(window.guide / window.pieces, 4),
            "rate": round(self.rate_at(step), 6),
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
        self.stale += 1
        if chrf > self.best:
            self.best, self.stale = chrf, 0
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
            "hardware": hardware(self.device),
            "settings": asdict(self.settings),
        }

    def averaged(self) -> Averaged:
        """A context in which the model has its averaged parameters, and no dropout."""
        return Averaged(self.model, self.average)

    # The checkpoint.

    def save(self) -> None:
        """Raises: TrainingError: the parameters are not finite; the file stays what it was."""
        check_finite(self.average, self.progress.step)
        state = {
            "sizes": asdict(self.model.sizes),
            "model": self.model.state_dict(),
            "average": self.average,
            "optimizer": self.optimizer.state(),
            "progress": asdict(self.progress),
            "window": asdict(self.window),
            "best": self.best,
            "stale": self.stale,
            "restarted": self.restarted,
            "random": torch.get_rng_state(),
            **({"device random": torch.cuda.get_rng_state()} if self.device.type == "cuda" else {}),
            "settings": asdict(self.settings),
            "data": self.data.fingerprint(),
        }
        save_state(state, self.folder / CHECKPOINT)

    def _resume(self) -> None:
        path = self.folder / CHECKPOINT
        self._check_same_run(state := load_state(path), "optimizer")
        self.settings = self.settings.of_run(state)
        try:
            self.model.load_state_dict(state["model"])
            self.average = [value.to(self.device) for value in state["average"]]
            self.optimizer.load(state["optimizer"])
            self.progress = Progress(**state["progress"])
            self.window = Window(**state.get("window", {}))
            self.best, self.stale = float(state["best"]), int(state.get("stale", 0))
            self.restarted = state.get("restarted")
            torch.set_rng_state(state["random"])
            if self.device.type == "cuda" and "device random" in state:
                torch.cuda.set_rng_state(state["device random"])
        except UNREADABLE as error:
            raise TrainingError(f"{path} is not a checkpoint of a run: {error}") from error

    def _restart(self, path: Path) -> None:
        """Go on with a slim checkpoint: the next validation writes the best model again."""
        self._check_same_run(state := load_slim(path))
        self.settings = self.settings.of_run(state)
        model = dict(self.model.named_parameters())
        try:
            average = {
                name: restored(state["average"][name], value.shape) for name, value in model.items()
            }
            self.model.load_state_dict(
                {name: restored(value, model[name].shape) for name, value in state["model"].items()}
                if "model" in state
                else average
            )
            self.average = [average[name].to(self.device) for name in model]
            self.progress = Progress(**state["progress"])
            self.window = Window(**state["window"])
            torch.set_rng_state(state["random"])
        except UNREADABLE as error:
            raise TrainingError(f"{path} does not fit this run: {error}") from error
        self.restarted = self.progress.step
        self.log.begin(state["log"])

    def _check_same_run(self, state: dict[str, Any], *also: str) -> None:
        """The place in the data means nothing if the batches are others; `also`: more settings."""
        asked = {
            **{f"model size {name}": value for name, value in asdict(self.model.sizes).items()},
            **{name: getattr(self.settings, name) for name in (*OF_THE_BATCHES, *also)},
            "data: pack": 0,
            **{f"data: {name}": value for name, value in self.data.fingerprint().items()},
        }
        # Older checkpoints lack what then had but one value: the default.
        defaults = {
            **{f"model size {name}": value for name, value in asdict(Architecture()).items()},
            **asdict(TrainSettings()),
            "data: pack": 0,
        }
        stored = {
            **(defaults if state.get("settings") else {}),
            **{f"model size {name}": value for name, value in state.get("sizes", {}).items()},
            **state.get("settings", {}),
            **{f"data: {name}": value for name, value in state.get("data", {}).items()},
        }
        for name, value in asked.items():
            if stored.get(name, value) != value:
                raise TrainingError(
                    f"{self.folder} holds a run with {name} {stored[name]}, not {value}; "
                    "take the same, or another folder"
                )


def take_parameters(model: Student, initial: Student) -> None:
    """Give a model the parameters of another of its sizes.

    Raises:
        TrainingError: the sizes differ.
    """
    wanted, given = asdict(replace(model.sizes, alignment=0)), asdict(initial.sizes)
    for name, value in wanted.items():
        if name != "alignment" and given[name] != value:
            raise TrainingError(
                f"the model to begin with has the {name} {given[name]}, not {value}"
            )
    names = model.state_dict().keys()
    model.load_state_dict(
        {name: value for name, value in initial.state_dict().items() if name in names}
    )


def translate(
    model: Student,
    vocabulary: sentencepiece.SentencePieceProcessor,
    sentences: list[str],
    batch: int = 64,
) -> list[str]:
    """Greedy translations, in the order of the sentences (for validation)."""
    encoded = [[*ids, 0] for ids in vocabulary.encode(sentences)]
    order = sorted(range(len(encoded)), key=lambda index: len(encoded[index]))
    device = model.embedding.device
    outputs: list[list[int]] = [[] for _ in encoded]
    for start in range(0, len(order), batch):
        chosen = order[start : start + batch]
        width = len(encoded[chosen[-1]])
        source = torch.zeros(len(chosen), width, dtype=torch.long)
        mask = torch.zeros(len(chosen), width, dtype=torch.bool)
        for row, index in enumerate(chosen):
            source[row, : len(encoded[index])] = torch.tensor(encoded[index])
            mask[row, : len(encoded[index])] = True
        rows = model.greedy(source.to(device), mask.to(device), _limit(width))
        for index, ids in zip(chosen, rows, strict=True):
            # A limit a sentence: what comes out must not depend on the companions in the batch.
            outputs[index] = ids[: _limit(len(encoded[index]))]
    return list(vocabulary.decode(outputs))


def _limit(width: int) -> int:
    """Most target pieces of a sentence of `width` source pieces, EOS included in both."""
    return 2 * width + 8
