from __future__ import annotations

from typing import Any

import pytest

from dragoman.errors import TrainingError
from dragoman.models.distillation.settings import Stage, WindowSettings


def test_each_stage_ends_when_the_shares_so_far_are_spent() -> None:
    settings = WindowSettings(
        budget=10, teacher_share=0.25, back_share=0.25, finish_share=0.125, translate_share=0.125
    )
    assert settings.ends() == {
        Stage.TEACHER: 150, Stage.BACK: 300, Stage.FINISH: 375, Stage.TRANSLATE: 450,
        Stage.STUDENT: 600,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"budget": 0}, "budget is 0; it must be above 0"),
        ({"teacher_share": 0.9}, "leave something to the student"),
        ({"back_share": -0.1}, "none is below 0"),
        ({"back_share": float("nan")}, "none is below 0"),
        ({"rate": 0}, "rate is 0; it must be above 0"),
        ({"teacher_dropout": 1.0}, r"teacher_dropout is 1.0; it must be in \[0, 1\)"),
        ({"rows": 0}, "rows is 0; the least is 1"),
        ({"places": 4}, "a row has at least 8 places"),
    ],
)
def test_values_out_of_their_range(values: dict[str, Any], told: str) -> None:
    with pytest.raises(TrainingError, match=told):
        WindowSettings(**values)
