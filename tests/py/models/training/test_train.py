from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sentencepiece
import torch
from torch import Tensor

from dragoman.errors import TrainingError
from dragoman.models.network.checkpoint import load_model, load_scores, load_state
from dragoman.models.network.student import Architecture
from dragoman.models.training.host import stop_requests
from dragoman.models.training.reporting import Lines, Step, read_log
from dragoman.models.training.settings import TrainSettings
from dragoman.models.training.train import Ending, Trainer, translate
from tests.support.paths import ROOT
from tests.support.workshop import SILENT, toy_pairs, toy_sizes, toy_trainer

TIMES = ("seconds", "pieces_per_second", "minutes_left")


def _rows(folder: Path) -> list[dict[str, Any]]:
    """The log without what depends on the clock."""
    rows = read_log(folder / "log.jsonl")
    return [{key: row[key] for key in row if key not in TIMES} for row in rows]


def _at_step(trainer: Trainer, step: int) -> Callable[[], bool]:
    return lambda: trainer.progress.step == step


def _assert_same_run(one: Path, other: Path) -> None:
    """Bit for bit: losses, parameters, average, optimizer, place in the data."""
    assert _rows(one) == _rows(other)
    first, second = load_state(one / "checkpoint.pt"), load_state(other / "checkpoint.pt")
    assert {**first["progress"], "seconds": 0} == {**second["progress"], "seconds": 0}
    for key in first["model"]:
        assert torch.equal(first["model"][key], second["model"][key]), key
    for a, b in zip(first["average"], second["average"], strict=True):
        assert torch.equal(a, b)
    for a, b in zip(first["optimizer"], second["optimizer"], strict=True):
        assert a["state"].keys() == b["state"].keys() != set()
        for index, state in a["state"].items():
            for key, value in state.items():
                assert torch.equal(value, b["state"][index][key])


def test_the_rate_rises_falls_and_cools_down() -> None:
    settings = TrainSettings(steps=1_000, cooldown=100, rate=0.01, warm_up=100)
    assert settings.rate_at(1) == pytest.approx(0.0001)
    assert settings.rate_at(50) == pytest.approx(0.005)
    assert settings.rate_at(100) == pytest.approx(0.01)
    assert settings.rate_at(400) == pytest.approx(0.005)
    assert settings.rate_at(901) == pytest.approx(0.01 * (100 / 901) ** 0.5)
    assert settings.rate_at(951) == pytest.approx(0.01 * (100 / 951) ** 0.5 * 0.5)
    assert settings.rate_at(1_000) == pytest.approx(0.01 * 0.1**0.5 * 0.01)
    assert TrainSettings(steps=10, cooldown=0, warm_up=1).rate_at(10) > 0


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("steps", 0), ("cooldown", -1), ("warm_up", 0), ("rate", 0.0), ("rate", float("nan")),
        ("smoothing", 1.0), ("average", 1.0), ("clip", 0.0), ("save_every", 0), ("seed", -1),
        ("dropout", 1.0), ("accumulate", 0), ("patience", -1), ("batch_sentences", -1),
        ("guide_weight", -0.1), ("guide_weight", float("nan")),
    ],
)  # fmt: skip
def test_settings_out_of_range(name: str, value: float) -> None:
    changed: dict[str, Any] = {name: value}
    with pytest.raises(TrainingError, match=f"{name} is"):
        TrainSettings(**changed)


def test_a_run_learns_logs_and_saves(toy_prepared: Path, tmp_path: Path) -> None:
    shown: list[Step] = []

    class Watch(Lines):
        def step(self, step: Step) -> None:
            shown.append(step)

    trainer = toy_trainer(tmp_path, toy_prepared, steps=32, rate=5e-3, guide_weight=1.0)
    assert trainer.run(Watch(lambda _: None)) is Ending.FINISHED
    rows = read_log(tmp_path / "log.jsonl")
    losses = [row for row in rows if "loss" in row]
    assert [row["step"] for row in losses] == list(range(1, 33))
    assert losses[-1]["loss"] < losses[0]["loss"] - 1
    assert all(0 < row["guide"] < 10 for row in losses)
    assert [row["step"] for row in rows if "bleu" in row] == [6, 12, 18, 24, 30, 32]
    assert [step.number for step in shown] == list(range(1, 33))
    assert load_state(tmp_path / "checkpoint.pt")["progress"]["step"] == 32
    assert load_model(tmp_path / "best.pt").sizes == trainer.model.sizes
    scores = load_scores(tmp_path / "best.pt")
    assert scores["settings"]["rate"] == 5e-3
    assert scores["hardware"].endswith("1 thread")
    assert trainer.run(SILENT) is Ending.FINISHED  # nothing left to do


