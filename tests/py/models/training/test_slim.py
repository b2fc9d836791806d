from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
import torch

from dragoman.errors import TrainingError
from dragoman.models.network.checkpoint import load_state
from dragoman.models.packing.pack import Wish, pack, unpack
from dragoman.models.packing.parts import write_parts
from dragoman.models.training.reporting import read_log
from dragoman.models.training.slim import Slimmed, load_slim, quantized, restored, slim
from dragoman.models.training.train import REWARM, Ending, Trainer
from tests.support.workshop import SILENT, toy_trainer


@pytest.fixture
def run(toy_prepared: Path, tmp_path: Path) -> Path:
    """A run of 6 steps of 12."""
    folder = tmp_path / "run"
    trainer = toy_trainer(folder, toy_prepared)
    assert trainer.run(SILENT, stop=lambda: trainer.progress.step == 6) is Ending.STOPPED
    return folder


def _slim(run: Path, output: Path, limit: int = 1_000_000, parts: int = 0) -> Slimmed:
    return slim(run / "checkpoint.pt", run / "log.jsonl", output, limit, parts)


def test_another_machine_goes_on_from_a_slim_checkpoint(
    run: Path, toy_prepared: Path, tmp_path: Path
) -> None:
    made = _slim(run, tmp_path / "carried", parts=50_000)
    assert (made.form, made.step) == ("both", 6)
    assert len(made.files) == -(-made.size // 50_000) > 1
    assert made.size < (run / "checkpoint.pt").stat().st_size / 3
    before = load_state(run / "checkpoint.pt")
    trainer = toy_trainer(tmp_path / "new", toy_prepared, carried=tmp_path / "carried")
    assert trainer.progress.step == trainer.restarted == 6
    assert trainer.progress.position == before["progress"]["position"]
    for name, value in trainer.model.state_dict().items():
        torch.testing.assert_close(value, before["model"][name], rtol=1e-3, atol=1e-6)
    assert trainer.rate_at(7) == pytest.approx(trainer.settings.rate_at(7) / REWARM)
    assert trainer.run(SILENT) is Ending.FINISHED
    rows = read_log(tmp_path / "new" / "log.jsonl")
    assert [row["step"] for row in rows if "loss" in row] == list(range(1, 13))
    assert (tmp_path / "new" / "best.pt").exists()


def test_a_carried_run_that_is_killed_before_it_saves_begins_its_log_anew(
    run: Path, toy_prepared: Path, tmp_path: Path
) -> None:
    _slim(run, tmp_path / "carried")
    for _ in range(2):  # nothing was saved in between
        toy_trainer(tmp_path / "new", toy_prepared, carried=tmp_path / "carried")
    assert read_log(tmp_path / "new" / "log.jsonl") == read_log(run / "log.jsonl")


def test_a_run_of_its_own_that_is_behind_is_not_gone_on_with(
    run: Path, toy_prepared: Path, tmp_path: Path
) -> None:
    _slim(run, tmp_path / "carried")
    behind = toy_trainer(tmp_path / "own", toy_prepared, steps=5)
    behind.run(SILENT)
    with pytest.raises(TrainingError, match=r"own holds a run at step 5, and .*carried is at st"):
        toy_trainer(tmp_path / "own", toy_prepared, carried=tmp_path / "carried")
    assert toy_trainer(run, toy_prepared, carried=tmp_path / "carried").progress.step == 6
    gone = toy_trainer(tmp_path / "own", toy_prepared, carried=tmp_path / "gone")
    assert gone.progress.step == 5


def _is_at(trainer: Trainer, step: int) -> bool:
    return trainer.progress.step == step


def test_a_run_that_was_carried_goes_on_to_the_same_bits(
    run: Path, toy_prepared: Path, tmp_path: Path
) -> None:
    _slim(run, tmp_path / "carried")
    for name, stops in (("whole", (99,)), ("parts", (8, 99))):
        for stop in stops:
            trainer = toy_trainer(tmp_path / name, toy_prepared, carried=tmp_path / "carried")
            trainer.run(SILENT, stop=partial(_is_at, trainer, stop))
    one, other = (load_state(tmp_path / name / "checkpoint.pt") for name in ("whole", "parts"))
    assert all(torch.equal(one["model"][name], other["model"][name]) for name in one["model"])


def test_the_first_form_that_fits_is_taken(run: Path, tmp_path: Path) -> None:
    made = [_slim(run, tmp_path / "s")]
    for _ in range(3):
        made.append(_slim(run, tmp_path / "s", made[-1].size - 1))
    assert [one.form for one in made] == ["both", "average", "average-int8", "average-int7"]
    with pytest.raises(TrainingError, match=r"its smallest form takes 0\.1 MB"):
        _slim(run, tmp_path / "s", made[-1].size - 1)


@pytest.mark.parametrize("form", ["average", "average-int8", "average-int7"])
def test_the_average_alone_is_the_model_too(
    form: str, run: Path, toy_prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dragoman.models.training import slim as module

    monkeypatch.setattr(module, "FORMS", {form: module.FORMS[form]})
    _slim(run, tmp_path / "carried")
    trainer = toy_trainer(tmp_path / "new", toy_prepared, carried=tmp_path / "carried")
    average = load_state(run / "checkpoint.pt")["average"]
    for parameter, value, kept in zip(
        trainer.model.parameters(), average, trainer.average, strict=True
    ):
        assert torch.equal(parameter, kept)
        step = value.abs().max() / 63
        assert float((parameter.detach() - value).abs().max()) <= float(0.51 * step)


def test_rows_are_quantized_apart() -> None:
    value = torch.tensor([[1.0, -0.5], [0.01, 0.0]])
    made = quantized(value, 127)
    assert made["whole"].tolist() == [[127, -64], [127, 0]]
    torch.testing.assert_close(restored(made, value.shape), value, rtol=0, atol=0.004)


def test_what_is_no_slim_checkpoint(run: Path, toy_prepared: Path, tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="there is no such file"):
        load_slim(tmp_path / "x")
    for content in (b"nothing", b"", b"xnothing"):  # such as a pack
        write_parts(tmp_path / "x", content)
        with pytest.raises(TrainingError, match="x cannot be read: it is damaged, or no file of"):
            load_slim(tmp_path / "x")
    _slim(run, tmp_path / "carried")
    with pytest.raises(TrainingError, match="holds a run with batch_pieces 200, not 300"):
        toy_trainer(tmp_path / "new", toy_prepared, batch_pieces=300, carried=tmp_path / "carried")


def test_the_order_of_a_pack_is_another(run: Path, toy_prepared: Path, tmp_path: Path) -> None:
    pack(toy_prepared, tmp_path / "pack", Wish(1_000_000, links=True))
    unpack(tmp_path / "pack", tmp_path / "prepared")
    with pytest.raises(TrainingError, match="data: pack 0, not"):
        toy_trainer(run, tmp_path / "prepared")
