"""The machine that a training runs on: its name, its signals, its memory allocator."""

from __future__ import annotations

import os
import platform
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import torch

# Fresh memory is slow to touch: keep what was allocated once. Three times faster on two cores.
ALLOCATOR = {
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_TRIM_THRESHOLD_": str(16 << 30),
    "MALLOC_TOP_PAD_": str(256 << 20),
}


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


def use_allocator_settings() -> None:
    """Start this process again with the allocator settings, unless it has them."""
    if any(os.environ.get(name) != value for name, value in ALLOCATOR.items()):
        command = [sys.executable, *sys.orig_argv[1:]]
        os.execve(command[0], command, {**os.environ, **ALLOCATOR})  # noqa: S606