def test_the_guided_head_learns_the_links(toy_trained: Path) -> None:
    losses = [row for row in read_log(toy_trained.with_name("log.jsonl")) if "guide" in row]
    assert losses[-1]["guide"] < 0.8 * losses[0]["guide"]


def test_the_first_loss_is_that_of_the_parts(toy_prepared: Path, tmp_path: Path) -> None:
    trainer = toy_trainer(tmp_path, toy_prepared)
    _, _, batch = next(trainer.data.batches(trainer.settings.plan, 0, 0))
    target, mask = torch.from_numpy(batch.target), torch.from_numpy(batch.target_mask)
    forced = trainer.model(
        torch.from_numpy(batch.source), torch.from_numpy(batch.source_mask), target
    )
    expected = torch.nn.functional.cross_entropy(
        trainer.model.logits(forced.output[mask]),
        target[mask],
        label_smoothing=0.1,
        reduction="sum",
    )
    guide = -(torch.from_numpy(batch.guide) * forced.guided).sum()
    loss, guided = trainer._update([batch])
    assert loss == pytest.approx(float(expected.detach()), rel=1e-5)
    assert guided == pytest.approx(float(guide.detach()), rel=1e-5)


def test_the_average_follows_the_parameters(toy_prepared: Path, tmp_path: Path) -> None:
    trainer = toy_trainer(tmp_path, toy_prepared, average=0.0, steps=3, validate_every=3)
    trainer.run(SILENT)
    parameters = list(trainer.model.parameters())
    assert all(torch.equal(a, b) for a, b in zip(trainer.average, parameters, strict=True))
    slow = toy_trainer(tmp_path / "slow", toy_prepared, average=0.999, steps=3)
    before = [value.clone() for value in slow.average]
    slow.run(SILENT)
    kept = [value.detach().clone() for value in slow.model.parameters()]
    with slow.averaged():
        assert torch.equal(next(slow.model.parameters()), slow.average[0])
    assert all(torch.equal(a, b) for a, b in zip(slow.model.parameters(), kept, strict=True))
    assert not torch.equal(before[0], slow.average[0])


