"""What comes through unharmed: `python tests/bench/fidelity.py --data ../shared/data`.

Translates the sentences of development sets both ways and counts, source against translation:
figures (with either language's marks; a small number may be a word, a time of twelve hours),
signs of money and others, names of months and weekdays, U+FFFD and loops that the source has not.
`--pages FOLDER` counts pages instead (de_NAME.html, en_NAME.html), block by block, read by lxml.
Writes JSON; with `--misses FILE` each sentence that something is missing in, as a line of JSON.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

from lxml.html import HtmlElement, HTMLParser, document_fromstring

import dragoman
from dragoman.text.calendar import WEEKDAYS, WHOLE_MONTHS, says_number
from dragoman.types import AlignmentKind

SETS = (
    "flores-dev.tsv",
    "wmt15.en-de.tsv",
    "wmt16.en-de.tsv",
    "wmt17.en-de.tsv",
    "webdocs-dev.en-de.tsv",
    "chat-dev.en-de.tsv",
    "tatoeba-dev.en-de.tsv",
)
_FIGURES = re.compile(
    r"(?<!\w)(?:\d{1,3}(?:[ \xa0\u202f]\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,:’']\d+)*)"
)
_HALF = {
    language: re.compile(rf"(\d{{1,2}})(?:[:.](\d\d))?\s?{other}([ap])\.?m\b", re.IGNORECASE)
    for language, other in (("en", ""), ("de", r"(?!am\b)"))  # "3:51,942 am Ziel" is no time
}
_NO_TEXT = frozenset({
    "script", "style", "noscript", "template", "svg", "math", "textarea", "code", "pre",
})  # fmt: skip
_INLINE = frozenset({
    "a", "abbr", "b", "bdi", "bdo", "big", "br", "cite", "data", "del", "dfn", "em", "font", "i",
    "img", "ins", "kbd", "label", "mark", "nobr", "q", "s", "samp", "small", "span", "strike",
    "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
})  # fmt: skip
# "Mondays", "Sonntagen", "Montagnachmittag"; not "Montagen", which are other things too.
_DAY_ENDING = re.compile(r"(?:s|(?<!Montag)en|(?:(?:vor|nach)?mittag|abend|morgen|nacht)s?)$")
# A word said three times, three words or more said twice, letters said four times.
_LOOP = re.compile(
    r"\b(\w+)(?:\W+\1\b){2,}|\b(\w+(?:\W+\w+){2,7})\W+\2\b|(\w{2,6}?)\3{3,}", re.IGNORECASE
)


def figures(text: str, language: str) -> Counter[str]:
    """Figures without what separates their digits; times as the clock of 24 hours says them."""
    text = _HALF[language].sub(
        lambda m: f"{int(m[1]) % 12 + 12 * (m[3] in 'pP')}:{m[2] or '00'}", text
    )
    return Counter(_plain(match.group()) for match in _FIGURES.finditer(text))


def _plain(figure: str) -> str:
    digits = re.sub(r"\D", "", figure)
    return digits.lstrip("0") or "0"


def signs(text: str) -> Counter[str]:
    """Signs that are no matter of a language's typography."""
    return Counter(
        char for char in text if unicodedata.category(char) in ("Sc", "So") or char in "→·×≈%‰§"
    )


def names(text: str, language: str, *, certain: bool = True) -> Counter[tuple[str, int]]:
    """Months and weekdays.

    Args:
        certain: without those that are other words too.
    """
    found: Counter[tuple[str, int]] = Counter()
    for word in re.findall(r"[^\W\d_]+", text):
        if word in WHOLE_MONTHS[language] and not (certain and word in ("May", "March")):
            found["month", WHOLE_MONTHS[language][word]] += 1
        elif (day := _DAY_ENDING.sub("", word)) in WEEKDAYS[language]:
            found["weekday", WEEKDAYS[language][day]] += 1
    return found


def counts(source: str, target: str, languages: tuple[str, str]) -> Counter[str]:
    """What a sentence has, and what of that its translation has."""
    wanted = {
        "figures": figures(source, languages[0]).total(),
        "signs": signs(source).total(),
        "names": names(source, languages[0]).total(),
    }
    lost = misses(source, target, languages)
    right = {f"{kind} right": count - len(lost[kind]) for kind, count in wanted.items()}
    found = {kind: len(lost[kind]) for kind in ("invented U+FFFD", "loops")}
    return Counter({"sentences": 1} | wanted | right | found)


