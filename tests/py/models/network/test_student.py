from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from dragoman.errors import TrainingError
from dragoman.models.network.checkpoint import load_model
from dragoman.models.network.decoders import Ssru, _Recurrence
from dragoman.models.network.layers import Attention, FeedForward, LayerNorm, dropped, padding_mask
from dragoman.models.network.student import EOS, UNK, Architecture, Student, positions
from dragoman.student.architecture import Dropout
from tests.support.workshop import toy_sizes, toy_student


def test_the_default_is_the_published_tiny_size() -> None:
    # formats.md: 16,907,062 parameters with 32,000 pieces in Marian, which counts the alphas too.
    count = sum(p.numel() for p in Student(Architecture(vocabulary_size=32_000)).parameters())
    assert count == 16_907_008


def test_positions_are_sines_then_cosines() -> None:
    table = positions(0, 3, 4)
    low = math.exp(-math.log(10_000))
    expected = [
        [0.0, 0.0, 1.0, 1.0],
        [math.sin(1), math.sin(low), math.cos(1), math.cos(low)],
        [math.sin(2), math.sin(2 * low), math.cos(2), math.cos(2 * low)],
    ]
    torch.testing.assert_close(table, torch.tensor(expected))
    torch.testing.assert_close(positions(2, 1, 4), table[2:])


def test_layer_norm_is_post_norm_with_biased_variance() -> None:
    norm = LayerNorm(2)
    x, residual = torch.tensor([[1.0, 2.0]]), torch.tensor([[0.0, 5.0]])
    # sum 1, 7: mean 4, biased deviation 3
    torch.testing.assert_close(norm(x, residual), torch.tensor([[-1.0, 1.0]]))
    assert norm(torch.zeros(1, 2), torch.zeros(1, 2)).tolist() == [[0.0, 0.0]]


def _naive_recurrence(forget: Tensor, x: Tensor) -> Tensor:
    state, states = torch.zeros_like(x[0]), []
    for f, value in zip(forget, x, strict=True):
        state = f * state + (1 - f) * value
        states.append(state)
    return torch.stack(states)


def test_recurrence_by_hand() -> None:
    forget = torch.tensor([[0.5], [0.25], [1.0]])
    x = torch.tensor([[8.0], [4.0], [100.0]])
    states: Tensor = _Recurrence.apply(forget, x)  # type: ignore[no-untyped-call]
    assert states.flatten().tolist() == [4.0, 4.0, 4.0]  # 0.25 * 4 + 0.75 * 4; then all is kept


def test_recurrence_and_its_gradient_are_those_of_a_plain_loop() -> None:
    torch.manual_seed(1)
    forget = torch.rand(7, 3, 5, requires_grad=True)
    x = torch.randn(7, 3, 5, requires_grad=True)
    upstream = torch.randn(7, 3, 5)
    found: list[tuple[Tensor, ...]] = []
    for function in (_Recurrence.apply, _naive_recurrence):
        states = function(forget, x)
        gradients = torch.autograd.grad((states * upstream).sum(), (forget, x))
        found.append((states.detach(), *gradients))
    for ours, naive in zip(*found, strict=True):
        torch.testing.assert_close(ours, naive)


@pytest.mark.filterwarnings("ignore:Input .* not a double precision")
def test_recurrence_passes_a_gradient_check() -> None:
    torch.manual_seed(1)
    forget = torch.rand(4, 2, 3, requires_grad=True)
    x = torch.randn(4, 2, 3, requires_grad=True)
    assert torch.autograd.gradcheck(  # float32 inside, so the tolerances are wide
        _Recurrence.apply, (forget, x), eps=1e-2, atol=1e-3, rtol=1e-2, check_undefined_grad=False
    )


def test_ssru_steps_are_the_sequence() -> None:
    torch.manual_seed(1)
    unit = Ssru(8)
    x = torch.randn(3, 5, 8)
    whole = unit(x)
    state = torch.zeros(3, 8)
    for step in range(5):
        output, state = unit.step(x[:, step], state)
        torch.testing.assert_close(output, whole[:, step])


