from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dragoman.errors import CorpusError
from dragoman.models.measures.robustness import Case, broken_rules, measure, read_cases, summary
from dragoman.native.bundles import load_parts
from dragoman.native.translator import Translator
from tests.support.paths import ROOT, TESTS

CASES = TESTS / "robustness" / "cases.jsonl"
ROW = {"id": "1", "pair": "p", "kind": "k", "text": "t"}
QUANTITIES = TESTS / "robustness" / "quantities.jsonl"
FORMULAS = TESTS / "robustness" / "formulas.jsonl"


@pytest.mark.parametrize(
    ("text", "translation", "rules", "expected"),
    [
        ("Hallo", "Hello", {}, ()),
        ("Hallo", " ", {}, ("empty",)),
        ("Hallo", "Hello Hello", {}, ("doubled",)),
        ("Hallo", "Hello, hello", {}, ("doubled",)),
        ("Bis bald", "See you soon, see you soon", {}, ("doubled",)),
        ("sehr, sehr gut", "very, very good", {}, ()),
        ("Kontakt", "Contact)", {}, ("stray marks",)),
        ("„Kontakt“", '"Contact"', {}, ()),
        ("Kontakt", '"Contact"', {}, ("stray marks",)),
        ("Danke", "Thank you very much indeed my friend", {}, ("too long",)),
        ("Das ist ein ganzer Satz mit vielen Wörtern.", "This.", {}, ("too short",)),
        ("an a@b.de", "to a@b.de", {"keep": ("a@b.de",)}, ()),
        ("an a@b.de", "to a@b.com", {"keep": ("a@b.de",)}, ("keep",)),
        ("%s", "%s %s", {"keep": ("%s",), "exact": "%s"}, ("exact", "keep", "doubled")),
        ("1.250 am 3.10.", "1,250 on 10/3", {"digits": True}, ()),
        ("42 Jahre", "89 years", {"digits": True}, ("digits",)),
        ("5 € mehr", "€5 more", {"says": (("€5", "5 €"),)}, ()),
        ("5 % mehr", "5\xa0% more", {"says": (("5 %",), ("more",))}, ()),
        ("5 % mehr", "5 % more", {"says": (("5\xa0%",),)}, ()),
        ("5 € mehr", "5 more", {"says": (("€5", "5 €"),)}, ("says",)),
    ],
)
def test_rules_by_hand(
    text: str, translation: str, rules: dict[str, Any], expected: tuple[str, ...]
) -> None:
    case = Case("x", "de-en", "kind", text, **rules)
    assert broken_rules(case, translation) == expected


def test_the_source_itself_breaks_no_rule() -> None:
    for case in read_cases(CASES):
        assert broken_rules(case, case.text) == (), case.id


def test_the_cases_are_many_different_and_of_both_directions() -> None:
    cases = read_cases(CASES)
    assert len(cases) >= 300
    assert len({case.id for case in cases}) == len(cases)
    assert len({(case.pair, case.text) for case in cases}) == len(cases)
    pairs = Counter(case.pair for case in cases)
    assert pairs["de-en"] == pairs["en-de"] == len(cases) / 2
    for case in cases:
        assert all(part in case.text for part in case.keep)
        assert not case.digits or any(char.isdigit() for char in case.text)


class _Upper:
    manifest = SimpleNamespace(source="de", target="en")

    def translate_many(self, texts: list[str], **_: Any) -> Iterator[SimpleNamespace]:
        return (SimpleNamespace(text=text.upper()) for text in texts)


@pytest.mark.parametrize(("pair", "count"), [("de-en", 155), ("en-de", 164)])
def test_money_dates_and_units_come_through_the_shipped_models(pair: str, count: int) -> None:
    source, target = pair.split("-")
    with Translator.load(source, target, [ROOT / "models"], 1) as translator:
        findings = measure(translator, read_cases(QUANTITIES))
    assert len(findings) == count
    assert [(one.case.id, one.translation) for one in findings if one.broken] == []


@pytest.mark.parametrize(("pair", "count"), [("de-en", 36), ("en-de", 31)])
def test_the_shipped_models_know_what_people_type_first(pair: str, count: int) -> None:
    source, target = pair.split("-")
    with Translator.load(source, target, [ROOT / "models"], 1) as translator:
        findings = measure(translator, read_cases(FORMULAS))
    assert len(findings) == count
    assert [(one.case.id, one.translation) for one in findings if one.broken] == []


def test_shares_by_kind() -> None:
    cases = [
        Case("1", "de-en", "word", "Hallo"),
        Case("2", "de-en", "keep", "an a@b.de", keep=("a@b.de",)),
        Case("3", "de-en", "keep", "an A@B.DE", keep=("A@B.DE",)),
        Case("4", "en-de", "word", "Hello"),
    ]
    findings = measure(cast(Translator, _Upper()), cases)
    assert [finding.case.id for finding in findings] == ["1", "2", "3"]
    assert summary(findings) == {
        "cases": 3, "right": 0.6667, "kinds": {"word": 1.0, "keep": 0.5}, "broken": {"keep": 1}
    }  # fmt: skip
    with pytest.raises(CorpusError, match="no case is of the model's pair"):
        summary([])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no case"),
        ("no json", "line 1"),
        ("[1]", "line 1"),
        ('{"id": "1"}', "line 1"),
        (json.dumps(ROW | {"kep": []}), "'kep'"),
        (json.dumps(ROW | {"keep": "a@b.de"}), "line 1: 'a@b.de' is no list of texts"),
        (json.dumps(ROW | {"says": ["5 €"]}), "line 1: '5 €' is no list of texts"),
        (json.dumps(ROW | {"says": [[5]]}), r"line 1: \[5\] is no list of texts"),
    ],
)
def test_files_that_hold_no_cases(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "cases.jsonl").write_text(text)
    with pytest.raises(CorpusError, match=message):
        read_cases(tmp_path / "cases.jsonl")


def test_a_text_may_have_any_character(tmp_path: Path) -> None:
    row = ROW | {"text": "a\u2028b\x85c"}
    line = json.dumps(row, ensure_ascii=False)
    (tmp_path / "cases.jsonl").write_text(f"{line}\r\n{line}\n", encoding="utf-8", newline="")
    (one, other) = read_cases(tmp_path / "cases.jsonl")
    assert one == other == Case("1", "p", "k", "a\u2028b\x85c")


def test_the_shipped_models_do_little_harm() -> None:
    cases = read_cases(CASES)
    bundles = sorted(path.parent for path in (CASES.parents[2] / "models").glob("*/manifest.json"))
    assert bundles
    for bundle in bundles:
        with Translator(load_parts(bundle, 1)) as translator:
            findings = measure(translator, cases)
        if findings:
            assert summary(findings)["right"] >= 0.9, bundle.name
