"""How often the detector is right, unsure and wrong, on pieces of 1, 3 and 10 words.

    python -m dragoman.models.detection.evaluate FILE...

FILE: a language's tag, a tab, a sentence; a line each. Of each sentence a piece of each length is
cut at a place that is always the same; of scripts without spaces 2, 6 and 20 characters.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from dragoman.detection.detector import UNKNOWN, Detector
from dragoman.detection.table import shipped_table

LENGTHS = (1, 3, 10)
WITHOUT_SPACES = {"zh", "ja", "th", "lo", "km", "my"}
CHARACTERS_A_WORD = 2
# A piece with fewer letters than so many a word, for up to two words, is a figure or a sign.
LETTERS = 3
MOST_CONFUSED = 12


@dataclass
class Tally:
    """Pieces of one length. best: the likeliest language is right; wrong: sure, and wrong."""

    pieces: int = 0
    best: int = 0
    sure: int = 0
    wrong: int = 0
    confused: Counter[str] = field(default_factory=Counter)

    def figures(self) -> dict[str, float]:
        """In percent; "wrong" of those that are sure."""
        return {
            "pieces": self.pieces,
            "best": _percent(self.best, self.pieces),
            "sure": _percent(self.sure, self.pieces),
            "wrong": _percent(self.wrong, self.sure),
        }


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 1) if whole else 0.0


def pieces(language: str, text: str, chance: random.Random) -> Iterator[tuple[int, str]]:
    """A piece of each length that the sentence has, with the length."""
    tight = language in WITHOUT_SPACES
    units = [char for char in text if char.isalpha()] if tight else text.split()
    for length in LENGTHS:
        count = length * CHARACTERS_A_WORD if tight else length
        if len(units) < count:
            continue
        start = chance.randrange(len(units) - count + 1)
        piece = ("" if tight else " ").join(units[start : start + count])
        if tight or sum(map(str.isalpha, piece)) >= LETTERS * min(length, 2):
            yield length, piece


def evaluate(lines: Iterator[str], detector: Detector) -> dict[int, Tally]:
    """Tallies by length."""
    chance = random.Random(1)
    tallies = {length: Tally() for length in LENGTHS}
    for line in lines:
        tag, _, text = line.rstrip("\n").partition("\t")
        language = tag.partition("-")[0]  # as `_count` takes what was found
        for length, piece in pieces(language, text, chance):
            _count(tallies[length], language, detector, piece)
    return tallies


def _count(tally: Tally, language: str, detector: Detector, piece: str) -> None:
    detection = detector.detect(piece)
    named = [c.language.partition("-")[0] for c in detection.candidates if c.language != UNKNOWN]
    best = named[0] if named else UNKNOWN
    tally.pieces += 1
    tally.best += best == language
    tally.sure += detection.language is not None
    if best != language and detection.language is not None:
        tally.wrong += 1
        tally.confused[f"{language}>{best}"] += 1


def report(path: Path, detector: Detector) -> Iterator[str]:
    """A line a length."""
    with path.open(encoding="utf-8") as lines:
        tallies = evaluate(iter(lines), detector)
    for length, tally in tallies.items():
        confused = ", ".join(f"{pair} {n}" for pair, n in tally.confused.most_common(MOST_CONFUSED))
        yield json.dumps(
            {"file": path.name, "words": length, **tally.figures(), "wrongly": confused}
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", type=Path, nargs="+")
    detector = Detector(shipped_table())
    for path in parser.parse_args().files:
        sys.stdout.writelines(f"{line}\n" for line in report(path, detector))


if __name__ == "__main__":
    main()
