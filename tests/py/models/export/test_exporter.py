from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
import sentencepiece
import torch
from numpy.typing import NDArray

from dragoman.engines.onnx_steps import OnnxSteps
from dragoman.errors import ExportError
from dragoman.models.alignment.train_alignment import with_new_head
from dragoman.models.export.calibrate import activation_ranges
from dragoman.models.network.checkpoint import load_model
from dragoman.models.network.student import EOS, UNK, Student
from dragoman.student.exporter import (
    Exporter,
    Precision,
    _blocks,
    quantize,
    translation_graph,
)
from tests.support.kernel.batches import batch
from tests.support.workshop import toy_pairs, toy_sizes, toy_student

Rows = list[tuple[list[int], list[float], NDArray[np.float32]]]
Run = Callable[[Sequence[Sequence[int]], Sequence[int]], Rows]

# Mean differences of int8 from float32, where both choose the same pieces.
INT8_LOG_PROBABILITY, INT8_ATTENTION = 0.15, 0.02
# Largest difference of a row alone from the same row among others. The pieces are the same:
# products are exact integers and scales are static; only a float sum over more (masked) columns may
# be rounded otherwise. On the real model: 2.4e-7 (int8), 3.8e-6 (float32). In int8 such a
# difference can take a value that lies between two steps to the other one: 0.016 was seen.
COMPANIONS = {"float32": 2e-5, "int8": 0.05}


@pytest.fixture(scope="module", params=["guided head", "alignment head"])
def model(toy_trained: Path, request: pytest.FixtureRequest) -> Student:
    trained = load_model(toy_trained)
    if request.param == "guided head":
        return trained
    torch.manual_seed(3)
    return with_new_head(trained, 16)


@pytest.fixture(scope="module")
def ranges(model: Student, toy_prepared: Path) -> dict[str, float]:
    vocabulary = sentencepiece.SentencePieceProcessor(
        model_file=str(toy_prepared / "vocabulary.spm")
    )
    return activation_ranges(model, vocabulary, toy_pairs(60, seed=3))


@pytest.fixture(scope="module")
def float32(model: Student) -> Run:
    return _runner(translation_graph(Exporter(model, Precision.FLOAT32)))


@pytest.fixture(scope="module")
def int8(model: Student, ranges: dict[str, float]) -> Run:
    return _runner(translation_graph(Exporter(model, Precision.INT8, ranges)))


@pytest.fixture(scope="module")
def float16(model: Student) -> Run:
    return _runner(translation_graph(Exporter(model, Precision.FLOAT16)))


