from __future__ import annotations

from dragoman.models.measures.reliability import Bin, Judged, judge, reliability


def test_a_translation_is_good_from_a_chrf_of_forty() -> None:
    assert judge(0.5, "The house is big.", "The house is big.") == Judged(0.5, True)
    assert judge(0.9, "A dog.", "The house is big.") == Judged(0.9, False)


def test_the_threshold_is_the_least_from_which_on_most_are_good() -> None:
    judged = [Judged(0.15, False)] * 40 + [Judged(0.45, True)] * 20 + [Judged(0.45, False)] * 10
    judged += [Judged(0.75, True)] * 40
    # From 0.45 on 6 of 7 are good: 0.857. With the forty at 0.15 only 6 of 11.
    measured = reliability(judged)
    assert measured.good_from == 0.2
    assert (measured.share, measured.marked, measured.sentences) == (0.8571, 0.3636, 110)
    assert measured.bins == (
        Bin(0.1, 0.2, 40, 0.0),
        Bin(0.4, 0.5, 30, 0.6667),
        Bin(0.7, 0.8, 40, 1.0),
    )
    assert reliability(judged, 0.9).good_from == 0.46


def test_a_good_model_still_doubts_the_tenths_in_which_a_third_is_bad() -> None:
    judged = [Judged(0.35, True)] * 30 + [Judged(0.35, False)] * 20
    judged += [Judged(0.55, True)] * 70 + [Judged(0.55, False)] * 30 + [Judged(0.85, True)] * 900
    measured = reliability(judged)  # 100 of 105 are good, of the lowest tenth 3 of 5
    assert (measured.good_from, measured.marked) == (0.4, 0.0476)
    assert measured.share == 0.97
    # A single good one below says nothing, nor do some.
    assert reliability([Judged(0.15, True), *judged]).good_from == 0.4
    some = [Judged(0.25, True)] * 8 + [Judged(0.25, False)] * 4
    assert reliability([*some, *judged]).good_from == 0.4


def test_a_last_tenth_of_few_says_nothing_by_itself() -> None:
    judged = [Judged(0.25, index < 40) for index in range(100)]
    judged += [Judged(0.75, index < 90) for index in range(100)]
    assert reliability(judged).good_from == 0.3
    assert reliability([*judged, Judged(0.95, good=False)]).good_from == 0.3


def test_a_model_that_is_never_good_is_never_believed() -> None:
    measured = reliability([Judged(0.995, False), Judged(1.0, False)])
    assert measured.good_from == 1.0
    assert measured.share == 0.0


def test_scores_that_no_sentence_has_are_not_believed() -> None:
    for judged in (
        [Judged(0.3, False), Judged(0.61, False)],
        [Judged(0.3, False), Judged(0.61, False), Judged(0.61, True)],
    ):
        measured = reliability(judged)
        assert (measured.good_from, measured.share, measured.marked) == (1.0, 0.0, 1.0)


def test_a_model_that_is_always_good_is_always_believed() -> None:
    measured = reliability([Judged(0.01, True), Judged(1.0, True)])
    assert (measured.good_from, measured.share, measured.marked) == (0.0, 1.0, 0.0)
    assert measured.bins == (Bin(0.0, 0.1, 1, 1.0), Bin(0.9, 1.0, 1, 1.0))
