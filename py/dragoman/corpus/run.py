"""`dragoman corpus`: files of any size, line by line, on many processes, to the end exactly once.

    sources --hash--> plan.json         what was begun: settings, and size and hash of each input
    input --lines--> shard --submit--> executor ... TranslatedShard --> shards/FILE/NUMBER
    all shards of a file --joined--> OUTPUT/NAME, then its shards are removed

Whatever a file's name stands for is whole: it is written under another name, synced, then renamed.
So this process may die at any moment. The next run skips the files that are there and, of the
others, the shards that are there; a shard's bytes depend on its lines alone, which its name says
(NUMBER-DIGEST), so the output is that of a run that nothing happened to. This process alone writes,
under a lock.
"""

from __future__ import annotations

import hashlib
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from filelock import FileLock, Timeout

from dragoman.corpus.executors import ShardExecutor
from dragoman.corpus.plan import (
    STATE,
    CorpusInput,
    CorpusJob,
    LeftOut,
    agree,
    changed,
    list_inputs,
)
from dragoman.corpus.shards import Shard, TranslatedShard
from dragoman.corpus.terms import CorpusTerms
from dragoman.errors import EngineError, InvalidRequestError
from dragoman.native.files import LONGEST_PASSAGE, InputFile, Passage, line_passages, write_durably

# Shards that wait or run for each process, so that none is ever idle.
AHEAD = 2

# Times in a row that all processes may be lost without a shard done between.
LOSSES = 3


@dataclass(frozen=True, slots=True)
class CorpusProgress:
    """How far a run is.

    Attributes:
        done, total: bytes of the input, with what earlier runs did.
        skipped: of the bytes that are done, those of earlier runs.
        lines, words: what this run did.
        seconds: that it has taken.
    """

    done: int
    total: int
    skipped: int
    lines: int
    words: int
    seconds: float

    @property
    def words_a_second(self) -> float:
        return self.words / self.seconds if self.seconds else 0.0

    @property
    def seconds_left(self) -> float | None:
        """None before the first shard is done."""
        done = self.done - self.skipped
        return (self.total - self.done) * self.seconds / done if done else None


@dataclass(frozen=True, slots=True)
class CorpusSummary:
    """What a run did; `skipped` counts the shards of earlier runs that it found.

    Attributes:
        left_out: what the folders have beside the files, and nobody translated.
    """

    files: int
    lines: int
    words: int
    skipped: int
    seconds: float
    left_out: tuple[LeftOut, ...] = ()
    warnings: Counter[str] = field(default_factory=Counter)


CorpusListener = Callable[[CorpusProgress], None]


def translate_corpus(
    sources: Sequence[Path],
    output: Path,
    job: CorpusJob,
    executor: ShardExecutor,
    on_progress: CorpusListener = lambda _: None,
    on_left_out: Callable[[LeftOut], None] = lambda _: None,
) -> CorpusSummary:
    """Translate files and folders into `output`, or go on with what was begun there.

    Args:
        on_left_out: hears of what is not translated, before anything is.

    Raises:
        InvalidRequestError: a source cannot be read; the output folder holds something else; what
            was begun there is not the same; another run is at work in it.
        BundleError: the model cannot be used.
        EngineError: the processes are lost again and again.
    """
    listing = list_inputs(sources, output, job.rows)
    for item in listing.left_out:
        on_left_out(item)
    state = output / STATE
    state.mkdir(parents=True, exist_ok=True)
    with _locked(state):
        agree(output, state / "plan.json", job, listing.inputs)
        run = _CorpusRun(output, job, listing.inputs, executor, on_progress)
        try:
            return replace(run.run(), left_out=listing.left_out)
        finally:
            run.cancel()


@contextmanager
def _locked(state: Path) -> Iterator[None]:
    try:
        with FileLock(state / "lock", timeout=0):
            yield
    except Timeout as error:
        raise InvalidRequestError(
            f"another run is at work in {state.parent}", path=str(state.parent)
        ) from error


@dataclass
class _File:
    """A file under way: `shards` are the paths of those that were read, `missing` counts those of
    them that are not on the disk; `read` when all of it was."""

    input: CorpusInput
    folder: Path
    shards: list[Path] = field(default_factory=list)
    missing: int = 0
    read: bool = False

    def place(self, shard: Shard) -> Path:
        """Where a shard is to be: what was made of other lines is never taken for it."""
        path = self.folder / f"{len(self.shards):09d}-{shard.digest}"
        self.shards.append(path)
        return path


@dataclass(frozen=True, slots=True)
class _Task:
    """A shard under way: where it belongs, and how many bytes of its file it stands for."""

    file: _File
    path: Path
    shard: Shard
    bytes: int


