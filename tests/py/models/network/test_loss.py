from __future__ import annotations

import math

import pytest
import torch
from torch.nn import functional

from dragoman.models.network.loss import (
    CHUNK,
    _at_once,
    _by_chunks,
    _compiled,
    guided_alignment,
    smoothed_cross_entropy,
)


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.4])
@pytest.mark.parametrize("rows", [1, CHUNK, 2 * CHUNK + 3])
def test_cross_entropy_and_its_gradient_are_pytorchs(rows: int, smoothing: float) -> None:
    torch.manual_seed(1)
    logits = (3 * torch.randn(rows, 50)).requires_grad_()
    same = logits.detach().clone().requires_grad_()
    target = torch.randint(50, (rows,))
    ours = smoothed_cross_entropy(logits, target, smoothing)
    theirs = functional.cross_entropy(same, target, label_smoothing=smoothing, reduction="sum")
    torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-4)
    (ours * 0.25).backward()  # type: ignore[no-untyped-call]
    (theirs * 0.25).backward()  # type: ignore[no-untyped-call]
    torch.testing.assert_close(logits.grad, same.grad, rtol=1e-4, atol=1e-6)


def test_what_is_compiled_is_the_same_loss_with_the_right_piece_left_out() -> None:
    torch.manual_seed(1)
    logits, target = 3 * torch.randn(70, 50), torch.randint(50, (70,))
    total, gradient = _by_chunks(logits, target, 0.1, 0.25)
    plain, without = _at_once(logits, target, 0.1, torch.full((70, 1), 0.25))
    without[torch.arange(70), target] -= 0.9 * 0.25
    torch.testing.assert_close(plain, total)
    torch.testing.assert_close(without, gradient)


@pytest.mark.parametrize("compiled", [False, True])
def test_rows_without_a_target_lose_nothing(
    compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch, "compile", lambda function, **_: function)
    _compiled.cache_clear()
    torch.manual_seed(1)
    logits = torch.randn(8, 20).requires_grad_()
    same = logits.detach()[:5].clone().requires_grad_()
    target = torch.randint(1, 20, (5,))
    padded = smoothed_cross_entropy(logits, target, 0.1, 0.5, compiled)
    exact = smoothed_cross_entropy(same, target, 0.1, 0.5)
    torch.testing.assert_close(padded, exact)
    padded.backward()  # type: ignore[no-untyped-call]
    exact.backward()  # type: ignore[no-untyped-call]
    assert logits.grad is not None
    assert same.grad is not None
    torch.testing.assert_close(logits.grad[:5], same.grad)
    assert torch.equal(logits.grad[5:], torch.zeros(3, 20))
    _compiled.cache_clear()


def test_a_weight_of_the_cross_entropy_is_that_of_its_gradient() -> None:
    torch.manual_seed(1)
    logits = torch.randn(5, 20).requires_grad_()
    same = logits.detach().clone().requires_grad_()
    target = torch.randint(20, (5,))
    weighted = smoothed_cross_entropy(logits, target, 0.1, 0.25)
    whole = smoothed_cross_entropy(same, target, 0.1)
    torch.testing.assert_close(weighted, whole * 0.25)
    weighted.backward()  # type: ignore[no-untyped-call]
    (whole * 0.25).backward()  # type: ignore[no-untyped-call]
    torch.testing.assert_close(logits.grad, same.grad)


def test_cross_entropy_by_hand() -> None:
    logits = torch.tensor([[0.0, 0.0, math.log(2)]])  # probabilities 1/4, 1/4, 1/2
    loss = smoothed_cross_entropy(logits, torch.tensor([2]), 0.0)
    assert float(loss) == pytest.approx(math.log(2))
    mean = (math.log(4) + math.log(4) + math.log(2)) / 3
    smoothed = smoothed_cross_entropy(logits, torch.tensor([2]), 0.3)
    assert float(smoothed) == pytest.approx(0.7 * math.log(2) + 0.3 * mean)


def test_cross_entropy_of_bfloat16_is_summed_in_float32() -> None:
    torch.manual_seed(1)
    logits = torch.randn(300, 40).bfloat16().requires_grad_()
    target = torch.randint(40, (300,))
    loss = smoothed_cross_entropy(logits, target, 0.1)
    exact = functional.cross_entropy(
        logits.detach().double(), target, label_smoothing=0.1, reduction="sum"
    )
    assert loss.dtype == torch.float32
    assert float(loss.detach()) == pytest.approx(float(exact), rel=1e-5)
    loss.backward()  # type: ignore[no-untyped-call]
    assert logits.grad is not None
    assert logits.grad.dtype == torch.bfloat16


def test_guided_alignment_by_hand() -> None:
    weights = torch.tensor([[[0.5, 0.25, 0.25], [0.1, 0.1, 0.8], [1.0, 0.0, 0.0]]])
    guide = torch.tensor([[[0.0, 0.5, 0.5], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]])
    loss = guided_alignment((weights + 1e-20).log(), guide)
    assert float(loss) == pytest.approx(math.log(4) - math.log(0.8), rel=1e-5)


def test_guided_alignment_of_masked_columns_is_finite() -> None:
    scores = torch.tensor([[[1.0, 2.0, -1e9]]], requires_grad=True)
    guide = torch.tensor([[[1.0, 0.0, 0.0]]])
    loss = guided_alignment(torch.log_softmax(scores, dim=-1), guide)
    loss.backward()  # type: ignore[no-untyped-call]
    assert float(loss.detach()) == pytest.approx(math.log(1 + math.e), rel=1e-5)
    assert scores.grad is not None
    assert bool(torch.isfinite(scores.grad).all())
