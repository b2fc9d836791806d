"""Sentences found again: `python -m tests.bench.splitting --data ../shared/data`.

Lines that end with a stop are joined by a space, eight at a time; their ends are compared with
those of the sentences that are found. Lines of `mono/` are one sentence each, but for errors of
those who made them; a line of `flores-dev` may have two, so that there precision and F1 are no
measure of the rules, but a loss of either is one. Writes JSON.
"""

from __future__ import annotations

import argparse
import csv
import json
import lzma
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from dragoman.text.split import split_sentences

FLORES = ("cs", "de", "en", "es", "fr", "it", "nl", "pl", "pt", "ru")
LINES = {
    "de": ("klexikon_simple", "wikipedia_klexikon", "ud_gsd"),
    "en": ("wikinews_en", "openstax_textbooks", "ud_ewt", "ud_gum"),
    "es": ("common_voice_sentences",),
    "fr": ("common_voice_sentences",),
}
_STOPS = (".", "!", "?", "…", '."', '!"', '?"', ".”", ".“", ".»", ".)")
_JOINED = 8


def ends(lines: Iterable[str], language: str) -> Counter[str]:
    """Ends of lines: how many there are, how many were found, and how many of those are right."""
    counts: Counter[str] = Counter()
    ended = (line for line in lines if line.endswith(_STOPS))
    while group := tuple(islice(ended, _JOINED)):
        text = " ".join(group)
        wanted, at = set(), -1
        for line in group:
            at += len(line) + 1
            wanted.add(at)
        found = {span.end for span in split_sentences(text, language)}
        counts.update(wanted=len(wanted), found=len(found), right=len(wanted & found))
    return counts


def shares(counts: Counter[str]) -> dict[str, float]:
    precision = counts["right"] / max(1, counts["found"])
    recall = counts["right"] / max(1, counts["wanted"])
    both = 2 * precision * recall / (precision + recall) if counts["right"] else 0.0
    named = {"precision": precision, "recall": recall, "F1": both}
    return {"lines": counts["wanted"], **{name: round(value, 4) for name, value in named.items()}}


def flores(data: Path, language: str) -> Iterator[str]:
    with (data / "dev" / "flores-dev.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            yield row[language].strip()


def mono(data: Path, language: str, name: str, most: int) -> Iterator[str]:
    with lzma.open(data / "mono" / language / f"{name}.txt.xz", "rt", encoding="utf-8") as file:
        yield from (line.strip() for line in islice(file, most))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder with dev/ and mono/")
    parser.add_argument("--lines", type=int, default=5_000, help="of each file of mono/")
    options = parser.parse_args()
    found: dict[str, dict[str, float]] = {}
    for language in FLORES:
        found[f"{language} flores-dev"] = shares(ends(flores(options.data, language), language))
    for language, names in LINES.items():
        for name in names:
            lines = mono(options.data, language, name, options.lines)
            found[f"{language} {name}"] = shares(ends(lines, language))
    json.dump(found, sys.stdout, indent=2)


if __name__ == "__main__":
    main()
