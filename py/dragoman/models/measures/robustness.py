"""`dragoman model robustness`: does a model do no harm to what is short, odd, or to be kept?

A case is a line of JSON, and is right if none of its rules is broken. Rules of every case:
something comes back, no word or phrase is doubled, no bracket or quotation mark is there that the
source has not, and the length fits. Rules that a case may add:

- ``exact``: the whole translation;
- ``keep``: texts that are in the translation as often as in the source;
- ``digits``: true if the digits of both texts must be the same, whatever stands between them;
- ``says``: lists of texts of which one is in the translation each; a no-break space is a space.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dragoman.errors import CorpusError
from dragoman.native.translator import Translator
from dragoman.types import AlignmentKind

FIELDS = {"id", "pair", "kind", "text", "exact", "keep", "digits", "says"}
# A word or a phrase of up to four, and the same again: "Hallo Hallo", "I am, I am".
_DOUBLED = re.compile(r"\b(\w+(?:\W+\w+){0,3}?)(?:\W+\1\b)+", re.IGNORECASE)
# Opening and closing alike: „a“ may become "a", but may not become a bracket more.
_MARKS = {mark: kind for kind in ("()", "[]", "{}", "<>", '"„“”«»‹›') for mark in kind}
# Characters of the translation: between a third less five and three times plus fifteen.
SHORTEST, LONGEST = (1 / 3, -5), (3, 15)


@dataclass(frozen=True)
class Case:
    """What is translated, and what must hold for what comes back."""

    id: str
    pair: str
    kind: str
    text: str
    exact: str | None = None
    keep: tuple[str, ...] = ()
    digits: bool = False
    says: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class Finding:
    """What a model made of a case, and the rules that it broke."""

    case: Case
    translation: str
    broken: tuple[str, ...]


def read_cases(path: Path) -> list[Case]:
    """Cases of a file of JSON lines.

    Raises:
        CorpusError: the file cannot be read, or a line is no case.
    """
    cases: list[Case] = []
    try:
        text = path.read_text(encoding="utf-8").removesuffix("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(f"{path}: {error}") from error
    # Not `splitlines`: a text may have what it takes for the end of a line.
    for number, line in enumerate(text.split("\n") if text else (), start=1):
        try:
            row = json.loads(line)
            unknown = sorted(row.keys() - FIELDS)
            if unknown:
                raise ValueError(f"unknown field {unknown[0]!r}")
            keep, says = _texts(row.get("keep", [])), tuple(map(_texts, row.get("says", [])))
            cases.append(Case(**{**row, "keep": keep, "says": says}))
        except (ValueError, TypeError, AttributeError) as error:
            raise CorpusError(f"{path}: line {number}: {error}") from error
    if not cases:
        raise CorpusError(f"{path}: no case")
    return cases


def _texts(value: object) -> tuple[str, ...]:
    """Raises: ValueError: it is something else, such as one text, whose letters would be taken."""
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise ValueError(f"{value!r} is no list of texts")
    return tuple(value)


def broken_rules(case: Case, translation: str) -> tuple[str, ...]:
    """Names of the rules that a translation breaks."""
    source = case.text
    checks = {
        "empty": not translation.strip(),
        "exact": case.exact is not None and translation != case.exact,
        "keep": any(translation.count(part) != source.count(part) for part in case.keep),
        "digits": case.digits and _digits(translation) != _digits(source),
        "says": not all(
            any(_spaced(text) in _spaced(translation) for text in one) for one in case.says
        ),
        "doubled": bool(_DOUBLED.search(translation)) and not _DOUBLED.search(source),
        "stray marks": bool(_marks(translation) - _marks(source)),
        "too short": len(translation) < SHORTEST[0] * len(source) + SHORTEST[1],
        "too long": len(translation) > LONGEST[0] * len(source) + LONGEST[1],
    }
    return tuple(name for name, broken in checks.items() if broken)


def _spaced(text: str) -> str:
    return text.replace("\xa0", " ").replace("\u202f", " ")


def _digits(text: str) -> list[str]:
    return sorted(char for char in text if char.isdigit())


def _marks(text: str) -> Counter[str]:
    return Counter(_MARKS[char] for char in text if char in _MARKS)


def measure(translator: Translator, cases: Sequence[Case]) -> list[Finding]:
    """Findings of the cases of the translator's pair, in their order."""
    manifest = translator.manifest
    own = [case for case in cases if case.pair == f"{manifest.source}-{manifest.target}"]
    responses = translator.translate_many([case.text for case in own], alignment=AlignmentKind.NONE)
    return [
        Finding(case, response.text, broken_rules(case, response.text))
        for case, response in zip(own, responses, strict=True)
    ]


def summary(findings: Sequence[Finding]) -> dict[str, Any]:
    """Share right, of all and by kind, and how often each rule was broken.

    Raises:
        CorpusError: there is no finding.
    """
    if not findings:
        raise CorpusError("no case is of the model's pair")
    kinds = dict.fromkeys(finding.case.kind for finding in findings)
    rules: Counter[str] = Counter(rule for finding in findings for rule in finding.broken)
    return {
        "cases": len(findings),
        "right": _share(findings),
        "kinds": {kind: _share([f for f in findings if f.case.kind == kind]) for kind in kinds},
        "broken": dict(rules.most_common()),
    }


def _share(findings: Sequence[Finding]) -> float:
    return round(sum(not finding.broken for finding in findings) / len(findings), 4)
