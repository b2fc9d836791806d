"""How often two engines with the same weights say the same, and why they do not.

What the core guards (names, figures, capitals) parts the texts where the kernel alone says what the
reference engine says. Where it does not, a sentence is translated again in NumPy
(`marian_arithmetic`), from our arithmetic to theirs a switch at a time; the first switch that
changes it is the cause. What the last stage says should be what the reference engine said: then the
export is right, and the difference is explained by arithmetic alone.

NumPy adds in another order than either engine, and one activation rounded to the next step is
enough to tip a choice. Where its translation is a third one, what parts the two is looked at (the
first piece on which they differ; with a beam the whole translations): it is a near tie if they are
nearer to each other than the switches move scores. What is left is not explained.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import sentencepiece

from dragoman.engines.kernel import KernelEngine
from dragoman.engines.onnx_file import read_onnx
from dragoman.marian.model import MarianModel, read_marian
from dragoman.types import Search
from tests.bench.peers.bergamot import BUNDLE, ONE_SENTENCE, Bench
from tests.support.kernel.batches import EOS, batch
from tests.support.kernel.searches import searched
from tests.support.reference.marian_arithmetic import OURS, STAGES, ReferenceEngine

TARGET_FACTOR, TARGET_EXTRA = 2, 12
MOST_PIECES = 128  # max-length-break of the reference engine's worker
GUARDED, NOISE, TIE, UNEXPLAINED = (
    "guarded by the core",
    "float32 noise",
    "near tie",
    "not explained",
)


def config_of(beam: int) -> dict[str, object]:
    """The reference engine's; it skips the softmax for greedy search alone, as published."""
    return {**ONE_SENTENCE, "beam-size": beam, "skip-cost": beam == 1}


@dataclass(frozen=True)
class Difference:
    """Attributes:
    kernel: what our kernel alone makes of the sentence's pieces.
    """

    source: str
    ours: str
    kernel: str
    theirs: str
    cause: str


@dataclass(frozen=True)
class Agreement:
    """Attributes:
    identical: share of sentences with the same translation.
    identical_engines: share of those on which kernel and reference engine say the same.
    explained: share of the others that NumPy reproduces, or that are near ties.
    """

    sentences: int
    beam: int
    identical: float
    identical_engines: float
    explained: float
    causes: dict[str, int]
    differences: list[Difference] = field(repr=False)


def compare(
    bench: Bench, texts: Sequence[str], explain: int | None = None, beam: int = 1
) -> Agreement:
    """Translate each text, a sentence, with both.

    Args:
        explain: look into so many differences at most; None: all.
        beam: of both searches.
    """
    judge = Judge(read_marian(bench.marian.model), bench.marian.vocabulary.read_bytes(), beam)
    texts = [text for text in texts if judge.is_whole(text)]
    theirs = bench.translate("bergamot", texts, 64, {"config": config_of(beam)})
    ours = bench.translate("ours", texts, 64, {"threads": 1, "beam": beam})
    rows = [
        (source, first.strip(), judge.kernel(source), second.strip())
        for source, first, second in zip(texts, ours, theirs, strict=True)
    ]
    different = [row for row in rows if row[1] != row[3]]
    differences = [
        Difference(*row, judge.cause(row[0], row[2], row[3])) for row in different[:explain]
    ]
    causes = Counter(difference.cause for difference in differences)
    explained = 1 - causes[UNEXPLAINED] / len(differences) if differences else 1.0
    return Agreement(
        len(rows),
        beam,
        round(1 - len(different) / len(rows), 4),
        round(sum(kernel == second for _, _, kernel, second in rows) / len(rows), 4),
        round(explained, 4),
        dict(causes),
        differences,
    )


class Judge:
    """Says why a sentence is translated differently."""

    def __init__(self, model: MarianModel, vocabulary: bytes, beam: int = 1) -> None:
        self.model, self.beam = model, beam
        self.vocabulary = sentencepiece.SentencePieceProcessor(model_proto=vocabulary)
        self.engine = KernelEngine(read_onnx((BUNDLE / "model.onnx").read_bytes()))
        self.ours = ReferenceEngine(model, OURS)
        self.stages = [(name, ReferenceEngine(model, arithmetic)) for name, arithmetic in STAGES]

    def is_whole(self, source: str) -> bool:
        """Whether the reference engine, which breaks long sentences, leaves it in one."""
        return len(self._pieces(source)) <= MOST_PIECES

    def kernel(self, source: str) -> str:
        """What our kernel says, with nothing around it."""
        ids, search = self._pieces(source), Search(self.beam, 1)
        output = self.engine.run_now(searched(batch([ids], _limit(ids)), search), False)
        said = list(output.ids[: output.steps])
        return self._text(said[: said.index(EOS)] if EOS in said else said)

    def reference(self, source: str) -> str:
        """What the reference engine should say."""
        return self._translate(self.stages[-1][1], source)

    def cause(self, source: str, kernel: str, theirs: str) -> str:
        """A stage of `STAGES`, or that float32 noise changed it, or that nothing here did."""
        if kernel == theirs:
            return GUARDED
        if self.reference(source) != theirs:
            return TIE if self.is_near_tie(source, kernel, theirs) else UNEXPLAINED
        if self._translate(self.ours, source) != kernel:
            return NOISE
        changed = (n for n, engine in self.stages if self._translate(engine, source) != kernel)
        return next(changed, NOISE)

    def is_near_tie(self, source: str, kernel: str, theirs: str) -> bool:
        """Whether arithmetic moves scores by more than what parts the two."""
        ids = self._pieces(source)
        first, second = self._pieces(kernel), self._pieces(theirs)
        if self.beam > 1:
            return self._is_near(ids, first, second)
        pairs = zip(first, second, strict=False)
        place = next((n for n, (a, b) in enumerate(pairs) if a != b), None)
        if place is None:
            return False
        engines = (self.ours, *(engine for _, engine in self.stages))
        scores = [engine.logits_after(ids, first[:place]) for engine in engines]
        gaps = [float(s[first[place]] - s[second[place]]) for s in scores]
        moved = max(float(np.abs(s - scores[0]).max()) for s in scores[1:])
        return min(map(abs, gaps)) <= moved

    def _is_near(self, ids: Sequence[int], first: Sequence[int], second: Sequence[int]) -> bool:
        engines = (self.ours, *(engine for _, engine in self.stages))
        worth = [(engine.score(ids, first), engine.score(ids, second)) for engine in engines]
        moved = max(abs(a - b) for own in worth[1:] for a, b in zip(own, worth[0], strict=True))
        return min(abs(a - b) for a, b in worth) <= moved

    def _translate(self, engine: ReferenceEngine, source: str) -> str:
        ids = self._pieces(source)
        if self.beam == 1:
            return self._text(engine.translate(ids, _limit(ids)))
        return self._text(engine.search(ids, _limit(ids), self.beam))

    def _pieces(self, text: str) -> list[int]:
        return [*self.vocabulary.encode(text.strip()), EOS]

    def _text(self, pieces: Sequence[int]) -> str:
        return str(self.vocabulary.decode(list(pieces))).strip()


def _limit(ids: Sequence[int]) -> int:
    return len(ids) * TARGET_FACTOR + TARGET_EXTRA
