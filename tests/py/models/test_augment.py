from __future__ import annotations

import random
from collections import Counter

from dragoman.models.augment import augmented, copied_token
from dragoman.models.corpus import Pair

PAIRS = [Pair(f"Good morning {n}.", f"Guten Morgen {n}.", "talk") for n in range(2_000)]


def test_the_same_seed_makes_the_same_examples() -> None:
    first = list(augmented(PAIRS, 0.1, seed=1))
    assert first == list(augmented(PAIRS, 0.1, seed=1)) != list(augmented(PAIRS, 0.1, seed=2))


def test_about_the_share_is_made_and_none_is_a_mere_copy() -> None:
    made = list(augmented(PAIRS, 0.1, seed=1))
    assert 150 <= len(made) <= 290  # 200 variants, a tenth of them with a lone token
    assert {pair.source for pair in made} == {"augmented"}
    known = {(pair.first, pair.second) for pair in PAIRS}
    assert not any((pair.first, pair.second) in known for pair in made)


def test_a_variant_is_the_same_on_both_sides() -> None:
    kinds: Counter[str] = Counter()
    originals = {pair.first: pair.second for pair in PAIRS}
    for pair in augmented(PAIRS, 0.5, seed=1):
        if pair.first == pair.second:
            kinds["token"] += 1
        elif pair.first.isupper():
            assert pair.second.isupper()
            kinds["upper"] += 1
        elif pair.first + "." in originals:
            assert pair.second + "." == originals[pair.first + "."]
            kinds["full stop"] += 1
        else:
            first = next(text for text in originals if text in pair.first)
            token = pair.first.replace(first, "").strip()
            place = "{} {}" if pair.first.startswith(first) else "{1} {0}"
            assert pair.second == place.format(originals[first], token)
            kinds["with token"] += 1
    assert all(kinds[kind] > 20 for kind in ("token", "upper", "full stop", "with token"))


def test_sources_that_weigh_more_are_varied_more_often() -> None:
    pairs = [Pair(f"a {n}.", f"b {n}.", "much" if n % 2 else "little") for n in range(4_000)]
    weights = {"much": 1.0, "little": 0.0}
    made = list(augmented(pairs, 0.1, seed=1, weight=weights.__getitem__))
    assert 300 <= len(made) <= 560
    numbers = [int("".join(filter(str.isdigit, pair.first.split()[1].rstrip(".")))) for pair in made
               if pair.first.split()[0] == "a"]  # fmt: skip
    assert numbers
    assert all(number % 2 for number in numbers)


def test_long_pairs_are_left_alone() -> None:
    assert not list(augmented([Pair("long " * 40, "lang " * 40, "x")] * 200, 1.0, seed=1))


def test_tokens_are_of_every_kind() -> None:
    rng = random.Random(1)
    tokens = {copied_token(rng) for _ in range(400)}
    for part in ("https://", "@", "%", "{", "😀"):
        assert any(part in token for token in tokens)
    assert not any(" " in token or not token for token in tokens)
