"""`dragoman model train-alignment`: an alignment head for a model that is trained already.

    frozen model, teacher forcing --> history, memory --> head --> loss against the aligner's links

Only the head learns, so translations stay what they were, to the bit, and minutes are enough
(Chen et al. 2020: SHIFT-AET). Any checkpoint with prepared data of its vocabulary can have one.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import islice
from pathlib import Path

import sentencepiece
import torch
from torch import Tensor

from dragoman.errors import TrainingError
from dragoman.models.alignment.alignment_error import AlignedPair, alignment_error, word_weights
from dragoman.models.alignment.recase import partly_lowered
from dragoman.models.alignment.settings import AlignmentSettings
from dragoman.models.data.batches import Batch, BatchPlan, TrainingData
from dragoman.models.network.checkpoint import load_model, load_scores, save_model
from dragoman.models.network.loss import guided_alignment
from dragoman.models.network.precision import compute_type
from dragoman.models.network.student import EOS, Forced, Student
from dragoman.models.training.reporting import Display, Lines, Step
from dragoman.text.tokenizer import SentencePieceTokenizer


class AlignmentTrainer:
    """Trains a head on top of a model that does not change.

    Args:
        model: with a head already or not; it gets a new one.
        vocabulary: of the model.
        checked: hand-aligned sentences whose error is told at each report; may be none.

    Raises:
        TrainingError: model and data do not fit each other.
    """

    def __init__(
        self,
        model: Student,
        data: TrainingData,
        vocabulary: sentencepiece.SentencePieceProcessor,
        settings: AlignmentSettings,
        checked: Sequence[AlignedPair] = (),
    ) -> None:
        if model.sizes.vocabulary_size != data.vocabulary_size:
            raise TrainingError(
                f"the model has {model.sizes.vocabulary_size} pieces, the data "
                f"{data.vocabulary_size}"
            )
        torch.manual_seed(settings.seed)
        self.model = with_new_head(model, settings.size).eval()
        self.data, self.settings, self.vocabulary = data, settings, vocabulary
        self.checked = checked

    def run(self, display: Display | None = None) -> Student:
        """Train to the last step; returns the model with its head.

        Raises:
            TrainingError: the loss is no number any more, or the data have no links to learn from.
        """
        display = display or Lines(print)
        settings, head = self.settings, self.model.alignment
        if head is None:
            raise TrainingError("the model has no alignment head")
        # Faster, where there is bfloat16; the head itself learns in float32.
        self.model.compute_type = compute_type(torch.device("cpu"))
        rng = random.Random(settings.seed)
        optimizer = torch.optim.Adam(head.parameters(), lr=settings.rate)
        plan = BatchPlan(settings.seed, settings.batch_pieces)
        losses: list[float] = []
        linked = False
        batches = islice(self.data.batches(plan, 0, 0), settings.steps)
        for number, (_, _, batch) in enumerate(batches, start=1):
            start = time.monotonic()
            seen = partly_lowered(batch, self.vocabulary, settings.lower_case, rng)
            for group in optimizer.param_groups:
                group["lr"] = settings.rate_at(number)
            optimizer.zero_grad()
            loss = self._loss(seen)
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            losses.append(float(loss.detach()))
            if not math.isfinite(losses[-1]):
                raise TrainingError(f"step {number}: the loss is not finite; a lower rate may help")
            pieces, seconds = int(seen.target_mask.sum()), time.monotonic() - start
            display.step(Step(number, settings.steps, losses[-1], pieces, seconds))
            linked = linked or bool(_links(seen).any())
            if number % settings.report_every == 0 or number == settings.steps:
                if not linked:  # as of a pack that was made without `--links`
                    raise TrainingError(
                        f"after {number:,} steps: no pair of these data has links of words, and so "
                        "the head cannot learn any"
                    )
                guide = sum(losses) / len(losses)
                display.row({"step": number, "guide": round(guide, 4), **self._error()})
                losses = []
        self.model.compute_type = torch.float32
        return self.model

    def _loss(self, batch: Batch) -> Tensor:
        """Cross-entropy of the head against the links, a target piece that has any."""
        source, mask, target = map(
            torch.from_numpy, (batch.source, batch.source_mask, batch.target)
        )
        links = _links(batch)
        with torch.no_grad():
            forced = self.model(source, mask, target)
        log_weights = self.model.aligned(_floats(forced))
        count = torch.count_nonzero(links.sum(dim=2)).clamp(min=1)
        return guided_alignment(log_weights, links) / count

    def _error(self) -> dict[str, float]:
        if not self.checked:
            return {}
        tokenizer = SentencePieceTokenizer(self.vocabulary.serialized_model_proto())
        self.model.compute_type = torch.float32  # As it will be read.
        weights = word_weights(self.model, tokenizer, self.checked)
        self.model.compute_type = compute_type(torch.device("cpu"))
        return {"aer": alignment_error(weights, self.checked).aer}


def with_new_head(model: Student, size: int) -> Student:
    """The same model with an alignment head that has learned nothing yet."""
    made = Student(replace(model.sizes, alignment=size))
    known = {
        name: value
        for name, value in model.state_dict().items()
        if not name.startswith("alignment.")
    }
    made.load_state_dict(made.state_dict() | known)
    return made


def _links(batch: Batch) -> Tensor:
    """Those of words [B, T, S]: no step comes after EOS that could tell where it comes from."""
    return torch.from_numpy(batch.guide * (batch.target != EOS)[:, :, None])


def _floats(forced: Forced) -> Forced:
    return Forced(*(value.float() for value in forced))


def train_alignment(
    model: Path,
    output: Path,
    data: TrainingData,
    vocabulary: sentencepiece.SentencePieceProcessor,
    settings: AlignmentSettings,
    checked: Sequence[AlignedPair] = (),
    display: Display | None = None,
) -> None:
    """Give a model's file a head: reads `model`, writes `output` with all that was noted of it.

    Raises:
        TrainingError: the model cannot be read, or does not fit the data; the output is a folder.
    """
    if output.is_dir():  # not found out after all the training
        raise TrainingError(f"{output} is a folder; name a file in it, such as aligned.pt")
    output.parent.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    trainer = AlignmentTrainer(load_model(model), data, vocabulary, settings, checked)
    trained = trainer.run(display)
    noted = {**asdict(settings), "seconds": round(time.monotonic() - start)}
    save_model(trained, output, {**load_scores(model), "alignment": noted})
