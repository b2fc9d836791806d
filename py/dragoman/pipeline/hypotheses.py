"""Stage 6, the part on this side of the engine: its output becomes one hypothesis a segment.

The search itself is the engine's (see docs/adr/0001, 0027). Of several hypotheses of a segment, the
first has the others with it.
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, replace

from dragoman.errors import EngineError
from dragoman.types import EOS_ID, NO_SCORE, EngineOutput, Hypothesis, MiniBatch, Segment

# A translation that ran into its limit is searched for a tail of at least this many repetitions.
LOOP_REPETITIONS = 3
LONGEST_LOOP = 24
# A piece or two said three times, or more pieces said twice, is a loop (docs/adr/0021).
_LOOP = re.compile(rf"(.)\1{{2,}}|(..)\2{{2,}}|(.{{3,{LONGEST_LOOP}}}?)\3+", re.DOTALL)
_REPETITION = re.compile(rf"(.{{1,{LONGEST_LOOP}}}?)\1+", re.DOTALL)


@dataclass(frozen=True, slots=True)
class FailedRow:
    """A sentence for which the engine gave no numbers; its companions have theirs."""

    segment: Segment
    error: EngineError


def rows(batch: MiniBatch, output: EngineOutput, attention: bool) -> list[Hypothesis | FailedRow]:
    """What became of each row, in the order of the batch.

    Raises:
        EngineError: the output has the wrong size, so that no row can be told from another.
    """
    _check_sizes(batch, output, attention)
    return [_row(batch, output, row, attention) for row in range(batch.rows)]


def hypotheses(batch: MiniBatch, output: EngineOutput, attention: bool) -> list[Hypothesis]:
    """One hypothesis a row, in the order of the batch: all of them, or an error.

    Raises:
        EngineError: the output has the wrong size, or a value that is not a number.
    """
    made: list[Hypothesis] = []
    for row in rows(batch, output, attention):
        if isinstance(row, FailedRow):
            raise row.error
        made.append(row)
    return made


def _row(
    batch: MiniBatch, output: EngineOutput, row: int, attention: bool
) -> Hypothesis | FailedRow:
    kept = batch.search.kept
    try:
        first, *others = (
            _hypothesis(batch, output, row * kept + number, attention)
            for number in range(kept)
            if number == 0 or output.scores[row * kept + number] > NO_SCORE
        )
    except EngineError as error:
        return FailedRow(batch.segments[row], error)
    return replace(first, others=tuple(others)) if others else first


def _check_sizes(batch: MiniBatch, output: EngineOutput, attention: bool) -> None:
    kept = batch.rows * batch.search.kept
    cells = kept * output.steps
    ranked = 0 if batch.is_greedy else kept
    expected = (cells, cells, cells * batch.width if attention else 0, ranked)
    sizes = (
        len(output.ids),
        len(output.log_probabilities),
        len(output.attention),
        len(output.scores),
    )
    if sizes != expected:
        raise EngineError(f"the engine gave {sizes} values where {expected} belong")


def _hypothesis(batch: MiniBatch, output: EngineOutput, row: int, attention: bool) -> Hypothesis:
    """Of a row of the output, which has some for each of the batch."""
    segment = batch.segments[row // batch.search.kept]
    first = row * output.steps
    steps = min(output.steps, segment.limit)
    ids = output.ids[first : first + steps]
    finished = EOS_ID in ids
    length = ids.index(EOS_ID) if finished else without_loop(ids)
    scored = length + 1 if finished else length
    hypothesis = Hypothesis(
        segment=segment,
        ids=tuple(ids[:length]),
        log_probabilities=tuple(output.log_probabilities[first : first + scored]),
        attention=_attention(batch, output, row, length) if attention else array("f"),
        finished=finished,
    )
    _check_values(hypothesis)
    return _without_loops(hypothesis)


def _without_loops(hypothesis: Hypothesis) -> Hypothesis:
    source = [piece.id for piece in hypothesis.segment.pieces]
    return with_steps(hypothesis, steps_without_loops(hypothesis.ids, source))


def with_steps(hypothesis: Hypothesis, steps: Sequence[int]) -> Hypothesis:
    """The hypothesis without what was said again and again, and without what was known of it.

    Args:
        steps: indexes of the ids to keep, in order.
    """
    ids = hypothesis.ids
    if len(steps) == len(ids):
        return hypothesis
    width = hypothesis.segment.width if hypothesis.attention else 0
    attention = array("f")
    for step in steps:
        attention.extend(hypothesis.attention[step * width : (step + 1) * width])
    scores = hypothesis.log_probabilities
    return replace(
        hypothesis,
        ids=tuple(ids[step] for step in steps),
        log_probabilities=(*(scores[step] for step in steps), *scores[len(ids) :]),
        attention=attention,
        loop_cut=True,
    )


def steps_without_loops(ids: Sequence[int], source: Sequence[int]) -> list[int]:
    """Indexes of `ids` to keep so that nothing is said again and again.

    Of a loop the first turn is kept; as many as the source has of its own, if it says something
    again and again itself. Of three pieces and more only a loop of the source is the like: two
    letters of a word, as in "Treppe", are none.

    [7, 1, 1, 1, 2] -> [0, 1, 4]; [1, 1] -> [0, 1]; [1, 2, 3, 1, 2, 3] -> [0, 1, 2].
    """
    steps = list(range(len(ids)))
    if len(set(ids)) == len(ids):
        return steps
    text = "".join(map(chr, ids))
    said = "".join(map(chr, source))
    at = 0
    while loop := _LOOP.search(text, at):
        period = len(loop[1] or loop[2] or loop[3])
        allowed = _repetitions(said, _LOOP if loop[3] else _REPETITION)
        start, end = loop.start() + period * allowed, loop.end()
        at = loop.start() + 1
        if start < end:
            text = text[:start] + text[end:]
            del steps[start:end]
    return steps


def _repetitions(text: str, pattern: re.Pattern[str]) -> int:
    """How often in a row something is said at most."""
    return max((len(m[0]) // len(m[m.lastindex or 0]) for m in pattern.finditer(text)), default=1)


def _check_values(hypothesis: Hypothesis) -> None:
    """Of what counts only: after a row's EOS an engine may leave anything."""
    # A sum is not finite if a summand is not; float32 values cannot overflow it.
    scores = [value for value in hypothesis.log_probabilities if value != -math.inf]
    if not (math.isfinite(sum(scores)) and math.isfinite(sum(hypothesis.attention))):
        raise EngineError("the engine gave values that are not numbers")


def _attention(batch: MiniBatch, output: EngineOutput, row: int, length: int) -> array[float]:
    width, columns = batch.width, batch.segments[row // batch.search.kept].width
    start = row * output.steps * width
    if columns == width:
        return output.attention[start : start + length * width]
    matrix: array[float] = array("f")
    for step in range(length):
        matrix.extend(output.attention[start + step * width : start + step * width + columns])
    return matrix


def without_loop(ids: Sequence[int]) -> int:
    """Length of `ids` when a loop at its end is cut to a single turn.

    [7, 1, 2, 1, 2, 1, 2, 1] -> 3 (7 1 2); [1, 2, 3] -> 3; [] -> 0.
    """
    for period in range(1, min(LONGEST_LOOP, len(ids) // LOOP_REPETITIONS) + 1):
        start = len(ids) - period
        while start > 0 and ids[start - 1] == ids[start - 1 + period]:
            start -= 1
        if len(ids) - start >= LOOP_REPETITIONS * period:
            return start + period
    return len(ids)
