"""The machine that a training runs on: its name, its signals, the settings that make it fast."""

from __future__ import annotations

import os
import platform
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ctypes.util import find_library
from pathlib import Path
from types import FrameType

import torch
from filelock import FileLock, Timeout

from dragoman.errors import TrainingError

# Activations come and go in blocks of megabytes, and what processes are given is pages of 4 KB,
# which are slow to touch the first time and slow to look up. jemalloc keeps them, in large pages.
JEMALLOC = "dirty_decay_ms:20000,muzzy_decay_ms:20000,thp:always"
# Without it: keep what was allocated once. Three times faster than the C library's own settings.
KEEPING = {
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_TRIM_THRESHOLD_": str(16 << 30),
    "MALLOC_TOP_PAD_": str(256 << 20),
}
# oneDNN makes code for each shape of a product, some 6 ms; by default it keeps 1,024 of them.
SHAPES = {"ONEDNN_PRIMITIVE_CACHE_CAPACITY": "4096"}


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Within it, no other process trains in a folder, which is made.

    Raises:
        TrainingError: one does already; each would write over what the other saves.
    """
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(folder / "lock", timeout=0):
            yield
    except Timeout as error:
        raise TrainingError(f"another process trains in {folder}") from error


@contextmanager
def stop_requests() -> Iterator[Callable[[], bool]]:
    """Within it, the first SIGTERM or SIGINT (Ctrl+C) is a request that `Trainer.run` can ask for.

    A second one does what it usually does.
    """
    asked = threading.Event()
    usual = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def restore() -> None:
        for number, handler in usual.items():
            signal.signal(number, handler)

    def ask(_: int, __: FrameType | None) -> None:
        asked.set()
        restore()

    for number in usual:
        signal.signal(number, ask)
    try:
        yield asked.is_set
    finally:
        restore()


def open_device(name: str) -> torch.device:
    """Raises: TrainingError: there is no such device here."""
    if name not in ("cpu", "cuda"):
        raise TrainingError(f"{name!r} is no device; known: cpu, cuda")
    if name == "cuda" and not torch.cuda.is_available():
        raise TrainingError("there is no CUDA device here, or this PyTorch is made without CUDA")
    return torch.device(name)


def hardware(device: torch.device) -> str:
    """Processor and threads, for the model card: "AMD EPYC 7B13, 2 threads"; or the accelerator."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    name = platform.processor() or platform.machine()
    facts = Path("/proc/cpuinfo")
    if facts.exists():
        lines = facts.read_text(encoding="utf-8", errors="replace").splitlines()
        names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
        name = names[0] if names else name
    threads = torch.get_num_threads()
    return f"{name}, {threads} thread{'s' if threads > 1 else ''}"


def environment() -> dict[str, str]:
    """What a process that trains on a processor should begin with (docs/adr/0014, "Memory").

    Whoever preloads something has chosen an allocator, or has other reasons.
    """
    jemalloc = find_library("jemalloc") if sys.platform == "linux" else None
    if jemalloc is None:
        return SHAPES | KEEPING
    if os.environ.get("LD_PRELOAD", jemalloc) != jemalloc:
        return SHAPES
    return SHAPES | {"LD_PRELOAD": jemalloc, "MALLOC_CONF": JEMALLOC}


def use_environment() -> None:
    """Start this process again with what `environment` says, unless it began so.

    On Windows it only has it from now on, which is early enough for oneDNN.
    """
    wanted = environment()
    if sys.platform == "win32":  # a process that takes the place of another there is a second one
        os.environ.update(wanted)
        return
    if any(os.environ.get(name) != value for name, value in wanted.items()):
        command = [sys.executable, *sys.orig_argv[1:]]
        os.execve(command[0], command, {**os.environ, **wanted})  # noqa: S606
