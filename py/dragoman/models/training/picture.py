"""Pictures as SVG: the curve of a training run, and scores beside those of other systems.

The same figures give the same bytes: there is no date in them and no random name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dragoman.errors import TrainingError
from dragoman.models.training.reporting import read_log

COLOURS = ("#1f5fa8", "#c4561e", "#3a8a4d", "#7a4fa3", "#8a8a8a", "#b59a1c")


def draw_curve(log: Path, picture: Path) -> None:
    """Loss and learning rate above, BLEU and chrF on the validation set below, by step.

    Raises:
        TrainingError: the log is missing, or has no row yet.
    """
    try:
        rows = read_log(log)
    except OSError as error:
        raise TrainingError(f"{log} cannot be read: {error}") from error
    losses = [row for row in rows if "loss" in row]
    scores = [row for row in rows if "chrf" in row]
    if not rows:
        raise TrainingError(f"{log} has no row yet")
    with _figure(picture, 7, 6) as figure:
        upper, lower = figure.subplots(2, 1, sharex=True)
        _line(upper, losses, "loss", "loss, nats a piece", 0)
        if any("guide" in row for row in losses):
            _line(upper, losses, "guide", "guided alignment", 1)
        upper.set_ylabel("loss")
        _legend(upper)
        # A teacher has rows for both directions.
        for pair in dict.fromkeys(row.get("pair", "") for row in scores):
            own = [row for row in scores if row.get("pair", "") == pair]
            for name, label in (("bleu", "BLEU"), ("chrf", "chrF")):
                colour = len(lower.lines) % len(COLOURS)
                _line(lower, own, name, f"{label} {pair}".rstrip(), colour, marker=".")
        lower.set_ylabel("validation")
        lower.set_xlabel("updates")
        _legend(lower)


def draw_scores(scores: Mapping[str, Mapping[str, float]], title: str, picture: Path) -> None:
    """Bars of BLEU: a group a data set, a bar a system.

    Args:
        scores: BLEU by data set, then by system.
    """
    systems = list(dict.fromkeys(name for row in scores.values() for name in row))
    with _figure(picture, max(5, 2 + 1.6 * len(scores)), 4) as figure:
        axes = figure.subplots()
        width = 0.8 / max(1, len(systems))
        for index, system in enumerate(systems):
            places = [n for n, row in enumerate(scores.values()) if system in row]
            heights = [row[system] for row in scores.values() if system in row]
            left = [place - 0.4 + width * (index + 0.5) for place in places]
            colour = COLOURS[index % len(COLOURS)]
            bars = axes.bar(left, heights, width * 0.9, label=system, color=colour)
            if again := index // len(COLOURS):  # no two systems look alike
                for bar in bars:
                    bar.set(hatch="///" * again, edgecolor="w")
            axes.bar_label(bars, fmt="%.1f", fontsize=7)
        axes.set_xticks(range(len(scores)), list(scores))
        axes.set_ylabel("BLEU")
        axes.set_title(title)
        _legend(axes)


def draw_reliability(
    bins: Sequence[tuple[float, float, int]], good_from: float, title: str, picture: Path
) -> None:
    """A reliability diagram: the share of good translations by score, and the threshold.

    Args:
        bins: middle of the scores, share of good ones, sentences: written on the bar.
    """
    with _figure(picture, 6, 4) as figure:
        axes = figure.subplots()
        middles, shares, counts = zip(*bins, strict=True)
        bars = axes.bar(middles, shares, 0.09, color=COLOURS[0])
        axes.bar_label(bars, labels=[str(count) for count in counts], fontsize=7)
        axes.axvline(good_from, color=COLOURS[1], label=f"good from {good_from:g}")
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 1.1)
        axes.set_xlabel("score of the sentence")
        axes.set_ylabel("share with chrF above 40")
        axes.set_title(title)
        _legend(axes)


@contextmanager
def _figure(picture: Path, width: float, height: float) -> Iterator[Figure]:
    with mpl.rc_context({"svg.hashsalt": "dragoman", "svg.fonttype": "none"}):
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure
        figure.savefig(picture, format="svg", metadata={"Date": None})


def _line(
    axes: Axes, rows: Sequence[Mapping[str, Any]], name: str, label: str, colour: int, **style: Any
) -> None:
    points = [(row["step"], row[name]) for row in rows if name in row]
    if points:
        steps, values = zip(*points, strict=True)
        axes.plot(steps, values, label=label, color=COLOURS[colour], linewidth=1, **style)


def _legend(axes: Axes) -> None:
    axes.grid(alpha=0.3)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False, fontsize=8)
