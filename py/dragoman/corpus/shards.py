"""A shard of a corpus: some lines, translated in one go and written as rows.

    Shard --draft, slice--> segments of all lines --sort, cut--> mini-batches --> responses --> rows

The service batches by the clock; here the mini-batches depend on the shard alone, so that it gives
the same bytes wherever, whenever and however often it is translated (on one kind of processor).
Runs in a worker process, on this machine or another; everything here can be pickled.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from dragoman.config import Limits
from dragoman.engines.bundle import Manifest
from dragoman.errors import BundleMismatchError, DragomanError, typed
from dragoman.native.bundles import Parts, choose_bundle, load_parts
from dragoman.native.ensembles import load_ensemble
from dragoman.native.files import Passage
from dragoman.pipeline.choices import whole_texts
from dragoman.pipeline.draft import Draft
from dragoman.pipeline.hypotheses import hypotheses
from dragoman.service.batching import mini_batch
from dragoman.types import (
    AlignedSegment,
    AlignmentKind,
    Glossary,
    Hypothesis,
    MiniBatch,
    Notice,
    Sampling,
    Segment,
    Span,
    Timings,
    TranslationRequest,
    TranslationResponse,
)
from dragoman.wire.responses import RangeUnit, json_bytes, response_data


class RowFormat(StrEnum):
    """What is written for a line."""

    LINES = "lines"  # the translation
    TSV = "tsv"  # source, translation, score, links
    JSONL = "jsonl"  # everything, as the API has it
    NBEST = "nbest"  # the translation, and what else the beam found, best first, a column each


@dataclass(frozen=True, slots=True)
class Decoding:
    """How the translations are searched.

    Attributes:
        beam: hypotheses that are followed; None: as many as the model's bundle says.
        sampling: draws the pieces.
    """

    beam: int | None = None
    sampling: Sampling | None = None

    def __str__(self) -> str:
        drawn = self.sampling
        if drawn is None:
            return f"beam {self.beam}" if self.beam else "the model's beam"
        among = f"the best {drawn.top_k:,}" if drawn.top_k else "all"
        return f"drawn among {among}, seed {drawn.seed}, temperature {drawn.temperature:g}"


@dataclass(frozen=True, slots=True)
class Model:
    """Which model translates.

    Attributes:
        folders: where bundles are looked for; None for the usual places of the machine.
        digest: of its files (`model_digest`); a machine that has another model is refused.
        others: folders like those, for one bundle more each: they are an ensemble then.
    """

    source: str
    target: str
    folders: tuple[Path, ...] | None
    digest: str
    others: tuple[Path, ...] = ()
    decoding: Decoding = Decoding()


LoadModel = Callable[[Model], Parts]


@dataclass(frozen=True, slots=True)
class Shard:
    """Lines to translate.

    Attributes:
        file: name of the file that they are of, for messages.
        passages: lines in order; a very long one is several passages, see `line_passages`.
        glossary: terms that the lines have; None if they have none.
    """

    file: str
    passages: tuple[Passage, ...]
    model: Model
    rows: RowFormat
    glossary: Glossary | None = None

    @property
    def digest(self) -> str:
        """Tells its rows from others: 32 hexadecimal digits of the SHA-256 of its lines, and of
        the file's name where the rows have it."""
        lines = [(passage.line, passage.text, passage.ending) for passage in self.passages]
        content = (self.file, lines) if self.rows is RowFormat.JSONL else lines
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class TranslatedShard:
    """What became of a shard.

    Attributes:
        content: its rows.
        words: of the source.
        warnings: how often each was given.
    """

    content: bytes
    lines: int
    words: int
    warnings: Counter[str]


def load_model(model: Model) -> Parts:
    """The model on one processor core: a machine with more has more processes."""
    pair = model.source, model.target
    bundle = choose_bundle(*pair, model.folders)
    sampling = model.decoding.sampling
    if not model.others and sampling is None:
        return load_parts(bundle, threads=1)
    others = [choose_bundle(*pair, [folder]) for folder in model.others]
    return load_ensemble([bundle, *others], threads=1, sampling=sampling)


def model_digest(manifest: Manifest) -> str:
    """Tells one model from another: SHA-256 over those of its files."""
    files = sorted(f"{role}:{file.sha256}" for role, file in manifest.files.items())
    return hashlib.sha256("\n".join(files).encode()).hexdigest()


def translate_shard(shard: Shard, load: LoadModel) -> TranslatedShard:
    """Translate a shard; the model stays loaded for the next one.

    Raises:
        BundleError: the model cannot be used, or is not the one that was meant.
        DragomanError: a line cannot be translated, and says which; or what nobody foresaw.
    """
    try:
        return _translated(shard, load)
    except Exception as error:
        # What a library raises may not survive the way to another process, and would then look
        # like a process that was lost.
        known = typed(error)
        raise known from known.__cause__


