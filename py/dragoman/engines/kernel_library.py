"""The kernel as a library of the processor's own code (`kernel/src/native`), loaded with ctypes.

One library a platform is kept in ``libraries/``. It has a path for each kind of processor; all of
them give the same results, to the byte, as the WebAssembly in a browser does (ADR 6).
"""

from __future__ import annotations

import ctypes
import os
import platform
import sys
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_float, c_int, c_int32, c_size_t, c_void_p
from functools import cache
from pathlib import Path
from typing import Any

from dragoman.errors import EngineError

# Names a path, "avx2" for example, in place of the best one that the processor can take.
VARIABLE = "DRAGOMAN_KERNEL"

FOLDER = Path(__file__).with_name("libraries")
_SYSTEMS = {"linux": "linux-{}.so", "darwin": "macos-{}.dylib", "win32": "windows-{}.dll"}
_MACHINES = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}


class Sizes(ctypes.Structure):
    """`Sizes` of ``kernel/src/model.h``."""

    _fields_ = (
        ("vocabulary", c_int32),
        ("dimension", c_int32),
        ("inner", c_int32),
        ("heads", c_int32),
        ("encoder_layers", c_int32),
        ("decoder_layers", c_int32),
        ("positions", c_int32),
    )


class BatchHead(ctypes.Structure):
    """What a host sees of `Batch` of ``kernel/src/batch.h``."""

    _fields_ = (
        ("pieces", c_void_p),
        ("lengths", c_void_p),
        ("limits", c_void_p),
        ("target", c_void_p),
        ("log_probabilities", c_void_p),
        ("attention", c_void_p),
        ("rows", c_int32),
        ("total", c_int32),
        ("width", c_int32),
        ("most_steps", c_int32),
        ("active", c_int32),
        ("step", c_int32),
        ("beam", c_int32),
        ("kept", c_int32),
        ("prefixed", c_int32),
        ("branching", c_int32),
        ("normalize", c_float),
        ("word_penalty", c_float),
        ("prefixes", c_void_p),
        ("scores", c_void_p),
    )


# Rows, pieces, width, most steps, attention; beam, kept, numbers of prefixes.
_SHAPE = (c_int,) * 8


class Kernel(ctypes.Structure):
    """`Kernel` of ``kernel/src/native/native.h``: a path and its functions."""

    _fields_ = (
        ("name", c_char_p),
        ("model_make", CFUNCTYPE(c_void_p, c_void_p, c_size_t, POINTER(Sizes))),
        ("model_take", CFUNCTYPE(c_void_p, c_void_p, c_size_t)),
        ("model_positions", CFUNCTYPE(None, c_void_p, c_void_p, c_float)),
        ("model_sinusoids", CFUNCTYPE(c_int, c_void_p, c_float)),
        ("model_source", CFUNCTYPE(None, c_void_p, c_void_p, c_float)),
        ("model_never", CFUNCTYPE(None, c_void_p, c_int)),
        ("model_norm", CFUNCTYPE(None, c_void_p, c_int, c_int, c_void_p, c_void_p)),
        (
            "model_dense",
            CFUNCTYPE(
                c_int,
                *(c_void_p, c_int, c_int),
                *(c_void_p, c_int, c_int, c_int, c_int),
                *(c_void_p, c_float, c_float, c_int),
            ),
        ),
        ("batch_bytes", CFUNCTYPE(c_size_t, c_void_p, *_SHAPE)),
        ("batch_make", CFUNCTYPE(c_void_p, c_void_p, c_void_p, c_size_t, *_SHAPE)),
        ("batch_run", CFUNCTYPE(c_int, c_void_p, c_void_p, POINTER(c_int32))),
        (
            "model_lists",
            CFUNCTYPE(
                c_int,
                *(c_void_p, c_void_p, c_void_p, c_size_t),
                *(c_void_p, c_int, c_int, c_int),
            ),
        ),
        ("model_common", CFUNCTYPE(c_int, c_void_p)),
        ("shortlist_bytes", CFUNCTYPE(c_size_t, c_void_p, c_int)),
        ("batch_shorten", CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_size_t)),
    )


def library_path() -> Path | None:
    """The library for this platform, or None."""
    system, machine = _SYSTEMS.get(sys.platform), _MACHINES.get(platform.machine().lower())
    if system is None or machine is None or sys.maxsize < 1 << 32 or sys.byteorder != "little":
        return None
    path = FOLDER / system.format(machine)
    return path if path.is_file() else None


@cache
def kernels() -> dict[str, Any]:
    """The paths that this processor can take, by name, best first; none where no library fits.

    Raises:
        EngineError: there is a library, and the system does not load it.
    """
    path = library_path()
    if path is None:
        return {}
    try:
        library = ctypes.CDLL(str(path))
    except OSError as error:
        raise EngineError(f"the library {path.name} cannot be loaded: {error}") from error
    library.kernel_path.restype = POINTER(Kernel)
    library.kernel_path.argtypes = (c_int,)
    by_name: dict[str, Any] = {}
    while kernel := library.kernel_path(len(by_name)):
        by_name[kernel.contents.name.decode()] = kernel.contents
    return by_name


def choose_path() -> str | None:
    """The path to take: the one that ``DRAGOMAN_KERNEL`` names, else the best; None: there is none.

    Raises:
        EngineError: the one that is named is not there, or this processor cannot take it.
    """
    built, named = kernels(), os.environ.get(VARIABLE)
    if not named:
        return next(iter(built), None)
    if named not in built:
        names = ", ".join(built) or "none"
        raise EngineError(
            f"{VARIABLE} is {named!r}; this processor can take: {names}",
            requested=named,
            allowed=names,
        )
    return named
