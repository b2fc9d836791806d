"""Makes `py/dragoman/detection/ngrams.bin`.

Figures of sixty languages are those of ELD's Python package (Apache-2.0, `eld` 1.0.6 of the package
index): how often each n-gram is met in 15,000, whole numbers. Others are counted from plain text.

    python -m dragoman.models.detection.build --eld FOLDER_OF_THE_PACKAGE --texts FOLDER --out FILE

FOLDER has a file a language, `id.txt` say; with `zh-Hans.txt` and `zh-Hant.txt` the characters of
the two are told apart.
"""

from __future__ import annotations

import argparse
import json
import math
import runpy
import unicodedata
import zlib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from dragoman.detection.ngrams import WIDEST, number, word_ngrams, word_pattern
from dragoman.models.detection.relatives import relatives

# ELD's figures are how often an n-gram is met in so many.
OF = 15_000
# Weights: the logarithm of such a figure over ABSENT, 0 being read as RARE.
UNIT, RARE, ABSENT = 16, 0.3, 0.05
# Of a language that is counted here, n-grams that are kept at most.
MOST = 14_000
# Letters beyond the basic plane are of no language here.
PLANE = 0x10000
# Measured (ADR 22): see `NgramTable`.
TEMPERATURE, UNKNOWN = 1.8, 36
# How one-sided a Chinese character must be, and how often it must be met.
ONE_SIDED, OFTEN = 50, 8

# ELD's Kurdish is that of the Arabic script.
RENAMED = {"ku": "ckb"}

Figures = dict[int, dict[str, float]]


def letters() -> str:
    """Letters of the basic plane as the inside of a character class."""
    kinds = "".join("L" if unicodedata.category(chr(c))[0] == "L" else " " for c in range(PLANE))
    parts, start = [], 0
    while (start := kinds.find("L", start)) >= 0:
        end = kinds.find(" ", start)
        end = PLANE if end < 0 else end
        parts.append(f"\\u{start:04x}-\\u{end - 1:04x}")
        start = end
    return "".join(parts)


def eld_figures(package: Path) -> Figures:
    """By n-gram and language."""
    data = runpy.run_path(str(package / "resources" / "ngrams" / "ngramsL60.py"))["ngrams_data"]
    names = {index: RENAMED.get(name, name) for index, name in data["languages"].items()}
    return {
        number(ngram): {names[index]: max(count, RARE) for index, count in known.items()}
        for ngram, known in data["ngrams"].items()
    }


def counted(text: str, between: str) -> dict[int, float]:
    """Figures of a language as ELD's are."""
    words = word_pattern(between).sub(" ", text).lower().split()
    counts = Counter(ngram for word in words for ngram in word_ngrams(word))
    total = counts.total()
    return {ngram: max(count * OF / total, RARE) for ngram, count in counts.most_common(MOST)}


def one_sided(these: str, others: str) -> str:
    """Chinese characters that the first text has and the second has not."""
    mine, theirs = Counter(these), Counter(others)
    return "".join(sorted(
        char for char, count in mine.items()
        if "\u4e00" <= char <= "\u9fff" and count >= OFTEN and count > ONE_SIDED * theirs[char]
    ))  # fmt: skip


def weight(figure: float) -> int:
    """0 to 255."""
    return min(255, round(UNIT * math.log(figure / ABSENT)))


def packed(figures: Figures, languages: list[str], head: Mapping[str, object]) -> bytes:
    """The file's content."""
    index = {language: at for at, language in enumerate(languages)}
    ngrams = sorted(figures)
    rows = [
        sorted((index[language], weight(figure)) for language, figure in figures[ngram].items())
        for ngram in ngrams
    ]
    wide = b"".join(ngram.to_bytes(WIDEST, "big") for ngram in ngrams)
    said = {"languages": languages, **head, "ngrams": len(ngrams)}
    return zlib.compress(
        json.dumps(said, separators=(",", ":")).encode() + b"\n"
        + b"".join(wide[plane::WIDEST] for plane in range(WIDEST))
        + bytes(len(row) for row in rows)
        + bytes(at for row in rows for at, _ in row)
        + bytes(value for row in rows for _, value in row),
        9,
    )  # fmt: skip


def build(eld: Path, texts: Path) -> bytes:
    """The file's content, of ELD's package and a folder of texts."""
    figures, between = eld_figures(eld), letters()
    chinese = {}
    for path in sorted(texts.glob("*.txt")):
        text = path.read_text("utf-8")
        if path.stem.startswith("zh-"):
            chinese[path.stem] = text
            continue
        for ngram, figure in counted(text, between).items():
            figures.setdefault(ngram, {})[path.stem] = figure
    languages = sorted({language for known in figures.values() for language in known})
    hans, hant = chinese.get("zh-Hans", ""), chinese.get("zh-Hant", "")
    head = {
        "letters": between,
        "simplified": one_sided(hans, hant), "traditional": one_sided(hant, hans),
        "unit": UNIT, "temperature": TEMPERATURE, "unknown": UNKNOWN, "relatives": relatives(),
    }  # fmt: skip
    return packed(figures, languages, head)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--eld", type=Path, required=True)
    parser.add_argument("--texts", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.write_bytes(build(options.eld, options.texts))


if __name__ == "__main__":
    main()
