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
        raise OSError("disk full")

    monkeypatch.setattr(torch, "save", fail)
    with pytest.raises(OSError, match="disk full"):
        save_state({"step": 2}, path)
    assert load_state(path) == {"step": 1}


@pytest.mark.parametrize("content", [b"", b"no model", b"\x80\x04]", b"PK\x03\x04 damaged"])
def test_damaged_files_are_typed_errors(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "m.pt"
    path.write_bytes(content)
    with pytest.raises(TrainingError, match=r"m\.pt"):
        load_model(path)


def test_files_that_are_something_else(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=r"none\.pt"):
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
    with pytest.raises(TrainingError, match="is not a model"):
        load_model(tmp_path / "m.pt")
