"""What `dragoman corpus` does: chooses the model and the processes, shows the way, says the end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from dragoman.cli.console import echo, end, extra
from dragoman.cli.progress import speed_bar
from dragoman.cli.translate import tell
from dragoman.corpus.executors import DaskCluster, LocalProcesses, ShardExecutor
from dragoman.corpus.plan import CorpusJob, LeftOut
from dragoman.corpus.run import CorpusProgress, CorpusSummary, translate_corpus
from dragoman.corpus.shards import Decoding, Model, RowFormat, model_digest
from dragoman.native.bundles import BundleSource, choose_bundle, read_manifest
from dragoman.types import Glossary


class Wanted(NamedTuple):
    """What the command was asked for."""

    source: str
    target: str
    rows: RowFormat
    encoding: str
    models: list[Path] | None
    beam: int | None
    glossary: Glossary | None

    def job(self) -> CorpusJob:
        folders = tuple(folder.absolute() for folder in self.models) if self.models else None
        pair = BundleSource(folders).closest(self.source, self.target)
        digest = model_digest(read_manifest(choose_bundle(*pair, folders)))
        model = Model(*pair, folders, digest, decoding=Decoding(self.beam))
        return CorpusJob(model, self.rows, self.encoding, glossary=self.glossary)


def run_corpus(
    sources: list[Path], output: Path, wanted: Wanted, workers: int, dask: str | None, quiet: bool
) -> None:
    """Translate, with a bar and a summary on standard error; what is left out is named first.

    Raises:
        DragomanError: see `translate_corpus`.
        typer.Exit: with 1, something was left out.
    """
    job = wanted.job()
    with shard_executor(workers, dask) as executor, speed_bar(not quiet) as bar:

        def show(progress: CorpusProgress) -> None:
            bar.show(progress.done, progress.total, progress.words_a_second, progress.seconds_left)

        def name(item: LeftOut) -> None:
            echo(f"dragoman: left out: {item.path}: {item.why}", err=True)

        try:
            summary = translate_corpus(sources, output, job, executor, show, name)
        except KeyboardInterrupt:
            echo("dragoman: the same command goes on from here", err=True)
            raise
    if not quiet:
        tell(summary.warnings)
        echo(f"dragoman: {_sentence(summary)}", err=True)
    if summary.left_out:
        end(f"{len(summary.left_out):,} left out: see above", 1)


@contextmanager
def shard_executor(workers: int, dask: str | None) -> Iterator[ShardExecutor]:
    """Processes of this machine, 0: one a core; or, where it is named, a Dask cluster."""
    if dask is None:
        executor: ShardExecutor = LocalProcesses(workers)
    else:
        with extra("dask"):
            executor = DaskCluster(dask)
    try:
        yield executor
    finally:
        executor.close()


def _sentence(summary: CorpusSummary) -> str:
    if not summary.lines:
        return f"{summary.files} files; everything was there already"
    speed = summary.words / summary.seconds if summary.seconds else 0.0
    text = (
        f"{summary.files} files, {summary.lines:,} lines, {summary.words:,} words "
        f"in {summary.seconds:,.1f} s ({speed:,.0f} words a second)"
    )
    return text + (f"; {summary.skipped:,} shards were there already" if summary.skipped else "")
