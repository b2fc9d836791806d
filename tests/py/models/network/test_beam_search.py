from __future__ import annotations

from pathlib import Path

import torch

from dragoman.models.network.beam_search import beam_search
from dragoman.models.network.checkpoint import load_model
from dragoman.models.network.student import EOS, Student

ROWS = [[5, 9, 12, EOS], [7, EOS], [40, 41, 42, 43, 44, EOS]]


def _batch(rows: list[list[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    width = max(map(len, rows))
    ids = torch.tensor([row + [EOS] * (width - len(row)) for row in rows])
    lengths = torch.tensor([len(row) for row in rows])
    return ids, torch.arange(width)[None] < lengths[:, None]


def _search(model: Student, rows: list[list[int]], beam: int) -> list[list[int] | None]:
    source, mask = _batch(rows)
    return beam_search(model, source, mask, beam, torch.tensor([2 * len(row) + 8 for row in rows]))


def test_a_beam_of_one_is_greedy(toy_trained: Path) -> None:
    model = load_model(toy_trained).eval()
    source, mask = _batch(ROWS)
    greedy = model.greedy(source, mask, 99)
    for row, beam, wanted in zip(ROWS, _search(model, ROWS, 1), greedy, strict=True):
        assert beam == (wanted if len(wanted) < 2 * len(row) + 8 else None)


def test_companions_change_nothing(toy_trained: Path) -> None:
    model = load_model(toy_trained).eval()
    together = _search(model, ROWS, 3)
    assert together == [_search(model, [row], 3)[0] for row in ROWS]
    assert any(row for row in together)


def test_a_wider_beam_is_at_least_as_probable(toy_trained: Path) -> None:
    model = load_model(toy_trained).eval()

    def mean(row: list[int], found: list[int]) -> float:
        source, mask = _batch([row])
        target = torch.tensor([[*found, EOS]])
        scores = model.logits(model(source, mask, target).output)[0].detach()
        return float(scores.log_softmax(-1)[torch.arange(len(found) + 1), target[0]].mean())

    for row in ROWS:
        (one,), (four,) = _search(model, [row], 1), _search(model, [row], 4)
        if one is not None and four is not None:
            assert mean(row, four) >= mean(row, one) - 1e-4


def test_what_does_not_end_in_time_is_none(toy_trained: Path) -> None:
    model = load_model(toy_trained).eval()
    with torch.no_grad():
        model.output_bias[EOS] = -1e9
    assert _search(model, ROWS, 2) == [None, None, None]