def _translated(shard: Shard, load: LoadModel) -> TranslatedShard:
    parts = _loaded(shard.model, load)
    responses = asyncio.run(_translate(shard, parts))
    return TranslatedShard(
        content=b"".join(
            _row(*pair, shard) for pair in zip(shard.passages, responses, strict=True)
        ),
        lines=len({passage.line for passage in shard.passages}),
        words=sum(len(passage.text.split()) for passage in shard.passages),
        warnings=Counter(warning.code for response in responses for warning in response.warnings),
    )


@cache
def _loaded(model: Model, load: LoadModel) -> Parts:
    parts = load(model)
    digest = model_digest(parts.pipeline.manifest)
    if digest != model.digest:
        raise BundleMismatchError(
            f"another model from {model.source!r} to {model.target!r} is installed here",
            expected=model.digest,
            found=digest,
        )
    return parts


class _Line:
    """A line under way."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.parts: list[Segment | Span | AlignedSegment] = []
        self.notices: list[Notice] = []


async def _translate(shard: Shard, parts: Parts) -> list[TranslationResponse]:
    pipeline, engine = parts
    plain = shard.rows in (RowFormat.LINES, RowFormat.NBEST)
    alignment = AlignmentKind.NONE if plain else AlignmentKind.HARD
    lines = [_prepared(shard, parts, number, alignment) for number in range(len(shard.passages))]
    segments = [part for line in lines for part in line.parts if isinstance(part, Segment)]
    for batch in mini_batches(segments, Limits()):
        attention = any(
            pipeline.needs_attention(lines[segment.request].draft, segment)
            for segment in batch.segments
        )
        output = await engine.run(batch, attention=attention)
        by_line: dict[int, list[Hypothesis]] = defaultdict(list)
        for hypothesis in hypotheses(batch, output, attention):
            by_line[hypothesis.segment.request].append(hypothesis)
        for number, of_line in by_line.items():
            for aligned in pipeline.finish(lines[number].draft, of_line):
                lines[number].parts[aligned.hypothesis.segment.index] = aligned
    return [
        pipeline.respond(
            line.draft,
            [part for part in line.parts if not isinstance(part, Segment)],
            line.notices,
            Timings(),
        )
        for line in lines
    ]


def _prepared(shard: Shard, parts: Parts, number: int, alignment: AlignmentKind) -> _Line:
    passage = shard.passages[number]
    model = shard.model
    beam = model.decoding.beam
    others = (beam or 1) - 1 if shard.rows is RowFormat.NBEST else 0
    request = TranslationRequest(
        passage.text, model.source, model.target, alignment,
        glossary=shard.glossary, beam=beam, alternatives=others,
    )  # fmt: skip
    try:
        line = _Line(parts.pipeline.draft(number, request))
        for made in parts.pipeline.slices(line.draft):
            line.parts += made.parts
            line.notices += made.notices
    except DragomanError as error:
        error.message = f"{shard.file}, line {passage.line}: {error.message}"
        raise
    return line


def mini_batches(segments: Iterable[Segment], limits: Limits) -> Iterator[MiniBatch]:
    """Segments by length, cut so that each mini-batch is within the limits."""
    rows: list[Segment] = []
    for segment in sorted(segments, key=lambda s: (s.width, s.request, s.index)):
        full = len(rows) == limits.batch_rows
        if rows and (full or (len(rows) + 1) * segment.width > limits.batch_pieces):
            yield mini_batch(rows)
            rows = []
        rows.append(segment)
    if rows:
        yield mini_batch(rows)


# --- rows ------------------------------------------------------------------------------------


def _row(passage: Passage, response: TranslationResponse, shard: Shard) -> bytes:
    match shard.rows:
        case RowFormat.LINES:
            # A line stays one line, whatever the model makes of it.
            return (_one_line(response.text) + passage.ending).encode("utf-8", "replace")
        case RowFormat.TSV:
            return ("\t".join(_columns(response)) + "\n").encode("utf-8", "replace")
        case RowFormat.NBEST:
            return ("\t".join(map(_cell, whole_texts(response))) + "\n").encode("utf-8", "replace")
        case RowFormat.JSONL:
            data = response_data(response, RangeUnit.CODEPOINT)
            del data["timings"]  # they differ from run to run
            place = {"file": shard.file, "line": passage.line, "source": passage.text}
            return json_bytes(place | data) + b"\n"


def _columns(response: TranslationResponse) -> Sequence[str]:
    """Source, translation, score, links.

    The score is the lowest of the sentences'. A link is two ranges in code points of the texts as
    they stand in the row: 0-5:0-4 says that [0:5] of the source became [0:4].
    """
    alignment = response.alignment
    links = " ".join(
        f"{a.start}-{a.end}:{b.start}-{b.end}"
        for a, b in (
            (alignment.source_words[source], alignment.target_words[target])
            for source, target in alignment.links
        )
    )
    score = min((sentence.score for sentence in response.sentences), default=1.0)
    return _cell(response.request.text), _cell(response.text), f"{score:.4f}", links


def _cell(text: str) -> str:
    return _one_line(text).replace("\t", " ")


def _one_line(text: str) -> str:
    return text.replace("\r", " ").replace("\n", " ")
