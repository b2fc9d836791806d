"""What scores of short texts are worth: `python tests/bench/short_texts.py --data ../shared/data`.

Translates the texts of at most four words of development sets both ways, and those of buttons,
menus and labels of pages (de_NAME.html, en_NAME.html), each by itself. For each least score: how
many of the texts whose translation is good (chrF above 40 against the reference) are below it, and
how many of the others. Of pages there are no references: `--list FILE` has all texts with their
translations, the lowest score first, to be read.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from lxml.html import document_fromstring

import dragoman
from dragoman.models.measures.reliability import judge
from dragoman.types import AlignmentKind

SETS = ("chat-dev.en-de.tsv", "tatoeba-dev.en-de.tsv")
LEAST = tuple(n / 100 for n in range(5, 50, 5))
MOST_WORDS = 4
INTERFACE = (
    "//button|//label|//option|//summary|//legend|//nav//a|//*[@role='menu']//a"
    "|//*[@role='button']|//*[@role='tab']|//*[@role='menuitem']|//header//a|//footer//a"
)


@dataclass(frozen=True)
class Tried:
    """A short text; `good` is null where there is no reference."""

    data: str
    source: str
    translation: str
    score: float
    good: bool | None


def pairs(path: Path, source: str, target: str) -> Iterator[tuple[str, str]]:
    """Texts of at most four words, with their references."""
    with path.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            if len(row[source].split()) <= MOST_WORDS:
                yield row[source], row[target]


def interface_texts(folder: Path, language: str) -> list[str]:
    """Of buttons, menus and labels, each once."""
    texts: dict[str, None] = {}
    for path in sorted(folder.glob(f"{language}_*.html")):
        for element in document_fromstring(path.read_bytes()).xpath(INTERFACE):
            text = " ".join(element.text_content().split())
            if any(map(str.isalpha, text)) and len(text.split()) <= MOST_WORDS:
                texts[text] = None
    return list(texts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of dev/ and pages/")
    parser.add_argument("--list", type=Path, help="where all texts are written as lines of JSON")
    options = parser.parse_args()
    tried: dict[str, list[Tried]] = {}
    for source, target in (("de", "en"), ("en", "de")):
        texts: list[tuple[str, str, str | None]] = [
            (name, *pair)
            for name in SETS
            for pair in pairs(options.data / "dev" / name, source, target)
        ]
        texts += [("pages", text, None) for text in interface_texts(options.data / "pages", source)]
        with dragoman.load(source, target, threads=1) as translator:
            for data, text, reference in texts:
                done = translator.translate(text, alignment=AlignmentKind.NONE)
                score = min((sentence.score for sentence in done.sentences), default=1.0)
                good = None if reference is None else judge(score, done.text, reference).good
                tried.setdefault(f"{source}-{target}", []).append(
                    Tried(data, text, done.text, round(score, 4), good)
                )
    if options.list:
        with options.list.open("w", encoding="utf-8") as lines:
            for pair, items in tried.items():
                for item in sorted(items, key=lambda item: item.score):
                    lines.write(
                        json.dumps({"pair": pair, **asdict(item)}, ensure_ascii=False) + "\n"
                    )
    json.dump({pair: table(items) for pair, items in tried.items()}, sys.stdout, indent=1)


def table(items: list[Tried]) -> dict[str, object]:
    """For each least score, the percent below it: of good ones, of others, of pages' texts."""
    groups = {
        "good": [item.score for item in items if item.good],
        "others": [item.score for item in items if item.good is False],
        "pages": [item.score for item in items if item.good is None],
    }
    return {
        "texts": {name: len(scores) for name, scores in groups.items()},
        "below": {
            str(least): {
                name: round(100 * sum(score < least for score in scores) / max(1, len(scores)), 1)
                for name, scores in groups.items()
            }
            for least in LEAST
        },
    }


if __name__ == "__main__":
    main()
