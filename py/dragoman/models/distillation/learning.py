"""A network that learns from packed rows until its time is over.

    Mix --thread: batches, pinned--> Ahead --> Learner: loss, gradient, clip, update, average

Its folder has ``checkpoint.pt`` and ``log.jsonl``, in the form of `training.train`, so that `slim`
makes them small. No update waits for the accelerator but one that the log tells of.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

import torch
from torch import Tensor, nn

from dragoman.errors import TrainingError
from dragoman.models.data.rows import Mix, Shape
from dragoman.models.distillation.settings import WindowSettings
from dragoman.models.network.checkpoint import UNREADABLE, load_state, save_state
from dragoman.models.network.packed import Packed, unpacked
from dragoman.models.training.averaged import Averaged, check_finite
from dragoman.models.training.feed import Ahead, pinned
from dragoman.models.training.host import hardware
from dragoman.models.training.optimizers import Optimizers
from dragoman.models.training.reporting import Display, RunLog, Step
from dragoman.models.training.slim import load_slim, restored
from dragoman.models.training.train import CHECKPOINT, LOG

M = TypeVar("M", bound=nn.Module)
CLIP = 1.0  # largest gradient norm
MADE_WITH = ("hardware", "settings")


@dataclass(frozen=True)
class Pace:
    """How the rate of a stage goes.

    Attributes:
        highest: after `warm_up` updates of an optimizer.
        falls: the share of the stage's time from which the rate falls linearly to zero; 1: never.
    """

    highest: float
    warm_up: int
    falls: float = 1.0

    def rate(self, update: int, share: float) -> float:
        """Of an optimizer's update, counted from 1, at a share of the stage's time in [0, 1]."""
        rate = self.highest * min(1.0, update / self.warm_up)
        return rate if share < self.falls else rate * (1 - share) / (1 - self.falls)


@dataclass(frozen=True)
class Progress:
    """What a network has learned from: updates, target pieces, seconds."""

    step: int = 0
    pieces: int = 0
    seconds: float = 0.0


class Learner(Generic[M]):
    """One network and its optimizer, in a folder.

    Args:
        carried: a slim checkpoint, for a folder that has none: with it the optimizer is new, and
            warms up again.

    Raises:
        TrainingError: a checkpoint is damaged, or of a network of other sizes.
    """

    def __init__(
        self,
        folder: Path,
        packed: Packed[M],
        sizes: Any,
        optimizer: Optimizers,
        settings: WindowSettings,
        carried: Path | None = None,
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.packed, self.sizes = folder, packed, sizes
        self.optimizer, self.settings = optimizer, settings
        self.model: M = packed.model
        self.parameters = list(self.model.parameters())
        self.device = self.parameters[0].device
        self.average = [parameter.detach().clone() for parameter in self.parameters]
        self.progress, self.restarted = Progress(), 0
        # What the last updates were made with: hardware, settings.
        self.made_with: dict[str, Any] = {}
        self.log = RunLog(folder / LOG)
        path = folder / CHECKPOINT
        if path.exists():
            self._resume(load_state(path), path)
        elif carried is not None:
            self._resume(load_slim(carried), carried)
        self.log.cut(self.progress.step)

    def learn(
        self,
        mix: Mix,
        shape: Shape,
        pace: Pace,
        share: Callable[[], float],
        over: Callable[[], bool],
        display: Display,
    ) -> None:
        """Update until the stage's time, whose share is asked for, or the window is over.

        Batches are those of a seed of the updates made so far: a window that goes on begins an
        epoch of its own.

        Raises:
            TrainingError: the loss is not finite, or a batch needs more memory than there is.
        """
        seed = 100_003 * self.settings.seed + self.progress.step
        batches = Ahead(pinned(mix.batches(shape, seed), self.device))
        self.made_with = {"hardware": hardware(self.device), "settings": self._noted()}
        begun, told_at = self.progress.step, time.monotonic()
        first = 1.0  # the share that earlier windows have spent
        lost = torch.zeros(2, device=self.device, dtype=torch.float64)  # loss, pieces
        self.model.train()
        try:
            while (done := share()) < 1 and not over():
                first = min(first, done)
                rate = pace.rate(self.progress.step + 1 - self.restarted, done)
                lost += self._update(next(batches).to(self.device, non_blocking=True), rate)
                self.progress = replace(self.progress, step=self.progress.step + 1)
                made = self.progress.step - begun
                if made % self.settings.log_every == 0:
                    now = time.monotonic()
                    left = made * (1 - done) / max(done - first, 1e-9)
                    self._tell(lost, rate, now - told_at, self.progress.step + round(left), display)
                    told_at = now
        except torch.OutOfMemoryError as error:
            raise TrainingError(
                f"step {self.progress.step}: there is no memory for {shape.rows} rows of "
                f"{shape.places} places; give fewer (--rows, --teacher-rows)"
            ) from error
        finally:
            batches.close()
        self._gathered(lost, time.monotonic() - told_at)

    def averaged(self) -> Averaged:
        """A context in which the model has its averaged parameters, and no dropout."""
        return Averaged(self.model, self.average)

    def note(self, row: dict[str, Any], display: Display) -> None:
        """A row of the log, of what else is known at this step."""
        row = {"step": self.progress.step, **row}
        self.log.add(row)
        display.row(row)

    def save(self) -> None:
        """Raises: TrainingError: the parameters are not finite; the file stays what it was."""
        check_finite(self.average, self.progress.step)
        state = {
            "sizes": asdict(self.sizes),
            "model": self.model.state_dict(),
            "average": self.average,
            "optimizer": self.optimizer.state(),
            "progress": asdict(self.progress),
            "restarted": self.restarted,
            **self.made_with,
        }
        save_state(state, self.folder / CHECKPOINT)

    def _noted(self) -> dict[str, Any]:
        """The settings, with the name that a network which goes on began with."""
        before = self.made_with.get("settings")
        return asdict(self.settings) | ({"initial": before.get("initial", "")} if before else {})

    def _update(self, batch: Tensor, rate: float) -> Tensor:
        """One update; its loss and its pieces, which are not waited for."""
        rows = unpacked(batch, self.packed.compute_type)
        pieces = (rows.labels >= 0).sum()
        self.optimizer.zero_grad()
        loss = self.packed.loss(rows)
        (loss / pieces).backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.parameters, CLIP, foreach=True)
        self.optimizer.set_rate(rate)
        self.optimizer.step()
        step = self.progress.step
        decay = min(self.settings.average, (1 + step) / (10 + step))
        with torch.no_grad():
            torch._foreach_lerp_(self.average, list[Tensor](self.parameters), 1 - decay)
        return torch.stack((loss.detach(), pieces)).double()

    def _tell(
        self, lost: Tensor, rate: float, seconds: float, total: int, display: Display
    ) -> None:
        """A row of the log for the updates since the last one."""
        before, every = self.progress.pieces, self.settings.log_every
        loss = self._gathered(lost, seconds)
        pieces = self.progress.pieces - before
        row = {
            "loss": round(loss, 4),
            "rate": round(rate, 6),
            "pieces_per_second": round(pieces / max(seconds, 1e-9)),
            "seconds": round(self.progress.seconds),
        }
        self.note(row, display)
        step = self.progress.step
        display.step(Step(step, total, loss, pieces // every, seconds / every))

    def _gathered(self, lost: Tensor, seconds: float) -> float:
        """Count what was learned from since the last time; its loss a piece."""
        loss, pieces = lost.tolist()
        lost.zero_()
        if not math.isfinite(loss):
            raise TrainingError(
                f"step {self.progress.step}: the loss is not finite; a lower rate may help"
            )
        done = self.progress
        self.progress = Progress(done.step, done.pieces + int(pieces), done.seconds + seconds)
        return float(loss / max(pieces, 1))

    def _resume(self, state: dict[str, Any], path: Path) -> None:
        if state.get("sizes") != asdict(self.sizes):
            raise TrainingError(f"{path} has the sizes {state.get('sizes')}, not {self.sizes}")
        names = dict(self.model.named_parameters())
        try:
            slimmed = isinstance(state["average"], dict)
            if slimmed:
                average = [restored(state["average"][n], p.shape) for n, p in names.items()]
            else:
                average = state["average"]
            own = state.get("model") or dict(zip(names, average, strict=True))
            self.model.load_state_dict({n: restored(own[n], p.shape) for n, p in names.items()})
            self.average = [value.to(self.device) for value in average]
            self.progress = Progress(**state["progress"])
            self.restarted = self.progress.step if slimmed else int(state["restarted"])
            self.made_with = {name: state[name] for name in MADE_WITH if name in state}
            if not slimmed:
                self.optimizer.load(state["optimizer"])
        except UNREADABLE as error:
            raise TrainingError(f"{path} does not fit this run: {error}") from error
        if slimmed:
            self.log.begin(state["log"])
