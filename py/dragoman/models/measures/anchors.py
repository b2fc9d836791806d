"""What published systems make of the same sentences, to set a model's scores beside.

A folder of anchors has ``published-scores.tsv`` (pair, data set, system, metric, score; no header)
and translations, a line a sentence: ``de-en/flores-dev.bergamot-tiny.en``. Where one is at
hand, it is scored like the model's own; else the published figure is taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from glob import escape
from pathlib import Path

from dragoman.errors import CorpusError
from dragoman.models.data.bleu import bleu_of
from dragoman.models.data.corpus import read_lines
from dragoman.models.measures.evaluate import Evaluation

SCORES = "published-scores.tsv"


def anchor_scores(
    folder: Path, pair: str, data: str, references: Sequence[str]
) -> dict[str, float]:
    """BLEU by system, the best first.

    Args:
        data: name of the data set, such as "flores-dev".

    Raises:
        CorpusError: a file cannot be read, or a row or a translation is malformed.
    """
    scores = _published(folder / SCORES, pair, data)
    target = pair.partition("-")[2]
    before, after = f"{data}.", f".{target}"
    for path in sorted((folder / pair).glob(f"{escape(before)}*{escape(after)}")):
        lines = list(read_lines(path))
        if len(lines) != len(references):
            raise CorpusError(f"{path} has {len(lines)} lines, the data {len(references)}")
        system = path.name[len(before) : -len(after)]
        scores[system] = round(bleu_of(target).corpus_score(lines, [references]).score, 2)
    return dict(sorted(scores.items(), key=lambda item: -item[1]))


def _published(path: Path, pair: str, data: str) -> dict[str, float]:
    scores: dict[str, float] = {}
    for number, line in enumerate(read_lines(path), start=1):
        columns = line.split("\t")
        if columns[:2] != [pair, data] or columns[3:4] != ["bleu"]:
            continue
        try:
            scores[columns[2]] = float(columns[4])
        except (IndexError, ValueError) as error:
            raise CorpusError(f"{path}: line {number} is no score: {error}") from error
    return scores


def score_tables(
    evaluations: Sequence[Evaluation], anchors: Mapping[str, Mapping[str, float]]
) -> str:
    """Two Markdown tables: all figures of the model, and BLEU beside that of other systems.

    Args:
        anchors: by the name of the data, then by system (`anchor_scores`).
    """
    names = ("sentences", "bleu", "chrf", "aer", "length_ratio", "token_ratio", "copied",
             "loops", "kept", "words_per_second")  # fmt: skip
    rows = [["data", *(name.replace("_", " ") for name in names)]]
    for evaluation in evaluations:
        values = (getattr(evaluation, name) for name in names)
        rows.append([evaluation.data, *("" if value is None else f"{value:g}" for value in values)])
    text = _table(rows)
    systems = list(dict.fromkeys(name for scores in anchors.values() for name in scores))
    if not systems:
        return text
    rows = [["BLEU", "this model", *systems]]
    for evaluation in evaluations:
        beside = anchors.get(evaluation.data, {})
        cells = (f"{beside[system]:g}" if system in beside else "" for system in systems)
        rows.append([evaluation.data, f"{evaluation.bleu:g}", *cells])
    return f"{text}\n{_table(rows)}"


def _table(rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|---|" + "---:|" * (len(rows[0]) - 1))
    return "\n".join(lines) + "\n"
