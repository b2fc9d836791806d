"""How well elements follow their words: `python -m tests.bench.placement TSV [BUNDLE]`.

Takes German sentences (column "de" of a TSV), puts an element around one to four words of each, and
translates them. An element agrees with the links when all words that are linked to its words alone
are inside, and no word that is linked to others alone. Beside it, what the rule "each word takes
the tags of the word it is linked to" makes of the same links: elements split, or with no word.
"""

from __future__ import annotations

import csv
import json
import random
import sys
from collections import Counter
from pathlib import Path

import dragoman
import dragoman.text.split
from dragoman.text.align import words
from dragoman.types import Element, PlacedElement, Span

SENTENCES = 400


def marked(sentence: str, chance: random.Random) -> Element | None:
    found = words(sentence)
    if len(found) < 6:
        return None
    first = chance.randrange(len(found) - 1)
    last = min(len(found) - 1, first + chance.randrange(4))
    return Element(Span(found[first].start, found[last].end))


def figures(response: dragoman.TranslationResponse) -> Counter[str]:
    (element,) = response.request.elements
    alignment = response.alignment
    inside = [element.span.overlaps(word) for word in alignment.source_words]
    belongs: dict[int, set[bool]] = {}
    for source, target in alignment.links:
        belongs.setdefault(target, set()).add(inside[source])
    own = {target for target, sides in belongs.items() if sides == {True}}
    foreign = {target for target, sides in belongs.items() if sides == {False}}
    (placed,) = [item for item in response.content or () if isinstance(item, PlacedElement)]
    (span,) = [item for item in placed.content or () if isinstance(item, Span)]
    got = {i for i, word in enumerate(alignment.target_words) if word.overlaps(span)}
    runs = sum(target - 1 not in own for target in own)
    return Counter(
        elements=1,
        linked=bool(own),
        agree=bool(own) and own <= got and not foreign & got,
        left_out=len(own - got) > 0,
        taken_in=bool(foreign & got),
        rule_split=runs > 1,
        rule_empty=not own,
    )


def main(table: Path, bundle: Path) -> None:
    with table.open(encoding="utf-8") as lines:
        rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        sentences = [row["de"] for row in rows]
    chance = random.Random(1)
    chance.shuffle(sentences)
    total: Counter[str] = Counter()
    with dragoman.load("de", "en", [bundle], threads=1) as translator:
        for sentence in sentences[:SENTENCES]:
            element = marked(sentence, chance)
            if element is None or len(dragoman.text.split.split_sentences(sentence, "de")) != 1:
                continue
            total += figures(translator.translate(sentence, elements=[element]))
    print(json.dumps({"table": table.name, **total}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else Path("models"))