def misses(source: str, target: str, languages: tuple[str, str]) -> dict[str, list[str]]:
    """What of a sentence its translation lacks, and what it should not have."""
    had = figures(target, languages[1])
    lost = figures(source, languages[0]) - had
    lost_names = names(source, languages[0]) - names(target, languages[1], certain=False)
    loop = _LOOP.search(target)
    return {
        "figures": [
            figure for figure in lost.elements() if not _is_said(figure, had, target, languages[1])
        ],
        "signs": list((signs(source) - signs(target)).elements()),
        "names": [f"{kind} {number}" for kind, number in lost_names.elements()],
        "invented U+FFFD": ["\ufffd"] * (target.count("\ufffd") - source.count("\ufffd")),
        "loops": [loop.group()] if loop and not _LOOP.search(source) else [],
    }


def _is_said(figure: str, had: Counter[str], target: str, language: str) -> bool:
    """A small number as a word; a full hour with its minutes, or without them."""
    if figure + "00" in had or figure.removesuffix("00") in had:
        return True
    small = int(figure) <= 12 or figure.rstrip("0") in "123456789"
    return small and says_number(target, int(figure), language)


def pairs(path: Path, source: str, target: str) -> Iterator[str]:
    with path.open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row.get(source) and row.get(target):
                yield row[source]


def measured(
    translations: Iterable[tuple[str, str]],
    languages: tuple[str, str],
    missed: Callable[[object], None],
) -> dict[str, float]:
    """The shares of what comes through.

    Args:
        translations: source and translation of each text.
        missed: takes each text that something is missing in.
    """
    total: Counter[str] = Counter()
    for text, translation in translations:
        total += counts(text, translation, languages)
        lost = {kind: what for kind, what in misses(text, translation, languages).items() if what}
        if lost:
            missed({"source": text, "translation": translation, **lost})
    return shares(total)


def of_sentences(
    sentences: Iterable[str], translator: dragoman.Translator
) -> Iterator[tuple[str, str]]:
    texts = list(sentences)
    responses = translator.translate_many(texts, alignment=AlignmentKind.NONE)
    for text, response in zip(texts, responses, strict=True):
        yield text, response.text


def of_pages(paths: Iterable[Path], translator: dragoman.Translator) -> Iterator[tuple[str, str]]:
    for path in paths:
        page = path.read_bytes().decode("utf-8", "replace")
        translated = translator.translate(page, text_format="html").text
        yield from zip(blocks(page), blocks(translated), strict=True)


def blocks(page: str) -> list[str]:
    """Texts of a page's blocks, in order, each without the blocks inside of it."""
    texts: list[list[str]] = []

    def read(element: HtmlElement, block: list[str]) -> None:
        if element.tag in _NO_TEXT or not isinstance(element.tag, str):
            return
        if element.tag not in _INLINE:
            block = []
            texts.append(block)
        block.append(element.text or "")
        for child in element:
            read(child, block)
            block.append(child.tail or "")

    read(document_fromstring(page.encode(), parser=HTMLParser(encoding="utf-8")), [])
    return [" ".join("".join(block).split()) for block in texts]


def shares(total: Counter[str]) -> dict[str, float]:
    found: dict[str, float] = {"sentences": total["sentences"]}
    for name in ("figures", "signs", "names"):
        found[name] = total[name]
        found[f"{name} right"] = round(total[f"{name} right"] / max(1, total[name]), 4)
    found["invented U+FFFD"] = total["invented U+FFFD"]
    found["loops"] = round(total["loops"] / max(1, total["sentences"]), 5)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder with dev/")
    parser.add_argument("--set", action="append", help="a file of dev/; all of them by default")
    parser.add_argument("--pages", type=Path, help="count these pages, no sentences")
    parser.add_argument("--misses", type=Path, help="where to write what is missing, and in what")
    options = parser.parse_args()
    told: dict[str, dict[str, float]] = {}
    with ExitStack() as files:
        missed = _writer(options.misses, files)
        for languages in (("de", "en"), ("en", "de")):
            with dragoman.load(*languages) as translator:
                for name, texts in _translations(options, translator):
                    told[f"{'-'.join(languages)} {name}"] = measured(texts, languages, missed)
    json.dump(told, sys.stdout, indent=2)


def _translations(
    options: argparse.Namespace, translator: dragoman.Translator
) -> Iterator[tuple[str, Iterator[tuple[str, str]]]]:
    source, target = translator.source, translator.target
    if options.pages:
        yield "pages", of_pages(sorted(options.pages.glob(f"{source}_*.html")), translator)
        return
    for name in options.set or SETS:
        sentences = pairs(options.data / "dev" / name, source, target)
        yield name, of_sentences(sentences, translator)


def _writer(path: Path | None, files: ExitStack) -> Callable[[object], None]:
    file = files.enter_context((path or Path(os.devnull)).open("w", encoding="utf-8"))
    return lambda missed: print(json.dumps(missed, ensure_ascii=False), file=file)


if __name__ == "__main__":
    main()
