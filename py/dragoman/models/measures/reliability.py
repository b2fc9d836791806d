"""How far a sentence's score can be believed: from which score on translations are mostly good.

A translation counts as good when its chrF against the reference is above 40. The reliability
diagram has, for each tenth of the scores, the share of good ones; `good_from` is the least score
such that of all sentences from there on 85 % are good (selective classification: Geifman and
El-Yaniv 2017). A good model reaches that with its worst sentences among them: tenths at the lower
end of which fewer than two thirds are good are below it in any case.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sacrebleu

GOOD_CHRF = 40.0
GOOD_SHARE = 0.85
DOUBTFUL_SHARE = 2 / 3  # of a tenth of the scores: with fewer good ones all are doubtful
FEW = 10  # sentences of a tenth say nothing by themselves: they are judged with the next
BINS = 10


@dataclass(frozen=True)
class Judged:
    """A sentence: the model's score in [0, 1], and whether its translation was good."""

    score: float
    good: bool


@dataclass(frozen=True)
class Bin:
    """Sentences with a score in [start, end); the last bin has its end too."""

    start: float
    end: float
    sentences: int
    good: float


@dataclass(frozen=True)
class Reliability:
    """What scores of a model mean.

    Attributes:
        good_from: least score from which on `share` of the sentences are good, and no poor tenth is
            left; 1 if there is none.
        share: share of good ones among the sentences from `good_from` on; 0 if there is none.
        marked: share of all sentences that are below it.
        bins: the reliability diagram, empty bins left out.
    """

    good_from: float
    share: float
    marked: float
    sentences: int
    bins: tuple[Bin, ...]


def judge(score: float, translation: str, reference: str) -> Judged:
    return Judged(
        score, sacrebleu.CHRF().sentence_score(translation, [reference]).score > GOOD_CHRF
    )


def reliability(judged: Sequence[Judged], share: float = GOOD_SHARE) -> Reliability:
    """The diagram and the threshold of judged sentences, of which there is at least one.

    The threshold is rounded up to a hundredth, so that it can be read.
    """
    bins = _bins(judged)
    poor = _poor_below(_large(bins))
    enough = next((n for n in range(101) if _share_from(judged, n / 100) >= share), 100) / 100
    least = max(enough, poor)
    above = [item for item in judged if item.score >= least]
    if not above:  # a tenth that is poor was the last one that had any
        least = 1.0
    return Reliability(
        good_from=least,
        share=round(_share_from(judged, least), 4),
        marked=round(1 - len(above) / len(judged), 4),
        sentences=len(judged),
        bins=tuple(bins),
    )


def _poor_below(bins: Sequence[Bin]) -> float:
    """The end of the last tenth that is poor, and so is all below it: a better one further down is
    of few sentences, or chance."""
    poor, sentences, good = 0.0, 0, 0.0
    for bin_ in bins:
        sentences += bin_.sentences
        good += bin_.good * bin_.sentences
        if max(bin_.good, good / sentences) < DOUBTFUL_SHARE:
            poor = bin_.end
    return poor


def _large(bins: Sequence[Bin]) -> list[Bin]:
    """The bins, those with few sentences made one with the next, the last with the one before."""
    made: list[Bin] = []
    for bin_ in bins:
        few = made and made[-1].sentences < FEW
        made.append(_joined(made.pop(), bin_) if few else bin_)
    if len(made) > 1 and made[-1].sentences < FEW:
        last = made.pop()
        made.append(_joined(made.pop(), last))
    return made


def _joined(one: Bin, following: Bin) -> Bin:
    sentences = one.sentences + following.sentences
    good = one.good * one.sentences + following.good * following.sentences
    return Bin(one.start, following.end, sentences, good / sentences)


def _share_from(judged: Sequence[Judged], least: float) -> float:
    """Share of good ones from a score on; 0 of none, which prove nothing."""
    above = [item.good for item in judged if item.score >= least]
    return sum(above) / len(above) if above else 0.0


def _bins(judged: Sequence[Judged]) -> list[Bin]:
    bins = []
    for number in range(BINS):
        members = [item.good for item in judged if min(int(item.score * BINS), BINS - 1) == number]
        if members:
            share = round(sum(members) / len(members), 4)
            bins.append(Bin(number / BINS, (number + 1) / BINS, len(members), share))
    return bins
