from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sentencepiece
import torch

from dragoman.models.export.calibrate import _range, activation_ranges
from dragoman.models.network.checkpoint import load_model
from tests.support.workshop import toy_pairs


def test_the_range_is_mean_and_deviations_of_the_maxima() -> None:
    # formats.md: mean + 1.1 * standard deviation; here 3 and 1
    assert _range(torch.tensor([2.0, 4.0])) == pytest.approx(4.1)
    assert _range(torch.tensor([5.0])) == 5.0


def test_every_product_has_a_range(toy_prepared: Path, toy_trained: Path) -> None:
    model = load_model(toy_trained)
    vocabulary = sentencepiece.SentencePieceProcessor(
        model_file=str(toy_prepared / "vocabulary.spm")
    )
    ranges = activation_ranges(model, vocabulary, toy_pairs(20))
    products = {name.removesuffix(".weight") for name in model.state_dict()
                if name.endswith((".weight",))}  # fmt: skip
    assert set(ranges) == products | {"output"}
    assert all(0 < value < 100 for value in ranges.values())
    assert activation_ranges(model, vocabulary, toy_pairs(20)) == ranges
    layer: Any = model.encoder[0]
    assert not layer.feed_forward.inner._forward_pre_hooks
