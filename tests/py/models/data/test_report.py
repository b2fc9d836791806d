from __future__ import annotations

from dataclasses import dataclass

import pytest

from dragoman.models.data.report import Statistics, report_table


@dataclass(frozen=True)
class Row:
    source: str
    first: list[int]
    second: list[int]


def test_statistics_by_hand() -> None:
    statistics = Statistics()
    statistics.add([Row("a", [1] * 8, [1] * 8), Row("b", [1] * 4, [1] * 12)], [[(0, 0)], []])
    statistics.add([Row("a", [1] * 9, [1] * 18)], [[(0, 0), (1, 1)]])
    facts = statistics.facts()
    assert facts["pairs"] == 3
    assert facts["mean_pieces"] == [7, pytest.approx(38 / 3)]
    assert facts["length_ratio"] == {  # of 1, 3, 2
        "mean": pytest.approx(2), "deviation": pytest.approx((2 / 3) ** 0.5)
    }  # fmt: skip
    assert facts["links_per_pair"] == 1
    assert facts["lengths"] == {"bucket": 8, "pairs": [[1, 1, 1], [1, 2, 1], [2, 3, 1]]}
    assert statistics.sources == {"a": 2, "b": 1}


def test_a_table_of_lengths() -> None:
    report = {
        "recipe": "x", "pairs": 2_000, "dropped": {}, "sources": [],
        "mean_pieces": [7.0, 9.0], "length_ratio": {"mean": 1.25, "deviation": 0.5},
        "lengths": {"bucket": 8, "pairs": [[1, 2, 2_000]]},
    }  # fmt: skip
    assert report_table(report).endswith(
        "## Lengths\n\n"
        "Pieces a sentence: 7.0 and 9.0. Second over first: 1.25, standard deviation 0.50. "
        "Pairs by length, first language down, second across:\n\n"
        "| pieces | to 8 | to 16 |\n|---|---:|---:|\n| to 8 | 0 | 2,000 |\n"
    )


def test_a_report_by_hand() -> None:
    source = {"name": "a|b", "licence": "MIT", "licence_class": "free", "weight": 0.5}
    report = {
        "recipe": "x",
        "pairs": 1_000,
        "dropped": {"empty": 2},
        "sources": [{**source, "pairs": 1_000, "dropped": {"empty": 2}}],
    }
    assert report_table(report) == (
        "# Data of x\n\n"
        "| source | licence | class | weight | kept | empty |\n"
        "|---|---|---|---:|---:|---:|\n"
        "| a/b | MIT | free | 0.5 | 1,000 | 2 |\n"
        "| all |  |  |  | 1,000 | 2 |\n"
    )
