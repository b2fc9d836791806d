"""A shard: its mini-batches, and that it gives what the service gives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.config import Limits
from dragoman.corpus.shards import RowFormat, Shard, mini_batches, model_digest, translate_shard
from dragoman.engines.fake import EchoEngine
from dragoman.errors import TextTooLongError
from dragoman.native.files import Passage
from dragoman.types import Segment
from tests.support.helpers import manifest, request, segment, service
from tests.support.hosts import capital
from tests.support.processes import corpus_host

LIMITS = Limits(batch_pieces=60, batch_rows=7)


def shard(*texts: str, rows: RowFormat = RowFormat.LINES) -> Shard:
    passages = tuple(Passage(text, "\n", number + 1) for number, text in enumerate(texts))
    return Shard("a.txt", passages, corpus_host.MODEL, rows)


@given(st.lists(st.tuples(st.integers(1, 80), st.integers(0, 3))))
def test_mini_batches_are_a_permutation_within_the_limits(shapes: list[tuple[int, int]]) -> None:
    segments: list[Segment] = [
        segment(width, request=number, index=index) for number, (width, index) in enumerate(shapes)
    ]
    batches = list(mini_batches(segments, LIMITS))
    key = [(s.request, s.index) for batch in batches for s in batch.segments]
    assert sorted(key) == sorted((s.request, s.index) for s in segments)
    for batch in batches:
        assert 1 <= batch.rows <= LIMITS.batch_rows
        assert batch.rows == 1 or batch.rows * batch.width <= LIMITS.batch_pieces
    widths = [batch.width for batch in batches]
    assert widths == sorted(widths)
    again = list(mini_batches(reversed(segments), LIMITS))
    assert [batch.ids for batch in again] == [batch.ids for batch in batches]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  Guten Tag.  Wie geht's?  ",
        "wort " * 60,
        "中文。",
        "\x00\ud800 e\u0301",
        "x" * 3_000,
        "Satz. " * 200,
    ],
)
async def test_a_line_becomes_what_the_service_makes_of_it(text: str) -> None:
    async with service(EchoEngine(capital)) as made:
        expected = await made.translate(request(text))
    import asyncio

    translated = await asyncio.to_thread(
        translate_shard, shard("vorher", text, "nachher"), corpus_host.load_capitals
    )
    lines = translated.content.split(b"\n")
    assert lines[0] == b"VORHER"
    assert lines[1] == expected.text.encode("utf-8", "replace")
    assert lines[2:] == [b"NACHHER", b""]
    assert translated.lines == 3
    assert sorted(translated.warnings.elements()) == sorted(w.code for w in expected.warnings)


def test_an_error_names_the_file_and_the_line() -> None:
    with pytest.raises(TextTooLongError) as caught:
        translate_shard(shard("gut", "x" * 500_001), corpus_host.load_capitals)
    assert caught.value.message == (
        "a.txt, line 2: the text has too many characters: 500,001 requested, 500,000 allowed"
    )


def test_the_digest_is_of_the_files() -> None:
    assert model_digest(manifest()) == model_digest(manifest(source_pieces=10))
    assert len(model_digest(manifest())) == 64
