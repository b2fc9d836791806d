from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from dragoman.errors import CorpusError, TrainingError
from dragoman.models.data.prepared import read_meta
from dragoman.models.distillation.settings import WindowSettings
from dragoman.models.distillation.window import Stage, Window, work
from dragoman.models.network.checkpoint import load_model, load_state
from dragoman.models.packing.pack import Wish, pack
from dragoman.models.training.reporting import read_log
from tests.support.workshop import SILENT, toy_pairs

TOY = WindowSettings(
    teacher_dimension=32, teacher_feed_forward=64, teacher_heads=4, teacher_layers=1,
    teacher_steps=10, teacher_dropout=0.0, teacher_rate=1e-2, dimension=32, feed_forward=64,
    heads=4, encoder_layers=1, decoder_layers=1, steps=6, rate=1e-2, batch_pieces=400, warm_up=4,
    validate_every=5, beam=2, shard_pairs=100, bfloat16=False,
)  # fmt: skip


@pytest.fixture
def packed(toy_prepared: Path, tmp_path: Path) -> Path:
    texts = toy_pairs(8, seed=2)
    pack(toy_prepared, tmp_path / "toy.pack", Wish(1_000_000, validation=texts), part_bytes=50_000)
    return tmp_path / "toy.pack"


def _window(packed: Path, run: Path, seconds: float, stage: Stage | None = None) -> Window:
    """A second passes whenever somebody looks at the clock."""
    ticks: Iterator[int] = count()
    return Window(
        packed, run, ("en", "de"), seconds, TOY, stage, carry=run.with_name("carry"),
        part_bytes=40_000, clock=lambda: float(next(ticks)),
    )  # fmt: skip


def _work(window: Window) -> tuple[Stage | None, list[str]]:
    told: list[str] = []
    return work(window, SILENT, told.append), told


def test_windows_on_machines_with_nothing_but_pack_and_carry(packed: Path, tmp_path: Path) -> None:
    following: list[Stage | None] = []
    run = tmp_path / "run"
    while not following or following[-1]:
        shutil.rmtree(run, ignore_errors=True)  # each window has a bare machine
        stage, told = _work(_window(packed, run, 5))
        following.append(stage)
        assert len(following) < 20, told
    assert following[0] is Stage.TEACHER
    assert Stage.TRANSLATE in following
    assert Stage.STUDENT in following
    assert load_state(run / "student" / "checkpoint.pt")["progress"]["step"] == 6
    assert [row["step"] for row in read_log(run / "student" / "log.jsonl") if "bleu" in row][
        -1
    ] == 6
    assert load_model(run / "student" / "best.pt").sizes == TOY.student(340)
    names = {path.name.partition(".")[0] for path in (tmp_path / "carry").iterdir()}
    assert "teacher" not in names
    assert all(path.stat().st_size <= 40_000 for path in (tmp_path / "carry").iterdir())


def test_one_long_window_does_it_all(packed: Path, tmp_path: Path) -> None:
    stage, told = _work(_window(packed, tmp_path / "run", 10_000))
    assert stage is None
    assert "teacher: finished, step 10 of 10" in told
    assert "translate: 3 of 3 shards" in told
    assert "student: finished, step 6 of 6" in told
    meta = read_meta(tmp_path / "run" / "taught")
    assert 0 <= meta["taught"] <= meta["pairs"]


def test_a_stage_needs_the_one_before(packed: Path, tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="has no teacher: begin with that stage"):
        _work(_window(packed, tmp_path / "run", 9, Stage.TRANSLATE))
    with pytest.raises(TrainingError, match="has no translations: make them first"):
        _work(_window(packed, tmp_path / "run", 9, Stage.STUDENT))


def test_a_pack_needs_texts_to_validate_on(toy_prepared: Path, tmp_path: Path) -> None:
    pack(toy_prepared, tmp_path / "bare", Wish(1_000_000))
    with pytest.raises(TrainingError, match="pack it with --validation"):
        _work(_window(tmp_path / "bare", tmp_path / "run", 9))
    with pytest.raises(CorpusError, match="there is no such file"):
        _work(_window(tmp_path / "none", tmp_path / "run", 9))
