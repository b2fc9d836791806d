from __future__ import annotations

import json
from pathlib import Path

import pytest

from dragoman.models.training.reporting import Lines, Pace, RunLog, Step, clock, display, read_log


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0:00"), (63, "1:03"), (3723, "1:02:03"), (-5, "0:00")]
)
def test_clock(seconds: float, text: str) -> None:
    assert clock(seconds) == text


def test_pace_of_a_steady_run() -> None:
    pace = Pace()
    for number in range(1, 4):
        step = Step(number, 103, loss=3.5, pieces=1_000, seconds=0.5)
        pace.add(step)
    assert pace.describe(step) == "loss 3.50  2,000 pieces/s  0:50 left"


def test_pace_knows_the_time_budget() -> None:
    pace, step = Pace(), Step(1, 1_000, loss=3.5, pieces=1_000, seconds=1.0, budget=30)
    pace.add(step)
    assert pace.describe(step).endswith("0:30 left")


def test_a_loss_that_was_not_asked_for_yet_is_no_number_later() -> None:
    pace = Pace()
    for loss, shown in ((float("nan"), "loss -  "), (3.5, "loss 3.50  ")):
        step = Step(1, 10, loss, pieces=1_000, seconds=1.0)
        pace.add(step)
        assert pace.describe(step).startswith(shown)


def test_an_example_may_have_any_character(tmp_path: Path) -> None:
    log = RunLog(tmp_path / "log.jsonl")
    row = {"step": 1, "chrf": 50.0, "example": "a\u2028b\x85c"}
    log.add(row)
    log.cut(1)
    assert read_log(log.path) == [row]


def test_without_a_terminal_rows_are_lines() -> None:
    said: list[str] = []
    with display(said.append) as shown:
        shown.step(Step(1, 2, 3.0, 4, 5.0))
        shown.row({"step": 1, "example": "Müller"})
    assert isinstance(shown, Lines)
    assert said == ['{"step": 1, "example": "Müller"}']


def test_on_a_terminal_there_is_a_live_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    said: list[str] = []
    with display(said.append) as shown:
        shown.step(Step(1, 2, 3.0, 4_000, 2.0))
        shown.row({"step": 1, "loss": 3.0})
        shown.row({"step": 1, "bleu": 30.5})
        shown.row({"step": 1, "aer": 0.225})
    written = capsys.readouterr().err
    assert "2,000 pieces/s" in written
    assert "30.5" in written
    assert "0.225" in written
    assert said == []


def test_a_resumed_log_forgets_what_comes_again(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    log = RunLog(path)
    log.cut(5)  # nothing there yet
    for step in (1, 2, 3):
        log.add({"step": step})
    with path.open("a") as file:
        file.write('{"step": 4, "lo')  # killed while writing
    log.cut(2)
    log.add({"step": 3, "loss": 1.0})
    assert read_log(path) == [{"step": 1}, {"step": 2}, {"step": 3, "loss": 1.0}]
    assert all(json.loads(line) for line in path.read_text().splitlines())
