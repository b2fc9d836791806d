from __future__ import annotations

import io
import os
import struct
import zipfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from dragoman.errors import ExportError, ModelFileError
from dragoman.marian.file import Item, Kind, read_bin, write_bin
from dragoman.marian.model import floats, parse_marian, read_items, read_marian
from dragoman.models.marian.exporter import check_sizes, marian_model
from dragoman.models.network.student import Architecture
from dragoman.student.weights import Int8Matrix
from tests.support.workshop import archive, engine_sizes, quantized_student, toy_sizes

STUDENT = quantized_student()
CONTENT = marian_model(STUDENT)
ITEMS = {item.name: item for item in read_bin(CONTENT)}


def written(**changes: Item | None) -> bytes:
    """The model with some tensors replaced, or left out."""
    items = {**ITEMS, **changes}
    return write_bin([item for item in items.values() if item is not None])


def test_every_tensor_comes_back_as_it_was() -> None:
    model = parse_marian(CONTENT)
    assert model.config.sizes == engine_sizes()
    assert model.matrices.keys() == STUDENT.matrices.keys()
    for name, matrix in model.matrices.items():
        assert isinstance(matrix, Int8Matrix)
        assert np.array_equal(matrix.values, STUDENT.matrices[name].values)
        assert matrix.scale == pytest.approx(STUDENT.matrices[name].scale, rel=1e-6)
    assert model.vectors.keys() == STUDENT.vectors.keys()
    assert all(np.array_equal(v, STUDENT.vectors[name]) for name, v in model.vectors.items())
    assert model.ranges == pytest.approx(STUDENT.ranges, rel=1e-6)


def test_names_order_and_layout_are_those_of_the_published_models() -> None:
    names = list(ITEMS)
    assert names == [*sorted(names[:-1]), "special:model.yml"]
    assert {"Wemb", "Wemb_QuantMultA", "none_QuantMultA", "decoder_ff_logit_out_b",
            "encoder_l2_self_Wo_ln_scale", "encoder_l1_ffn_ffn_ln_bias", "decoder_l2_rnn_Wf",
            "decoder_l1_rnn_W_QuantMultA", "decoder_l1_rnn_ffn_ln_bias", "decoder_l2_context_bo",
            "decoder_l1_ffn_W2"} <= ITEMS.keys()  # fmt: skip
    inner = STUDENT.matrices["decoder.0.feed_forward.inner"]
    item = ITEMS["decoder_l1_ffn_W1"]
    assert item.shape == (64, 64)
    assert item.data[:64] == inner.values[:, 0].tobytes()  # transposed: a row an output
    assert struct.unpack_from("<f", item.data, 64 * 64)[0] == pytest.approx(1 / inner.scale)
    embedding = ITEMS["Wemb"]
    assert embedding.data[:64] == STUDENT.matrices["embedding"].values[0].tobytes()  # not
    (alpha,) = struct.unpack_from("<f", ITEMS["decoder_l1_ffn_W1_QuantMultA"].data)
    assert alpha == pytest.approx(127 / STUDENT.ranges["decoder.0.feed_forward.inner"])
    assert ITEMS["Wemb_QuantMultA"].data == ITEMS["none_QuantMultA"].data


def test_npz_has_the_same_weights_in_float32() -> None:
    items = [item for item in ITEMS.values() if not item.name.endswith("_QuantMultA")]
    model = parse_marian(archive(items))
    assert model.ranges == {}
    for name, matrix in model.matrices.items():
        assert isinstance(matrix, np.ndarray)
        np.testing.assert_allclose(matrix, STUDENT.matrices[name].floats(), rtol=1e-6)


def test_a_float32_bin() -> None:
    def plain(item: Item) -> Item:
        if item.kind is not Kind.INTGEMM8:
            return item
        values = floats(item)
        if item.name != "Wemb":  # floats are not transposed
            values = np.ascontiguousarray(values.reshape(item.shape[::-1]).T)
        return Item(item.name, Kind.FLOAT32, item.shape, values.tobytes())

    model = parse_marian(write_bin(map(plain, ITEMS.values())))
    matrix: Any = model.matrices["encoder.1.feed_forward.outer"]
    expected: Any = STUDENT.matrices["encoder.1.feed_forward.outer"].floats()
    np.testing.assert_allclose(matrix, expected, rtol=1e-6)


def test_a_scale_may_be_stored_as_int8() -> None:
    """Models with split vocabularies have the output layer's alpha as one int8 and its scale."""
    stored = Item("Wemb_QuantMultA", Kind.INTGEMM8, (1, 1), b"\x7f" + struct.pack("<f", 12.7))
    model = parse_marian(written(Wemb_QuantMultA=stored))
    assert model.ranges["output"] == pytest.approx(12.7)


