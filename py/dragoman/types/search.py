"""How an engine searches for a translation."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass

from dragoman.errors import InvalidRequestError

# Hotter than this, what is drawn is hardly the model's any more.
MOST_TEMPERATURE = 4.0


@dataclass(frozen=True, slots=True)
class Search:
    """Beam search as marian-dev does it (docs/adr/0027); by default greedy search.

    Attributes:
        beam: hypotheses that are followed at a time, 1 to 16; one less for each that has ended.
        kept: hypotheses that are given back, at most `beam`.
        branching: whether the first free choice makes the hypotheses, and each goes on by itself,
            so that they differ at once.
        normalize: what has ended is ranked by its log-probability, divided by its length with EOS
            to the power of this.
        word_penalty: taken from the log-probability for each piece, before.
    """

    beam: int = 1
    kept: int = 1
    branching: bool = False
    normalize: float = 1.0
    word_penalty: float = 0.0


GREEDY = Search()
# Characters of a source whose hypotheses get all of a `LengthReward`.
LONG_SOURCE = 120


@dataclass(frozen=True, slots=True)
class LengthReward:
    """What makes up for a beam's liking for short hypotheses (docs/adr/0056).

    A bounded reward (Yang, Huang and Ma 2018, "Breaking the Beam Search Curse") for what is said,
    in characters, whatever pieces they are cut into; in full for long sentences only, for short
    ones say little that can be left out.

    Attributes:
        reward: at most, added to the mean log-probability of a hypothesis: above 0, to 4.
        ratio: of the characters of a hypothesis to those of its source, above which nothing more
            is rewarded: above 0, to 4.
    """

    reward: float
    ratio: float

    def of(self, source: int, target: int) -> float:
        """For a hypothesis of `target` characters, of a source that has `source`."""
        most = self.ratio * source
        longest = self.ratio * max(source, LONG_SOURCE)
        return self.reward * min(target, most) / longest


@dataclass(frozen=True, slots=True)
class Sampling:
    """How pieces are drawn in place of the most probable ones (Edunov et al. 2018).

    A sentence gets the same translation whenever it is asked for with the same seed: its random
    numbers depend on that and on its own pieces, not on where it stands.

    Attributes:
        seed: from 0.
        temperature: the logarithms of probabilities are divided by it, above 0 to 4: below 1, the
            probable is more probable still.
        top_k: only so many of the most probable pieces may be drawn; 0: all.

    Raises:
        InvalidRequestError: a figure is out of its range.
    """

    seed: int = 1
    temperature: float = 1.0
    top_k: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.temperature <= MOST_TEMPERATURE:
            raise InvalidRequestError(
                f"the temperature is {self.temperature:g}, not above 0 and up to "
                f"{MOST_TEMPERATURE:g}",
                requested=self.temperature,
                allowed=MOST_TEMPERATURE,
            )
        for name, value in (("seed", self.seed), ("top_k", self.top_k)):
            if value < 0:
                raise InvalidRequestError(f"{name} is {value:,}, not 0 or more", requested=value)


@dataclass(frozen=True, slots=True)
class PrefixStep:
    """What a translation with a given start may say in a step.

    Attributes:
        piece: the next one of the start, as the vocabulary cuts it.
        allowed: ascending, `piece` among them: the others cover all of the start that is left, and
            end it.
    """

    piece: int
    allowed: tuple[int, ...]


def flat_prefixes(rows: Iterable[tuple[PrefixStep, ...]]) -> array[int]:
    """int32, row by row: how many steps; of each its piece, how many are allowed, and these."""
    numbers: array[int] = array("i")
    for steps in rows:
        numbers.append(len(steps))
        for step in steps:
            numbers.extend((step.piece, len(step.allowed), *step.allowed))
    return numbers


def prefix_rows(numbers: array[int]) -> list[tuple[PrefixStep, ...]]:
    """Back from `flat_prefixes`."""
    rows: list[tuple[PrefixStep, ...]] = []
    at = 0
    while at < len(numbers):
        steps: list[PrefixStep] = []
        count, at = numbers[at], at + 1
        for _ in range(count):
            first, end = at + 2, at + 2 + numbers[at + 1]
            steps.append(PrefixStep(numbers[at], tuple(numbers[first:end])))
            at = end
        rows.append(tuple(steps))
    return rows
