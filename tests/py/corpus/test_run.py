"""Corpora: nothing lost, nothing doubled."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest

from dragoman.corpus.plan import STATE, list_inputs
from dragoman.corpus.run import CorpusProgress, translate_corpus
from dragoman.corpus.shards import Decoding, RowFormat
from dragoman.errors import InvalidRequestError
from dragoman.types import (
    Sampling,
)
from tests.support.processes.corpora import JOB, InThisProcess, make_corpus, run, written


def test_a_folder_is_translated_line_by_line(tmp_path: Path) -> None:
    source, expected = make_corpus(tmp_path, 100)
    summary, _ = run([source], tmp_path / "out")
    assert written(tmp_path / "out") == expected
    assert (summary.files, summary.lines, summary.skipped) == (3, 101, 0)
    assert summary.words == sum(len(text.split()) for text in expected.values())
    assert [path.name for path in (tmp_path / "out" / STATE / "shards").iterdir()] == []


@pytest.mark.parametrize(
    ("content", "translation"),
    [
        (b"", b""),
        (b"\n", b"\n"),
        (b"\n\n", b"\n\n"),
        (b"ab", b"AB"),
        (b"a\r\nb\rc\n", b"A\r\nB C\n"),
        ("\ufeffü\n".encode(), "Ü\n".encode()),
        (b"x" * 5_000 + b"\n", b"X" * 5_000 + b"\n"),
        (b"ein satz. " * 30_000, b"EIN SATZ. " * 30_000),
    ],
)
def test_every_line_break_is_kept(tmp_path: Path, content: bytes, translation: bytes) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    run([path], tmp_path / "out")
    assert written(tmp_path / "out") == {"a.txt": translation}


def test_tsv_has_source_translation_score_and_links(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("guten\ttag\n\nzwei", encoding="utf-8")
    run([path], tmp_path / "out", replace(JOB, rows=RowFormat.TSV))
    assert written(tmp_path / "out") == {
        "a.txt.tsv": b"guten tag\tGUTEN TAG\t1.0000\t0-5:0-5 6-9:6-9\n"
        b"\t\t1.0000\t\n"
        b"zwei\tZWEI\t1.0000\t0-4:0-4\n"
    }


def test_json_lines_have_everything_but_what_differs_from_run_to_run(tmp_path: Path) -> None:
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress("eins\n😀 zwei\n".encode()))
    run([path], tmp_path / "out", replace(JOB, rows=RowFormat.JSONL))
    (content,) = written(tmp_path / "out").values()
    _, second = (json.loads(line) for line in content.decode().splitlines())
    assert second == {
        "file": "a.txt.gz",
        "line": 2,
        "source": "😀 zwei",
        "text": "😀 ZWEI",
        "unit": "codepoint",
        "sentences": [{"source": [0, 6], "target": [0, 6], "score": 1.0, "doubtful": False}],
        "alignment": {
            "sourceWords": [[0, 1], [2, 6]],
            "targetWords": [[0, 1], [2, 6]],
            "links": [[0, 0], [1, 1]],
            "scores": [1.0, 1.0],
        },
        "soft": None,
        "content": None,
        "terms": None,
        "warnings": [],
    }


def test_progress_reaches_the_whole_and_counts_words(tmp_path: Path) -> None:
    source, expected = make_corpus(tmp_path, 100)
    seen: list[CorpusProgress] = []
    translate_corpus([source], tmp_path / "out", JOB, InThisProcess(), seen.append)
    listing = list_inputs([source], tmp_path / "out", JOB.rows)
    total = sum(file.bytes for file in listing.inputs)
    assert (seen[-1].done, seen[-1].total, seen[-1].skipped) == (total, total, 0)
    assert seen[-1].words == sum(len(text.split()) for text in expected.values())
    assert seen[-1].seconds_left == 0
    assert [p.done for p in seen] == sorted(p.done for p in seen)


def test_nbest_has_what_the_beam_found_a_column_each(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("eins\tzwei\n\n", encoding="utf-8")
    run([path], tmp_path / "out", replace(JOB, rows=RowFormat.NBEST))
    assert written(tmp_path / "out") == {"a.txt.nbest": b"EINS ZWEI\n\n"}


def test_a_run_is_of_one_way_to_decode(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("eins\n", encoding="utf-8")
    run([path], tmp_path / "out")
    drawn = Decoding(sampling=Sampling(seed=7, temperature=0.5, top_k=10))
    job = replace(JOB, model=replace(JOB.model, decoding=drawn))
    with pytest.raises(InvalidRequestError) as caught:
        run([path], tmp_path / "out", job)
    assert caught.value.message == (
        f"{tmp_path / 'out'} was begun with another decoding: the model's beam, now drawn among "
        "the best 10, seed 7, temperature 0.5; name another folder with --output"
    )
    assert str(Decoding(beam=4)) == "beam 4"


def test_a_compressed_file_may_be_named_in_capitals(tmp_path: Path) -> None:
    path = tmp_path / "B.TXT.GZ"
    path.write_bytes(gzip.compress(b"eins\n"))
    run([path], tmp_path / "out")
    assert written(tmp_path / "out") == {"B.TXT": b"EINS\n"}
