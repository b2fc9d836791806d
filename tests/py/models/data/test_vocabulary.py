from __future__ import annotations

from pathlib import Path

import pytest
import sentencepiece

from dragoman.errors import CorpusError
from dragoman.models.data.vocabulary import read_vocabulary, train_vocabulary
from tests.support.workshop import toy_pairs

TEXT = [text for pair in toy_pairs(200) for text in pair]


def test_ids_are_those_of_the_published_models(tmp_path: Path) -> None:
    vocabulary = train_vocabulary(TEXT, 300, tmp_path / "v.spm")
    assert vocabulary.get_piece_size() == 300
    assert [vocabulary.id_to_piece(n) for n in (0, 1)] == ["</s>", "<unk>"]
    assert vocabulary.eos_id() == 0
    assert vocabulary.unk_id() == 1
    assert vocabulary.bos_id() == vocabulary.pad_id() == -1
    assert vocabulary.is_byte(2)  # bytes follow


def test_what_was_never_seen_is_spelled_in_bytes(tmp_path: Path) -> None:
    vocabulary = train_vocabulary(TEXT, 300, tmp_path / "v.spm")
    ids = vocabulary.encode("eins 😀 два")
    assert 1 not in ids
    assert vocabulary.decode(ids) == "eins 😀 два"
    assert vocabulary.encode("  fünf\u00a0 ﬁ ") == vocabulary.encode("fünf fi")  # nmt_nfkc


def test_training_again_gives_the_same_pieces(tmp_path: Path) -> None:
    first = train_vocabulary(TEXT, 300, tmp_path / "a.spm")
    second = train_vocabulary(TEXT, 300, tmp_path / "b.spm")
    pieces = [[v.id_to_piece(n) for n in range(300)] for v in (first, second)]
    assert pieces[0] == pieces[1]


def test_more_pieces_than_the_text_has(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no vocabulary of 5000 pieces"):
        train_vocabulary(TEXT, 5000, tmp_path / "v.spm")


def test_a_vocabulary_with_other_special_ids_is_refused(tmp_path: Path) -> None:
    """Padding and the ends of sentences would be a piece of text."""
    path = tmp_path / "usual.spm"
    with path.open("wb") as file:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(TEXT), model_writer=file, vocab_size=300,
            hard_vocab_limit=False, byte_fallback=True, minloglevel=2,
        )  # fmt: skip
    with pytest.raises(CorpusError, match=r"</s> must be piece 0 and <unk> piece 1, they are 2 an"):
        read_vocabulary(path)


def test_marks_that_open_stand_apart(tmp_path: Path) -> None:
    path = tmp_path / "v.spm"
    made = train_vocabulary(TEXT, 300, path, openings='„"(')
    for vocabulary in (made, read_vocabulary(path)):
        ids = vocabulary.encode("eins „zwei (drei)“")
        assert vocabulary.encode(["eins „ zwei ( drei)“"]) == [ids]
        assert vocabulary.decode(ids) == "eins „zwei (drei)“"
        assert vocabulary.decode([ids, ids]) == ["eins „zwei (drei)“"] * 2
