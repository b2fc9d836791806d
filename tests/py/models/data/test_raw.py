from __future__ import annotations

import gzip
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
import sentencepiece

from dragoman.errors import CorpusError
from dragoman.models.data.batches import BatchPlan
from dragoman.models.data.raw import RawData
from dragoman.models.training.settings import TrainSettings
from dragoman.models.training.train import Trainer
from tests.support.workshop import SILENT, toy_pairs, toy_sizes


@pytest.fixture
def raw(toy_prepared: Path, tmp_path: Path) -> RawData:
    rows = ["en\tde\tnote", *("\t".join((*pair, "x")) for pair in toy_pairs(50)), "one\teins",
            "only one", "\tleer"]  # fmt: skip
    path = tmp_path / "pairs.tsv.gz"
    path.write_bytes(gzip.compress("\n".join(rows).encode()))
    vocabulary = sentencepiece.SentencePieceProcessor(
        model_file=str(toy_prepared / "vocabulary.spm")
    )
    return RawData(path, "de", "en", vocabulary, part_pairs=20)


def test_an_epoch_is_the_file(raw: RawData) -> None:
    seen = []
    for epoch, _, batch in raw.batches(BatchPlan(1, 100), 0, 0):
        if epoch:
            break
        rows = [row[: int(mask.sum()) - 1] for row, mask in
                zip(batch.target, batch.target_mask, strict=True)]  # fmt: skip
        seen += raw.vocabulary.decode([row.tolist() for row in rows])
    assert sorted(seen) == sorted([*(source for source, _ in toy_pairs(50)), "one"])
    assert raw.dropped["too few columns"] == 1
    assert raw.dropped["empty or too many pieces"] == 1


def test_batches_go_on_from_any_place(raw: RawData) -> None:
    plan = BatchPlan(1, 100)
    places = list(islice(raw.batches(plan, 0, 0), 60))
    for index in (0, 9, 30):
        epoch, position, _ = places[index]
        for ours, theirs in zip(
            islice(raw.batches(plan, epoch, position), 5), places[index + 1 :], strict=False
        ):
            assert ours[:2] == theirs[:2]
            assert np.array_equal(ours[2].source, theirs[2].source)


def test_a_trainer_takes_it_like_prepared_data(raw: RawData, tmp_path: Path) -> None:
    settings = TrainSettings(steps=3, batch_pieces=100, bfloat16=False, warm_up=2)
    trainer = Trainer(
        tmp_path / "run", raw, raw.vocabulary, [("eins", "one")], toy_sizes(340), settings
    )
    trainer.run(SILENT)
    assert trainer.progress.step == 3


def test_a_file_that_cannot_be_trained_on(raw: RawData, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no column 'fr'; it has en, de, note"):
        RawData(raw.path, "fr", "en", raw.vocabulary)
    with pytest.raises(CorpusError, match=r"none\.tsv"):
        RawData(tmp_path / "none.tsv", "de", "en", raw.vocabulary)
    (tmp_path / "empty.tsv").write_text("de\ten\n")
    data = RawData(tmp_path / "empty.tsv", "de", "en", raw.vocabulary)
    with pytest.raises(CorpusError, match="an epoch of this data is empty"):
        next(data.batches(BatchPlan(1, 100), 0, 0))
