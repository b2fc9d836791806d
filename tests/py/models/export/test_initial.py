from __future__ import annotations

from pathlib import Path

import pytest
import torch

from dragoman.errors import TrainingError
from dragoman.models.export.initial import open_student
from dragoman.models.network.checkpoint import save_model
from dragoman.models.network.student import UNK, Architecture, Student
from dragoman.models.training.train import take_parameters

MODELS = Path(__file__).parents[4] / "models"


def test_a_bundle_is_a_student_with_its_scores_of_pieces_within_reason() -> None:
    student = open_student(MODELS / "de-en")
    assert student.sizes.vocabulary_size == 8000
    assert student.alignment is not None
    # The graph forbids the unknown piece with a bias of -1e9.
    assert float(student.output_bias[UNK].detach()) == float(student.output_bias.detach().min())
    assert float(student.output_bias.detach().min()) > -100


def test_a_checkpoint_is_taken_as_it_is(tmp_path: Path) -> None:
    model = Student(Architecture(40, 8, 16, 2, 1, 1))
    save_model(model, tmp_path / "best.pt", {})
    opened = open_student(tmp_path / "best.pt")
    assert all(torch.equal(opened.state_dict()[n], v) for n, v in model.state_dict().items())


def test_parameters_without_the_alignment_head() -> None:
    first = Student(Architecture(40, 8, 16, 2, 1, 1, alignment=8))
    second = Student(Architecture(40, 8, 16, 2, 1, 1))
    take_parameters(second, first)
    assert all(torch.equal(first.state_dict()[n], v) for n, v in second.state_dict().items())


def test_other_sizes_are_an_error_that_names_them() -> None:
    with pytest.raises(TrainingError, match="has the dimension 8, not 16"):
        take_parameters(
            Student(Architecture(40, 16, 16, 2, 1, 1)), Student(Architecture(40, 8, 16, 2, 1, 1))
        )
