from __future__ import annotations

import pytest

from dragoman.models.data.bleu import bleu_of


@pytest.mark.parametrize(
    ("target", "said", "reference", "expected"),
    [
        ("zh", "他昨天去了北京的学校。", "他昨天去了北京的大学。", 71.76),
        ("zh-Hant", "他昨天去了。", "他昨天去了。", 100.0),
        # the fourth root of 14/15 * 11/14 * 9/13 * 7/12
        ("ja", "彼は昨日、東京の学校に行った。", "彼は昨日、東京の大学に行った。", 73.77),
        ("ko", "그는 어제 서울에 갔다", "그는 어제 서울에 갔다", 100.0),
        ("de", "Er ging gestern nach Hause.", "Er ging gestern nach Haus.", 53.73),
    ],
)
def test_each_language_has_units(target: str, said: str, reference: str, expected: float) -> None:
    score = bleu_of(target).corpus_score([said], [[reference]]).score
    assert score == pytest.approx(expected, abs=0.01)
