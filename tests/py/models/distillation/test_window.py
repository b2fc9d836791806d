from __future__ import annotations

import json
import lzma
import shutil
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from dragoman.errors import CorpusError, TrainingError
from dragoman.models.distillation.ledger import LEDGER
from dragoman.models.distillation.settings import Stage, Window, WindowSettings
from dragoman.models.distillation.stages import Stages
from dragoman.models.distillation.window import work
from dragoman.models.network.checkpoint import load_model, load_scores, load_state
from dragoman.models.packing.pack import Wish, pack
from dragoman.models.training.reporting import read_log
from tests.support.workshop import SILENT, toy_pairs, toy_student

TOY = WindowSettings(
    budget=2.0, teacher_share=0.3, back_share=0.2, finish_share=0.2, translate_share=0.1,
    teacher_dimension=32, teacher_feed_forward=64, teacher_heads=4, teacher_layers=1,
    teacher_dropout=0.0, teacher_rate=1e-2, teacher_warm_up=2, teacher_rows=4, dimension=32,
    feed_forward=64, heads=4, encoder_layers=1, decoder_layers=1, rate=1e-2, warm_up=2, rows=4,
    places=64, shard=100, log_every=2, bfloat16=False,
)  # fmt: skip


@pytest.fixture
def packed(toy_prepared: Path, tmp_path: Path) -> Path:
    texts = toy_pairs(8, seed=2)
    pack(toy_prepared, tmp_path / "toy.pack", Wish(1_000_000, validation=texts), part_bytes=50_000)
    return tmp_path / "toy.pack"


@pytest.fixture
def texts(tmp_path: Path) -> dict[str, list[Path]]:
    """Sentences of each language that no pair has, one file packed."""
    pairs = toy_pairs(90, seed=5)
    english, german = tmp_path / "mono.en.txt.xz", tmp_path / "mono.de.txt"
    with lzma.open(english, "wt", encoding="utf-8") as file:
        file.write("\n".join(source for source, _ in pairs[:50]))
    german.write_text("\n".join(target for _, target in pairs[50:]), encoding="utf-8")
    return {"en": [english], "de": [german]}


def _window(packed: Path, run: Path, seconds: float, stage: Stage | None = None) -> Window:
    """A second passes whenever somebody looks at the clock."""
    ticks: Iterator[int] = count()
    return Window(
        packed, run, ("en", "de"), seconds, TOY, stage=stage, carry=run.with_name("carry"),
        part_bytes=40_000, clock=lambda: float(next(ticks)),
    )  # fmt: skip


def _work(window: Window) -> tuple[Stage | None, list[str]]:
    told: list[str] = []
    return work(window, SILENT, told.append), told


def test_windows_on_machines_with_nothing_but_pack_texts_and_carry(
    packed: Path, texts: dict[str, list[Path]], tmp_path: Path
) -> None:
    following: list[Stage | None] = []
    run = tmp_path / "run"
    while not following or following[-1]:
        shutil.rmtree(run, ignore_errors=True)  # each window has a bare machine
        stage, told = _work(replace(_window(packed, run, 20), texts=texts))
        following.append(stage)
        assert len(following) < 20, told
    assert following[0] is Stage.TEACHER
    assert [stage for stage in Stage if stage in following] == [
        stage for stage in dict.fromkeys(following) if stage
    ]
    assert following[-2] is Stage.STUDENT
    state = load_state(run / "student" / "checkpoint.pt")
    assert 0 < state["restarted"] < state["progress"]["step"]
    assert load_model(run / "student" / "best.pt").sizes == TOY.student(340)
    names = {path.name.partition(".")[0] for path in (tmp_path / "carry").iterdir()}
    assert names == {"window", "student"}
    assert all(path.stat().st_size <= 40_000 for path in (tmp_path / "carry").iterdir())
    noted = load_scores(run / "student" / "best.pt")
    shutil.rmtree(run)  # at home
    home = replace(TOY, rows=5)
    assert _work(replace(_window(packed, run, 20), settings=home))[0] is None
    same = ("step", "hardware", "settings")
    assert [load_scores(run / "student" / "best.pt")[name] for name in same] == [
        noted[name] for name in same
    ]
    assert noted["settings"]["rows"] == 4


