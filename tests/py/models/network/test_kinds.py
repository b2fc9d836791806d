"""Every kind of encoder with every kind of decoder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from dragoman.errors import ExportError
from dragoman.models.network.checkpoint import load_model, save_model
from dragoman.models.network.decoders import DECODER_CLASSES
from dragoman.models.network.encoders import ENCODER_CLASSES
from dragoman.models.network.student import EOS, UNK, Architecture, Student
from dragoman.student.architecture import DECODERS, ENCODERS, Dropout
from dragoman.student.exporter import Exporter, Precision
from tests.support.workshop import reversal_learned

KINDS = [(encoder, decoder) for encoder in ENCODERS for decoder in DECODERS]
# Each part once with the other's usual companion: all that `ENCODERS` and `DECODERS` name.
LEARNERS = [*((encoder, "ssru") for encoder in ENCODERS), ("transformer", "attention")]


def _sizes(encoder: str, decoder: str) -> Architecture:
    return Architecture(60, 16, 24, 2, 2, 2, encoder, decoder)


def _student(encoder: str, decoder: str, **options: Any) -> Student:
    torch.manual_seed(5)
    model = Student(_sizes(encoder, decoder), **options)
    with torch.no_grad():
        model.embedding.mul_(2)
        model.output_bias.normal_()
    return model


@pytest.fixture(params=KINDS, ids="-".join)
def model(request: pytest.FixtureRequest) -> Student:
    return _student(*request.param)


def test_every_kind_has_a_class() -> None:
    assert tuple(ENCODER_CLASSES) == ENCODERS
    assert tuple(DECODER_CLASSES) == DECODERS


def test_padding_changes_nothing(model: Student) -> None:
    source, target = torch.tensor([[5, 6, EOS]]), torch.tensor([[7, 8, 9, EOS]])
    alone = model(source, torch.ones(1, 3, dtype=torch.bool), target)
    padded = torch.tensor([[5, 6, EOS, 0, 0], [11, 12, 13, 14, EOS]])
    mask = torch.tensor([[True] * 3 + [False] * 2, [True] * 5])
    longer = torch.tensor([[7, 8, 9, EOS, 0], [15, 16, 17, 18, EOS]])
    both = model(padded, mask, longer)
    torch.testing.assert_close(both.output[:1, :4], alone.output)
    torch.testing.assert_close(both.guided[:1, :4, :3].exp(), alone.guided.exp())


def test_every_source_place_counts(model: Student) -> None:
    source, target = torch.tensor([[5, 6, 7, 8, EOS]]), torch.tensor([[9, EOS]])
    mask = torch.ones_like(source, dtype=torch.bool)
    output = model(source, mask, target).output
    for place in range(4):
        changed = source.clone()
        changed[0, place] = 20
        assert not torch.allclose(model(changed, mask, target).output, output)


def test_no_step_sees_a_later_piece(model: Student) -> None:
    source = torch.tensor([[5, 6, 7, EOS]])
    mask = torch.ones_like(source, dtype=torch.bool)
    one = model(source, mask, torch.tensor([[9, 10, 11, EOS]])).output
    other = model(source, mask, torch.tensor([[9, 10, 30, EOS]])).output
    torch.testing.assert_close(one[:, :3], other[:, :3])
    assert not torch.allclose(one[:, 3], other[:, 3])


def test_greedy_search_is_the_argmax_of_teacher_forcing(model: Student) -> None:
    source = torch.tensor([[5, 6, 7, EOS], [8, EOS, 0, 0]])
    mask = torch.tensor([[True] * 4, [True, True, False, False]])
    for row, ids in enumerate(model.greedy(source, mask, 9)):
        gold = torch.tensor([[*ids, EOS]])
        only = source[row : row + 1, : int(mask[row].sum())]
        scores = model.logits(model(only, torch.ones_like(only, dtype=torch.bool), gold).output)[0]
        scores[:, UNK] = -torch.inf
        assert scores.argmax(dim=-1).tolist()[: len(ids)] == ids


def test_a_model_of_any_kind_round_trips(model: Student, tmp_path: Path) -> None:
    save_model(model, tmp_path / "m.pt", {})
    loaded = load_model(tmp_path / "m.pt")
    assert loaded.sizes == model.sizes
    source = torch.tensor([[5, 6, EOS]])
    mask = torch.ones_like(source, dtype=torch.bool)
    torch.testing.assert_close(loaded(source, mask, source), model(source, mask, source))


@pytest.mark.parametrize(("encoder", "decoder"), KINDS)
def test_bfloat16_and_dropout_of_any_kind_have_gradients_in_float32(
    encoder: str, decoder: str
) -> None:
    exact = _student(encoder, decoder)
    rough = _student(encoder, decoder, compute_type=torch.bfloat16)
    source = torch.tensor([[5, 6, 7, EOS]])
    arguments = source, torch.ones_like(source, dtype=torch.bool), source
    output = rough(*arguments).output
    torch.testing.assert_close(output.float(), exact(*arguments).output, atol=0.2, rtol=0.1)
    thinned = _student(
        encoder, decoder, compute_type=torch.bfloat16, dropout=Dropout(0.1, 0.1, 0.1)
    )
    thinned.logits(thinned(*arguments).output).float().sum().backward()  # type: ignore[no-untyped-call]
    gradients = [parameter.grad for parameter in thinned.parameters()]
    assert {None if g is None else g.dtype for g in gradients} == {torch.float32}


@pytest.mark.parametrize(("encoder", "decoder"), KINDS[1:])
def test_only_the_tiny_kind_has_an_onnx_export(encoder: str, decoder: str) -> None:
    with pytest.raises(ExportError, match=f"a {encoder} encoder and a {decoder} decoder has no"):
        Exporter(_student(encoder, decoder), Precision.FLOAT32)


@pytest.mark.slow
@pytest.mark.parametrize(("encoder", "decoder"), LEARNERS)
def test_reversed_digits_are_learned(encoder: str, decoder: str, tmp_path: Path) -> None:
    """Every digit of a string must be right. Under a minute on two idle cores."""
    assert reversal_learned(encoder, decoder, tmp_path) >= 0.99
