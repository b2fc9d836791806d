"""What the counts of fidelity are, by hand."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.bench.fidelity import blocks, counts, figures, names, shares, signs


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("1.400 Leute", "de", {"1400": 1}),
        ("1,400 people, 55 000", "en", {"1400": 1, "55000": 1}),
        ("at 2:30 pm", "en", {"1430": 1}),
        ("14:30 Uhr am 03.10.2024", "de", {"1430": 1, "3102024": 1}),
        ("in den 2,6 250 Tagen", "de", {"26": 1, "250": 1}),
        ("the 2008 400 richest", "en", {"2008": 1, "400": 1}),
        ("3:51,942 am Ziel", "de", {"351942": 1}),
        ("X1 und A4", "de", {}),
    ],
)
def test_figures(text: str, language: str, expected: dict[str, int]) -> None:
    assert figures(text, language) == Counter(expected)


def test_signs_and_names() -> None:
    assert signs("5 € · 3 % ®") == Counter("€·%®")
    assert names("Am Montag im März", "de") == Counter({("weekday", 0): 1, ("month", 2): 1})
    assert names("Montage am Montagabend", "de") == Counter({("weekday", 0): 1})
    assert names("Mondays in June, may", "en") == Counter({("weekday", 0): 1, ("month", 5): 1})


def test_counts() -> None:
    found = counts("Am Montag 3 von 42, 5 €.", "On Monday three of 41, €5 \ufffd", ("de", "en"))
    assert (found["figures"], found["figures right"]) == (3, 2)
    assert (found["signs"], found["signs right"]) == (1, 1)
    assert (found["names"], found["names right"], found["invented U+FFFD"]) == (1, 1, 1)
    assert counts("Im März.", "In March.", ("de", "en"))["names right"] == 1
    assert counts("They march in May.", "Im Mai.", ("en", "de"))["names"] == 0
    assert counts("Ja.", "Yes yes yes.", ("de", "en"))["loops"] == 1
    assert counts("Ja.", "the end of the end of it", ("de", "en"))["loops"] == 1
    assert counts("Ja, ja, ja.", "Yes yes yes.", ("de", "en"))["loops"] == 0


def test_shares() -> None:
    total = Counter({"sentences": 4, "figures": 8, "figures right": 6, "loops": 1})
    assert shares(total)["figures right"] == 0.75
    assert shares(total)["loops"] == 0.25


def test_blocks_of_a_page() -> None:
    page = "<div>Ein <b>A</b><p>5 <i>€</i><script>7</script> mehr</p> und B</div><ul><li>C</ul>"
    assert [text for text in blocks(page) if text] == ["Ein A und B", "5 € mehr", "C"]
