"""What the unit tests share: vocabularies without SentencePiece, a manifest, pipelines, services.

With `CharacterTokenizer` and an `EchoEngine` the translation of a text is the text itself, so every
span can be checked by eye; with `WordTokenizer` pieces carry their leading space, as those of
SentencePiece do.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from array import array
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from types import FrameType
from typing import Any

from dragoman.config import Limits
from dragoman.engines.bundle import Manifest, parse_manifest
from dragoman.engines.fake import EchoEngine
from dragoman.engines.port import Engine
from dragoman.errors import LanguagePairError
from dragoman.pipeline.pipeline import Pipeline
from dragoman.routing.graph import Constant, DependentRequest, Input, Output
from dragoman.routing.registry import LoadedModel
from dragoman.service.service import TranslationHandle, TranslationService
from dragoman.text.terms.names import NameTable
from dragoman.text.tokenizer import Tokenizer
from dragoman.types import (
    AlignmentKind,
    DetokenizedText,
    EngineOutput,
    Hypothesis,
    LanguagePair,
    LengthReward,
    MiniBatch,
    OverlongPolicy,
    Piece,
    PrefixStep,
    Segment,
    Span,
    TranslationRequest,
    TranslationResponse,
)

FIRST_ID = 2  # after </s> and <unk>
DE_EN = LanguagePair("de", "en")

# `leftovers` of a service that has nothing to do: its two tasks wait.
EMPTY = {"queue": 0, "jobs": 0, "tasks": 1}


def steps_of(tokenizer: Tokenizer, text: str) -> tuple[PrefixStep, ...]:
    """How a translation begins with a text of whole pieces."""
    (row,) = tokenizer.encode([text])
    return tuple(PrefixStep(piece.id, (piece.id,)) for piece in row)


class CharacterTokenizer:
    """A piece a code point; the id is the code point + 2."""

    size = 0x110000 + FIRST_ID

    def has_piece(self, character: str) -> bool:  # noqa: ARG002
        return True

    def encode(self, sentences: Sequence[str]) -> list[tuple[Piece, ...]]:
        return [
            tuple(Piece(ord(c) + FIRST_ID, Span(i, i + 1)) for i, c in enumerate(sentence))
            for sentence in sentences
        ]

    def decode(self, rows: Sequence[Sequence[int]]) -> list[DetokenizedText]:
        return [
            DetokenizedText(
                "".join(chr(id_ - FIRST_ID) for id_ in row),
                tuple(Span(i, i + 1) for i in range(len(row))),
            )
            for row in rows
        ]

    def written(self, row: Sequence[int]) -> str:
        return "".join(chr(id_ - FIRST_ID) for id_ in row)

    def prefix(self, text: str) -> tuple[PrefixStep, ...]:
        return steps_of(self, text)

    def normalized(self, text: str) -> str:
        return text


class WordTokenizer:
    """A piece a word, with the white space before it; ids in order of first sight."""

    size = 1_000

    def __init__(self) -> None:
        self.words: list[str] = []

    def has_piece(self, character: str) -> bool:  # noqa: ARG002
        return True

    def encode(self, sentences: Sequence[str]) -> list[tuple[Piece, ...]]:
        return [
            tuple(
                Piece(self._id(match[1]), Span(*match.span()))
                for match in re.finditer(r"\s*(\S+)", sentence)
            )
            for sentence in sentences
        ]

    def decode(self, rows: Sequence[Sequence[int]]) -> list[DetokenizedText]:
        return [self._decode(row) for row in rows]

    def written(self, row: Sequence[int]) -> str:
        return f" {self._decode(row).text}"

    def prefix(self, text: str) -> tuple[PrefixStep, ...]:
        return steps_of(self, text)

    def normalized(self, text: str) -> str:
        return " ".join(text.split())

    def _decode(self, row: Sequence[int]) -> DetokenizedText:
        text, spans = "", []
        for id_ in row:
            start = len(text)
            text += (" " if text else "") + self.words[id_ - FIRST_ID]
            spans.append(Span(start, len(text)))
        return DetokenizedText(text, tuple(spans))

    def _id(self, word: str) -> int:
        if word not in self.words:
            self.words.append(word)
        return self.words.index(word) + FIRST_ID


def manifest_data(**changes: Any) -> dict[str, Any]:
    return {
        "format": 1,
        "name": "de-en-test",
        "version": "0.1.0",
        "source": "de",
        "target": "en",
        "files": {
            "graph": {"path": "model.onnx", "bytes": 3, "sha256": "ab"},
            "vocabulary": {"path": "vocabulary.spm", "bytes": 4, "sha256": "cd"},
        },
        "architecture": {"vocabulary_size": CharacterTokenizer.size, "dimension": 256},
        "limits": {"source_pieces": 80, "target_factor": 2.0, "target_extra": 12},
        "licence": "MPL-2.0",
        "scores": {},
        "sources": [],
        **changes,
    }


def manifest(
    vocabulary_size: int = CharacterTokenizer.size,
    source_pieces: int = 80,
    graph: str = "ab",
    pair: LanguagePair = DE_EN,
) -> Manifest:
    files = {
        "graph": {"path": "model.onnx", "bytes": 3, "sha256": graph},
        "vocabulary": {"path": "vocabulary.spm", "bytes": 4, "sha256": "cd"},
    }
    data = manifest_data(
        **pair._asdict(),
        files=files,
        architecture={"vocabulary_size": vocabulary_size, "dimension": 256},
        limits={"source_pieces": source_pieces, "target_factor": 2.0, "target_extra": 12},
    )
    return parse_manifest(json.dumps(data))


def pipeline(
    tokenizer: Tokenizer | None = None,
    limits: Limits | None = None,
    source_pieces: int = 80,
    graph: str = "ab",
    pair: LanguagePair = DE_EN,
    names: NameTable | None = None,
    length: LengthReward | None = None,
) -> Pipeline:
    tokenizer = tokenizer or CharacterTokenizer()
    made = replace(manifest(tokenizer.size, source_pieces, graph, pair), length=length)
    return Pipeline(made, tokenizer, limits or Limits(), names=names)


def request(
    text: str,
    alignment: AlignmentKind = AlignmentKind.HARD,
    overlong: OverlongPolicy = OverlongPolicy.WRAP,
    source: str = "de",
    target: str = "en",
    **options: Any,
) -> TranslationRequest:
    return TranslationRequest(text, source, target, alignment, overlong, **options)


@asynccontextmanager
async def service(
    engine: Engine, limits: Limits | None = None, **options: Any
) -> AsyncIterator[TranslationService]:
    """A service that is closed at the end, and must then be empty."""
    made = TranslationService(
        pipeline(limits=limits, **options),
        engine,
        limits or Limits(),
    )
    try:
        yield made
    finally:
        await asyncio.wait_for(made.close(), 10)
        assert leftovers(made) == {"queue": 0, "jobs": 0, "tasks": 0}


def leftovers(made: TranslationService) -> dict[str, int]:
    """What a service still holds; all that it keeps of requests is "jobs"."""
    kept = made._ledger.held, len(made._intake), made._cache.owners
    queued = len(made._queue) + len(made._finisher)
    return {"queue": queued, "jobs": max(kept), "tasks": not made._working.done()}


async def settled(handle: TranslationHandle) -> TranslationResponse | BaseException:
    """How a request ended; fails rather than hang."""
    done, _ = await asyncio.wait([handle.response], timeout=10)
    assert done, "the request never settled"
    return handle.response.exception() or handle.response.result()


@contextmanager
def counted_calls() -> Iterator[Counter[str]]:
    """How much this thread does meanwhile: calls by event, those of built-in functions included.

    Unlike seconds, it is the same however busy the machine is.
    """
    calls: Counter[str] = Counter()

    def count(_frame: FrameType, event: str, _argument: Any) -> None:
        calls[event] += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        yield calls
    finally:
        sys.setprofile(None)


async def turns(number: int = 50) -> None:
    """Let the event loop run on."""
    for _ in range(number):
        await asyncio.sleep(0)


def segment(ids: Sequence[int] | int, request: int = 1, index: int = 0, limit: int = 99) -> Segment:
    """A segment of these ids (or of so many), a code point each."""
    ids = range(FIRST_ID, FIRST_ID + ids) if isinstance(ids, int) else ids
    pieces = tuple(Piece(id_, Span(i, i + 1)) for i, id_ in enumerate(ids))
    return Segment(request, index, Span(0, len(pieces)), pieces, limit)


def output(
    rows: Sequence[Sequence[int]],
    log_probabilities: Sequence[Sequence[float]] | None = None,
    attention: Sequence[Sequence[Sequence[float]]] = (),
) -> EngineOutput:
    """An engine's output from nested lists."""
    scores = log_probabilities or [[0.0] * len(row) for row in rows]
    return EngineOutput(
        steps=len(rows[0]),
        ids=array("i", [id_ for row in rows for id_ in row]),
        log_probabilities=array("f", [value for row in scores for value in row]),
        attention=array("f", [cell for row in attention for step in row for cell in step]),
    )


