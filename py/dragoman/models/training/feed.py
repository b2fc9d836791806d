"""Batches on the device that trains.

    thread:  batches --make--> queue of `AHEAD` --pin, copy, not waited for--> trainer

On a processor nothing is copied and there is no thread. On an accelerator no step waits for a
batch: they are made ahead, and places of real pieces are found here, where the mask is.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from typing import Generic, NamedTuple, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dragoman.models.data.batches import Batch

AHEAD = 8
Made = TypeVar("Made")


class Tensors(NamedTuple):
    """A batch as tensors; `places` are the real pieces of target.flatten() [N]."""

    source: Tensor
    source_mask: Tensor
    target: Tensor
    guide: Tensor
    places: Tensor


def as_tensors(batch: Batch) -> Tensors:
    mask = torch.from_numpy(batch.target_mask)
    return Tensors(
        torch.from_numpy(batch.source),
        torch.from_numpy(batch.source_mask),
        torch.from_numpy(batch.target),
        torch.from_numpy(batch.guide),
        mask.flatten().nonzero()[:, 0],
    )


def on_device(batch: Batch, device: torch.device) -> Tensors:
    """A batch on the device; from pinned memory the copy is not waited for."""
    tensors = as_tensors(batch)
    if device.type == "cpu":
        return tensors
    return Tensors(*(value.pin_memory().to(device, non_blocking=True) for value in tensors))


def pinned(batches: Iterator[NDArray[np.int16]], device: torch.device) -> Iterator[Tensor]:
    """Packed batches as tensors; for an accelerator in memory that it can copy from."""
    for batch in batches:
        made = torch.from_numpy(batch)
        yield made if device.type == "cpu" else made.pin_memory()


class Ahead(Iterator[Made], Generic[Made]):
    """Batches that a thread makes ahead; `close` ends it.

    What goes wrong in the thread is raised where the next batch is asked for.
    """

    def __init__(self, places: Iterator[Made], ahead: int = AHEAD) -> None:
        self._made: queue.Queue[Made | BaseException] = queue.Queue(ahead)
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._make, args=(places,), daemon=True)
        self._thread.start()

    def __next__(self) -> Made:
        made = self._made.get()
        if isinstance(made, BaseException):
            raise made
        return made

    def close(self) -> None:
        self._closed.set()
        while self._thread.is_alive():
            try:
                self._made.get(timeout=0.01)  # so that who waits for room goes on
            except queue.Empty:
                continue
        self._thread.join()

    def _make(self, places: Iterator[Made]) -> None:
        try:
            for place in places:
                self._made.put(place)
                if self._closed.is_set():
                    return
            self._made.put(StopIteration())
        except Exception as error:
            self._made.put(error)
