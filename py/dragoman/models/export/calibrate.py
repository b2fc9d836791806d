"""Activation scales for int8: how large the inputs of each matrix product get on real sentences.

Static scales make a result independent of its batch companions, and save a pass over the data. As
in Marian, the largest magnitude is taken as mean + 1.1 * standard deviation of the maxima of many
batches; rarer values are clipped.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

import sentencepiece
import torch
from torch import Tensor, nn

from dragoman.models.network.student import Linear, Student

DEVIATIONS = 1.1


def activation_ranges(
    model: Student,
    vocabulary: sentencepiece.SentencePieceProcessor,
    pairs: Sequence[tuple[str, str]],
    batch: int = 32,
) -> dict[str, float]:
    """Largest expected magnitude of the input of each `Linear`, by module name.

    The key ``output`` is the input of the output layer.
    """
    maxima: dict[str, list[float]] = defaultdict(list)
    hooks = [
        module.register_forward_pre_hook(_recorder(maxima[name]))
        for name, module in model.named_modules()
        if isinstance(module, Linear)
    ]
    with torch.no_grad():
        for chunk in _batched(pairs, batch):
            source, source_mask = _padded([vocabulary.encode(a) for a, _ in chunk])
            target, target_mask = _padded([vocabulary.encode(b) for _, b in chunk])
            forced = model(source, source_mask, target)
            model.aligned(forced)
            maxima["output"].append(float(forced.output[target_mask].abs().max()))
    for hook in hooks:
        hook.remove()
    return {name: _range(torch.tensor(values)) for name, values in maxima.items()}


def _range(values: Tensor) -> float:
    return float(values.mean() + DEVIATIONS * values.std(correction=0))


def _recorder(values: list[float]) -> Callable[[nn.Module, tuple[Tensor, ...]], None]:
    def record(_: nn.Module, inputs: tuple[Tensor, ...]) -> None:
        values.append(float(inputs[0].abs().max()))

    return record


def _padded(rows: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    width = max(len(row) for row in rows) + 1
    ids = torch.zeros(len(rows), width, dtype=torch.long)
    for index, row in enumerate(rows):
        ids[index, : len(row)] = torch.tensor(row, dtype=torch.long)
    lengths = torch.tensor([len(row) + 1 for row in rows])
    return ids, torch.arange(width)[None] < lengths[:, None]


def _batched(pairs: Sequence[tuple[str, str]], size: int) -> list[Sequence[tuple[str, str]]]:
    return [pairs[start : start + size] for start in range(0, len(pairs), size)]
