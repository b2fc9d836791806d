"""`dragoman model evaluate`: a bundle's quality through the product's own pipeline."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import sacrebleu

from dragoman.models.data.corpus import read_tsv_columns


@dataclass(frozen=True)
class Evaluation:
    """Scores of one data set.

    Attributes:
        bleu, chrf: sacrebleu's defaults, 0 to 100; their settings are in the signatures.
        length_ratio: characters of the translations over those of the references.
        copied: share of sentences that came back unchanged though the reference differs.
        loops: share of translations that say a phrase three times in a row, the source not.
        seconds: wall time of the translation, loading excluded.
        aer, precision, recall: of the links of words, where the data have them and the trained
            model was at hand (`alignment_error`).
    """

    data: str
    bleu: float
    chrf: float
    sentences: int
    seconds: float
    words_per_second: float
    length_ratio: float
    copied: float
    loops: float
    bleu_signature: str
    chrf_signature: str
    aer: float | None = None
    precision: float | None = None
    recall: float | None = None


# A word or a phrase of up to six words, and twice the same again.
_LOOP = re.compile(r"(?<!\S)(\S+(?:\s+\S+){0,5}?)(?:\s+\1(?!\S)){2,}", re.IGNORECASE)


def loops(source: str, translation: str) -> bool:
    """Whether the translation repeats itself, and its source does not: "the the the"."""
    return bool(_LOOP.search(translation)) and not _LOOP.search(source)


def evaluate(
    translate_many: Callable[[Sequence[str]], Iterable[str]],
    data: Path,
    source: str,
    target: str,
    limit: int | None = None,
) -> tuple[Evaluation, list[str]]:
    """Translate the source column of a TSV and score it against the target column.

    Args:
        translate_many: translations in order, as they are ready, in whatever host.
        data: TSV whose header row names languages.
        limit: only so many sentences from the top.

    Returns:
        The scores, and the translations.

    Raises:
        CorpusError: the file lacks a column of the languages.
    """
    rows = read_tsv_columns(data, source, target)[:limit]
    sources = [source for source, _ in rows]
    references = [target for _, target in rows]
    start = time.perf_counter()
    hypotheses = list(translate_many(sources))
    seconds = time.perf_counter() - start
    bleu, chrf = sacrebleu.BLEU(), sacrebleu.CHRF()
    bleu_score = bleu.corpus_score(hypotheses, [references])
    chrf_score = chrf.corpus_score(hypotheses, [references])
    copied = sum(
        hypothesis == source != reference
        for hypothesis, (source, reference) in zip(hypotheses, rows, strict=True)
    )
    evaluation = Evaluation(
        data=data.name,
        bleu=round(bleu_score.score, 2),
        chrf=round(chrf_score.score, 2),
        sentences=len(rows),
        seconds=round(seconds, 2),
        words_per_second=round(sum(len(s.split()) for s in sources) / max(seconds, 1e-9), 1),
        length_ratio=round(sum(map(len, hypotheses)) / max(1, sum(map(len, references))), 4),
        copied=round(copied / max(1, len(rows)), 4),
        loops=round(sum(map(loops, sources, hypotheses)) / max(1, len(rows)), 4),
        bleu_signature=str(bleu.get_signature()),
        chrf_signature=str(chrf.get_signature()),
    )
    return evaluation, hypotheses
