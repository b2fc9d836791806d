from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import torch

from dragoman.errors import TrainingError
from dragoman.models.network.checkpoint import (
    load_model,
    load_scores,
    load_state,
    save_model,
    save_state,
)
from tests.support.workshop import toy_student


def test_a_model_round_trips(tmp_path: Path) -> None:
    model = toy_student()
    save_model(model, tmp_path / "m.pt", {"step": 3})
    loaded = load_model(tmp_path / "m.pt")
    assert loaded.sizes == model.sizes
    assert all(torch.equal(a, b) for a, b in zip(loaded.parameters(), model.parameters()))  # noqa: B905
    assert load_scores(tmp_path / "m.pt") == {"step": 3}
    assert os.listdir(tmp_path) == ["m.pt"]  # noqa: PTH208


def test_a_failed_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "c.pt"
    save_state({"step": 1}, path)

    def fail(_: Any, file: Any) -> None:
        file.write(b"half")
        raise OSError(28, "No space left on device")

    def fail_as_pytorch(state: Any, file: Any) -> None:
        try:
            fail(state, file)
        finally:
            raise RuntimeError("unexpected pos 704 vs 598")

    for failing in (fail, fail_as_pytorch):
        monkeypatch.setattr(torch, "save", failing)
        with pytest.raises(TrainingError, match=r"c\.pt cannot be written: No space left on dev"):
            save_state({"step": 2}, path)
        assert load_state(path) == {"step": 1}
        assert [file.name for file in tmp_path.iterdir()] == ["c.pt"]


@pytest.mark.parametrize(
    "content",
    [b"", b"no model", b"<html>", b"\x80\x02.", b"\x80\x04]", b"PK\x03\x04 damaged", b"PK\x03\x04"],
)
def test_damaged_files_are_typed_errors(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "m.pt"
    path.write_bytes(content)
    with pytest.raises(TrainingError, match=r"m\.pt cannot be read: it is damaged, or no file of"):
        load_model(path)


def test_half_of_a_file_is_a_damaged_one(tmp_path: Path) -> None:
    path = tmp_path / "m.pt"
    save_model(toy_student(), path, {})
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(TrainingError, match="it is damaged, or no file of this program"):
        load_model(path)


def test_files_that_are_something_else(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=r"none\.pt cannot be read: No such file or directory"):
        load_model(tmp_path / "none.pt")
    torch.save([1, 2], tmp_path / "list.pt")
    with pytest.raises(TrainingError, match="it holds a list"):
        load_model(tmp_path / "list.pt")
    torch.save({"sizes": {"layers": 3}, "model": {}}, tmp_path / "other.pt")
    with pytest.raises(TrainingError, match="is not a model"):
        load_model(tmp_path / "other.pt")
    save_model(toy_student(), tmp_path / "m.pt", {})
    state = torch.load(tmp_path / "m.pt")
    del state["model"]["output_bias"]
    torch.save(state, tmp_path / "m.pt")
    with pytest.raises(TrainingError, match=r'is not a model: .*: Missing key.*"output_bias"'):
        load_model(tmp_path / "m.pt")
