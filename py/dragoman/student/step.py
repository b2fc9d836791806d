"""What a step of the decoder reads and gives: names of values in a graph."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Memory:
    """What the decoder reads of the source, one entry a decoder layer.

    keys: [B, H, D/H, S]; values: [B, H, S, D/H]; mask: additive [B, 1, 1, S]; pieces: [B, S], 1 for
    a piece and 0 for padding; aligned: the alignment head's keys [B, 1, A, S], "" if there is none.
    """

    keys: tuple[str, ...]
    values: tuple[str, ...]
    mask: str
    pieces: str
    aligned: str


@dataclass(frozen=True)
class StepResult:
    """Names of a decoder step's results: logits' best [B], its log-probability [B], attention
    [B, H, 1, S], of whose heads the first counts, the new states, one [B, D] a layer.

    The attention is that of the alignment head, of the previous piece; of the guided head, of the
    piece that is chosen now, where there is no alignment head.
    """

    best: str
    log_probability: str
    attention: str
    states: tuple[str, ...]