def test_one_long_window_does_it_all(
    packed: Path, texts: dict[str, list[Path]], tmp_path: Path
) -> None:
    run = tmp_path / "run"
    stage, told = _work(replace(_window(packed, run, 10_000), texts=texts))
    assert stage is None
    assert [line.partition(",")[0] for line in told if "done" in line] == [
        "teacher: done", "back: done", "finish: done", "translate: done", "student: done",
    ]  # fmt: skip
    assert [line.partition(" shards")[0] for line in told if "shards" in line] == [
        "back.de: 1 of 1", "back.en: 1 of 1", "pairs: 3 of 3", "texts: 1 of 1",
    ]  # fmt: skip
    rows = read_log(run / "teacher" / "log.jsonl")
    assert [row["pair"] for row in rows if "bleu" in row] == 2 * ["en-de", "de-en"]
    assert rows[-3]["rate"] < 0.01 == rows[1]["rate"]
    assert json.loads((run / LEDGER).read_text())["seconds"] > 120
    noted = load_scores(run / "student" / "best.pt")
    assert noted["step"] == load_state(run / "student" / "checkpoint.pt")["progress"]["step"]
    assert {"bleu", "chrf", "pieces", "seconds", "hardware", "settings"} <= noted.keys()


def test_without_texts_nothing_is_translated_back(packed: Path, tmp_path: Path) -> None:
    stage, told = _work(_window(packed, tmp_path / "run", 10_000))
    assert stage is None
    assert [line for line in told if "shards" in line] == ["pairs: 3 of 3 shards, 300 sentences"]


def test_a_student_begins_with_another(packed: Path, tmp_path: Path) -> None:
    begun = replace(_window(packed, tmp_path / "run", 10_000), initial=toy_student())
    _work(begun)
    assert load_model(tmp_path / "run" / "student" / "best.pt").sizes.encoder_layers == 2
    other = replace(_window(packed, tmp_path / "b" / "run", 9), initial=toy_student(350))
    with pytest.raises(TrainingError, match="begin with has 350 pieces, the data 340"):
        _work(other)


def test_a_stage_needs_the_one_before(packed: Path, tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="has no teacher: begin with that stage"):
        _work(_window(packed, tmp_path / "run", 9, Stage.TRANSLATE))
    with pytest.raises(TrainingError, match="has no translations: make them first"):
        _work(_window(packed, tmp_path / "run", 9, Stage.STUDENT))


def test_the_budget_has_no_time_for_a_stage_that_is_over(packed: Path, tmp_path: Path) -> None:
    _work(_window(packed, tmp_path / "run", 60))
    with pytest.raises(TrainingError, match="and teacher ends after 36: give a larger budget"):
        _work(_window(packed, tmp_path / "run", 9, Stage.TEACHER))


def test_what_a_window_lacks_of_the_one_before_is_told_of(packed: Path, tmp_path: Path) -> None:
    run, carried = tmp_path / "run", tmp_path / "carry"
    assert _work(_window(packed, run, 20))[0] is Stage.TEACHER
    shutil.rmtree(run)
    for part in carried.glob("teacher.slim*"):
        part.unlink()
    with pytest.raises(TrainingError, match=r"teacher\.slim of the window before is not there"):
        _work(_window(packed, run, 20))


def test_what_was_made_is_carried_though_a_stage_fails(
    packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: Stages) -> bool:
        raise RuntimeError("no memory")

    monkeypatch.setattr(Stages, "_translate", fails)
    with pytest.raises(RuntimeError, match="no memory"):
        _work(_window(packed, tmp_path / "run", 10_000))
    monkeypatch.undo()
    shutil.rmtree(tmp_path / "run")
    stage, told = _work(_window(packed, tmp_path / "run", 10_000))
    assert stage is None
    assert next(line for line in told if "done" in line).startswith("translate: done")


def test_a_run_is_of_one_pack_one_pair_and_the_same_texts(
    packed: Path, texts: dict[str, list[Path]], tmp_path: Path
) -> None:
    run = tmp_path / "run"
    _work(replace(_window(packed, run, 5), texts=texts))
    with pytest.raises(CorpusError, match="not those that this run began with: give the same"):
        _work(_window(packed, run, 5))
    with pytest.raises(TrainingError, match="is of a run of en-de with this pack"):
        _work(replace(_window(packed, run, 5), direction=("de", "en")))
    (run / LEDGER).write_text("{")
    with pytest.raises(TrainingError, match="cannot be read"):
        _work(_window(packed, run, 5))


def test_a_pack_needs_texts_to_validate_on(toy_prepared: Path, tmp_path: Path) -> None:
    pack(toy_prepared, tmp_path / "bare", Wish(1_000_000))
    with pytest.raises(TrainingError, match="pack it with --validation"):
        _work(_window(tmp_path / "bare", tmp_path / "run", 9))
    with pytest.raises(CorpusError, match="there is no such file"):
        _work(_window(tmp_path / "none", tmp_path / "run", 9))
