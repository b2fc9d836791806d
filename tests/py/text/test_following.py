from __future__ import annotations

import pytest

from dragoman.text.following import Following, FollowingKind, following_word

CAPITAL, LOWER = FollowingKind.CAPITAL, FollowingKind.LOWER
NEVER = Following(FollowingKind.NEVER_FIRST)


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        ("Das ist", Following(CAPITAL, "Das")),
        ("das ist", Following(LOWER, "das")),
        ("– „Das ist", Following(CAPITAL, "Das")),
        ("[...] Das ist", Following(CAPITAL, "Das")),
        ("A. Smith", Following(CAPITAL, "A", is_initial=True)),
        ("A Smith", Following(CAPITAL, "A")),
        ("Ab. Smith", Following(CAPITAL, "Ab")),
        ("iPhones are", Following(CAPITAL, "iPhones")),
        ("eBay", Following(CAPITAL, "eBay")),
        ("你好", Following(CAPITAL, "你好")),
        ("Rot-Grün", Following(CAPITAL, "Rot-Grün")),
        ("2015 war", Following(FollowingKind.DIGIT, "2015")),
        ("123456", Following(FollowingKind.DIGIT, "12345")),
        ("€ 5", Following(FollowingKind.SYMBOL)),
        (", und", NEVER),
        ("\u0301", NEVER),
        ("", NEVER),
        ("   ", NEVER),
    ],
)
def test_what_stands_after_a_stop(rest: str, expected: Following) -> None:
    assert following_word("x. " + rest, 3) == expected