def test_stopping_and_going_on_changes_nothing(toy_prepared: Path, tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    toy_trainer(whole, toy_prepared).run(SILENT)
    for stop_at in (3, 7, 99):
        trainer = toy_trainer(parts, toy_prepared)
        ending = trainer.run(SILENT, stop=_at_step(trainer, stop_at))
        assert ending is (Ending.FINISHED if stop_at == 99 else Ending.STOPPED)
    _assert_same_run(whole, parts)


def test_a_row_of_the_log_that_spans_a_stop_is_the_same(toy_prepared: Path, tmp_path: Path) -> None:
    for name, stops in (("whole", (99,)), ("parts", (6, 99))):
        for stop_at in stops:
            trainer = toy_trainer(tmp_path / name, toy_prepared, log_every=4)
            trainer.run(SILENT, stop=_at_step(trainer, stop_at))
    _assert_same_run(tmp_path / "whole", tmp_path / "parts")


def test_with_dropout_and_accumulation_too(toy_prepared: Path, tmp_path: Path) -> None:
    options: dict[str, Any] = {"dropout": 0.2, "dropout_attention": 0.1, "accumulate": 3}
    for name, stops in (("whole", (99,)), ("parts", (4, 99))):
        for stop_at in stops:
            trainer = toy_trainer(tmp_path / name, toy_prepared, **options)
            trainer.run(SILENT, stop=_at_step(trainer, stop_at))
    _assert_same_run(tmp_path / "whole", tmp_path / "parts")


def test_accumulated_gradients_are_those_of_one_large_batch(
    toy_prepared: Path, tmp_path: Path
) -> None:
    trainer = toy_trainer(tmp_path, toy_prepared)
    places = trainer.data.batches(trainer.settings.plan, 0, 0)
    batches = [next(places)[2] for _ in range(3)]

    def losses(parameters_of: Trainer) -> Tensor:
        total, pieces = torch.zeros(()), 0
        for batch in batches:
            target, mask = torch.from_numpy(batch.target), torch.from_numpy(batch.target_mask)
            source, source_mask = (torch.from_numpy(a) for a in (batch.source, batch.source_mask))
            model = parameters_of.model
            forced = model(source, source_mask, target)
            total = total + torch.nn.functional.cross_entropy(
                model.logits(forced.output[mask]),
                target[mask],
                label_smoothing=0.1,
                reduction="sum",
            )
            total = total - 0.2 * (torch.from_numpy(batch.guide) * forced.guided).sum()
            pieces += int(mask.sum())
        return total / pieces

    expected = torch.autograd.grad(losses(trainer), list(trainer.model.parameters()))
    pieces = sum(int(batch.target_mask.sum()) for batch in batches)
    for batch in batches:
        trainer._gradients(batch, pieces)
    for parameter, gradient in zip(trainer.model.parameters(), expected, strict=True):
        torch.testing.assert_close(parameter.grad, gradient, rtol=1e-4, atol=1e-6)


def test_a_step_may_take_several_batches(toy_prepared: Path, tmp_path: Path) -> None:
    trainer = toy_trainer(tmp_path, toy_prepared, steps=2, accumulate=3)
    trainer.run(SILENT)
    assert trainer.progress.step == 2
    assert trainer.progress.position == 6


def test_the_run_ends_when_chrf_gets_no_better(
    toy_prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = iter([10.0, 30.0, 30.0, 29.0, 31.0, 30.0, 30.5, 99.0])
    monkeypatch.setattr("sacrebleu.corpus_chrf", lambda *_: SimpleNamespace(score=next(scores)))
    options: dict[str, Any] = {"steps": 99, "validate_every": 2, "patience": 3, "save_every": 99}
    trainer = toy_trainer(tmp_path, toy_prepared, **options)
    trainer.run(SILENT, stop=lambda: trainer.progress.step == 8)  # two that were not better
    again = toy_trainer(tmp_path, toy_prepared, **options)
    assert again.stale == 2
    monkeypatch.setattr("sacrebleu.corpus_chrf", lambda *_: SimpleNamespace(score=1.0))
    assert again.run(SILENT) is Ending.NO_BETTER
    assert again.progress.step == 10
    assert toy_trainer(tmp_path, toy_prepared, **options).run(SILENT) is Ending.NO_BETTER
    assert load_scores(tmp_path / "best.pt")["chrf"] == 30.0


def test_a_device_that_is_not_there_is_named(toy_prepared: Path, tmp_path: Path) -> None:
    trainer = toy_trainer(tmp_path, toy_prepared)
    arguments = trainer.data, trainer.vocabulary, trainer.validation, trainer.model.sizes
    with pytest.raises(TrainingError, match="'tpu' is no device; known: cpu, cuda"):
        Trainer(tmp_path, *arguments, trainer.settings, "tpu")
    if not torch.cuda.is_available():
        with pytest.raises(TrainingError, match="no CUDA device"):
            Trainer(tmp_path, *arguments, trainer.settings, "cuda")


def test_a_time_budget_saves_and_ends(toy_prepared: Path, tmp_path: Path) -> None:
    trainer = toy_trainer(tmp_path, toy_prepared, steps=10_000)
    assert trainer.run(SILENT, minutes=0.002) is Ending.TIME_UP
    step = load_state(tmp_path / "checkpoint.pt")["progress"]["step"]
    assert 0 < step == trainer.progress.step < 10_000


RUN = """
import sys
from pathlib import Path
import torch
torch.set_num_threads(1)
from tests.support.workshop import toy_trainer
from dragoman.models.training.host import stop_requests
trainer = toy_trainer(Path(sys.argv[2]), Path(sys.argv[1]), steps=40)
with stop_requests() as stop:
    def asked():
        if trainer.progress.step == int(sys.argv[3]):
            print("held", flush=True)
            sys.stdin.read()
        return stop()
    print(trainer.run(stop=asked))
"""


def _start(prepared: Path, folder: Path, hold_at: int) -> subprocess.Popen[str]:
    """A run that waits after a step until its input is closed."""
    command = [sys.executable, "-c", RUN, str(prepared), str(folder), str(hold_at)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=ROOT)


def _wait_until_held(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    assert "held\n" in process.stdout, "the run ended too early"


def test_kill_9_between_checkpoints_and_going_on_gives_the_same_bits(
    toy_prepared: Path, tmp_path: Path
) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    toy_trainer(whole, toy_prepared, steps=40).run(SILENT)
    for step in (4, 13):  # before the first checkpoint; between two
        process = _start(toy_prepared, killed, step)
        _wait_until_held(process)
        process.kill()
        process.communicate()
        assert process.returncode == -signal.SIGKILL
    process = _start(toy_prepared, killed, 0)
    assert process.communicate()[0].splitlines()[-1] == "finished"
    _assert_same_run(whole, killed)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_finishes_the_step_and_saves(
    toy_prepared: Path, tmp_path: Path, number: signal.Signals
) -> None:
    process = _start(toy_prepared, tmp_path, 2)
    _wait_until_held(process)
    process.send_signal(number)
    output, _ = process.communicate()
    assert process.returncode == 0
    assert output.splitlines()[-1] == "stopped"
    assert read_log(tmp_path / "log.jsonl")[-1]["step"] == 2
    assert load_state(tmp_path / "checkpoint.pt")["progress"]["step"] == 2


@pytest.fixture
def interruptible() -> Iterator[None]:
    """SIGINT as in a terminal: a job in the background starts with it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_the_second_signal_does_what_it_usually_does() -> None:
    before = signal.getsignal(signal.SIGINT)
    with stop_requests() as stop:
        assert not stop()
        os.kill(os.getpid(), signal.SIGINT)
        assert stop()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_a_run_does_not_go_on_with_other_data_or_batches(
    toy_prepared: Path, tmp_path: Path
) -> None:
    trainer = toy_trainer(tmp_path, toy_prepared, steps=2)
    trainer.run(SILENT)
    with pytest.raises(TrainingError, match="holds a run with seed 1, not 2"):
        toy_trainer(tmp_path, toy_prepared, seed=2)
    with pytest.raises(TrainingError, match="batch_pieces 200, not 300"):
        toy_trainer(tmp_path, toy_prepared, batch_pieces=300)
    with pytest.raises(TrainingError, match="bucket_width 0, not 8"):
        toy_trainer(tmp_path, toy_prepared, bucket_width=8)
    with pytest.raises(TrainingError, match="holds a run with optimizer adam, not muon"):
        toy_trainer(tmp_path, toy_prepared, optimizer="muon")
    arguments = trainer.data, trainer.vocabulary, trainer.validation
    sizes = Architecture(340, 64, 64, 4, 2, 2)
    with pytest.raises(TrainingError, match="model size dimension 32, not 64"):
        Trainer(tmp_path, *arguments, sizes, trainer.settings)
    toy_trainer(tmp_path, toy_prepared, steps=4, rate=1e-4, guide_weight=1.0).run(SILENT)


def test_a_checkpoint_without_the_newer_fields_still_goes_on(
    toy_prepared: Path, tmp_path: Path
) -> None:
    toy_trainer(tmp_path, toy_prepared, steps=5).run(SILENT)
    state = load_state(tmp_path / "checkpoint.pt")
    for key in ("encoder", "decoder", "width"):
        del state["sizes"][key]
    for key in ("batch_sentences", "bucket_width", "accumulate", "patience", "dropout"):
        del state["settings"][key]
    del state["stale"]
    torch.save(state, tmp_path / "checkpoint.pt")
    assert toy_trainer(tmp_path, toy_prepared).progress.step == 5
    with pytest.raises(TrainingError, match="bucket_width 0, not 8"):
        toy_trainer(tmp_path, toy_prepared, bucket_width=8)
    for key in ("window", "settings", "data"):
        del state[key]
    torch.save(state, tmp_path / "checkpoint.pt")
    assert toy_trainer(tmp_path, toy_prepared).progress.step == 5


def test_what_cannot_be_trained_is_named(toy_prepared: Path, tmp_path: Path) -> None:
    trainer = toy_trainer(tmp_path / "a", toy_prepared)
    with pytest.raises(TrainingError, match="the model has 341 pieces, the data 340"):
        Trainer(
            tmp_path / "b", trainer.data, trainer.vocabulary, trainer.validation, toy_sizes(341),
            trainer.settings,
        )  # fmt: skip
    with pytest.raises(TrainingError, match="no sentence to validate on"):
        toy_trainer(tmp_path / "c", toy_prepared, validation=[])
    (tmp_path / "a" / "checkpoint.pt").write_bytes(b"damaged")
    with pytest.raises(TrainingError, match=r"checkpoint\.pt cannot be read"):
        toy_trainer(tmp_path / "a", toy_prepared)
    torch.save({"sizes": {}}, tmp_path / "a" / "checkpoint.pt")
    with pytest.raises(TrainingError, match="is not a checkpoint of a run"):
        toy_trainer(tmp_path / "a", toy_prepared)


def test_a_gradient_that_is_no_number_ends_the_run(toy_prepared: Path, tmp_path: Path) -> None:
    trainer = toy_trainer(tmp_path, toy_prepared)
    with torch.no_grad():
        trainer.model.output_bias[5] = float("nan")
    with pytest.raises(TrainingError, match="step 1: the gradient is not finite"):
        trainer.run(SILENT)


def test_parameters_that_are_no_numbers_are_not_saved(toy_prepared: Path, tmp_path: Path) -> None:
    trainer = toy_trainer(tmp_path, toy_prepared)
    trainer.run(SILENT, stop=_at_step(trainer, 5))

    def ruined() -> bool:  # as on an accelerator, which is not asked at each step
        trainer.average[0][0] = float("nan")
        return True

    with pytest.raises(TrainingError, match="step 6: the parameters are not finite"):
        trainer.run(SILENT, stop=ruined)
    assert load_state(tmp_path / "checkpoint.pt")["progress"]["step"] == 5


def test_what_a_run_began_with_stays_its_name(toy_prepared: Path, tmp_path: Path) -> None:
    toy_trainer(tmp_path, toy_prepared, steps=2, initial="de-en-tiny 0.3.0").run(SILENT)
    for said in ("", "de-en-tiny 0.4.0"):  # which takes no part in it
        toy_trainer(tmp_path, toy_prepared, steps=4, initial=said).run(SILENT)
        state = load_state(tmp_path / "checkpoint.pt")
        assert state["settings"]["initial"] == "de-en-tiny 0.3.0"


def test_translations_come_back_in_order_whatever_the_companions(
    toy_prepared: Path, toy_trained: Path
) -> None:
    vocabulary = sentencepiece.SentencePieceProcessor(
        model_file=str(toy_prepared / "vocabulary.spm")
    )
    model = load_model(toy_trained)
    sentences = [source for source, _ in toy_pairs(9)] + ["one", "x" * 30]
    together = translate(model, vocabulary, sentences, batch=4)
    assert len(set(together)) > 8
    assert translate(model, vocabulary, sentences[::-1], batch=4) == together[::-1]
    assert [translate(model, vocabulary, [text])[0] for text in sentences] == together


def test_best_is_what_the_log_says(toy_prepared: Path, tmp_path: Path) -> None:
    toy_trainer(tmp_path, toy_prepared, steps=24, rate=5e-3).run(SILENT)
    validations = [row for row in read_log(tmp_path / "log.jsonl") if "chrf" in row]
    best = max(validations, key=lambda row: row["chrf"])
    assert load_scores(tmp_path / "best.pt")["step"] == best["step"]
    assert json.dumps(best["example"])
