"""German text for benchmarks: from a data folder, or made up here; no sentence twice.

Both systems may keep translations for a while, so that what is measured is never given again.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from dragoman.models.data.corpus import read_rows

FILES = ("tatoeba-dev.en-de", "webdocs-dev.en-de", "chat-dev.en-de", "wmt15.en-de",
         "wmt16.en-de", "wmt17.en-de")  # fmt: skip
SHORTEST, LONGEST = 3, 40  # words
TWENTY = (18, 22)
PARAGRAPH = 5  # sentences

TIMES = """Gestern|Am Montag|Heute Morgen|Vor einer Woche|Im letzten Sommer|Nach dem Essen|Am Abend
Um neun Uhr|Kurz vor Weihnachten|In der Nacht|Am ersten Tag|Wie immer""".replace("\n", "|").split(
    "|"
)
VERBS = """las:ein Buch über die Stadt|kaufte:frisches Brot auf dem Markt|schrieb:einen langen Brief
fand:den Schlüssel unter dem Tisch|reparierte:das alte Fahrrad|kochte:eine Suppe mit Gemüse
besuchte:einen Freund im Krankenhaus|verkaufte:das Haus am See|suchte:einen Platz im Garten
öffnete:das Fenster zur Straße|brachte:die Kinder in die Schule|trank:eine Tasse Kaffee
malte:ein Bild von den Bergen|vergaß:den Termin beim Arzt|sah:einen Film im Kino
bestellte:ein neues Telefon|hörte:Musik im Radio|plante:eine Reise nach Italien""".replace(
    "\n", "|"
).split("|")
SUBJECTS = """meine Schwester|der Lehrer|unser Nachbar|die alte Frau|mein Bruder|Anna|ein Student
der Bürgermeister|die Ärztin|mein Großvater|das Mädchen|Herr Novak""".replace("\n", "|").split("|")
ENDS = """|, weil es regnete|, obwohl niemand Zeit hatte|, bevor der Zug kam|, und alle waren froh
, aber das Wetter war schlecht|, während die anderen noch schliefen, und niemand merkte etwas davon
, weil am nächsten Tag ein Fest war, zu dem viele Leute aus der Stadt kamen
, nachdem die Arbeit endlich fertig war|, ohne ein Wort zu sagen""".replace("\n", "|").split("|")


def made_up() -> list[str]:
    """Some 26,000 different sentences of 6 to 24 words."""
    sentences = []
    for time, verb, subject, end in itertools.product(TIMES, VERBS, SUBJECTS, ENDS):
        word, _, rest = verb.partition(":")
        sentences.append(f"{time} {word} {subject} {rest}{end}.")
    return sentences


def of_data(folder: Path) -> list[str]:
    """The German sides of the development sets."""
    found: list[str] = []
    for name in FILES:
        path = folder / "dev" / f"{name}.tsv"
        if path.exists():
            header, rows = read_rows(path)
            found += [row[header.index("de")].strip() for row in rows]
    return found


class Supply:
    """Hands out sentences, each once, in an order of its own.

    Args:
        data: a data folder; without one, or if it holds no sets, sentences are made up.
    """

    def __init__(self, data: Path | None, seed: int = 1) -> None:
        found = of_data(data) if data else []
        self.source = "development sets" if found else "made up"
        sentences = [
            sentence
            for sentence in dict.fromkeys(found or made_up())
            if SHORTEST <= len(sentence.split()) <= LONGEST
        ]
        random.Random(seed).shuffle(sentences)
        low, high = TWENTY
        chosen = [s for s in sentences if low <= len(s.split()) <= high]
        self._twenty = iter(chosen[: len(chosen) // 2])
        kept = set(chosen[: len(chosen) // 2])
        self._rest: Iterator[str] = (s for s in sentences if s not in kept)

    def sentences(self, count: int) -> list[str]:
        """So many sentences of all lengths, fewer at the end of the supply."""
        return list(itertools.islice(self._rest, count))

    def twenty_words(self, count: int) -> list[str]:
        """So many sentences of 18 to 22 words."""
        return list(itertools.islice(self._twenty, count))

    def page(self, count: int) -> str:
        """A text of about so many words, in paragraphs."""
        chosen: list[str] = []
        while words(chosen) < count:
            more = self.sentences(1)
            if not more:
                break
            chosen += more
        parts = [chosen[i : i + PARAGRAPH] for i in range(0, len(chosen), PARAGRAPH)]
        return "\n\n".join(" ".join(part) for part in parts)


def words(texts: Sequence[str]) -> int:
    """White space parts words."""
    return sum(len(text.split()) for text in texts)
