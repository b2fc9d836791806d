"""How often two engines with the same weights say the same, and why they do not.

A sentence on which they differ is translated again in NumPy (`marian_arithmetic`), from our
arithmetic to theirs a switch at a time; the first switch that changes it is the cause. What the
last stage says should be what the reference engine said: then the export is right, and the
difference is explained by arithmetic alone.

NumPy adds in another order than either engine, and one activation rounded to the next step is
enough to tip a choice. Where its translation is a third one, the first piece on which the engines
differ is looked at: it is a near tie if the two pieces are nearer to each other than the switches
move scores there. What is left is not explained.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import sentencepiece

from dragoman.marian.model import MarianModel, read_marian
from tests.bench.peers.bergamot import ONE_SENTENCE, Bench
from tests.support.reference.marian_arithmetic import EOS, OURS, STAGES, ReferenceEngine

TARGET_FACTOR, TARGET_EXTRA = 2, 12
NOISE, TIE, UNEXPLAINED = "float32 noise", "near tie", "not explained"


@dataclass(frozen=True)
class Difference:
    source: str
    ours: str
    theirs: str
    cause: str


@dataclass(frozen=True)
class Agreement:
    """Attributes:
    identical: share of sentences with the same translation.
    explained: share of the others that NumPy reproduces, or that are near ties.
    """

    sentences: int
    identical: float
    explained: float
    causes: dict[str, int]
    differences: list[Difference] = field(repr=False)


def compare(bench: Bench, texts: Sequence[str], explain: int | None = None) -> Agreement:
    """Translate each text, a sentence, with both.

    Args:
        explain: look into so many differences at most; None: all.
    """
    theirs = bench.translate("bergamot", texts, 64, {"config": ONE_SENTENCE})
    ours = bench.translate("ours", texts, 64, {"threads": 1})
    rows = [
        (source, first.strip(), second.strip())
        for source, first, second in zip(texts, ours, theirs, strict=True)
    ]
    different = [row for row in rows if row[1] != row[2]]
    judge = Judge(read_marian(bench.marian.model), bench.marian.vocabulary.read_bytes())
    differences = [Difference(*row, judge.cause(*row)) for row in different[:explain]]
    causes = Counter(difference.cause for difference in differences)
    explained = 1 - causes[UNEXPLAINED] / len(differences) if differences else 1.0
    share = 1 - len(different) / len(rows)
    return Agreement(len(rows), round(share, 4), round(explained, 4), dict(causes), differences)


class Judge:
    """Says why a sentence is translated differently."""

    def __init__(self, model: MarianModel, vocabulary: bytes) -> None:
        self.model = model
        self.vocabulary = sentencepiece.SentencePieceProcessor(model_proto=vocabulary)
        self.ours = ReferenceEngine(model, OURS)
        self.stages = [(name, ReferenceEngine(model, arithmetic)) for name, arithmetic in STAGES]

    def reference(self, source: str) -> str:
        """What the reference engine should say."""
        return self._translate(self.stages[-1][1], source)

    def cause(self, source: str, ours: str, theirs: str) -> str:
        """A stage of `STAGES`, or that float32 noise changed it, or that nothing here did."""
        if self.reference(source) != theirs:
            return TIE if self.is_near_tie(source, ours, theirs) else UNEXPLAINED
        if self._translate(self.ours, source) != ours:
            return NOISE
        changed = (n for n, engine in self.stages if self._translate(engine, source) != ours)
        return next(changed, NOISE)

    def is_near_tie(self, source: str, ours: str, theirs: str) -> bool:
        """Whether arithmetic moves scores by more than what parts the two, where they part."""
        ids = [*self.vocabulary.encode(source.strip()), EOS]
        first, second = ([*self.vocabulary.encode(text), EOS] for text in (ours, theirs))
        pairs = zip(first, second, strict=False)
        place = next((n for n, (a, b) in enumerate(pairs) if a != b), None)
        if place is None:
            return False
        engines = (self.ours, *(engine for _, engine in self.stages))
        scores = [engine.logits_after(ids, first[:place]) for engine in engines]
        gaps = [float(s[first[place]] - s[second[place]]) for s in scores]
        moved = max(float(np.abs(s - scores[0]).max()) for s in scores[1:])
        return min(map(abs, gaps)) <= moved

    def _translate(self, engine: ReferenceEngine, source: str) -> str:
        ids = [*self.vocabulary.encode(source.strip()), EOS]
        limit = len(ids) * TARGET_FACTOR + TARGET_EXTRA
        return str(self.vocabulary.decode(engine.translate(ids, limit))).strip()
