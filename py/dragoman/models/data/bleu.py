"""BLEU as sacrebleu computes it, in units that a language has."""

from __future__ import annotations

import sacrebleu

# sacrebleu's default splits at white space, which has no say in these: a sentence is one token.
_TOKENIZERS = {"zh": "zh"} | dict.fromkeys(("ja", "th", "lo", "km", "my"), "char")


def bleu_of(target: str) -> sacrebleu.BLEU:
    """BLEU for translations into a language; what it counts is in its signature ("tok:zh")."""
    return sacrebleu.BLEU(tokenize=_TOKENIZERS.get(target.partition("-")[0], "13a"))
