"""`dragoman model train`: a student from prepared data, resumable at any step.

The state of a run is its checkpoint: parameters, their moving average, the optimizer, and the place
in the data. Batches are a function of seed, epoch and position, so a run that was killed goes on
exactly as it would have gone.
"""

from __future__ import annotations

import json
import math
import os
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import sacrebleu
import sentencepiece
import torch
from torch import Tensor

from dragoman.errors import TrainingError
from dragoman.models.loss import guided_alignment, smoothed_cross_entropy
from dragoman.models.network import Architecture, Student
from dragoman.models.prepared import Batch, PreparedData, batches_from

# Fresh memory is slow to touch: keep what was allocated once. Three times faster on two cores.
ALLOCATOR = {
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_TRIM_THRESHOLD_": str(16 << 30),
    "MALLOC_TOP_PAD_": str(256 << 20),
}


@dataclass(frozen=True)
class TrainSettings:
    """How to train.

    Attributes:
        steps: updates in all; the last `cooldown` of them lower the rate linearly to zero.
        batch_pieces: padded pieces of the longer side in a batch.
        rate: highest learning rate, reached after `warm_up` steps, then inverse square root decay.
        smoothing: label smoothing.
        guide_weight: weight of the guided alignment loss.
        clip: largest gradient norm.
        average: decay of the exponential moving average of the parameters.
        validate_every: steps between two validations and checkpoints.
        bfloat16: compute in bfloat16 (parameters stay float32).
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
    bfloat16: bool = True
    seed: int = 1

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


class Trainer:
    """One training run in a folder of its own: ``checkpoint.pt``, ``best.pt``, ``log.jsonl``."""

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
        folder.mkdir(parents=True, exist_ok=True)
        torch.manual_seed(settings.seed)
        self.folder, self.data, self.settings = folder, data, settings
        self.vocabulary, self.validation = vocabulary, validation
        self.model = Student(sizes, torch.bfloat16 if settings.bfloat16 else torch.float32)
        self.average = [parameter.detach().clone() for parameter in self.model.parameters()]
        self.optimizer = torch.optim.Adam(
            self.model.parameters(), lr=settings.rate, betas=(0.9, 0.98), eps=1e-9, fused=True
        )
        self.progress = Progress()
        self.best = -1.0
        if (folder / "checkpoint.pt").exists():
            self._resume()

    def run(self, say: Callable[[str], None] = print) -> None:
        """Train to the last step, validating and saving on the way."""
        settings, start = self.settings, time.monotonic()
        before, window = self.progress, (start, self.progress.pieces, 0.0, 0)
        batches = batches_from(
            self.data, settings.seed, settings.batch_pieces, before.epoch, before.position
        )
        for epoch, position, batch in batches:
            if self.progress.step >= settings.steps:
                break
            loss = self._update(batch)
            pieces = int(batch.target_mask.sum())
            self.progress = Progress(
                step=self.progress.step + 1,
                epoch=epoch,
                position=position,
                pieces=self.progress.pieces + pieces,
                seconds=before.seconds + time.monotonic() - start,
            )
            window = (window[0], window[1], window[2] + loss, window[3] + pieces)
            if self.progress.step % 50 == 0:
                self._log_progress(window, say)
                window = (time.monotonic(), self.progress.pieces, 0.0, 0)
            if self.progress.step % settings.validate_every == 0:
                self._validate(say)
                self.save()

    def _update(self, batch: Batch) -> float:
        settings = self.settings
        for group in self.optimizer.param_groups:
            group["lr"] = settings.rate_at(self.progress.step + 1)
        target, mask = torch.from_numpy(batch.target), torch.from_numpy(batch.target_mask)
        output, log_weights = self.model(
            torch.from_numpy(batch.source), torch.from_numpy(batch.source_mask), target
        )
        count = mask.sum()
        logits = self.model.logits(output[mask])
        cross_entropy = smoothed_cross_entropy(logits, target[mask], settings.smoothing)
        guide = guided_alignment(log_weights, torch.from_numpy(batch.guide))
        loss = (cross_entropy + settings.guide_weight * guide) / count
        self.optimizer.zero_grad(set_to_none=False)
        loss.backward()  # type: ignore[no-untyped-call]
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), settings.clip)
        if not bool(torch.isfinite(norm)):
            raise TrainingError(f"step {self.progress.step + 1}: the gradient is not finite")
        self.optimizer.step()
        decay = min(settings.average, (1 + self.progress.step) / (10 + self.progress.step))
        with torch.no_grad():
            torch._foreach_lerp_(self.average, list(self.model.parameters()), 1 - decay)
        return float(cross_entropy.detach())

    def _log_progress(
        self, window: tuple[float, int, float, int], say: Callable[[str], None]
    ) -> None:
        started, pieces_before, loss, pieces = window
        speed = (self.progress.pieces - pieces_before) / max(1e-9, time.monotonic() - started)
        left = (self.settings.steps - self.progress.step) * pieces / 50 / max(speed, 1e-9)
        row: dict[str, Any] = {
            "step": self.progress.step,
            "epoch": self.progress.epoch,
            "loss": round(loss / max(1, pieces), 4),
            "rate": round(self.settings.rate_at(self.progress.step), 6),
            "pieces_per_second": round(speed),
            "seconds": round(self.progress.seconds),
            "minutes_left": round(left / 60, 1),
        }
        self._log(row, say)

    def _log(self, row: dict[str, Any], say: Callable[[str], None]) -> None:
        line = json.dumps(row)
        with (self.folder / "log.jsonl").open("a", encoding="utf-8") as log:
            log.write(line + "\n")
        say(line)

    def _validate(self, say: Callable[[str], None]) -> None:
        with self.averaged():
            hypotheses = translate(
                self.model, self.vocabulary, [source for source, _ in self.validation]
            )
        references = [[target for _, target in self.validation]]
        bleu = sacrebleu.corpus_bleu(hypotheses, references).score
        chrf = sacrebleu.corpus_chrf(hypotheses, references).score
        row = {"step": self.progress.step, "bleu": round(bleu, 2), "chrf": round(chrf, 2)}
        self._log({**row, "example": hypotheses[0]}, say)
        if chrf > self.best:
            self.best = chrf
            with self.averaged():
                save_model(self.model, self.folder / "best.pt", row)

    def averaged(self) -> _Averaged:
        """A context in which the model has its averaged parameters."""
        return _Averaged(list(self.model.parameters()), self.average)

    def save(self) -> None:
        state = {
            "sizes": asdict(self.model.sizes),
            "model": self.model.state_dict(),
            "average": self.average,
            "optimizer": self.optimizer.state_dict(),
            "progress": asdict(self.progress),
            "best": self.best,
            "random": torch.get_rng_state(),
        }
        _save_atomically(state, self.folder / "checkpoint.pt")

    def _resume(self) -> None:
        try:
            state = torch.load(self.folder / "checkpoint.pt", weights_only=True)
            self.model.load_state_dict(state["model"])
        except (OSError, RuntimeError, KeyError) as error:
            raise TrainingError(f"{self.folder / 'checkpoint.pt'}: {error}") from error
        self.average = state["average"]
        self.optimizer.load_state_dict(state["optimizer"])
        self.progress = replace(Progress(), **state["progress"])
        self.best = state["best"]
        torch.set_rng_state(state["random"])


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
        for index, ids in zip(chosen, model.greedy(source, mask, 2 * width + 8), strict=True):
            outputs[index] = ids
    return list(vocabulary.decode(outputs))


def save_model(model: Student, path: Path, scores: dict[str, Any]) -> None:
    state = {"sizes": asdict(model.sizes), "model": model.state_dict(), "scores": scores}
    _save_atomically(state, path)


def load_model(path: Path) -> Student:
    """A trained model in float32.

    Raises:
        TrainingError: the file is missing or is not a model.
    """
    try:
        state = torch.load(path, weights_only=True)
        model = Student(Architecture(**state["sizes"]))
        model.load_state_dict(state["model"])
    except (OSError, RuntimeError, KeyError, TypeError) as error:
        raise TrainingError(f"{path}: {error}") from error
    return model


def _save_atomically(state: dict[str, Any], path: Path) -> None:
    partial = path.with_suffix(".part")
    torch.save(state, partial)
    partial.replace(path)


def use_allocator_settings() -> None:
    """Start this process again with the allocator settings, unless it has them."""
    if any(os.environ.get(name) != value for name, value in ALLOCATOR.items()):
        command = [sys.executable, *sys.orig_argv[1:]]
        os.execve(command[0], command, {**os.environ, **ALLOCATOR})  # noqa: S606
