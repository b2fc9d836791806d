from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from dragoman.errors import TrainingError
from dragoman.models.training.picture import draw_curve, draw_scores

ROWS = [
    {"step": 50, "loss": 6.0, "guide": 2.0},
    {"step": 100, "loss": 4.0, "guide": 1.0},
    {"step": 100, "bleu": 10.0, "chrf": 30.0},
]


def test_a_curve_shows_all_four_lines_and_is_the_same_each_time(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    draw_curve(log, tmp_path / "one.svg")
    draw_curve(log, tmp_path / "other.svg")
    text = (tmp_path / "one.svg").read_text(encoding="utf-8")
    for label in ("loss, nats a piece", "guided alignment", "BLEU", "chrF", "updates"):
        assert f">{label}</text>" in text
    assert text == (tmp_path / "other.svg").read_text(encoding="utf-8")


def test_a_teacher_has_a_line_for_each_direction(tmp_path: Path) -> None:
    scores = [{**ROWS[2], "pair": pair} for pair in ("de-en", "en-de")]
    log = tmp_path / "log.jsonl"
    log.write_text("".join(json.dumps(row) + "\n" for row in [*ROWS[:2], *scores]))
    draw_curve(log, tmp_path / "c.svg")
    text = (tmp_path / "c.svg").read_text(encoding="utf-8")
    for label in ("BLEU de-en", "chrF de-en", "BLEU en-de", "chrF en-de"):
        assert f">{label}</text>" in text


def test_a_curve_without_scores_yet(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(json.dumps({"step": 1, "loss": 9.0}) + "\n")
    draw_curve(log, tmp_path / "c.svg")
    assert "BLEU</text>" not in (tmp_path / "c.svg").read_text(encoding="utf-8")


def test_no_curve_of_nothing(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=r"log\.jsonl cannot be read"):
        draw_curve(tmp_path / "log.jsonl", tmp_path / "c.svg")
    (tmp_path / "log.jsonl").write_text("")
    with pytest.raises(TrainingError, match="has no row yet"):
        draw_curve(tmp_path / "log.jsonl", tmp_path / "c.svg")


def test_bars_have_their_figures(tmp_path: Path) -> None:
    scores = {"tatoeba": {"this": 38.3, "other": 60.0}, "flores": {"this": 6.4}}
    draw_scores(scores, "German to English", tmp_path / "s.svg")
    text = (tmp_path / "s.svg").read_text(encoding="utf-8")
    for label in ("38.3", "60.0", "6.4", "tatoeba", "flores", "this", "other", "German to English"):
        assert f">{label}</text>" in text


def test_no_two_of_many_systems_look_alike(tmp_path: Path) -> None:
    systems = {f"system {number}": 30.0 + number for number in range(14)}
    draw_scores({"flores": systems}, "German to English", tmp_path / "s.svg")
    text = (tmp_path / "s.svg").read_text(encoding="utf-8")
    bar = r'<path d="[^"]*" clip-path="[^"]*" style="fill: ([^;"]*)'
    looks = [look for look in re.findall(bar, text) if look != "none"]  # none: lines of the grid
    assert len(looks) == len(set(looks)) == 14
