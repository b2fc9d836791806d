from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
import torch

from dragoman.errors import TrainingError
from dragoman.models.alignment.alignment_error import AlignedPair
from dragoman.models.alignment.settings import AlignmentSettings
from dragoman.models.alignment.train_alignment import (
    AlignmentTrainer,
    train_alignment,
    with_new_head,
)
from dragoman.models.data.prepared import load_prepared
from dragoman.models.data.vocabulary import read_vocabulary
from dragoman.models.network.checkpoint import load_model, load_scores
from dragoman.models.network.student import EOS, Student
from dragoman.models.packing.pack import Wish, pack, unpack
from dragoman.models.training.reporting import Step
from tests.support.workshop import SILENT, made_data, toy_pairs, toy_student

SETTINGS = AlignmentSettings(
    steps=80, size=16, batch_pieces=400, rate=2e-2, warm_up=5, report_every=40
)


def aligned_pairs() -> list[AlignedPair]:
    """ "one two five", "fünf zwei eins": word n is word -n."""
    pairs = []
    for english, german in toy_pairs(20, seed=9):
        source, target = tuple(english.split()), tuple(german.split())
        last = len(source) - 1
        pairs.append(AlignedPair(source, target, frozenset((last - n, n) for n in range(last + 1))))
    return pairs


class Rows:
    """What a run tells."""

    def __init__(self) -> None:
        self.rows: list[Mapping[str, Any]] = []
        self.steps: list[int] = []

    def step(self, step: Step) -> None:
        self.steps.append(step.number)

    def row(self, row: Mapping[str, Any]) -> None:
        self.rows.append(row)


def trainer_of(
    model: Student, prepared: Path, settings: AlignmentSettings = SETTINGS
) -> AlignmentTrainer:
    """On pairs whose links are right; those of the aligner are not, where all is reversed."""
    vocabulary = sentencepiece.SentencePieceProcessor(model_file=str(prepared / "vocabulary.spm"))
    rows = []
    for english, german in toy_pairs(300):
        source, target = (vocabulary.encode(text.split()) for text in (english, german))
        owners = [[n for n, word in enumerate(side) for _ in word] for side in (source, target)]
        links = [
            (s, t)
            for s, first in enumerate(owners[0])
            for t, second in enumerate(owners[1])
            if first + second == len(source) - 1
        ]
        rows.append(([*chain(*source)], [*chain(*target)], links))
    data = replace(made_data(rows), vocabulary_size=vocabulary.get_piece_size())
    return AlignmentTrainer(model, data, vocabulary, settings, aligned_pairs())


def test_the_head_learns_and_translations_stay_the_same(
    toy_trained: Path, toy_prepared: Path
) -> None:
    plain, told = load_model(toy_trained), Rows()
    model = trainer_of(plain, toy_prepared).run(told)
    assert told.steps == list(range(1, 81))
    first, last = told.rows
    assert (first["step"], last["step"]) == (40, 80)
    assert last["guide"] < 0.1 < first["guide"]
    assert 0 < last["aer"] < 1
    source, target = torch.tensor([[300, 301, EOS]]), torch.tensor([[302, 303, EOS]])
    mask = torch.ones_like(source, dtype=torch.bool)
    before, after = plain(source, mask, target), model(source, mask, target)
    assert torch.equal(before.output, after.output)
    assert torch.equal(before.guided, after.guided)


def test_a_file_is_given_a_head_and_keeps_what_was_noted_of_it(
    toy_trained: Path, toy_prepared: Path, tmp_path: Path
) -> None:
    vocabulary = sentencepiece.SentencePieceProcessor(
        model_file=str(toy_prepared / "vocabulary.spm")
    )
    data, output = load_prepared(toy_prepared, "en", "de"), tmp_path / "aligned.pt"
    settings = AlignmentSettings(steps=2, size=8, batch_pieces=100)
    train_alignment(toy_trained, output, data, vocabulary, settings, display=SILENT)
    model = load_model(output)
    assert model.sizes.alignment == 8
    expected = load_model(toy_trained).state_dict()
    parameters = model.state_dict()
    assert {name for name in parameters if name not in expected} == {
        f"alignment.{part}.{value}" for part in ("query", "key") for value in ("weight", "bias")
    }
    assert all(torch.equal(parameters[name], value) for name, value in expected.items())
    noted = load_scores(output)
    assert noted["alignment"]["steps"] == 2
    assert {key: noted[key] for key in load_scores(toy_trained)} == load_scores(toy_trained)


def test_the_same_seed_gives_the_same_head(toy_trained: Path, toy_prepared: Path) -> None:
    settings = AlignmentSettings(steps=3, size=8, batch_pieces=200)
    heads = [
        trainer_of(load_model(toy_trained), toy_prepared, settings).run(SILENT).state_dict()
        for _ in range(2)
    ]
    assert all(torch.equal(heads[0][name], value) for name, value in heads[1].items())


def test_a_new_head_takes_the_place_of_an_old_one() -> None:
    torch.manual_seed(1)
    once = with_new_head(toy_student(), 8)
    again = with_new_head(once, 16)
    assert again.sizes.alignment == 16
    assert torch.equal(again.embedding, once.embedding)


def test_a_model_of_other_pieces_is_an_error(toy_prepared: Path) -> None:
    with pytest.raises(TrainingError, match="the model has 100 pieces, the data 340"):
        trainer_of(toy_student(100), toy_prepared)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"steps": 0}, "steps is 0; the least is 1"),
        ({"size": 12}, "the head's size is 12; it must be a multiple of 8"),
        ({"rate": 0.0}, "rate is 0.0; it must be above 0"),
        ({"rate": float("inf")}, "rate is inf; it must be above 0"),
        ({"seed": -1}, "seed is -1; the least is 0"),
        ({"lower_case": 1.5}, r"lower_case is 1.5; it must be in \[0, 1\]"),
    ],
)
def test_settings_that_cannot_be(values: dict[str, Any], message: str) -> None:
    with pytest.raises(TrainingError, match=message):
        AlignmentSettings(**values)


def test_a_loss_that_is_no_number_ends_the_run(toy_trained: Path, toy_prepared: Path) -> None:
    model = load_model(toy_trained)
    with torch.no_grad():
        model.embedding.fill_(torch.nan)
    with pytest.raises(TrainingError, match="step 1: the loss is not finite"):
        trainer_of(model, toy_prepared).run(SILENT)


def test_data_without_links_teach_no_head(
    toy_trained: Path, toy_prepared: Path, tmp_path: Path
) -> None:
    pack(toy_prepared, tmp_path / "pack", Wish(1_000_000, links=False))
    unpack(tmp_path / "pack", tmp_path / "prepared")
    data = load_prepared(tmp_path / "prepared", "en", "de")
    vocabulary = read_vocabulary(tmp_path / "prepared" / "vocabulary.spm")
    output, settings = tmp_path / "aligned.pt", AlignmentSettings(steps=9, size=8, report_every=2)
    with pytest.raises(TrainingError, match="after 2 steps: no pair of these data has links"):
        train_alignment(toy_trained, output, data, vocabulary, settings, display=SILENT)
    assert not output.exists()


def test_the_rate_rises_and_falls() -> None:
    settings = AlignmentSettings(steps=100, rate=1.0, warm_up=10)
    rates = [settings.rate_at(step) for step in (1, 10, 51, 100)]
    assert rates == pytest.approx([0.1, 0.91, 0.5, 0.01])
