"""Marian's training format: arrays read piece by piece, and what is refused of an archive."""

from __future__ import annotations

import io
import tracemalloc
import zipfile
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dragoman.errors import ModelFileError
from dragoman.marian import npz
from dragoman.marian.file import Kind
from dragoman.marian.npz import read_npz


def saved(**arrays: Any) -> bytes:
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def packed(name: str, content: bytes, method: int = zipfile.ZIP_STORED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.writestr(name, content)
    return out.getvalue()


def header(descr: str, shape: str) -> bytes:
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}".encode()
    text += b" " * (-(len(text) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


def test_arrays_in_the_order_of_the_archive() -> None:
    weight = np.array([[1.5, -2.0]], np.float32)
    items = read_npz(saved(Wemb=weight, ids=np.array([3, 4], np.int32)))
    assert [(item.name, item.kind, item.shape) for item in items] == [
        ("Wemb", Kind.FLOAT32, (1, 2)),
        ("ids", Kind.INT32, (2,)),
    ]
    assert items[0].data == b"\x00\x00\xc0\x3f\x00\x00\x00\xc0"
    assert items[1].data == b"\x03\x00\x00\x00\x04\x00\x00\x00"


@pytest.mark.parametrize(
    "array",
    [
        np.array([[1, 2], [3, 4]], ">i4"),
        np.asfortranarray(np.array([[1, 2], [3, 4]], np.int32)),
    ],
)
def test_values_are_little_endian_and_row_by_row(array: NDArray[Any]) -> None:
    (item,) = read_npz(saved(x=array))
    assert np.frombuffer(item.data, "<i4").tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the .npz archive is damaged"),
        (packed("x.npy", b"no array"), "the .npz archive is damaged"),
        (saved(x=np.array(["a"])), "'x' holds <U1, which no model does"),
        (saved(x=np.array([1j])), "'x' holds complex128, which no model does"),
        (packed("x.npy", header("'|O'", "(1,)") + b"\x80\x04N."), "'x' holds object"),
        (
            packed("x.npy", header("'<f4'", "(2, 500)") + bytes(8)),
            "'x' takes 4,000 bytes, it has 8",
        ),
        (packed("x.npy", header("'<f4'", "(1,)") + bytes(8)), "'x' takes 4 bytes, it has 8"),
    ],
)
def test_what_is_refused(content: bytes, message: str) -> None:
    with pytest.raises(ModelFileError) as caught:
        read_npz(content)
    assert message in str(caught.value)


def test_a_shape_that_no_memory_holds() -> None:
    shape = "(1000000000000, 1000000000000)"
    with pytest.raises(ModelFileError, match="'x' takes 4,000,000,000,000,000,000,000,000 bytes"):
        read_npz(packed("x.npy", header("'<f4'", shape)))


def test_what_unpacks_to_far_more_than_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npz, "ALWAYS_ALLOWED", 1_000)
    bomb = packed("x.npy", bytes(100_000), zipfile.ZIP_DEFLATED)
    with pytest.raises(ModelFileError) as caught:
        read_npz(bomb)
    assert caught.value.details["requested"] == 100_000
    assert caught.value.details["allowed"] == 20 * len(bomb)


def test_no_more_is_unpacked_than_an_array_says_that_it_has() -> None:
    bomb = packed("a.npy", bytes(60_000_000), zipfile.ZIP_DEFLATED)
    said = bomb.replace((60_000_000).to_bytes(4, "little"), (40).to_bytes(4, "little"))
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError, match="archive is damaged"):
            read_npz(said)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 10_000_000


def test_arrays_that_are_packed_as_numpy_does_not() -> None:
    with pytest.raises(ModelFileError, match=r"'a\.npy' is packed by method 14"):
        read_npz(packed("a.npy", b"", zipfile.ZIP_LZMA))
