"""A toy language pair for the workshop: number words, reversed in the translation."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

# `make setup` alone has no PyTorch: see `make setup-models`.
if find_spec("torch") is None or find_spec("eflomal") is None:
    collect_ignore_glob = ["*test_*.py"]
else:
    import torch

    from dragoman.models.data.prepare import prepare
    from dragoman.models.data.recipe import Recipe, read_recipe
    from dragoman.models.training.reporting import Lines
    from tests.support.workshop import RECIPE, toy_trainer, write_data

    torch.set_num_threads(1)

    @pytest.fixture(scope="session")
    def toy_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
        """A data folder: manifest, 300 pairs to train on, some that break the cleaning rules."""
        return write_data(tmp_path_factory.mktemp("data"))

    @pytest.fixture(scope="session")
    def toy_recipe(toy_data: Path) -> Recipe:
        path = toy_data / "toy.toml"
        path.write_text(RECIPE, encoding="utf-8")
        return read_recipe(path)

    @pytest.fixture(scope="session")
    def toy_prepared(
        toy_data: Path, toy_recipe: Recipe, tmp_path_factory: pytest.TempPathFactory
    ) -> Path:
        """The toy data, prepared with the real aligner."""
        folder = tmp_path_factory.mktemp("prepared")
        prepare(toy_recipe, toy_data, folder, lambda _: None)
        return folder

    @pytest.fixture(scope="session")
    def toy_trained(toy_prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
        """best.pt of a run that has begun to translate (English to German)."""
        folder = tmp_path_factory.mktemp("trained")
        trainer = toy_trainer(
            folder, toy_prepared, steps=160, warm_up=20, rate=1e-2, batch_pieces=400,
            guide_weight=0.5, average=0.9, validate_every=160, save_every=160, log_every=40,
        )  # fmt: skip
        trainer.run(Lines(lambda _: None))
        return folder / "best.pt"
