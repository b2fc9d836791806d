"""`dragoman model evaluate`: a bundle's quality through the product's own pipeline."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import sacrebleu

from dragoman.models.data.bleu import bleu_of
from dragoman.models.data.corpus import read_tsv_columns


@dataclass(frozen=True)
class Evaluation:
    """Scores of one data set.

    Attributes:
        bleu, chrf: sacrebleu's, 0 to 100 (`bleu_of`); their settings are in the signatures.
        length_ratio: characters of the translations over those of the references.
        token_ratio: the same of sacrebleu's tokens, as its brevity penalty counts them.
        copied: share of sentences that came back unchanged though the reference differs.
        loops: share of translations that say a phrase three times in a row, the source not.
        kept: share of the names and figures that came through (`kept_tokens`); None without any.
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
    token_ratio: float
    copied: float
    loops: float
    kept: float | None
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


_TOKEN = re.compile(r"[^\W_](?:[\w.,:'’-]*\w)?")


def tokens(text: str) -> Counter[str]:
    """Names and figures: tokens of 3 characters or more with an upper-case letter or a digit.

    >>> sorted(tokens("In 2019 Merkel met U2 (by 3,5 m)."))
    ['2019', '3,5', 'Merkel']
    """
    matches = (match.group() for match in _TOKEN.finditer(text))
    return Counter(
        token
        for token in matches
        if len(token) >= 3 and any(char.isupper() or char.isdigit() for char in token)
    )


def kept_tokens(source: str, reference: str, translation: str) -> tuple[int, int]:
    """Of the names and figures that source and reference share: how many came through, of all."""
    shared = tokens(source) & tokens(reference)
    return (shared & tokens(translation)).total(), shared.total()


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
    bleu, chrf = bleu_of(target), sacrebleu.CHRF()
    bleu_score = bleu.corpus_score(hypotheses, [references])
    chrf_score = chrf.corpus_score(hypotheses, [references])
    copied = sum(
        hypothesis == source != reference
        for hypothesis, (source, reference) in zip(hypotheses, rows, strict=True)
    )
    counts = [
        kept_tokens(source, reference, hypothesis)
        for hypothesis, (source, reference) in zip(hypotheses, rows, strict=True)
    ]
    shared = sum(of for _, of in counts)
    evaluation = Evaluation(
        data=data.name,
        bleu=round(bleu_score.score, 2),
        chrf=round(chrf_score.score, 2),
        sentences=len(rows),
        seconds=round(seconds, 2),
        words_per_second=round(sum(len(s.split()) for s in sources) / max(seconds, 1e-9), 1),
        length_ratio=round(sum(map(len, hypotheses)) / max(1, sum(map(len, references))), 4),
        token_ratio=round(bleu_score.sys_len / max(1, bleu_score.ref_len), 4),
        copied=round(copied / max(1, len(rows)), 4),
        loops=round(sum(map(loops, sources, hypotheses)) / max(1, len(rows)), 4),
        kept=round(sum(count for count, _ in counts) / shared, 4) if shared else None,
        bleu_signature=str(bleu.get_signature()),
        chrf_signature=str(chrf.get_signature()),
    )
    return evaluation, hypotheses
