"""Inputs made of others: what a fuzzer does to bytes, the same for the same seed.

Hypothesis builds what is right in shape; these inputs are nearly right, as damaged files are, and
come ten times as fast.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

_NUMBERS = (
    0,
    1,
    0x7F,
    0x80,
    0xFF,
    0x7FFF,
    0xFFFF,
    2**31 - 1,
    2**31,
    2**32 - 1,
    2**63 - 1,
    2**64 - 1,
)


def mutated(content: bytes, others: Sequence[bytes], words: Sequence[bytes], seed: int) -> bytes:
    """Some bytes, changed in one place or a few.

    Args:
        others: what parts may be taken from.
        words: of the format.
    """
    chance = random.Random(seed)
    found = bytearray(content)
    for _ in range(chance.choice((1, 1, 2, 3, 8))):
        _change(found, others, words, chance)
    return bytes(found)


def _change(
    found: bytearray, others: Sequence[bytes], words: Sequence[bytes], chance: random.Random
) -> None:
    at = chance.randint(0, len(found))
    end = min(len(found), at + chance.choice((1, 2, 4, 8, 40, 400)))
    match chance.randrange(9):
        case 0 if found:
            found[at % len(found)] ^= 1 << chance.randrange(8)
        case 1:
            found[at:end] = chance.randbytes(end - at)
        case 2:
            del found[at:end]
        case 3:
            found[at:at] = found[at:end] * chance.choice((1, 2, 50))
        case 4:
            size = chance.choice((1, 2, 4, 8))
            number = chance.choice(_NUMBERS) % 256**size
            found[at : at + size] = number.to_bytes(size, chance.choice(("little", "big")))
        case 5:
            other = chance.choice(others)
            start = chance.randint(0, len(other))
            found[at:end] = other[start : start + chance.choice((4, 40, 400))]
        case 6 if words:
            found[at:at] = chance.choice(words)
        case 7 if words:
            found[at:end] = chance.choice(words) * chance.choice((1, 2, 30))
        case _:
            del found[at:]
