"""Published models in the kernel: to the bit what the file's arithmetic says."""

from __future__ import annotations

import asyncio
from array import array
from dataclasses import replace

import numpy as np
import pytest

from dragoman.engines.kernel import KernelEngine
from dragoman.engines.kernel_library import kernels
from dragoman.errors import EngineError, ModelFileError
from dragoman.marian.file import read_bin, write_bin
from dragoman.marian.model import parse_marian
from dragoman.marian.vocabulary import Vocabulary
from dragoman.native.engines import engine_name, make_published_engine
from tests.bench.published.kernel import mini_batch, targets
from tests.support.kernel.published import COUNT, LIMIT, SHAPES, rows_of, student, vocabulary
from tests.support.published import SMALL, PublishedModel, make_model, with_extreme_weights
from tests.support.reference.kernel_order import KernelOrder, exponential, sinusoids


def said(made: PublishedModel, rows: list[list[int]], path: str | None = None) -> list[list[int]]:
    output = KernelEngine(student(made), path=path).run_now(mini_batch(rows, LIMIT), False)
    return list(targets(output, len(rows)))


def expected(made: PublishedModel, rows: list[list[int]]) -> list[list[int]]:
    reference, names = KernelOrder(parse_marian(made.model)), vocabulary(made).ids
    translated = reference.translate_all(rows, LIMIT)
    return translated if names is None else [[names[piece] for piece in ids] for ids in translated]


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_it_says_what_numpy_says_in_the_same_order(shape: str) -> None:
    sizes, source = SHAPES[shape]
    made = make_model(sizes, source_pieces=source)
    rows = rows_of(made, COUNT)
    answered = said(made, rows)
    assert answered == expected(made, rows)
    assert len(set(map(tuple, answered))) > COUNT / 5  # the weights are alive: the source decides


@pytest.mark.parametrize("split", [None, 360])
def test_every_path_gives_the_same_bytes(split: int | None) -> None:
    made = make_model(replace(SMALL, dimension=96), source_pieces=split, seed=7)
    batch = mini_batch(rows_of(made, 9), LIMIT)
    seen = set()
    for path in kernels():
        output = KernelEngine(student(made), path=path).run_now(batch, True)
        parts = (output.ids, output.log_probabilities, output.attention)
        seen.add(tuple(part.tobytes() for part in parts))
    assert len(seen) == 1


@pytest.mark.parametrize("path", kernels())
@pytest.mark.parametrize(("dimension", "heads"), [(64, 4), (72, 3)])
def test_sums_of_extreme_weights_are_exact(path: str, dimension: int, heads: int) -> None:
    made = make_model(replace(SMALL, dimension=dimension, heads=heads), seed=9)
    extreme, rows = with_extreme_weights(made, 9, dimension), rows_of(made, 20)
    assert said(extreme, rows, path) == expected(extreme, rows) != said(made, rows)


def test_companions_and_threads_make_no_difference() -> None:
    made = make_model(seed=8)
    rows = rows_of(made, 12)
    threaded = KernelEngine(student(made), threads=3).run_now(mini_batch(rows, LIMIT), False)
    alone = [said(made, [row])[0] for row in rows]
    assert list(targets(threaded, len(rows))) == alone == said(made, rows)


def test_inputs_of_different_scales_are_kept_apart() -> None:
    made = make_model(seed=4)
    items = [
        replace(item, data=np.float32(20.0).tobytes())
        if item.name in ("encoder_l1_self_Wk_QuantMultA", "decoder_l1_rnn_Wf_QuantMultA")
        else item
        for item in read_bin(made.model)
    ]
    other, rows = replace(made, model=write_bin(items)), rows_of(made, 20)
    assert said(other, rows) == expected(other, rows) != said(made, rows)


def test_tied_layers_share_their_tensors() -> None:
    made = make_model(seed=6, tied=(1, 1))
    rows = rows_of(made, 20)
    assert said(made, rows) == expected(made, rows)


def test_attention_is_the_first_head_of_the_last_layer() -> None:
    made = make_model()
    output = KernelEngine(student(made)).run_now(mini_batch([[7, 9, 0], [30, 0]], 4), True)
    weights = np.array(output.attention).reshape(2, output.steps, 3)
    np.testing.assert_allclose(weights[:, 0].sum(axis=1), 1, rtol=1e-6)
    assert weights[1, 0, 2] == 0


def test_the_unknown_piece_is_never_chosen() -> None:
    made = make_model()
    items = []
    for item in read_bin(made.model):
        if item.name == "decoder_ff_logit_out_b":
            bias = np.frombuffer(item.data, "<f4").copy()
            bias[1] = 1e6
            item = replace(item, data=bias.tobytes())
        items.append(item)
    other, rows = replace(made, model=write_bin(items)), rows_of(made, 20)
    assert said(other, rows) == expected(other, rows) == said(made, rows)


def test_a_piece_that_only_the_target_has_is_none_of_the_sources() -> None:
    made = make_model(source_pieces=360)
    engine = KernelEngine(student(made))
    with pytest.raises(EngineError, match="none of the model's 360"):
        engine.run_now(mini_batch([[360, 0]], LIMIT), False)
    asyncio.run(engine.close())


def test_the_kernel_is_taken_where_it_knows_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    made, plain = make_model(), make_model(alphas=False)
    first = next(iter(kernels()))
    one = Vocabulary(made.vocabulary, 400)
    assert engine_name(make_published_engine(made.model, one, 99)) == f"kernel ({first})"
    assert engine_name(make_published_engine(plain.model, one, 99)) == "onnxruntime"
    monkeypatch.setenv("DRAGOMAN_KERNEL", "none")
    assert engine_name(make_published_engine(made.model, one, 99)) == "onnxruntime"
    with pytest.raises(ModelFileError, match="cut off"):
        make_published_engine(made.model[:9000], one, 99)


def test_the_references_functions_are_what_they_are_called() -> None:
    x = np.linspace(-20, 20, 101, dtype=np.float32)
    np.testing.assert_allclose(exponential(x), np.exp(x), rtol=1e-6)
    table = sinusoids(40, 64)
    np.testing.assert_allclose(table[3, [0, 32]], [np.sin(3), np.cos(3)], rtol=1e-6)
    assert array("f", table[0]).tolist() == [0.0] * 32 + [1.0] * 32