@pytest.fixture(params=["float32", "int8"])
def precision(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def run(precision: str, float32: Run, int8: Run) -> Run:
    return {"float32": float32, "int8": int8}[precision]


@pytest.fixture(scope="module")
def sources(toy_prepared: Path) -> list[list[int]]:
    """Real and random sentences of many lengths, without EOS."""
    vocabulary = sentencepiece.SentencePieceProcessor(
        model_file=str(toy_prepared / "vocabulary.spm")
    )
    rng = np.random.default_rng(1)
    real = vocabulary.encode([english for english, _ in toy_pairs(24, seed=5)])
    return [*real, *(rng.integers(2, 340, rng.integers(1, 30)).tolist() for _ in range(24))]


def _runner(graph: onnx.ModelProto) -> Run:
    onnx.checker.check_model(graph, full_check=False)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(graph.SerializeToString(), options)

    def run(rows: Sequence[Sequence[int]], limits: Sequence[int]) -> Rows:
        width = max(map(len, rows)) + 1
        ids = np.zeros((len(rows), width), dtype=np.int32)
        for number, row in enumerate(rows):
            ids[number, : len(row)] = row
        lengths = np.array([len(row) + 1 for row in rows], dtype=np.int32)
        feed = {"source_ids": ids, "lengths": lengths, "limits": np.array(limits, dtype=np.int32)}
        target, scores, attention = session.run(None, feed)
        assert target.dtype == np.int32
        assert scores.shape == target.shape
        assert attention.shape == (*target.shape, width)
        result = []
        for number, row in enumerate(rows):
            best = target[number].tolist()
            steps = min(best.index(EOS) + 1 if EOS in best else len(best), limits[number])
            assert not any(best[steps:])  # nothing after the end
            result.append(
                (best[:steps], scores[number, :steps].tolist(),
                 attention[number, :steps, : len(row) + 1])
            )  # fmt: skip
            assert not attention[number, :steps, len(row) + 1 :].any()  # padding is not looked at
        return result

    return run


def _greedy(model: Student, row: Sequence[int], limit: int) -> list[int]:
    source = torch.tensor([[*row, EOS]])
    (ids,) = model.greedy(source, torch.ones_like(source, dtype=torch.bool), limit)
    return ids if len(ids) == limit else [*ids, EOS]


def test_float32_is_the_search_of_pytorch(
    model: Student, float32: Run, sources: list[list[int]]
) -> None:
    floats = float32(sources, [40] * len(sources))
    assert [ids for ids, _, _ in floats] == [_greedy(model, row, 40) for row in sources]
    assert any(ids[-1] == EOS for ids, _, _ in floats)


def test_scores_and_attention_are_those_of_teacher_forcing(
    model: Student, float32: Run, sources: list[list[int]]
) -> None:
    for (ids, scores, attention), row in zip(
        float32(sources, [40] * len(sources)), sources, strict=True
    ):
        source, gold = torch.tensor([[*row, EOS]]), torch.tensor([ids])
        forced = model(source, torch.ones_like(source, dtype=torch.bool), gold)
        logits = model.logits(forced.output)[0].detach()
        logits[:, UNK] = -1e9
        expected = logits.log_softmax(dim=-1)[range(len(ids)), ids]
        np.testing.assert_allclose(scores, expected.numpy(), atol=2e-4)
        expected = model.aligned(forced)[0].detach().exp()
        np.testing.assert_allclose(attention, expected.numpy(), atol=1e-4)


def test_float16_is_closer_in_half_the_bytes(
    model: Student, float32: Run, float16: Run, sources: list[list[int]]
) -> None:
    limits = [40] * len(sources)
    exact, rough = float32(sources, limits), float16(sources, limits)
    same = [a for a in zip(exact, rough, strict=True) if a[0][0] == a[1][0]]
    assert len(same) >= 0.9 * len(sources)
    scores = np.concatenate([np.subtract(a[1], b[1]) for a, b in same])
    assert 0 < np.abs(scores).mean() < 0.01
    stored = [
        {item.name: item for item in translation_graph(Exporter(model, kind)).graph.initializer}
        for kind in (Precision.FLOAT32, Precision.FLOAT16)
    ]
    for name in ("embedding", "encoder.0.feed_forward.inner.weight"):
        whole, half = (tensors[name] for tensors in stored)
        assert len(half.raw_data) * 2 == len(whole.raw_data)


def test_float16_is_searched_step_by_step(model: Student) -> None:
    graph = translation_graph(Exporter(model, Precision.FLOAT16)).SerializeToString()
    steps = OnnxSteps(graph, onnxruntime.SessionOptions())
    assert steps.start(2)[0].shape == (2, 32)
    step = steps.step(1, [5, 7], steps.start(2), steps.encode(batch([[9, 8, 0], [7, 0]])))
    assert step.probabilities.sum(axis=1) == pytest.approx([1, 1], abs=1e-5)


def test_int8_is_close(float32: Run, int8: Run, sources: list[list[int]]) -> None:
    limits = [40] * len(sources)
    exact, rough = float32(sources, limits), int8(sources, limits)
    same = [a for a in zip(exact, rough, strict=True) if a[0][0] == a[1][0]]
    assert len(same) >= 0.7 * len(sources)
    scores = [np.subtract(a[1], b[1]) for a, b in same]
    attention = [(a[2] - b[2]).ravel() for a, b in same]
    assert np.abs(np.concatenate(scores)).mean() < INT8_LOG_PROBABILITY
    assert np.abs(np.concatenate(attention)).mean() < INT8_ATTENTION


def test_companions_in_the_batch_change_nothing(
    run: Run, precision: str, sources: list[list[int]]
) -> None:
    together = run(sources, [40] * len(sources))
    rng = np.random.default_rng(2)
    for number in range(0, len(sources), 3):
        chosen = [number, *rng.integers(0, len(sources), rng.integers(0, 12)).tolist()]
        for found in (run([sources[n] for n in chosen], [40] * len(chosen))[0],
                      run([sources[number]], [40])[0]):  # fmt: skip
            assert found[0] == together[number][0]
            np.testing.assert_allclose(found[1], together[number][1], atol=COMPANIONS[precision])
            np.testing.assert_allclose(found[2], together[number][2], atol=COMPANIONS[precision])


def test_each_row_has_its_own_limit(
    model: Student, run: Run, precision: str, sources: list[list[int]]
) -> None:
    near = COMPANIONS[precision]
    free = run(sources, [40] * len(sources))
    limits = [1 + number % 7 for number in range(len(sources))]
    for ids, whole, limit in zip(run(sources, limits), free, limits, strict=True):
        assert ids[0] == whole[0][:limit]
        np.testing.assert_allclose(ids[1], whole[1][:limit], atol=near)
        # Of the last piece before a cut no later step tells.
        seen = limit - 1 if len(whole[0]) > limit else limit
        np.testing.assert_allclose(ids[2][:seen], whole[2][:limit][:seen], atol=near)
        if model.alignment and 1 < limit < len(whole[0]):
            np.testing.assert_array_equal(ids[2][limit - 1], ids[2][limit - 2])


def test_rows_of_attention_sum_to_1_and_scores_are_probabilities(
    run: Run, sources: list[list[int]]
) -> None:
    for _, scores, attention in run(sources, [40] * len(sources)):
        np.testing.assert_allclose(attention.sum(axis=-1), 1, atol=1e-5)
        assert attention.min() >= 0
        assert max(scores) <= 1e-6
        assert all(map(math.isfinite, scores))


def test_no_weight_of_attention_is_subnormal(model: Student, sources: list[list[int]]) -> None:
    sharp = copy.deepcopy(model)
    with torch.no_grad():
        for name, weight in sharp.named_parameters():
            if name.endswith(("attention.query.weight", "alignment.query.weight")):
                weight.mul_(100)
    run = _runner(translation_graph(Exporter(sharp, Precision.FLOAT32)))
    seen = np.concatenate([
        attention[:, : len(row) + 1].ravel()
        for row, (_, _, attention) in zip(sources, run(sources, [40] * len(sources)), strict=True)
    ])  # fmt: skip
    assert np.median(seen) < 1e-20
    assert seen.min() >= np.finfo(np.float32).tiny


@pytest.mark.parametrize("kind", list(Precision))
def test_unk_is_never_chosen(kind: Precision) -> None:
    model = toy_student()
    with torch.no_grad():
        model.output_bias[UNK] = 1_000.0
    names = [n.removesuffix(".weight") for n in model.state_dict() if n.endswith(".weight")]
    run = _runner(translation_graph(Exporter(model, kind, dict.fromkeys([*names, "output"], 4.0))))
    for ids, _, _ in run([[5, 6, 7], [8]], [20, 20]):
        assert UNK not in ids


def test_a_piece_that_is_certain_has_log_probability_0() -> None:
    model = toy_student()
    with torch.no_grad():
        model.output_bias[EOS] = 1_000.0
    run = _runner(translation_graph(Exporter(model, Precision.FLOAT32)))
    (ids, scores, _), _ = run([[5], [6, 7]], [9, 9])
    assert ids == [EOS]
    assert scores == [0.0]


@pytest.mark.parametrize("size", [340, 307, 2])  # 307 is prime: one block
def test_the_best_piece_of_any_vocabulary_size(size: int) -> None:
    model = toy_student(size)
    run = _runner(translation_graph(Exporter(model, Precision.FLOAT32)))
    rows = [[n % size] for n in range(2, 12)]
    for (ids, _, _), row in zip(run(rows, [5] * len(rows)), rows, strict=True):
        assert ids == _greedy(model, row, 5)


def test_blocks_divide_the_vocabulary_near_its_root() -> None:
    assert [_blocks(size) for size in (8000, 32_000, 7, 1)] == [80, 160, 1, 1]


def test_quantized_weights_by_hand() -> None:
    values = np.array([[-2.54, 0.02, 1.0]], dtype=np.float32)
    quantized, scale = quantize(values)
    assert quantized.tolist() == [[-127, 1, 50]]
    assert scale == pytest.approx(0.02)
    assert quantize(np.zeros((2, 2), dtype=np.float32))[0].tolist() == [[0, 0], [0, 0]]


def test_int8_is_small_and_stores_the_embedding_once(
    model: Student, ranges: dict[str, float]
) -> None:
    exact = translation_graph(Exporter(model, Precision.FLOAT32)).ByteSize()
    graph = translation_graph(Exporter(model, Precision.INT8, ranges))
    cells = 340 * 32
    large = [t.name for t in graph.graph.initializer if math.prod(t.dims) == cells]
    assert large == ["embedding"]
    assert graph.ByteSize() < 0.7 * exact


def test_int8_without_ranges_is_an_error(model: Student) -> None:
    with pytest.raises(ExportError, match="needs the ranges"):
        Exporter(model, Precision.INT8)


def test_a_row_may_be_as_long_as_the_positions_reach() -> None:
    model = Student(toy_sizes())
    with torch.no_grad():
        model.output_bias[EOS] = -1_000.0
    run = _runner(translation_graph(Exporter(model, Precision.FLOAT32, None, 20)))
    ((ids, _, _),) = run([[5] * 19], [20])
    assert len(ids) == 20