def test_ssru_is_the_equation_of_the_paper() -> None:
    torch.manual_seed(1)
    unit: Any = Ssru(4)
    with torch.no_grad():
        unit.forget.bias.normal_()
    q, c = torch.randn(1, 4), torch.randn(1, 4)
    f = torch.sigmoid(q @ unit.forget.weight + unit.forget.bias)
    new = f * c + (1 - f) * (q @ unit.candidate.weight)
    output, state = unit.step(q, c)
    torch.testing.assert_close(state, new)
    torch.testing.assert_close(output, unit.norm(torch.relu(new), q))


def test_attention_is_that_of_pytorch() -> None:
    torch.manual_seed(1)
    ours: Any = Attention(8, 2)
    reference = torch.nn.MultiheadAttention(8, 2, batch_first=True)
    with torch.no_grad():
        for part in (ours.query, ours.key, ours.value, ours.output):
            part.bias.normal_()
        parts = (ours.query, ours.key, ours.value)
        reference.in_proj_weight.copy_(torch.cat([part.weight.t() for part in parts]))
        reference.in_proj_bias.copy_(torch.cat([part.bias for part in parts]))
        reference.out_proj.weight.copy_(ours.output.weight.t())
        reference.out_proj.bias.copy_(ours.output.bias)
    x, memory = torch.randn(2, 3, 8), torch.randn(2, 5, 8)
    padding = torch.tensor([[False] * 5, [False] * 3 + [True] * 2])
    mask = torch.zeros(2, 5).masked_fill(padding, -1e9)[:, None, None]
    output, scores = ours(x, memory, mask)
    expected, weights = reference(
        x, memory, memory, key_padding_mask=padding, average_attn_weights=False
    )
    torch.testing.assert_close(output, ours.norm(expected, x))
    torch.testing.assert_close(torch.softmax(scores, dim=-1), weights[:, 0])


def test_feed_forward_has_relu_and_residual() -> None:
    torch.manual_seed(1)
    layer: Any = FeedForward(4, 6)
    x = torch.randn(2, 4)
    inner = torch.relu(x @ layer.inner.weight + layer.inner.bias)
    outer = inner @ layer.outer.weight + layer.outer.bias
    torch.testing.assert_close(layer(x), layer.norm(outer, x))


def test_the_first_decoder_input_is_the_zero_vector_at_position_0() -> None:
    model = toy_student()
    source = torch.tensor([[5, 6, EOS]])
    mask = torch.ones_like(source, dtype=torch.bool)
    first = model(source, mask, torch.tensor([[9, EOS]])).output
    other = model(source, mask, torch.tensor([[200, EOS]])).output
    torch.testing.assert_close(first[:, 0], other[:, 0])  # the target is not seen too early
    assert not torch.allclose(first[:, 1], other[:, 1])
    memory, additive = model.encode(source, mask)
    x = positions(0, 1, 32)[None]
    layers: Any = model.decoder
    for layer in layers:
        x, _ = layer.attention(layer.recurrence(x), memory, additive)
        x = layer.feed_forward(x)
    torch.testing.assert_close(first[:, :1], x)


def test_embedding_is_scaled_and_has_positions() -> None:
    model = toy_student()
    expected = model.embedding[5] * math.sqrt(32) + positions(3, 1, 32)[0]
    torch.testing.assert_close(model.embed(torch.tensor([[5]]), start=3)[0, 0], expected)


def test_padding_changes_nothing() -> None:
    model = toy_student()
    source, target = torch.tensor([[5, 6, EOS]]), torch.tensor([[7, 8, 9, EOS]])
    alone = model(source, torch.ones(1, 3, dtype=torch.bool), target)
    padded = torch.tensor([[5, 6, EOS, 0, 0], [11, 12, 13, 14, EOS]])
    mask = torch.tensor([[True] * 3 + [False] * 2, [True] * 5])
    longer = torch.tensor([[7, 8, 9, EOS, 0], [15, 16, 17, 18, EOS]])
    both = model(padded, mask, longer)
    torch.testing.assert_close(both.output[:1, :4], alone.output)
    weights = both.guided.exp()
    torch.testing.assert_close(weights[:1, :4, :3], alone.guided.exp())
    assert float(weights.detach()[0, :, 3:].max()) == 0.0
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(2, 5))