def test_split_vocabularies_have_an_embedding_a_side() -> None:
    wemb = ITEMS["Wemb"]
    text = ITEMS["special:model.yml"].data.split(b"\0")[0].decode()
    text = text.replace("tied-embeddings: false", "tied-embeddings: true")
    text = text.replace("tied-embeddings-all: true", "tied-embeddings-all: false")
    config = text.replace("dim-vocabs:\n- 344\n", "dim-vocabs:\n- 8\n").encode() + b"\0"
    small = Item("encoder_Wemb", Kind.INTGEMM8, (8, 64), wemb.data[: 8 * 64] + bytes(2) + b"\x80?")
    content = written(
        Wemb=None, Wemb_QuantMultA=None, none_QuantMultA=None,
        encoder_Wemb=small, decoder_Wemb=replace(wemb, name="decoder_Wemb"),
        decoder_Wemb_QuantMultA=replace(ITEMS["Wemb_QuantMultA"], name="decoder_Wemb_QuantMultA"),
        **{"special:model.yml": Item("special:model.yml", Kind.INT8, (len(config),), config)},
    )  # fmt: skip
    model = parse_marian(content)
    source, target = (model.matrices[name] for name in ("source_embedding", "embedding"))
    assert isinstance(source, Int8Matrix)
    assert isinstance(target, Int8Matrix)
    assert (source.values.shape, target.values.shape) == ((8, 64), (344, 64))
    assert source.scale == 1.0


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"decoder_l1_ffn_W1": None}, "there is no tensor 'decoder_l1_ffn_W1'"),
        ({"special:model.yml": None}, "the settings of the network are missing"),
        ({"decoder_l1_rnn_W_QuantMultA": None}, "but no decoder_l1_rnn_W_QuantMultA"),
        ({"Wemb": replace(ITEMS["Wemb"], shape=(64, 344))}, r"shape \(64, 344\), the settings"),
        ({"decoder_l1_rnn_bf": replace(ITEMS["decoder_l1_rnn_bf"], kind=Kind.INT8)},
         "is int8, not floating point"),
        ({"decoder_l1_rnn_bf": replace(ITEMS["decoder_l1_rnn_bf"], data=b"\xff" * 256)},
         "values that are not numbers"),
        ({"Wemb_QuantMultA": replace(ITEMS["Wemb_QuantMultA"], data=bytes(4))}, "is no scale"),
        ({"decoder_l1_ffn_W1": replace(ITEMS["decoder_l1_ffn_W1"], data=bytes(64 * 64 + 4))},
         "has no scale: 0.0"),
    ],
)  # fmt: skip
def test_a_tensor_that_is_wrong_is_named(changes: dict[str, Item | None], words: str) -> None:
    with pytest.raises(ModelFileError, match=words):
        parse_marian(written(**changes))


def test_the_message_begins_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "model.bin"
    with pytest.raises(ModelFileError, match=r"model\.bin: No such file"):
        read_marian(path)
    path.write_bytes(CONTENT[:-1])
    with pytest.raises(ModelFileError, match=r"^.*model\.bin: the file is cut off"):
        read_marian(path)
    path.write_bytes(CONTENT)
    assert read_marian(path).config.sizes == engine_sizes()


SMALL = marian_model(quantized_student(Architecture(8, 64, 64, 4, 1, 1)))
ARCHIVE = archive(read_bin(SMALL))
DAMAGE = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@DAMAGE
@given(st.sampled_from([SMALL, ARCHIVE]), st.integers(0, 1 << 30))
def test_a_cut_off_file_is_a_typed_error(content: bytes, length: int) -> None:
    with pytest.raises(ModelFileError):
        parse_marian(content[: length % len(content)])


# The first kilobytes hold names, shapes and types; the last ones of an archive its directory.
flips = st.lists(st.integers(0, 8 * 8_000) | st.integers(-8 * 6_000, -1), min_size=1, max_size=4)


@DAMAGE
@given(st.sampled_from([SMALL, ARCHIVE]), flips)
@example(SMALL, [5])
def test_flipped_bits_never_end_in_another_error(content: bytes, bits: list[int]) -> None:
    damaged = bytearray(content)
    for bit in bits:
        damaged[bit // 8 % len(damaged)] ^= 1 << bit % 8
    with suppress(ModelFileError):
        parse_marian(bytes(damaged))


@given(st.binary(max_size=200) | st.binary(max_size=200).map(lambda tail: b"PK\3\4" + tail))
def test_any_bytes_are_a_typed_error(content: bytes) -> None:
    with pytest.raises(ModelFileError):
        parse_marian(content)


def test_an_archive_with_objects_runs_no_code() -> None:
    stream = io.BytesIO()
    np.savez(stream, a=np.array([{"x": 1}], dtype=object))
    with pytest.raises(ModelFileError, match="'a' holds object"):
        read_items(stream.getvalue())


def test_sizes_that_the_engine_has_no_kernels_for() -> None:
    with pytest.raises(ExportError, match="the dimension to be a multiple of 64, it is 32"):
        marian_model(quantized_student(toy_sizes()))
    with pytest.raises(ExportError, match="the vocabulary to be a multiple of 8, it is 343"):
        check_sizes(engine_sizes(343))
    check_sizes(Architecture())


def test_a_pipe_is_no_model(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "model.bin")
    with pytest.raises(ModelFileError, match="is not a regular file"):
        read_marian(tmp_path / "model.bin")


def test_an_archive_that_unpacks_to_the_memory_is_refused() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("weights.npy", bytes(80 << 20))
    assert len(packed.getvalue()) < 1 << 20
    with pytest.raises(ModelFileError, match="unpacks to 83,886,080 bytes, 67,108,864 are allowed"):
        read_items(packed.getvalue())