class _CorpusRun:
    def __init__(
        self,
        output: Path,
        job: CorpusJob,
        inputs: Sequence[CorpusInput],
        executor: ShardExecutor,
        on_progress: CorpusListener,
    ) -> None:
        self._output, self._job, self._executor = output, job, executor
        self._on_progress = on_progress
        self._inputs = inputs
        self._terms = CorpusTerms(job.glossary, job.model.source)
        self._under_way: dict[Future[TranslatedShard], _Task] = {}
        self._started = time.monotonic()
        self._total = sum(file.bytes for file in inputs)
        self._done = self._skipped_bytes = self._lines = self._words = 0
        self._skipped = self._losses = 0
        self._warnings = Counter[str]()

    def run(self) -> CorpusSummary:
        for index, file in enumerate(self._inputs):
            self._read(_File(file, self._output / STATE / "shards" / str(index)))
        while self._under_way:
            self._collect()
        seconds = time.monotonic() - self._started
        return CorpusSummary(
            len(self._inputs),
            self._lines,
            self._words,
            self._skipped,
            seconds,
            warnings=self._warnings,
        )

    def cancel(self) -> None:
        for future in self._under_way:
            future.cancel()

    def _read(self, file: _File) -> None:
        """Submit the shards of a file that are not there yet."""
        if (self._output / file.input.output).is_file():
            shutil.rmtree(file.folder, ignore_errors=True)  # left by a run that ended just there
            self._advance(file.input.bytes, skipped=True)
            return
        file.folder.mkdir(parents=True, exist_ok=True)
        digest = hashlib.sha256()
        source = InputFile(str(file.input.path), self._job.encoding, digest)
        read = 0
        for passages in _shards(source, self._job):
            shard = Shard(file.input.name, passages, self._job.model, self._job.rows)
            task = _Task(file, file.place(shard), shard, source.read - read)
            read = source.read
            if task.path.exists():
                self._skipped += 1
                self._advance(task.bytes, skipped=True)
                continue
            task = replace(task, shard=replace(shard, glossary=self._terms.of(passages)))
            while len(self._under_way) >= self._executor.size * AHEAD:
                self._collect()
            file.missing += 1
            self._submit(task)
        if digest.hexdigest() != file.input.sha256:
            raise changed(file.input.name, file.input.bytes, source.read)
        self._advance(source.read - read)
        file.read = True
        self._finish_if_complete(file)

    def _submit(self, task: _Task) -> None:
        try:
            future = self._executor.submit(task.shard)
        except BrokenExecutor as error:  # all at once: none of them could say so before
            future = Future()
            future.set_exception(error)
        self._under_way[future] = task

    def _collect(self) -> None:
        """Wait for a shard, and write what is done."""
        done, _ = wait(self._under_way, return_when=FIRST_COMPLETED)
        for future in done:
            if future not in self._under_way:  # it was lost with another one
                continue
            try:
                result = future.result()
            except BrokenExecutor as error:
                self._start_anew(error)
                continue
            self._write(self._under_way.pop(future), result)

    def _write(self, task: _Task, result: TranslatedShard) -> None:
        write_durably(task.path, [result.content])
        self._losses = 0
        self._lines += result.lines
        self._words += result.words
        self._warnings += result.warnings
        self._advance(task.bytes)
        task.file.missing -= 1
        self._finish_if_complete(task.file)

    def _start_anew(self, error: BrokenExecutor) -> None:
        """A process was lost, by lack of memory perhaps: all that was under way is asked again."""
        self._losses += 1
        if self._losses > LOSSES:
            raise EngineError(
                f"the processes were lost {LOSSES} times without a shard done; try fewer --workers"
            ) from error
        self._executor.restart()
        tasks = list(self._under_way.values())
        self._under_way.clear()
        for task in tasks:
            self._submit(task)

    def _finish_if_complete(self, file: _File) -> None:
        if file.missing or not file.read:
            return
        target = self._output / file.input.output
        target.parent.mkdir(parents=True, exist_ok=True)
        write_durably(target, (shard.read_bytes() for shard in file.shards))
        shutil.rmtree(file.folder)

    def _advance(self, count: int, skipped: bool = False) -> None:
        self._done += count
        self._skipped_bytes += count if skipped else 0
        seconds = time.monotonic() - self._started
        self._on_progress(
            CorpusProgress(
                self._done, self._total, self._skipped_bytes, self._lines, self._words, seconds
            )
        )


def _shards(file: InputFile, job: CorpusJob) -> Iterator[tuple[Passage, ...]]:
    """Lines of a file, some at a time: the same ones in every run."""
    passages: list[Passage] = []
    characters = 0
    for group in line_passages(file.texts(), job.model.source):
        for passage in group:
            passages.append(passage)
            characters += len(passage.text)
            if len(passages) == job.shard_lines or characters >= LONGEST_PASSAGE:
                yield tuple(passages)
                passages, characters = [], 0
    if passages:
        yield tuple(passages)
