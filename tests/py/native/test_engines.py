"""Which engine runs a graph: the kernel what it knows, onnxruntime the rest."""

from __future__ import annotations

import logging
import sys

import onnx
import pytest

from dragoman.engines import kernel_library
from dragoman.engines.kernel import KernelEngine
from dragoman.engines.onnxruntime import OnnxRuntimeEngine
from dragoman.errors import BundleCorruptError, EngineError
from dragoman.marian.vocabulary import Vocabulary
from dragoman.native.engines import engine_name, make_engine, make_published_engine
from tests.support.paths import MODELS
from tests.support.published import SMALL, make_model

GRAPH = (MODELS / "de-en" / "model.onnx").read_bytes()


def test_an_int8_student_is_the_kernels() -> None:
    engine = make_engine(GRAPH, threads=1)
    assert isinstance(engine, KernelEngine)
    assert engine_name(engine) == f"kernel ({next(iter(kernel_library.kernels()))})"


def test_a_path_that_is_named_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    last = list(kernel_library.kernels())[-1]
    monkeypatch.setenv("DRAGOMAN_KERNEL", last)
    assert engine_name(make_engine(GRAPH, threads=1)) == f"kernel ({last})"
    monkeypatch.setenv("DRAGOMAN_KERNEL", "abacus")
    with pytest.raises(EngineError, match="DRAGOMAN_KERNEL is 'abacus'"):
        make_engine(GRAPH, threads=1)


def test_onnxruntime_can_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRAGOMAN_KERNEL", "none")
    engine = make_engine(GRAPH, threads=1)
    assert isinstance(engine, OnnxRuntimeEngine)
    assert engine_name(engine) == "onnxruntime"


def test_a_graph_of_another_kind_is_onnxruntimes() -> None:
    model = onnx.load_model_from_string(GRAPH)
    del model.metadata_props[:]
    assert engine_name(make_engine(model.SerializeToString(), threads=1)) == "onnxruntime"


def test_a_machine_without_a_library_is_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(kernel_library, "library_path", lambda: None)
    kernel_library.kernels.cache_clear()
    try:
        with caplog.at_level(logging.WARNING):
            assert engine_name(make_engine(GRAPH, threads=1)) == "onnxruntime"
    finally:
        kernel_library.kernels.cache_clear()
    assert caplog.messages == ["the kernel has no library for this machine: onnxruntime translates"]


def test_what_needs_onnxruntime_says_so_where_it_is_not_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As on Macs with an Intel processor."""
    monkeypatch.setenv("DRAGOMAN_KERNEL", "none")
    monkeypatch.delitem(sys.modules, "dragoman.engines.onnxruntime")
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    made = make_model(SMALL)
    vocabulary = Vocabulary(made.vocabulary, made.config.source_vocabulary_size)
    with pytest.raises(EngineError, match="needs onnxruntime, which is not installed"):
        make_published_engine(made.model, vocabulary, 99)
    with pytest.raises(EngineError, match="needs onnxruntime, which is not installed"):
        make_engine(GRAPH, threads=1)


def test_what_is_no_graph_is_a_typed_error() -> None:
    with pytest.raises(BundleCorruptError, match="is not an ONNX model"):
        make_engine(b"no graph")
