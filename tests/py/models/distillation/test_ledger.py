from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dragoman.errors import CorpusError, TrainingError
from dragoman.models.distillation.ledger import (
    LEDGER,
    TRANSLATIONS,
    Account,
    Ledger,
    bring,
    carry,
    read_ledger,
    write_ledger,
)
from dragoman.models.distillation.settings import Stage
from dragoman.models.packing.parts import write_parts

BACK = Ledger("abc", "en-de", Stage.BACK, 90.0, 60.0, {"en": 17})


def test_a_share_is_of_what_the_stages_before_left() -> None:
    now = [1000.0]
    account = Account(BACK, {Stage.BACK: 100, Stage.FINISH: 120}, lambda: now[0], 1000.0)
    assert account.share() == 0.75
    now[0] = 1005.0
    account.settle(Stage.BACK)
    assert (account.ledger.seconds, account.ledger.began) == (95, 60)
    account.settle(Stage.FINISH)
    assert (account.ledger.seconds, account.ledger.began) == (95, 95)
    now[0] = 1010.0
    assert account.share() == 0.2
    now[0] = 2000.0
    assert account.share() == 1
    account.settle(None)
    assert account.share() == 1


def test_a_ledger_comes_back_and_belongs_to_one_run(tmp_path: Path) -> None:
    path = tmp_path / LEDGER
    assert read_ledger(path, "abc", "en-de") == Ledger("abc", "en-de", Stage.TEACHER)
    write_ledger(BACK, path)
    assert read_ledger(path, "abc", "en-de") == BACK
    for pack, pair, told in (("abc", "de-en", "with this pack"), ("x", "en-de", "with another")):
        with pytest.raises(TrainingError, match=told):
            read_ledger(path, pack, pair)
    path.write_text('{"stage": "none"}')
    with pytest.raises(TrainingError, match="cannot be read"):
        read_ledger(path, "abc", "en-de")


def test_translations_go_to_another_machine(tmp_path: Path) -> None:
    one, other, folder = tmp_path / "one", tmp_path / "other", tmp_path / "carry"
    (one / "translations").mkdir(parents=True)
    (one / "translations" / "back.de.000").write_bytes(bytes(range(250)))
    (one / "translations" / "back.de.1000").write_bytes(b"")
    write_ledger(BACK, one / LEDGER)
    files = carry(one, folder, 1_000_000, 6_000, lambda _: None)
    assert {file.name for file in files} >= {LEDGER, f"{TRANSLATIONS}.01", f"{TRANSLATIONS}.02"}
    bring(other, folder)
    assert (other / "translations" / "back.de.000").read_bytes() == bytes(range(250))
    assert (other / "translations" / "back.de.1000").exists()
    assert read_ledger(other / LEDGER, "abc", "en-de") == replace(BACK, shards=2)
    write_ledger(BACK.at(None), other / LEDGER)
    bring(other, folder)  # a run of its own is not touched
    assert read_ledger(other / LEDGER, "abc", "en-de").stage is None
    write_ledger(BACK.at(None), one / LEDGER)
    assert carry(one, folder, 1_000_000, 0, lambda _: None) == [folder / LEDGER]
    assert [file.name for file in folder.iterdir()] == [LEDGER]


def test_the_student_is_not_carried_what_teaches_the_other_direction(tmp_path: Path) -> None:
    run, folder, other = tmp_path / "run", tmp_path / "carry", tmp_path / "other"
    (run / "translations").mkdir(parents=True)
    for name in ("back.de.000", "back.en.000", "pairs.000"):
        (run / "translations" / name).write_bytes(b"0123")
    for stage, names in (
        (Stage.FINISH, {"back.de.000", "back.en.000", "pairs.000"}),
        (Stage.STUDENT, {"back.de.000", "pairs.000"}),  # en-de: German of texts, and its English
    ):
        write_ledger(BACK.at(stage), run / LEDGER)
        carry(run, folder, 1_000_000, 0, lambda _: None)
        bring(other / stage, folder)
        assert {path.name for path in (other / stage / "translations").iterdir()} == names


def test_a_run_that_went_on_elsewhere_is_not_gone_on_with_here(tmp_path: Path) -> None:
    run, folder = tmp_path / "run", tmp_path / "carry"
    for place in (run, folder):
        place.mkdir()
    write_ledger(BACK, run / LEDGER)
    for own in (BACK, replace(BACK, seconds=80.0)):
        write_ledger(own, folder / LEDGER)
        bring(run, folder)
    write_ledger(replace(BACK, stage=Stage.FINISH, seconds=150.0), folder / LEDGER)
    with pytest.raises(TrainingError, match=r"run has spent 90 s and .*carry 150: it went on"):
        bring(run, folder)
    write_ledger(replace(BACK, pair="de-en", seconds=9.0), folder / LEDGER)
    with pytest.raises(TrainingError, match="carry is of a run of de-en with another pack or pair"):
        bring(run, folder)
    assert read_ledger(run / LEDGER, "abc", "en-de") == BACK


def test_translations_that_were_left_behind_are_missed(tmp_path: Path) -> None:
    run, folder = tmp_path / "run", tmp_path / "carry"
    (run / "translations").mkdir(parents=True)
    (run / "translations" / "pairs.000").write_bytes(b"0123")
    write_ledger(BACK, run / LEDGER)
    carry(run, folder, 1_000_000, 0, lambda _: None)
    (folder / TRANSLATIONS).unlink()
    with pytest.raises(CorpusError, match="there is no such file"):
        bring(tmp_path / "other", folder)
    assert not (tmp_path / "other" / LEDGER).exists()


def test_a_machine_that_was_killed_while_it_brought_them_brings_them(tmp_path: Path) -> None:
    run, folder, other = tmp_path / "run", tmp_path / "carry", tmp_path / "other"
    (run / "translations").mkdir(parents=True)
    (run / "translations" / "pairs.000").write_bytes(b"0123")
    write_ledger(BACK, run / LEDGER)
    carry(run, folder, 1_000_000, 0, lambda _: None)
    (other / "translations").mkdir(parents=True)
    (other / "translations" / ".pairs.000.part").write_bytes(b"01")
    (other / "translations" / "back.de.000").write_bytes(b"whole")
    bring(other, folder)
    assert (other / "translations" / "pairs.000").read_bytes() == b"0123"
    assert (other / "translations" / "back.de.000").read_bytes() == b"whole"


def test_what_was_carried_is_damaged(tmp_path: Path) -> None:
    write_ledger(replace(BACK, shards=1), tmp_path / LEDGER)
    write_parts(tmp_path / TRANSLATIONS, b"no archive")
    with pytest.raises(CorpusError, match="is damaged"):
        bring(tmp_path / "run", tmp_path)
