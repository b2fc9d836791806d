"""Which engine runs a graph on this machine."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from dragoman.engines.port import Engine
from dragoman.errors import EngineError
from dragoman.marian.vocabulary import Vocabulary
from dragoman.native.machine import cores

if TYPE_CHECKING:  # it takes NumPy, which is imported late
    from dragoman.marian.shortlist import Shortlist

_log = logging.getLogger(__name__)

# More threads than this have few rows each; who wants them says so.
MOST_THREADS = 4
# $DRAGOMAN_KERNEL, when onnxruntime is to run what the kernel could.
NO_KERNEL = "none"


def make_engine(graph: bytes, threads: int = 0, shortlist: Shortlist | None = None) -> Engine:
    """The kernel for the int8 students that it knows; onnxruntime for all other graphs.

    ``$DRAGOMAN_KERNEL`` names a path of the kernel (``avx2``; `kernel_library.kernels` has those of
    this processor), or ``none``. All paths give the same translations, to the byte; onnxruntime's
    may differ from them. Where no path fits this machine, onnxruntime runs all graphs, and a
    warning is logged.

    Args:
        graph: the bytes of ``model.onnx``.
        threads: processor cores to use; 0: as many as there are, four at most.
        shortlist: what the kernel chooses among; onnxruntime always has all pieces.

    Raises:
        BundleCorruptError: the graph cannot be read or used.
        ModelFileError: the shortlist is none of this model.
        EngineError: the path that is named is not there; onnxruntime is needed and not installed.
    """
    # Imported late: each takes a while.
    from dragoman.engines.onnx_file import read_onnx
    from dragoman.engines.student import is_runnable

    file = read_onnx(graph)
    if is_runnable(file) and (path := _kernel_path()):
        from dragoman.engines.kernel import KernelEngine

        return KernelEngine(file, threads or min(cores(), MOST_THREADS), path, shortlist)
    with needed_packages():
        from dragoman.engines.onnxruntime import OnnxRuntimeEngine
    return OnnxRuntimeEngine(graph, threads)


def make_published_engine(
    model: bytes,
    vocabulary: Vocabulary,
    positions: int,
    threads: int = 0,
    shortlist: Shortlist | None = None,
) -> Engine:
    """The same for a published model: the kernel where it knows what the file has.

    Else its graph is made, for onnxruntime: of files without activation scales, say.

    Args:
        model: the bytes of its file.
        positions: longest row on either side, in pieces with EOS.

    Raises:
        ModelFileError: the file is damaged, or of another kind of network.
        EngineError: see `make_engine`.
    """
    from dragoman.marian.layout import published_file

    layout = published_file(model).layout()
    if layout and (path := _kernel_path()):
        from dragoman.engines.kernel import KernelEngine
        from dragoman.engines.kernel_model import PublishedStudent

        student = PublishedStudent(model, layout, positions, vocabulary.ids)
        return KernelEngine(student, threads or min(cores(), MOST_THREADS), path, shortlist)
    with needed_packages():
        from dragoman.engines.onnxruntime import OnnxRuntimeEngine
        from dragoman.marian.published import graph_of
    return OnnxRuntimeEngine(graph_of(model, vocabulary, positions), threads)


@contextmanager
def needed_packages() -> Iterator[None]:
    """Imports of what is not there on every machine: onnxruntime on Macs with an Intel processor.

    Raises:
        EngineError: a package is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as missing:
        raise EngineError(
            f"this model needs {missing.name}, which is not installed: pip install {missing.name}",
            package=missing.name,
        ) from missing


def _kernel_path() -> str | None:
    """None: onnxruntime was asked for, or no library fits, which is logged."""
    from dragoman.engines.kernel_library import VARIABLE, choose_path

    if os.environ.get(VARIABLE) == NO_KERNEL:
        return None
    path = choose_path()
    if path is None:
        _log.warning("the kernel has no library for this machine: onnxruntime translates")
    return path


def engine_name(engine: Engine) -> str:
    """For people: "kernel (avx512vnni)", "onnxruntime"."""
    from dragoman.engines.kernel import KernelEngine

    return f"kernel ({engine.path})" if isinstance(engine, KernelEngine) else "onnxruntime"
