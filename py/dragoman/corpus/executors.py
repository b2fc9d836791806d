"""Who translates the shards of a corpus: processes of this machine, or a Dask cluster.

Both give `concurrent.futures.Future`; both may lose a process at any time, and say so by
`concurrent.futures.BrokenExecutor`. The corpus then calls `restart` and submits again.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing.connection import Connection
from typing import Protocol

from dragoman.corpus.shards import LoadModel, Shard, TranslatedShard, load_model, translate_shard
from dragoman.errors import EngineError
from dragoman.native.machine import cores

TranslateShard = Callable[[Shard], TranslatedShard]

# Windows waits for no more processes at once, and `ProcessPoolExecutor` takes no more there.
_MOST_ON_WINDOWS = 61


class ShardExecutor(Protocol):
    """Translates shards side by side.

    Attributes:
        size: how many at a time.
    """

    size: int

    def submit(self, shard: Shard) -> Future[TranslatedShard]: ...

    def restart(self) -> None:
        """After `BrokenExecutor`: start anew. All that was submitted is lost."""
        ...

    def close(self) -> None:
        """End at once; what is under way is lost."""
        ...


class LocalProcesses:
    """Processes of this machine, each with a model of its own on one core.

    Each holds the end of a line to this process. The line ends with `close` and with this process,
    however that ends, and a process whose line ends is gone at once: none is ever left behind.

    Args:
        size: how many; 0: one a core.
    """

    def __init__(self, size: int, load: LoadModel = load_model) -> None:
        self.size = size or cores()
        if sys.platform == "win32":
            self.size = min(self.size, _MOST_ON_WINDOWS)
        self._translate: TranslateShard = partial(translate_shard, load=load)
        self._start()

    def submit(self, shard: Shard) -> Future[TranslatedShard]:
        with _interrupts_held_back():  # a process may be started by this
            return self._pool.submit(self._translate, shard)

    def restart(self) -> None:
        self.close()
        self._start()

    def close(self) -> None:
        self._line.close()
        self._pool.shutdown(cancel_futures=True)
        self._far_end.close()

    def _start(self) -> None:
        # Not forked: threads and onnxruntime's state do not survive that.
        context = multiprocessing.get_context("spawn")
        self._far_end, self._line = context.Pipe(duplex=False)
        self._pool = ProcessPoolExecutor(
            self.size, context, initializer=_prepare_process, initargs=(self._far_end,)
        )


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Ctrl-C reaches all processes of a terminal, but is this one's to handle: what is started
    meanwhile is born deaf to it. Where there is no such mask, it is ignored once Python runs."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _prepare_process(line: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(line,), daemon=True).start()


def _end_with(line: Connection) -> None:
    with suppress(EOFError, OSError):
        line.recv_bytes()
    os._exit(1)


class DaskCluster:
    """Workers of a Dask cluster; each has dragoman and the model installed.

    Args:
        address: of its scheduler, such as tcp://10.0.0.5:8786.

    Raises:
        ModuleNotFoundError: Dask is not installed (`dragoman[dask]`).
        EngineError: the cluster cannot be reached, or has no workers.
    """

    def __init__(self, address: str, load: LoadModel = load_model) -> None:
        from distributed import Client
        from distributed.comm.addressing import get_address_host

        self._translate: TranslateShard = partial(translate_shard, load=load)
        try:
            get_address_host(address)  # the client notices too, and then cannot be closed
            self._client = Client(address, timeout="10s", set_as_default=False)
        except (OSError, ValueError) as error:
            raise EngineError(f"no Dask scheduler at {address}: {error}") from error
        self.size = sum(self._client.nthreads().values())
        if not self.size:
            self._client.close()
            raise EngineError(f"the Dask cluster at {address} has no workers")
        self._executor = self._start()

    def submit(self, shard: Shard) -> Future[TranslatedShard]:
        outcome: Future[TranslatedShard] = Future()
        self._executor.submit(self._translate, shard).add_done_callback(partial(_relay, outcome))
        return outcome

    def restart(self) -> None:
        self._executor.shutdown(wait=False)
        self._executor = self._start()

    def close(self) -> None:
        self._executor.shutdown(wait=False)
        self._client.close()

    def _start(self) -> Executor:
        executor: Executor = self._client.get_executor(pure=False)
        return executor


def _relay(outcome: Future[TranslatedShard], submitted: Future[TranslatedShard]) -> None:
    """Give the end of one future to another; the loss of a cluster's worker as the loss it is."""
    from distributed import KilledWorker

    if outcome.cancelled():
        return
    if submitted.cancelled():
        outcome.set_exception(BrokenExecutor("the cluster dropped a shard"))
        return
    error = submitted.exception()
    if isinstance(error, KilledWorker):
        outcome.set_exception(BrokenExecutor(str(error)))
    elif error is not None:
        outcome.set_exception(error)
    else:
        outcome.set_result(submitted.result())
