from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from dragoman.errors import TrainingError
from dragoman.models.export.average import average_models, averaged
from dragoman.models.network.checkpoint import load_model, load_scores, save_model
from dragoman.models.network.student import Student
from tests.support.workshop import toy_student


def shifted(student: Student, by: float) -> Student:
    with torch.no_grad():
        for parameter in student.parameters():
            parameter.add_(by)
    return student


def test_the_mean_of_two_by_their_shares() -> None:
    one, other = toy_student(), shifted(toy_student(), 1.0)
    expected = {name: value.detach() + 0.75 for name, value in one.named_parameters()}
    mean = averaged([one, other], [0.25, 0.75])
    for name, value in mean.named_parameters():
        torch.testing.assert_close(value.detach(), expected[name])


def test_the_head_is_that_of_the_model_which_has_one() -> None:
    plain = toy_student()
    headed = Student(replace(plain.sizes, alignment=8))
    only = {name for name, _ in headed.named_parameters()} - dict(plain.named_parameters()).keys()
    assert only
    before = {name: dict(headed.named_parameters())[name].detach().clone() for name in only}
    mean = averaged([plain, headed], [0.5, 0.5])
    assert mean.sizes.alignment == 8
    for name, value in before.items():
        assert torch.equal(dict(mean.named_parameters())[name], value)


def test_what_is_known_is_of_the_last(tmp_path: Path) -> None:
    save_model(toy_student(), tmp_path / "a.pt", {"step": 1})
    save_model(toy_student(), tmp_path / "b.pt", {"step": 7, "bleu": 9.5})
    average_models([tmp_path / "a.pt", tmp_path / "b.pt"], [], tmp_path / "mean.pt")
    of = [{"model": "a.pt", "share": 0.5}, {"model": "b.pt", "share": 0.5}]
    assert load_scores(tmp_path / "mean.pt") == {"step": 7, "bleu": 9.5, "averaged": of}
    assert load_model(tmp_path / "mean.pt").sizes == toy_student().sizes
    assert str(tmp_path) not in json.dumps(load_scores(tmp_path / "mean.pt"))


@pytest.mark.parametrize(
    ("count", "shares", "message"),
    [
        (1, [], "of two models or more"),
        (2, [1.0], "1 shares for 2 models"),
        (2, [0.5, 0.6], "sum to 1.1"),
        (2, [1.5, -0.5], "none is under 0"),
    ],
)
def test_what_is_no_mean(tmp_path: Path, count: int, shares: list[float], message: str) -> None:
    save_model(toy_student(), tmp_path / "a.pt", {})
    with pytest.raises(TrainingError, match=message):
        average_models([tmp_path / "a.pt"] * count, shares, tmp_path / "mean.pt")


def test_models_of_other_sizes_have_no_mean() -> None:
    other = Student(replace(toy_student().sizes, encoder_layers=1))
    with pytest.raises(TrainingError, match="differ in their encoder_layers: "):
        averaged([toy_student(), other], [0.5, 0.5])
