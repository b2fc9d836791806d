from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from dragoman.errors import CorpusError
from dragoman.models.alignment.alignment_error import (
    AlignedPair,
    alignment_error,
    laid_out,
    links_column,
    read_aligned,
    score,
    threshold_table,
    word_weights,
)
from dragoman.text.tokenizer import SentencePieceTokenizer
from dragoman.types import Piece, Span
from tests.support.workshop import toy_student

HEADER = "de\ten\tsure_links_de-en_0based\n"


def _file(folder: Path, text: str) -> Path:
    path = folder / "links.tsv"
    path.write_text(text, encoding="utf-8")
    return path


def test_scores_by_hand() -> None:
    links = [frozenset({(0, 0), (1, 1), (2, 1)}), frozenset({(0, 0)})]
    expected = [frozenset({(0, 0), (1, 2)}), frozenset({(0, 0)})]
    result = score(links, expected)
    assert (result.found, result.expected, result.sentences) == (4, 3, 2)
    assert result.precision == 0.5
    assert result.recall == pytest.approx(2 / 3, abs=1e-4)
    assert result.aer == pytest.approx(1 - 2 * 2 / 7, abs=1e-4)
    nothing = score([frozenset()], expected[:1])
    assert (nothing.aer, nothing.precision, nothing.recall) == (1.0, 1.0, 0.0)
    rightly = score([frozenset()], [frozenset()])
    assert (rightly.aer, rightly.precision, rightly.recall) == (0.0, 1.0, 1.0)


def test_links_are_read_in_both_directions(tmp_path: Path) -> None:
    path = _file(tmp_path, HEADER + "das ist gut .\tthat is good .\t0-0 1-1 2-2\n")
    (pair,) = read_aligned(path, "de", "en")
    assert pair.source == ("das", "ist", "gut", ".")
    assert pair.links == {(0, 0), (1, 1), (2, 2)}
    path = _file(tmp_path, HEADER + "gut das\tthat is good\t0-2 1-0\n")
    (pair,) = read_aligned(path, "en", "de")
    assert pair.source == ("that", "is", "good")
    assert pair.links == {(2, 0), (0, 1)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("de\ten\nja\tyes\n", "no column of links"),
        ("de\tfr\tsure_links_de-fr_0based\nja\toui\t0-0\n", "its links are de-fr"),
        ("xx\ten\tsure_links_de-en_0based\nja\tyes\t0-0\n", "columns de and en"),
        (HEADER + "ja\tyes\n", "line 2 has 2 columns"),
        (HEADER + "ja\tyes\t0-0\nja\tyes\t0-1\n", "line 3: link '0-1' is outside"),
        (HEADER + "ja\tyes\t0\n", "line 2: "),
        (HEADER + "ja\tyes\ta-b\n", "line 2: "),
    ],
)
def test_malformed_links_are_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(CorpusError, match=message):
        read_aligned(_file(tmp_path, text), "de", "en")


def test_the_column_of_links() -> None:
    assert links_column(["de", "en", "sure_links_de-en_0based"]) == "sure_links_de-en_0based"
    assert links_column(["de", "en"]) is None


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("hello , you !", "Hello, you!"),
        ("the house ( old ) 's door", "The house (old)'s door"),
        ("ßx a", "ßx a"),  # upper case would be longer
        ("", ""),
    ],
)
def test_words_are_set_as_a_writer_would(words: str, text: str) -> None:
    laid, spans = laid_out(words.split())
    assert laid == text
    assert [span.of(laid).lower() for span in spans] == words.split()


class _Halves:
    """Two pieces a word, as a tokenizer might cut them."""

    def encode(self, sentences: Sequence[str]) -> list[tuple[Piece, ...]]:
        rows = []
        for sentence in sentences:
            pieces, start = [], 0
            for word in sentence.split():
                start = sentence.index(word, start)
                middle, end = start + 1, start + len(word)
                pieces += [Piece(5, Span(max(0, start - 1), middle)), Piece(6, Span(middle, end))]
                start = end
            rows.append(tuple(pieces))
        return rows


def test_weights_of_words_are_means_of_sums() -> None:
    pair = AlignedPair(("ab", "cd", "ef"), ("gh", "ij"), frozenset())
    (weights,) = word_weights(toy_student(), _Halves(), [pair])
    assert [len(row) for row in weights] == [3, 3]
    for row in weights:  # what is missing to 1 is the weight of EOS
        assert 0.3 < sum(row) <= 1.0


def test_a_trained_model_gives_links(toy_prepared: Path, toy_trained: Path) -> None:
    from dragoman.models.network.checkpoint import load_model

    words = ("one", "four", "seven"), ("sieben", "vier", "eins")
    pair = AlignedPair(*words, frozenset({(0, 2), (1, 1), (2, 0)}))
    tokenizer = SentencePieceTokenizer((toy_prepared / "vocabulary.spm").read_bytes())
    weights = word_weights(load_model(toy_trained), tokenizer, [pair])
    assert [len(row) for row in weights[0]] == [3, 3, 3]
    assert 0.0 <= alignment_error(weights, [pair]).aer <= 1.0


def test_a_table_of_thresholds() -> None:
    pair = AlignedPair(("a", "b"), ("c",), frozenset({(0, 0)}))
    weights = [[[0.5, 0.35]]]
    table = threshold_table(weights, [pair], (0.4, 0.6), (0.3, 0.9))
    assert {key: value.aer for key, value in table.items()} == {
        (0.4, 0.3): pytest.approx(1 / 3, abs=1e-4),  # both links
        (0.4, 0.9): 0.0,
        (0.6, 0.3): pytest.approx(1 / 3, abs=1e-4),
        (0.6, 0.9): 1.0,
    }
