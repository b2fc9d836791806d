"""A text that arrives one UTF-16 code unit at a time gives the same pieces in both hosts.

The engine copies: which sentences share a mini-batch is a matter of time in a stream, and no result
may depend on it. So pieces, texts, ranges, alignments and scores are exactly the same.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from dragoman.config import Limits
from dragoman.engines.fake import EchoEngine
from dragoman.native.bundles import load_parts
from dragoman.routing.stream import TranslationStream
from dragoman.service.service import TranslationService
from dragoman.types import AlignmentKind, TranslationRequest
from dragoman.wire.responses import PieceWriter, RangeUnit
from tests.parity.native import Case, read_cases
from tests.parity.node_host import in_node

LONGEST = 300
HARD = {"combining", "controls", "emoji", "lines", "numbers", "scripts"}  # families of cases
EVERY = 25  # of the others

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def stream_cases() -> list[Case]:
    """What is hard for offsets, some of the rest, and all of it as one text."""
    cases = [case for case in read_cases() if len(case["text"]) <= LONGEST]
    hard = [case for case in cases if case["id"].split("-")[0] in HARD]
    chosen = [*hard, *(case for case in cases[::EVERY] if case not in hard)]
    texts = [{"id": case["id"], "text": case["text"]} for case in chosen]
    return [*texts, {"id": "all", "text": " ".join(case["text"] for case in chosen)[:3_000]}]


def units(text: str) -> list[str]:
    """As `text.split("")` of JavaScript."""
    encoded = text.encode("utf-16-le", "surrogatepass")
    parts = (encoded[at : at + 2] for at in range(0, len(encoded), 2))
    return [part.decode("utf-16-le", "surrogatepass") for part in parts]


def streamed(bundle: Path, cases: list[Case]) -> list[Case]:
    pipeline = load_parts(bundle, threads=1).pipeline
    manifest = pipeline.manifest
    options = TranslationRequest("", manifest.source, manifest.target, AlignmentKind.SOFT, beam=1)

    async def feed(stream: TranslationStream, text: str) -> None:
        for unit in units(text):
            await stream.feed(unit)
        await stream.finish()

    async def all_of_them() -> list[Case]:
        service = TranslationService(pipeline, EchoEngine(), Limits())
        found = []
        for case in cases:
            stream = TranslationStream(service.translate, options, Limits())
            writer = PieceWriter(RangeUnit.UTF16)
            feeding = asyncio.ensure_future(feed(stream, case["text"]))
            pieces = [writer.data(piece.response) async for piece in stream]
            await feeding
            found.append({"id": case["id"], "pieces": pieces})
        await service.close()
        return found

    # As the other host's come: plain JSON.
    plain: list[Case] = json.loads(json.dumps(asyncio.run(all_of_them())))
    return plain


def test_one_unit_at_a_time_gives_the_same_pieces_in_both_hosts(
    bundle: Path, wheel: Path, tmp_path: Path, say: Callable[[str], None]
) -> None:
    cases = stream_cases()
    native = streamed(bundle, cases)
    other = in_node(bundle, wheel, cases, tmp_path, "--streams")
    for one, another, case in zip(native, other, cases, strict=True):
        for piece in (*one["pieces"], *another["pieces"]):
            del piece["timings"]
        assert one == another
        source = case["text"].encode("utf-16-le", "surrogatepass")
        places = [piece["source"] for piece in one["pieces"]]
        ends = [end for _, end in places]
        assert [start for start, _ in places] == [0, *ends][: len(places)]
        assert ends[-1:] == [len(source) // 2][: len(places)]
    count = sum(len(one["pieces"]) for one in native)
    say(f"{len(cases)} streams, one unit at a time: {count} pieces, the same in both hosts")
