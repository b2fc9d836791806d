"""Several models of one vocabulary that take each step together.

    each member's probabilities and attention --arithmetic mean--> those of the ensemble
    each member's states ------------------------ kept apart ----> its next step

The mean is that of probabilities, not of their logarithms: a piece that one member is sure of stays
possible where another one rules it out.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, islice

import numpy as np

from dragoman.engines.beam_search import Floats, Memory, Stepped, Steps
from dragoman.errors import BundleMismatchError
from dragoman.types import MiniBatch


class Ensemble:
    """Members that are searched as one.

    Args:
        members: whose pieces are the same.

    Attributes:
        is_late: as theirs.

    Raises:
        BundleMismatchError: the attention of some is of the piece that is chosen now, of others of
            the one before, so that it has no mean.
    """

    def __init__(self, members: Sequence[Steps]) -> None:
        late = {member.is_late for member in members}
        if len(late) > 1:
            raise BundleMismatchError("some models of the ensemble have an alignment head, not all")
        self._members = tuple(members)
        self.is_late = late.pop()
        self._layers = [len(member.start(1)) for member in members]

    def encode(self, batch: MiniBatch) -> Memory:
        return {
            _name(number, name): values
            for number, member in enumerate(self._members)
            for name, values in member.encode(batch).items()
        }

    def start(self, rows: int) -> tuple[Floats, ...]:
        return tuple(chain.from_iterable(member.start(rows) for member in self._members))

    def step(
        self, number: int, pieces: Sequence[int], states: tuple[Floats, ...], memory: Memory
    ) -> Stepped:
        left = iter(states)
        steps = [
            member.step(number, pieces, tuple(islice(left, layers)), _of(index, memory))
            for index, (member, layers) in enumerate(zip(self._members, self._layers, strict=True))
        ]
        return Stepped(
            np.mean([one.probabilities for one in steps], axis=0, dtype=np.float32),
            np.mean([one.attention for one in steps], axis=0, dtype=np.float32),
            tuple(chain.from_iterable(one.states for one in steps)),
        )


def _name(member: int, name: str) -> str:
    return f"{member}:{name}"


def _of(member: int, memory: Memory) -> Memory:
    start = _name(member, "")
    return {
        name.removeprefix(start): values
        for name, values in memory.items()
        if name.startswith(start)
    }
