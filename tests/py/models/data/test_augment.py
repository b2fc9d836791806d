from __future__ import annotations

import random
from collections import Counter

from dragoman.models.data.augment import (
    _name_inside,
    _token_inside,
    augmented,
    copied_token,
    names_of,
)
from dragoman.models.data.corpus import Pair

PAIRS = [Pair(f"Good morning {n}th.", f"Guten Morgen {n}th.", "talk") for n in range(2_000)]


def test_the_same_seed_makes_the_same_examples() -> None:
    first = list(augmented(PAIRS, 0.1, seed=1))
    assert first == list(augmented(PAIRS, 0.1, seed=1)) != list(augmented(PAIRS, 0.1, seed=2))


def test_about_the_share_is_made_and_none_is_a_mere_copy() -> None:
    made = list(augmented(PAIRS, 0.1, seed=1))
    assert 100 <= len(made) <= 290  # 200 variants, a tenth of them with a lone token
    assert {pair.source for pair in made} == {"augmented"}
    known = {(pair.first, pair.second) for pair in PAIRS}
    assert not any((pair.first, pair.second) in known for pair in made)


def test_variants_of_what_a_model_made_stay_of_their_source() -> None:
    made = Pair("Good morning.", "Guten Morgen.", "wiki_back")
    variants = list(augmented([*PAIRS, *[made] * 500], 0.5, seed=1, one_way={"wiki_back"}))
    sources = Counter(pair.source for pair in variants if "morgen." in pair.second.lower())
    assert set(sources) == {"wiki_back"}
    assert sources["wiki_back"] > 100
    assert all(p.source == "augmented" for p in variants if p.first == p.second)


def test_every_kind_of_variant_is_the_same_on_both_sides() -> None:
    pair = Pair("Tom has 12 dogs.", "Tom hat 12 Hunde.", "talk")  # too short for a name
    kinds: Counter[str] = Counter()
    for made in augmented([pair] * 2_000, 1.0, seed=1):
        if made.first == made.second:
            kinds["token"] += 1
        elif made.first == pair.first.upper():
            assert made.second == pair.second.upper()
            kinds["upper"] += 1
        elif made.first == pair.first[:-1]:
            assert made.second == pair.second[:-1]
            kinds["full stop"] += 1
        elif pair.first in made.first:
            # around the sentence: the same on both sides
            assert made.second == made.first.replace(pair.first, pair.second)
            kinds["around"] += 1
        else:
            token = made.first.removesuffix(" has 12 dogs.")
            if token == made.first:
                token = made.first.removeprefix("Tom has ").removesuffix(" dogs.")
                assert made.second == f"Tom hat {token} Hunde."
            else:
                assert made.second == f"{token} hat 12 Hunde."
            kinds["inside"] += 1
    assert all(kinds[kind] > 100 for kind in ("token", "upper", "full stop", "around", "inside"))


def test_only_a_word_that_both_sides_have_once_gives_way() -> None:
    rng = random.Random(1)
    for first, second in (
        ("Tom saw Tom.", "Tom sah Tom."),
        ("the dog", "der Hund"),
        ("It costs 1,50.", "Es kostet 1,50."),
        ("Version 2.3", "Fassung 2.3"),
    ):
        pair = Pair(first, second, "x")
        assert _token_inside(pair, rng) == pair


def test_names_are_words_that_both_sides_write_alike() -> None:
    pairs = [
        Pair("Yesterday Merkel met Obama in Berlin.", "Gestern traf Merkel Obama in Berlin.", "x"),
        Pair("The House has 12 rooms.", "Das Haus hat 12 Zimmer.", "x"),
        Pair("KDE is nice.", "KDE ist nett.", "x"),
    ]
    assert names_of(pairs) == ("Berlin", "Merkel", "Obama")


def test_a_name_gives_way_to_another_or_to_a_blend() -> None:
    rng = random.Random(1)
    pair = Pair("Ask Maria about it.", "Frag Maria danach.", "x")
    made = {_name_inside(("Kowalski", "Berlin"), pair, rng) for _ in range(200)}
    names = {varied.first.removeprefix("Ask ").removesuffix(" about it.") for varied in made}
    assert names == {"Kowalski", "Berlin", "Kowalin", "Berlski"}
    assert {f"Frag {name} danach." for name in names} == {varied.second for varied in made}


def test_a_pair_without_a_name_stays() -> None:
    pair = Pair("the dog has 12 fleas", "der Hund hat 12 Flöhe", "x")
    assert _name_inside(("Berlin",), pair, random.Random(1)) == pair


def test_sources_that_weigh_more_are_varied_more_often() -> None:
    pairs = [Pair("so much.", "so viel.", "much"), Pair("a little.", "etwas.", "little")] * 2_000
    weights = {"much": 1.0, "little": 0.0}
    made = list(augmented(pairs, 0.1, seed=1, weight=weights.__getitem__))
    assert 200 <= sum("much" in pair.first.lower() for pair in made) <= 480
    assert not any("little" in pair.first.lower() for pair in made)


def test_long_pairs_are_left_alone() -> None:
    assert not list(augmented([Pair("long " * 40, "lang " * 40, "x")] * 200, 1.0, seed=1))


def test_tokens_are_of_every_kind() -> None:
    rng = random.Random(1)
    tokens = {copied_token(rng) for _ in range(4_000)}
    for part in ("https://", "@", "%", "{", "😀", "X1", ".pdf", "--", "#"):
        assert any(part in token for token in tokens)
    assert not any(" " in token or not token for token in tokens)


def test_somebodys_words_have_the_quotation_marks_of_each_language() -> None:
    pair = Pair("We will go.", "Wir gehen.", "talk")
    made = [(m.first, m.second) for m in augmented([pair] * 3_000, 1, 1, columns=("en", "de"))]
    assert made.count(('"We will go."', "„Wir gehen.“")) > 40
    assert ("“We will go.”", "»Wir gehen.«") in made
    assert not any(first.startswith("„") for first, _ in made)
