"""A corpus in a folder, what it must become, and a run in this process."""

from __future__ import annotations

import gzip
import lzma
import random
import sys
from concurrent.futures import Future
from pathlib import Path

from dragoman.corpus.plan import STATE, CorpusJob
from dragoman.corpus.run import CorpusSummary, translate_corpus
from dragoman.corpus.shards import Shard, TranslatedShard, translate_shard
from tests.support.processes import corpus_host

HOST = [sys.executable, "-m", corpus_host.__name__]


JOB = CorpusJob(corpus_host.MODEL, shard_lines=10)


class InThisProcess:
    """Translates at once, where it is asked."""

    size = 2

    def __init__(self) -> None:
        self.submitted: list[Shard] = []

    def submit(self, shard: Shard) -> Future[TranslatedShard]:
        self.submitted.append(shard)
        future: Future[TranslatedShard] = Future()
        try:
            future.set_result(translate_shard(shard, corpus_host.load_capitals))
        except Exception as error:
            future.set_exception(error)
        return future

    def restart(self) -> None:
        raise AssertionError("nothing was lost")

    def close(self) -> None:
        """Nothing to end."""


def run(
    sources: list[Path], output: Path, job: CorpusJob = JOB
) -> tuple[CorpusSummary, list[Shard]]:
    executor = InThisProcess()
    return translate_corpus(sources, output, job, executor), executor.submitted


def written(output: Path) -> dict[str, bytes]:
    """The translations, by name."""
    return {
        path.relative_to(output).as_posix(): path.read_bytes()
        for path in sorted(output.rglob("*"))
        if path.is_file() and STATE not in path.parts
    }


def sentence(number: int) -> str:
    words = random.Random(number).choices(["grüner", "wald", "ist", "ein", "haus", "😀"], k=6)
    return f"{number}: {' '.join(words)}."


def make_corpus(folder: Path, lines: int) -> tuple[Path, dict[str, bytes]]:
    """A folder with a plain, a compressed and a nested file; and what they must become."""
    source = folder / "source"
    (source / "sub").mkdir(parents=True)
    sentences = [sentence(number) for number in range(lines)]
    half, most = lines // 2, lines * 3 // 4
    first = "\n".join(sentences[:half]) + "\n"
    second = "\r\n".join(sentences[half:most]) + "\r\n"
    third = "\n".join(["", *sentences[most:]])  # begins empty, does not end
    (source / "first.txt").write_bytes(first.encode())
    (source / "sub" / "second.txt.gz").write_bytes(gzip.compress(second.encode()))
    (source / "third.xz").write_bytes(lzma.compress(third.encode()))
    (source / ".hidden").write_text("nicht übersetzen")
    texts = {"first.txt": first, "sub/second.txt": second, "third": third}
    return source, {name: text.upper().encode() for name, text in texts.items()}