def test_an_alignment_head_reads_one_step_later_and_changes_no_translation() -> None:
    torch.manual_seed(2)
    plain = toy_student()
    model = Student(replace(plain.sizes, alignment=8))
    model.load_state_dict(model.state_dict() | plain.state_dict())
    head = model.alignment
    assert head is not None
    source, target = torch.tensor([[5, 6, EOS]]), torch.tensor([[7, 8, 9, EOS]])
    mask = torch.ones(1, 3, dtype=torch.bool)
    forced, expected = model(source, mask, target), plain(source, mask, target)
    assert torch.equal(forced.output, expected.output)
    assert torch.equal(plain.aligned(expected), expected.guided)
    query, key = head.query(forced.history), head.key(forced.memory)
    rows = torch.log_softmax(query @ key.transpose(1, 2) / math.sqrt(8), dim=-1)
    # Piece t has gone in at step t + 1; what follows the last one, EOS, is not known.
    later = rows[:, [1, 2, 3, 3]]
    torch.testing.assert_close(model.aligned(forced), later)


def test_an_alignment_head_does_not_look_at_padding() -> None:
    torch.manual_seed(2)
    model = Student(replace(toy_sizes(), alignment=8))
    target = torch.tensor([[7, 8, EOS]])
    mask = torch.tensor([[True, True, True, False]])
    forced = model(torch.tensor([[5, 6, EOS, 0]]), mask, target)
    alone = model(torch.tensor([[5, 6, EOS]]), mask[:, :3], target)
    weights = model.aligned(forced).exp()
    assert float(weights.detach()[0, :, 3].max()) == 0.0
    torch.testing.assert_close(weights[:, :, :3], model.aligned(alone).exp())


def test_greedy_search_is_the_argmax_of_teacher_forcing(toy_trained: Path) -> None:
    model = load_model(toy_trained)
    torch.manual_seed(3)
    ended = 0
    for length in (1, 4, 9, 12):
        source = torch.cat((torch.randint(259, 340, (1, length)), torch.tensor([[EOS]])), dim=1)
        mask = torch.ones_like(source, dtype=torch.bool)
        (ids,) = model.greedy(source, mask, 40)
        gold = torch.tensor([[*ids, EOS]])
        scores = model.logits(model(source, mask, gold).output)[0]
        scores[:, UNK] = -torch.inf
        best = scores.argmax(dim=-1).tolist()
        assert best[: len(ids)] == ids
        if len(ids) < 40:
            ended += 1
            assert best[len(ids)] == EOS
    assert ended


def test_greedy_search_never_chooses_unk_and_keeps_the_limit() -> None:
    model = toy_student()
    with torch.no_grad():
        model.output_bias[UNK] = 1_000
        model.output_bias[EOS] = -1_000
    rows = model.greedy(torch.tensor([[5, EOS]]), torch.ones(1, 2, dtype=torch.bool), 6)
    assert len(rows[0]) == 6
    assert UNK not in rows[0]


