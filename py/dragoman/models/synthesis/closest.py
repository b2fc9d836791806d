"""Of what a beam found, the translation that is most like that of people."""

from __future__ import annotations

from collections.abc import Sequence

from sacrebleu import CHRF

_CHRF = CHRF()


def closest(reference: str, choices: Sequence[str]) -> str:
    """The choice of the highest chrF (sacrebleu's defaults), of equals the first.

    >>> closest("The dog sleeps.", ["A dog is asleep.", "The dog is sleeping.", "Dogs!"])
    'The dog is sleeping.'
    """
    return max(choices, key=lambda choice: _CHRF.sentence_score(choice, [reference]).score)
