"""Where a published file has what the kernel computes with."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.errors import ModelFileError
from dragoman.marian.file import Item, Kind, read_bin, write_bin
from dragoman.marian.layout import ModelFile, published_file
from dragoman.marian.model import parse_marian
from dragoman.student.layout import Product, StudentLayout
from dragoman.student.weights import Int8Matrix
from tests.support.published import SMALL, make_model

MADE = make_model()


def layout_of(content: bytes) -> StudentLayout:
    layout = published_file(content).layout()
    assert layout is not None
    return layout


def changed(name: str, **fields: Any) -> bytes:
    items = [replace(i, **fields) if i.name == name else i for i in read_bin(MADE.model)]
    return write_bin(items)


def without(ending: str) -> bytes:
    return write_bin([i for i in read_bin(MADE.model) if not i.name.endswith(ending)])


def test_it_says_what_the_other_reader_reads() -> None:
    """`parse_marian` copies what this only points at."""
    layout, model = layout_of(MADE.model), parse_marian(MADE.model)
    queries = [dense for dense in layout.denses if dense.product is Product.QUERY_KEY_VALUE]
    assert [dense.layer for dense in queries] == [0, 0, 0, 1, 1, 1]
    for dense, name in zip(queries, ("query", "key", "value"), strict=False):
        matrix = model.matrices[f"encoder.0.attention.{name}"]
        assert isinstance(matrix, Int8Matrix)
        size = dense.inputs * dense.outputs
        values = np.frombuffer(MADE.model, np.int8, size, dense.weights)
        np.testing.assert_array_equal(values.reshape(64, 64).T, matrix.values)
        bias = np.frombuffer(MADE.model, "<f4", 64, dense.bias)
        np.testing.assert_array_equal(bias, model.vectors[f"encoder.0.attention.{name}.bias"])
        alpha, multiplier = np.float32(127 / 4.2), np.float32(1 / matrix.scale)
        assert dense.input == alpha
        assert dense.scale == np.float32(1) / (alpha * multiplier)
    assert (layout.vocabulary, layout.dimension, layout.inner, layout.heads) == (400, 64, 128, 4)


def test_it_is_plain_data() -> None:
    """As it crosses between a browser's workers."""
    data = json.loads(json.dumps(asdict(layout_of(MADE.model))))
    assert data["denses"][0].keys() == {
        "product", "layer", "weights", "inputs", "outputs", "bias", "input", "scale", "after_relu",
    }  # fmt: skip
    assert data["denses"][-1]["product"] == 10
    assert data["source"] is None


def test_a_vocabulary_a_side_has_two_embeddings() -> None:
    made = make_model(source_pieces=360)
    layout = layout_of(made.model)
    assert layout.source is not None
    assert (layout.source.pieces, layout.source_pieces, layout.vocabulary) == (360, 360, 400)
    matrix = parse_marian(made.model).matrices["source_embedding"]
    assert isinstance(matrix, Int8Matrix)
    table = matrix.values
    rows = np.frombuffer(made.model, np.int8, table.size, layout.source.rows)
    np.testing.assert_array_equal(rows.reshape(table.shape), table)


def test_little_more_than_the_head_is_read() -> None:
    read: list[int] = []

    def part(start: int, end: int) -> bytes:
        read.append(end - start)
        return MADE.model[start:end]

    assert ModelFile(part, len(MADE.model)).layout() == layout_of(MADE.model)
    matrices = sum(dense.inputs * dense.outputs for dense in layout_of(MADE.model).denses)
    assert sum(read) < len(MADE.model) - matrices


def test_what_the_kernel_does_not_know_has_no_layout() -> None:
    odd = replace(SMALL, vocabulary_size=396)
    assert published_file(make_model(alphas=False).model).layout() is None
    assert published_file(make_model(odd).model).layout() is None
    floats = Item("", Kind.FLOAT32, (64, 64), np.ones((64, 64), "<f4").tobytes())
    content = changed("encoder_l1_self_Wq", kind=floats.kind, data=floats.data)
    assert published_file(content).layout() is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (without("l2_self_Wk_QuantMultA"), "activation scales, but no encoder_l2_self_Wk_Quant"),
        (without("l2_self_Wk"), "there is no tensor 'encoder_l2_self_Wk'"),
        (changed("encoder_l1_self_bq", data=np.full(64, np.inf, "<f4").tobytes()), "not numbers"),
        (changed("encoder_l1_self_bq", shape=(1, 32)), "has the shape"),
        (changed("Wemb_QuantMultA", data=np.float32(-1).tobytes()), "is no scale: -1"),
        (changed("Wemb_QuantMultA", data=np.float32(1e-45).tobytes()), "too (large|small)"),
        (changed("special:model.yml", shape=(4,), data=b"- 1\0"), "not a list of settings"),
        (MADE.model[:9000], "cut off"),
        (without("special:model.yml"), "no special:model.yml"),
    ],
)
def test_damaged_files(content: bytes, message: str) -> None:
    with pytest.raises(ModelFileError, match=message):
        published_file(content).layout()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 12_000), st.integers(1, 255))
def test_a_flipped_byte_leads_nowhere_outside_of_the_file(place: int, flip: int) -> None:
    content = bytearray(MADE.model)
    content[place] ^= flip
    try:
        layout = published_file(bytes(content)).layout()
    except ModelFileError:
        return
    if layout is None:
        return
    for dense in layout.denses:
        assert 0 <= dense.weights <= len(content) - dense.inputs * dense.outputs
        assert dense.bias <= len(content) - 4 * dense.outputs