def test_bfloat16_is_close_and_its_gradients_are_float32() -> None:
    model = toy_student()
    rough = Student(toy_sizes(), torch.bfloat16)
    rough.load_state_dict(model.state_dict())
    source, target = torch.tensor([[5, 6, 7, EOS]]), torch.tensor([[8, 9, EOS]])
    mask = torch.ones_like(source, dtype=torch.bool)
    exact = model(source, mask, target).output
    forced = rough(source, mask, target)
    assert forced.output.dtype == torch.bfloat16
    assert forced.guided.dtype == torch.float32
    torch.testing.assert_close(forced.output.float(), exact, atol=0.15, rtol=0.1)
    rough.logits(forced.output).float().sum().backward()  # type: ignore[no-untyped-call]
    assert {p.grad.dtype for p in rough.parameters() if p.grad is not None} == {torch.float32}


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"dimension": 30}, "dimension 30"),
        ({"heads": 7}, "the 7 heads"),
        ({"encoder_layers": 0}, "at least 1"),
        ({"vocabulary_size": 0}, "at least 1"),
        ({"width": 4}, "odd, not 4"),
        ({"alignment": -1}, "size is -1; it is at least 0"),
        ({"alignment": 264}, "at most the dimension, 256"),
        ({"encoder": "gru"}, "'gru'; known: transformer, recurrent, convolutional"),
        ({"decoder": "lstm"}, "'lstm'; known: ssru, attention"),
    ],
)
def test_architectures_that_cannot_be(sizes: dict[str, Any], message: str) -> None:
    with pytest.raises(TrainingError, match=message):
        Architecture(**sizes)


def test_dropout_keeps_the_mean_and_is_off_without_training() -> None:
    torch.manual_seed(1)
    x = torch.ones(10_000)
    thinned = dropped(x, 0.25, training=True)
    torch.testing.assert_close(thinned.unique(), torch.tensor([0, 4 / 3]))  # type: ignore[no-untyped-call]
    assert float(thinned.mean()) == pytest.approx(1, abs=0.03)
    before = torch.get_rng_state()
    assert dropped(x, 0.25, training=False) is x
    assert dropped(x, 0.0, training=True) is x
    assert torch.equal(torch.get_rng_state(), before)  # a run without dropout is what it was


@pytest.mark.parametrize("rates", [(0.3, 0, 0), (0, 0.3, 0), (0, 0, 0.3)])
def test_each_dropout_acts_in_training_alone(rates: tuple[float, float, float]) -> None:
    torch.manual_seed(1)
    model = Student(toy_sizes(), dropout=Dropout(*rates))
    source = torch.tensor([[5, 6, 7, EOS]])
    arguments = source, torch.ones_like(source, dtype=torch.bool), source
    assert not torch.equal(model(*arguments).output, model(*arguments).output)
    model.eval()
    assert torch.equal(model(*arguments).output, model(*arguments).output)


def test_the_parameters_of_the_tiny_kind_keep_their_names_and_order() -> None:
    """Checkpoints and the optimizer's state depend on both."""
    names = [name for name, _ in Student(Architecture(300, 8, 16, 2, 1, 1)).named_parameters()]
    affine = ("weight", "bias")
    maps = ("query", "key", "value", "output")
    attention = [f"attention.{name}.{value}" for name in maps for value in affine]
    attention += ["attention.norm.scale", "attention.norm.bias"]
    feed_forward = [f"feed_forward.{p}.{v}" for p in ("inner", "outer") for v in affine]
    feed_forward += ["feed_forward.norm.scale", "feed_forward.norm.bias"]
    recurrence = [f"recurrence.{name}" for name in (
        "candidate.weight", "forget.weight", "forget.bias", "norm.scale", "norm.bias")]  # fmt: skip
    assert names == [
        "embedding",
        "output_bias",
        *(f"encoder.0.{name}" for name in (*attention, *feed_forward)),
        *(f"decoder.0.{name}" for name in (*recurrence, *attention, *feed_forward)),
    ]


def test_fused_attention_is_the_spelled_out_one() -> None:
    torch.manual_seed(3)
    layer = Attention(32, 4).eval()
    x, memory = torch.randn(2, 3, 32), torch.randn(2, 5, 32)
    mask = padding_mask(torch.tensor([[True] * 5, [True, True, False, False, False]]), x.dtype)
    query, keys_values = layer.query(x), layer.keys_values(memory)
    for one, other in zip(
        layer.fused(x, query, keys_values, mask), layer(x, memory, mask), strict=True
    ):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)
