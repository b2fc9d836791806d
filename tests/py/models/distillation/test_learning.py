from __future__ import annotations

from dataclasses import replace
from itertools import count
from pathlib import Path

import numpy as np
import pytest
import torch

from dragoman.errors import TrainingError
from dragoman.models.data.batches import Ragged
from dragoman.models.data.rows import Examples, Mix
from dragoman.models.distillation.learning import Learner, Pace
from dragoman.models.distillation.settings import WindowSettings
from dragoman.models.network.packed import PackedStudent
from dragoman.models.network.student import Architecture, Student
from dragoman.models.training.optimizers import make_stacked
from dragoman.models.training.reporting import Lines, Step, read_log
from dragoman.models.training.slim import slim
from tests.support.workshop import SILENT

SIZES = Architecture(60, 16, 32, 2, 1, 1)
SETTINGS = WindowSettings(rows=4, places=32, log_every=2, average=0.5)
PACE = Pace(1e-2, 4)


def _mix() -> Mix:
    rows = Ragged.of([[2 + n % 50] * (1 + n % 7) for n in range(50)], np.uint16)
    return Mix([Examples.of(rows, rows, np.ones(50))])


def _learner(
    folder: Path, carried: Path | None = None, sizes: Architecture = SIZES
) -> Learner[Student]:
    torch.manual_seed(1)
    model = Student(sizes)
    optimizer = make_stacked(model, 1e-2, torch.float32)
    return Learner(folder, PackedStudent(model, 32), sizes, optimizer, SETTINGS, carried)


def _learn(learner: Learner[Student], updates: int, pace: Pace = PACE) -> None:
    asked = count()
    learner.learn(
        _mix(), SETTINGS.shape, pace, lambda: next(asked) / updates, lambda: False, SILENT
    )


def test_the_rate_rises_stays_and_falls() -> None:
    pace = Pace(1.0, 4, falls=0.5)
    rates = [pace.rate(update, share) for update, share in ((1, 0), (4, 0.25), (9, 0.75), (9, 1))]
    assert rates == [0.25, 1.0, 0.5, 0.0]
    assert Pace(1.0, 4).rate(9, 0.99) == 1.0


def test_it_learns_until_its_time_is_over_and_tells(tmp_path: Path) -> None:
    learner = _learner(tmp_path)
    _learn(learner, 30)
    rows = read_log(tmp_path / "log.jsonl")
    assert [row["step"] for row in rows] == list(range(2, 31, 2))
    assert rows[-1]["loss"] < 0.8 * rows[0]["loss"]
    assert rows[0]["rate"] == 0.005
    assert learner.progress.step == 30
    assert learner.progress.pieces > 30 * 4 * 32 * 0.7
    learner.learn(_mix(), SETTINGS.shape, PACE, lambda: 0.0, lambda: True, SILENT)
    assert learner.progress.step == 30


def test_without_memory_for_a_batch_its_size_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def loss(_: object) -> torch.Tensor:
        raise torch.OutOfMemoryError("CUDA out of memory")

    learner = _learner(tmp_path)
    monkeypatch.setattr(learner.packed, "loss", loss)
    with pytest.raises(TrainingError, match="no memory for 4 rows of 32 places; give fewer"):
        _learn(learner, 3)


def test_a_checkpoint_goes_on_to_the_same_bits(tmp_path: Path) -> None:
    one, other = _learner(tmp_path / "one"), _learner(tmp_path / "other")
    for learner in (one, other):
        _learn(learner, 3)
    other.save()
    other = _learner(tmp_path / "other")
    for learner in (one, other):
        _learn(learner, 3)
    assert one.progress.pieces == other.progress.pieces
    for mine, theirs in zip(one.parameters, other.parameters, strict=True):
        assert torch.equal(mine, theirs)
    for mean, again in zip(one.average, other.average, strict=True):
        assert torch.equal(mean, again)


def test_a_slim_one_goes_on_with_a_new_optimizer_that_warms_up(tmp_path: Path) -> None:
    one = _learner(tmp_path / "one")
    _learn(one, 6)
    one.save()
    files = tmp_path / "one" / "checkpoint.pt", tmp_path / "one" / "log.jsonl"
    slim(*files, tmp_path / "carried.slim", 1_000_000)
    other = _learner(tmp_path / "other", tmp_path / "carried.slim")
    assert (other.progress.step, other.restarted) == (6, 6)
    for mine, theirs in zip(one.parameters, other.parameters, strict=True):
        assert torch.allclose(mine, theirs, atol=1e-3)
    _learn(other, 2)
    rows = read_log(tmp_path / "other" / "log.jsonl")
    assert [(row["step"], row["rate"]) for row in rows][-2:] == [(6, 0.01), (8, 0.005)]


def test_a_log_that_was_carried_is_there_once(tmp_path: Path) -> None:
    one = _learner(tmp_path / "one")
    _learn(one, 6)
    one.save()
    log = tmp_path / "one" / "log.jsonl"
    slim(tmp_path / "one" / "checkpoint.pt", log, tmp_path / "carried.slim", 1_000_000)
    for _ in range(2):  # killed before it saved
        _learner(tmp_path / "other", tmp_path / "carried.slim")
    assert read_log(tmp_path / "other" / "log.jsonl") == read_log(log)


def test_a_window_that_goes_on_knows_how_much_is_left(tmp_path: Path) -> None:
    shown: list[Step] = []

    class Watch(Lines):
        def step(self, step: Step) -> None:
            shown.append(step)

    shares = iter([0.5, 0.6, 0.7, 0.8, 0.9, 1.0])  # half of the stage's time is spent
    learner = _learner(tmp_path)
    learner.learn(
        _mix(), SETTINGS.shape, PACE, lambda: next(shares), lambda: False, Watch(lambda _: None)
    )
    assert [(step.number, step.total) for step in shown] == [(2, 10), (4, 7)]


def test_what_a_student_began_with_stays_its_name(tmp_path: Path) -> None:
    for name in ("de-en-tiny 0.3.0", ""):
        learner = _learner(tmp_path)
        learner.settings = replace(SETTINGS, initial=name)
        _learn(learner, 2)
        learner.save()
        assert learner.made_with["settings"]["initial"] == "de-en-tiny 0.3.0"


def test_parameters_that_are_no_numbers_are_not_saved(tmp_path: Path) -> None:
    learner = _learner(tmp_path)
    learner.save()
    learner.average[0][0] = torch.inf
    with pytest.raises(TrainingError, match="step 0: the parameters are not finite"):
        learner.save()
    assert _learner(tmp_path).progress.step == 0


def test_what_fits_not(tmp_path: Path) -> None:
    one = _learner(tmp_path)
    one.save()
    with pytest.raises(TrainingError, match="has the sizes"):
        _learner(tmp_path, sizes=replace(SIZES, feed_forward=16))
    (tmp_path / "checkpoint.pt").write_bytes(b"damaged")
    with pytest.raises(TrainingError, match="cannot be read"):
        _learner(tmp_path)


def test_a_loss_that_is_not_finite_is_an_error(tmp_path: Path) -> None:
    learner = _learner(tmp_path)
    with torch.no_grad():
        learner.model.embedding.fill_(torch.nan)
    with pytest.raises(TrainingError, match="step 2: the loss is not finite"):
        _learn(learner, 4)
