"""`make fuzz`, short: every target, what went wrong once included."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.errors import BundleError
from tests.fuzz.run import Report, fuzz, kept
from tests.fuzz.targets import TARGETS, Case, Target

CASES = {"documents": 60, "elements": 60, "html": 250, "archives": 150}


@pytest.mark.parametrize("name", TARGETS)
def test_every_input_ends_well_or_in_a_typed_error(name: str) -> None:
    report = fuzz(name, CASES.get(name, 500), seed=1)
    assert report.found == []
    assert report.cases == CASES.get(name, 500) + len(kept(name))
    assert report.refused > 0
    assert report.read > 0


def read_or_not(case: Case) -> object:
    match case.content[:1]:
        case b"t":
            raise BundleError("typed")
        case b"u":
            raise LookupError("untyped")
        case b"l":
            return bytearray(300_000_000)
        case b"s":
            while True:
                pass
        case _:
            return None


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"good", ""),
        (b"typed", ""),
        (b"untyped", "LookupError: untyped"),
        (b"large", " MB"),
        (b"slow", "TooLongError: more than 1 s"),
    ],
)
def test_what_does_not_end_well_is_found_and_kept(
    content: bytes, found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.fuzz.run.SECONDS", 1)
    monkeypatch.setitem(TARGETS, "toy", Target(read_or_not, list))
    corpus = tmp_path / "toy"
    corpus.mkdir()
    (corpus / "a%2Fb@0").write_bytes(content)
    bytearray(400_000_000)  # what was there before does not hide what an input takes
    report = fuzz("toy", 0, 1, tmp_path)
    assert isinstance(report, Report)
    if not found:
        assert report.found == []
        return
    assert found in report.found[0]
    assert kept("toy", tmp_path) == [Case("a/b", content)] * 2
