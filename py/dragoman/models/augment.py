"""Made-up examples of what real text seldom shows: things to copy, capitals, single words.

Students of this size double short input, drop emoji and loop on capitals when they never saw any
(mozilla/translations issues 215, 843, 891). A few per cent of such examples prevent it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from dragoman.models.corpus import Pair

EMOJI = "😀😂🙂😉😍😎😢😡👍👎👏🙏💪❤🔥⭐✅❌⚠📧📅🎉🚀🐶🐱🌍☕🍕🚗🏠📱💡🔒🇩🇪🤔🙈💶"
WORDS = "alpha beta shop mail news info test data cloud green blue kira müller novak berlin otto"
PLACEHOLDERS = ("%s", "%1", "%d", "%1$s", "{name}", "{0}", "{{count}}", "<x/>", "$USER", "%(num)s")
LONGEST = 160  # characters of a pair that is worth varying
TOP_LEVEL = ("de", "com", "org", "net", "eu", "io")


def copied_token(rng: random.Random) -> str:
    """A token that a translation must keep as it is."""
    kind = rng.randrange(6)
    word = rng.choice(WORDS.split())
    host = f"{rng.choice(WORDS.split())}.{rng.choice(TOP_LEVEL)}"
    if kind == 0:
        return "".join(rng.choice(EMOJI) for _ in range(rng.choice((1, 1, 1, 2, 3))))
    if kind == 1:
        return f"https://{rng.choice(('www.', ''))}{host}/{word}"
    if kind == 2:
        return f"{word}{rng.randrange(100)}@{host}"
    if kind == 3:
        return str(rng.randrange(10 ** rng.randrange(1, 9)))
    if kind == 4:
        return rng.choice(PLACEHOLDERS)
    return f"{rng.choice('ABCDEFGHKX')}{rng.randrange(100, 99999)}-{rng.randrange(10)}"


def _with_token(pair: Pair, rng: random.Random) -> Pair:
    token = copied_token(rng)
    if rng.random() < 0.7:
        return replace(pair, first=f"{pair.first} {token}", second=f"{pair.second} {token}")
    return replace(pair, first=f"{token} {pair.first}", second=f"{token} {pair.second}")


def _upper(pair: Pair, _: random.Random) -> Pair:
    return replace(pair, first=pair.first.upper(), second=pair.second.upper())


def _without_full_stop(pair: Pair, _: random.Random) -> Pair:
    return replace(pair, first=pair.first.rstrip("."), second=pair.second.rstrip("."))


def augmented(
    pairs: Sequence[Pair], share: float, seed: int, weight: Callable[[str], float] = lambda _: 1.0
) -> Iterator[Pair]:
    """Made-up variants of about `share` of the pairs (the pairs themselves are not repeated).

    Args:
        weight: of a source, by name: pairs that training sees more often are varied more often.
    """
    rng = random.Random(seed)
    mean = sum(weight(pair.source) for pair in pairs) / max(1, len(pairs))
    for pair in pairs:
        if rng.random() >= share * weight(pair.source) / max(mean, 1e-9):
            continue
        if len(pair.first) > LONGEST:
            continue
        make = rng.choices((_with_token, _upper, _without_full_stop), weights=(5, 2, 3))[0]
        varied = make(pair, rng)
        if varied != pair:
            yield replace(varied, source="augmented")
        if rng.random() < 0.1:
            token = copied_token(rng)
            yield Pair(token, token, "augmented")
