from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from dragoman.errors import CorpusError
from dragoman.models.measures import evaluate as measure
from dragoman.models.measures.evaluate import evaluate, kept_tokens, loops, tokens


def upper(texts: Sequence[str]) -> Iterator[str]:
    """Translates into capitals; leaves "same" alone."""
    for text in texts:
        yield text if text == "same" else text.upper()


def test_scores_by_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([10.0, 10.25])
    monkeypatch.setattr(measure, "time", SimpleNamespace(perf_counter=clock.__next__))
    path = tmp_path / "dev.tsv"
    rows = ["en\tde", "ONE TWO THREE FOUR FIVE\tone two three four five", "SAME\tsame", "x\ty"]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    scores, hypotheses = evaluate(upper, path, "de", "en", limit=2)
    assert hypotheses == ["ONE TWO THREE FOUR FIVE", "same"]
    assert scores.sentences == 2
    assert scores.copied == 0.5
    assert scores.length_ratio == 1.0
    assert scores.token_ratio == 1.0
    assert scores.data == "dev.tsv"
    # 5 of 6 words, 4 of 4 pairs, 3 of 3, 2 of 2: the fourth root of 5/6
    assert scores.bleu == pytest.approx(100 * (5 / 6) ** 0.25, abs=0.01)
    assert scores.bleu_signature.startswith("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp")
    assert scores.aer is None
    assert scores.seconds == 0.25
    assert scores.words_per_second == 24  # six words


def test_lengths_in_characters_and_in_tokens(tmp_path: Path) -> None:
    """Of half the words, which are the long ones; a full stop is a token."""
    path = tmp_path / "dev.tsv"
    path.write_text("en\tde\na b abcdef abcdef.\tx\n", encoding="utf-8")
    scores, _ = evaluate(lambda texts: ["abcdef abcdef." for _ in texts], path, "de", "en")
    assert scores.length_ratio == 0.7778  # 14 of 18
    assert scores.token_ratio == 0.6  # 3 of 5


@pytest.mark.parametrize(
    ("source", "translation", "expected"),
    [
        ("das", "the the the", True),
        ("das", "the the", False),
        ("das", "THAN Than than", True),
        ("das ist", "that is, that is, that is, that", True),
        ("sehr sehr sehr gut", "very very very good", False),
        ("das", "they then the thesis", False),
        ("", "", False),
    ],
)
def test_loops(source: str, translation: str, expected: bool) -> None:
    assert loops(source, translation) is expected


def test_names_and_figures() -> None:
    text = "In 2019 Merkel met U2 at St. John's (3,5 m, iPhone)."
    assert sorted(tokens(text)) == ["2019", "3,5", "John's", "Merkel", "iPhone"]


@pytest.mark.parametrize(
    ("source", "reference", "translation", "expected"),
    [
        ("Merkel kam 2019.", "Merkel came in 2019.", "Merkel came in 2019.", (2, 2)),
        ("Merkel kam 2019.", "Merkel came in 2019.", "Markel came in 2019.", (1, 2)),
        ("Anna, Anna!", "Anna, Anna!", "Anna!", (1, 2)),
        ("Das Haus.", "The house.", "The Haus.", (0, 0)),  # no name: the reference has it not
    ],
)
def test_names_that_come_through(
    source: str, reference: str, translation: str, expected: tuple[int, int]
) -> None:
    assert kept_tokens(source, reference, translation) == expected


def test_a_file_without_the_languages(tmp_path: Path) -> None:
    (tmp_path / "dev.tsv").write_text("en\tfr\na\tb\n")
    with pytest.raises(CorpusError, match="no column 'de'"):
        evaluate(upper, tmp_path / "dev.tsv", "de", "en")