def hypothesis(
    of: Segment,
    ids: Sequence[int],
    attention: Sequence[Sequence[float]] = (),
    log_probabilities: Sequence[float] | None = None,
) -> Hypothesis:
    scores = [0.0] * (len(ids) + 1) if log_probabilities is None else log_probabilities
    flat = array("f", [cell for row in attention for cell in row])
    return Hypothesis(of, tuple(ids), tuple(scores), flat, finished=True)


class ScriptedEngine:
    """Answers each mini-batch with what a function makes of it, errors included."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.runs = 0
        self.closed = False

    async def run(self, batch: MiniBatch, *, attention: bool) -> EngineOutput:
        self.runs += 1
        await asyncio.sleep(0)
        output: EngineOutput = self.answer(batch, attention)
        return output

    async def close(self) -> None:
        self.closed = True


def assert_covers(response: TranslationResponse) -> None:
    """Gap, sentence, gap ... sentence, gap on both sides, the gaps the same text; words within."""
    source, target = response.request.text, response.text
    read = written = 0
    for sentence in response.sentences:
        assert read <= sentence.source.start <= sentence.source.end
        assert written <= sentence.target.start <= sentence.target.end
        assert source[read : sentence.source.start] == target[written : sentence.target.start]
        read, written = sentence.source.end, sentence.target.end
        assert 0.0 <= sentence.score <= 1.0
    assert source[read:] == target[written:]
    alignment = response.alignment
    assert_ordered_within(alignment.source_words, [s.source for s in response.sentences])
    assert_ordered_within(alignment.target_words, [s.target for s in response.sentences])
    assert list(alignment.links) == sorted(set(alignment.links))
    for source_word, target_word in alignment.links:
        assert 0 <= source_word < len(alignment.source_words)
        assert 0 <= target_word < len(alignment.target_words)
    assert len(alignment.scores) == len(alignment.target_words)
    assert all(0.0 <= score <= 1.0 for score in alignment.scores)


def assert_ordered_within(words: Sequence[Span], sentences: Sequence[Span]) -> None:
    """Words are in order, do not overlap, are not empty, and each is inside one sentence."""
    last = 0
    rest = iter(sentences)
    sentence = next(rest, None)
    for word in words:
        assert last <= word.start < word.end
        last = word.end
        while sentence is not None and sentence.end < word.end:
            sentence = next(rest, None)
        assert sentence is not None
        assert sentence.start <= word.start


class FakeSource:
    """Models that need no loading: each pair with its size in bytes, and an engine of a kind.

    Attributes:
        loads: what was loaded, in order; `cancelled`, what was cancelled meanwhile.
        failures: what loading a pair throws.
        alive: engines that were made and not closed; `most_alive`, at a time.
    """

    def __init__(
        self, sizes: dict[LanguagePair, int], engine: Callable[[], Engine] = EchoEngine
    ) -> None:
        self.sizes, self._engine = sizes, engine
        self.loads: list[LanguagePair] = []
        self.cancelled: list[LanguagePair] = []
        self.failures: dict[LanguagePair, BaseException] = {}
        self.engines: dict[LanguagePair, Any] = {}
        self.made: list[Any] = []
        self.most_alive = 0
        self._released = asyncio.Event()
        self._released.set()

    @property
    def pairs(self) -> tuple[LanguagePair, ...]:
        return tuple(self.sizes)

    @property
    def alive(self) -> list[Engine]:
        return [engine for engine in self.made if not engine.is_closed]

    def hold(self) -> None:
        """Loading waits for `release`."""
        self._released.clear()

    def release(self) -> None:
        self._released.set()

    def size(self, pair: LanguagePair) -> int:
        if pair not in self.sizes:
            raise LanguagePairError(*pair, ", ".join(map(str, self.sizes)))
        return self.sizes[pair]

    async def load(self, pair: LanguagePair) -> LoadedModel:
        self.loads.append(pair)
        try:
            await self._released.wait()
        except asyncio.CancelledError:
            self.cancelled.append(pair)
            raise
        if pair in self.failures:
            raise self.failures[pair]
        engine = self.engines[pair] = self._closable()
        self.made.append(engine)
        self.most_alive = max(self.most_alive, len(self.alive))
        return LoadedModel(pipeline(pair=pair, graph=str(pair)), engine)

    def _closable(self) -> Engine:
        """An engine that knows whether `close` was called, however that ended."""
        made = self._engine()
        engine: Any = made
        close, engine.is_closed = engine.close, False

        async def marked() -> None:
            try:
                await close()
            finally:
                engine.is_closed = True

        engine.close = marked
        return made


def dependent(*template: str) -> DependentRequest:
    """Strings are constants, "<x" is an input and ">x" an output."""
    kinds: dict[str, Any] = {"<": Input, ">": Output}
    return DependentRequest(
        tuple(
            kinds[chunk[0]](chunk[1:]) if chunk[:1] in kinds else Constant(chunk)
            for chunk in template
        ),
        request(""),
    )
