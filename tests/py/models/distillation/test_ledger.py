from __future__ import annotations

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
    files = carry(BACK, one, folder, 1_000_000, 6_000, lambda _: None)
    assert {file.name for file in files} >= {LEDGER, f"{TRANSLATIONS}.01", f"{TRANSLATIONS}.02"}
    bring(other, folder)
    assert (other / "translations" / "back.de.000").read_bytes() == bytes(range(250))
    assert read_ledger(other / LEDGER, "abc", "en-de") == BACK
    write_ledger(BACK.at(None), other / LEDGER)
    bring(other, folder)  # a run of its own is not touched
    assert read_ledger(other / LEDGER, "abc", "en-de").stage is None
    assert carry(BACK.at(None), one, folder, 1_000_000, 0, lambda _: None) == [folder / LEDGER]
    assert [file.name for file in folder.iterdir()] == [LEDGER]


def test_what_was_carried_is_damaged(tmp_path: Path) -> None:
    write_ledger(BACK, tmp_path / LEDGER)
    write_parts(tmp_path / TRANSLATIONS, b"no archive")
    with pytest.raises(CorpusError, match="is damaged"):
        bring(tmp_path / "run", tmp_path)
