import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.service.turns import Turns


def order(turns: Turns, ready: str, number: int) -> list[int]:
    """Turns while the same levels stay ready: "xx-x" has all but the third."""
    return [turns.choose([level == "x" for level in ready]) for _ in range(number)]


def test_the_first_goes_first() -> None:
    assert order(Turns(4, 9), "-xxx", 5) == [1] * 5


def test_nobody_ready() -> None:
    with pytest.raises(ValueError, match="is not in list"):
        Turns(2, 3).choose([False, False])


def test_a_flood_leaves_room() -> None:
    assert order(Turns(2, 3), "xx", 9) == [0, 0, 0, 1, 0, 0, 0, 1, 0]


def test_two_that_were_passed_over() -> None:
    assert order(Turns(3, 3), "xxx", 9) == [0, 0, 0, 1, 2, 0, 0, 1, 2]


def test_who_comes_alone_goes_before_those_passed_over() -> None:
    turns = Turns(3, 3)
    assert order(turns, "-xx", 3) == [1, 1, 1]  # the third has waited long enough
    assert order(turns, "xxx", 1) == [0]
    assert order(turns, "-xx", 1) == [2]


def test_no_more_than_twice_the_patience() -> None:
    """Two that always come alone, by turns, cannot keep out a third."""
    turns = Turns(3, 3)
    chosen = [turns.choose([number % 2 == 0, number % 2 == 1, True]) for number in range(8)]
    assert chosen == [0, 1, 0, 1, 0, 1, 2, 1]


@given(st.lists(st.lists(st.booleans(), min_size=4, max_size=4), max_size=80), st.integers(1, 5))
def test_whoever_stays_ready_has_a_turn(rounds: list[list[bool]], patience: int) -> None:
    turns = Turns(4, patience)
    waited = [0] * 4
    for ready in rounds:
        if any(ready):
            chosen = turns.choose(ready)
            assert ready[chosen]
            for level in range(4):
                waited[level] = 0 if level == chosen or not ready[level] else waited[level] + 1
                assert waited[level] <= 2 * patience + 3
        else:
            waited = [0] * 4
