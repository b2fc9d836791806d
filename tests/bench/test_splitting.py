"""What the counts of splitting are, by hand."""

from __future__ import annotations

from tests.bench.splitting import ends, shares


def test_ends_of_lines() -> None:
    lines = ["Ja. Nein.", "ohne Punkt", "Der Dr. Müller kam.", "Gut!"]
    assert ends(lines, "de") == {"wanted": 3, "found": 4, "right": 3}


def test_shares() -> None:
    found = shares(ends(["Ja. Nein.", "Gut!"], "de"))
    assert found == {"lines": 2, "precision": 0.6667, "recall": 1.0, "F1": 0.8}
