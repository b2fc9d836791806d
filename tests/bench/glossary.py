"""Terms of a glossary: `python -m tests.bench.glossary --data ../shared/data`.

Makes sentences with terms out of the development sets: a word of the source whose counterpart in
the reference is known (eflomal, the same two words at least twice) is a term with that counterpart
as its translation, be it what the model says by itself or not. Counts how many of them are in the
translation and how often one is doubled, and BLEU: of the whole, and of the rest, which is all but
the words that stand for the terms, with and without the glossary. Then names that are not to be
translated. Each way of forcing terms is measured. Writes JSON.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from unittest.mock import patch

from sacrebleu.metrics.bleu import BLEU

import dragoman
from dragoman.models.data.aligner import align
from dragoman.pipeline.terms import DraftTerms, SentenceTerms
from dragoman.text.align import words
from dragoman.text.terms.glossary import TermFinder
from dragoman.types import Glossary, Span, Term, TranslationResponse

# Of the first the sentences are taken; the others are there for the aligner.
TAKEN = ("flores-dev.tsv", "wmt16.en-de.tsv", "webdocs-dev.en-de.tsv", "tatoeba-dev.en-de.tsv")
OTHERS = ("wmt15.en-de.tsv", "wmt17.en-de.tsv", "chat-dev.en-de.tsv")
MOST_WORDS, SHORTEST_TERM, MOST_TERMS, NAMES = 40, 4, 3, 100
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_NAME = re.compile(r"[A-ZÄÖÜ][a-zäöüß]{3,}")

Pair = tuple[str, str]


@dataclass(frozen=True)
class Case:
    """A sentence with its reference, and its terms as they stand in both."""

    source: str
    reference: str
    terms: tuple[Term, ...]


# --- cases ---------------------------------------------------------------------------------------


def read_pairs(folder: Path, names: Iterable[str], languages: Pair) -> list[Pair]:
    pairs: list[Pair] = []
    for name in names:
        with (folder / "dev" / name).open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            pairs += [(row[languages[0]], row[languages[1]]) for row in rows]
    return pairs


@cache
def texts_of(text: str) -> list[str]:
    return [word.of(text) for word in words(text)]


def make_cases(folder: Path, languages: Pair, count: int, seed: int) -> tuple[list[Case], ...]:
    """Sentences with terms, and sentences with a name that both sides have."""
    taken = read_pairs(folder, TAKEN, languages)
    pairs = taken + read_pairs(folder, OTHERS, languages)
    ids: dict[str, int] = defaultdict(lambda: len(ids))
    sides = [
        [[ids[f"{side}{word.lower()}"] for word in texts_of(pair[side])] for pair in pairs]
        for side in (0, 1)
    ]
    links = align(*sides)
    found = [list(counterparts(*both)) for both in zip(pairs, links, strict=True)]
    known = Counter((s.lower(), t.lower()) for terms in found for s, t in terms)
    rng = random.Random(seed)
    cases: list[Case] = []
    named: list[Case] = []
    for (source, target), terms in zip(taken, found, strict=False):
        sure = [Term(s, t) for s, t in terms if known[s.lower(), t.lower()] > 1]
        rng.shuffle(sure)
        if len(texts_of(source)) > MOST_WORDS:
            continue
        if sure:
            cases.append(Case(source, target, tuple(sure[: rng.randint(1, MOST_TERMS)])))
        names = tuple(Term(s, s) for s, t in terms if s == t and _NAME.fullmatch(s))
        if names:
            named.append(Case(source, target, names[:1]))
    rng.shuffle(cases)
    rng.shuffle(named)
    return cases[:count], named[:NAMES]


def counterparts(pair: Pair, links: Sequence[tuple[int, int]]) -> Iterator[Pair]:
    """Words that are linked to each other and to nothing else, and come once on either side."""
    sources, targets = Counter(s for s, _ in links), Counter(t for _, t in links)
    source_texts, target_texts = texts_of(pair[0]), texts_of(pair[1])
    for s, t in links:
        source, target = source_texts[s], target_texts[t]
        once = source_texts.count(source) == target_texts.count(target) == 1
        inside = s > 0 and t > 0 and sources[s] == targets[t] == 1
        if once and inside and _is_term(source) and _is_term(target):
            yield source, target


def _is_term(word: str) -> bool:
    return len(word) >= SHORTEST_TERM and _WORD.fullmatch(word) is not None


# --- ways of forcing -----------------------------------------------------------------------------

_TERMS_IN = DraftTerms._terms_in


def _forced_at_once(self: DraftTerms, span: Span) -> SentenceTerms | None:
    terms = _TERMS_IN(self, span)
    return terms and replace(terms, forced=terms.free)


def way(name: str) -> ExitStack:
    """How terms get into the translation while it is open: as they do, or in a simpler way."""
    stack = ExitStack()
    if name != "links, then stand-ins":
        stack.enter_context(
            patch.object(SentenceTerms, "exchange", lambda self, _, text: (self, text))
        )
    if name == "stand-ins":
        stack.enter_context(patch.object(DraftTerms, "_terms_in", _forced_at_once))
    return stack


WAYS = ("stand-ins", "said, then stand-ins", "links, then stand-ins")


# --- measuring -----------------------------------------------------------------------------------


def without(text: str, spans: Iterable[Span]) -> str:
    for span in sorted(spans, reverse=True):
        text = text[: span.start] + text[span.end :]
    return " ".join(text.split())


def said(text: str, case: Case, language: str) -> Counter[str]:
    """How often each target is in a text, in whatever form."""
    finder = TermFinder([Term(t.target, t.target) for t in case.terms], language, "target")
    return Counter(found.term.target for found in finder.find(text))


def places(text: str, case: Case, language: str) -> list[Span]:
    return [found.span for found in TermFinder(case.terms, language, "target").find(text)]


def linked(response: TranslationResponse, case: Case, language: str) -> list[Span]:
    """What a translation has for the terms, be it what it should be or not."""
    text, alignment = response.request.text, response.alignment
    spans = [found.span for found in TermFinder(case.terms, language).find(text)]
    return sorted(
        {
            alignment.target_words[target]
            for source, target in alignment.links
            if any(map(alignment.source_words[source].overlaps, spans))
        }
    )


def score(texts: Sequence[str], references: Sequence[str]) -> float:
    scored = BLEU(force=True).corpus_score(list(texts), [list(references)])
    return round(float(scored.score), 2)


def measured(
    cases: Sequence[Case], translator: dragoman.Translator, languages: Pair
) -> dict[str, object]:
    """Counts, and BLEU [without a glossary, with it]."""
    before = [translator.translate(case.source) for case in cases]
    after = [
        translator.translate(case.source, glossary=Glossary(case.terms), cache=False)
        for case in cases
    ]
    counts: Counter[str] = Counter()
    for case, old, new in zip(cases, before, after, strict=True):
        wanted = Counter(term.target for term in case.terms)
        had, has = said(old.text, case, languages[1]), said(new.text, case, languages[1])
        counts["terms"] += wanted.total()
        counts["said without a glossary"] += (wanted & had).total()
        counts["right"] += (wanted & has).total()
        counts["doubled"] += (has - wanted - had).total()
        counts.update(str(use.outcome) for use in new.terms)
    references = [case.reference for case in cases]
    rests = [without(case.reference, places(case.reference, case, languages[1])) for case in cases]
    old_rests = [
        without(r.text, linked(r, c, languages[0])) for r, c in zip(before, cases, strict=True)
    ]
    new_rests = [without(r.text, [u.target for u in r.terms if u.target]) for r in after]
    return {
        **counts,
        "right, %": round(100 * counts["right"] / max(1, counts["terms"]), 2),
        "BLEU": [score([r.text for r in side], references) for side in (before, after)],
        "BLEU of the rest": [score(old_rests, rests), score(new_rests, rests)],
    }


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sentences", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pair", action="append", choices=["de-en", "en-de"])
    options = parser.parse_args(arguments)
    result: dict[str, dict[str, object]] = {}
    for pair in options.pair or ("de-en", "en-de"):
        languages = pair[:2], pair[3:]
        cases, named = make_cases(options.data, languages, options.sentences, options.seed)
        with dragoman.load(*languages) as translator:
            result[pair] = {}
            for name in WAYS:
                with way(name):
                    result[pair][name] = measured(cases, translator, languages)
                sys.stderr.write(f"{pair} {name}: {result[pair][name]}\n")
            result[pair]["names"] = measured(named, translator, languages)
    json.dump(result, sys.stdout, indent=2, ensure_ascii=False)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
