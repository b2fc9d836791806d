"""The glossary of a corpus: what a shard gets of it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from dragoman.corpus.plan import CorpusJob
from dragoman.corpus.terms import CorpusTerms, glossary_digest
from dragoman.errors import InvalidRequestError
from dragoman.native.files import Passage
from dragoman.types import Glossary, Term
from tests.support.processes.corpora import JOB, run, written

TERMS = Glossary((Term("Rechner", "workstation"), Term("neu", "novel"), Term("Zug", "train")))


def with_glossary(glossary: Glossary) -> CorpusJob:
    return replace(JOB, glossary=glossary)


def test_terms_of_the_lines_alone_in_order_of_their_text() -> None:
    terms = CorpusTerms(TERMS, "de")
    passages = [Passage("Hier steht er. Neue Rechner!", "\n", 1), Passage("Rechner.", "\n", 2)]
    assert terms.of(passages) == Glossary((Term("Rechner", "workstation"), Term("neu", "novel")))
    assert terms.of([Passage("Zugabe: das Rechnernetz", "\n", 1)]) is None
    assert CorpusTerms(None, "de").of(passages) is None


def test_of_two_terms_for_a_word_the_later_one() -> None:
    glossary = TERMS | Glossary((Term("Zug", "procession"),))
    found = CorpusTerms(glossary, "de").of([Passage("ein Zug", "\n", 1)])
    assert found == Glossary((Term("Zug", "procession"),))


def test_more_terms_than_a_request_may_have(tmp_path: Path) -> None:
    many = Glossary(tuple(Term(f"wort{number}", "x") for number in range(10_001)))
    (tmp_path / "a.txt").write_text("ein wort77\n")
    _, shards = run([tmp_path / "a.txt"], tmp_path / "out", with_glossary(many))
    assert [shard.glossary for shard in shards] == [Glossary((Term("wort77", "x"),))]
    assert written(tmp_path / "out") == {"a.txt": b"EIN x\n"}


def test_another_glossary_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("der Zug\n")
    out = tmp_path / "out"
    run([tmp_path / "a.txt"], out, with_glossary(TERMS))
    assert written(out) == {"a.txt": b"DER train\n"}
    assert run([tmp_path / "a.txt"], out, with_glossary(TERMS))[0].lines == 0
    told = glossary_digest(TERMS)
    assert told is not None
    assert told.startswith("3 terms (")
    before = re.escape(f"was begun with another glossary: {told}")
    other = Glossary(TERMS.terms[1:])
    with pytest.raises(InvalidRequestError, match=rf"{before}, now 2 terms \("):
        run([tmp_path / "a.txt"], out, with_glossary(other))
    with pytest.raises(InvalidRequestError, match=rf"{before}, now none"):
        run([tmp_path / "a.txt"], out)
