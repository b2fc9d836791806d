"""The vocabularies of a published model, checked against it and merged."""

from __future__ import annotations

import pytest

from dragoman.errors import ModelFileError
from dragoman.marian.layout import published_file
from dragoman.marian.vocabulary import vocabulary_of
from tests.support.published import make_model, vocabulary


def test_a_shared_one_is_taken_as_it_is() -> None:
    made = make_model()
    found = vocabulary_of(made.vocabulary, None, made.config)
    assert (found.model, found.size, found.ids) == (made.vocabulary, 400, None)


def test_two_are_merged_and_say_what_the_targets_pieces_are_called() -> None:
    made = make_model(source_pieces=360)
    found = vocabulary_of(made.vocabulary, made.target_vocabulary, made.config)
    assert found.ids is not None
    assert len(found.ids) == 400
    assert found.size == 1 + max(*found.ids, 359)
    assert found.ids[:2].tolist() == [0, 1]


def test_files_that_do_not_fit_each_other() -> None:
    made, two = make_model(), make_model(source_pieces=360)
    with pytest.raises(ModelFileError, match="has 360 pieces, the model 400"):
        vocabulary_of(vocabulary(360, 0), None, made.config)
    with pytest.raises(ModelFileError, match="one vocabulary for both"):
        vocabulary_of(made.vocabulary, made.vocabulary, made.config)
    with pytest.raises(ModelFileError, match="the target's is needed"):
        vocabulary_of(two.vocabulary, None, two.config)
    with pytest.raises(ModelFileError, match="is not a SentencePiece model"):
        vocabulary_of(b"\xff\xff", None, made.config)
    assert published_file(two.model).config.source_vocabulary_size == 360


def test_pieces_that_are_no_text() -> None:
    two = make_model(source_pieces=360)
    damaged = two.vocabulary.replace(b"\n\x02vi", b"\n\x02\xd6\xd6", 1)
    with pytest.raises(ModelFileError, match="the source vocabulary has a piece that is not UTF-8"):
        vocabulary_of(damaged, two.target_vocabulary, two.config)
    twice = damaged.replace(b"\n\x02zo", b"\n\x02\xd6\xd6", 1)
    with pytest.raises(ModelFileError, match="the vocabulary is not a SentencePiece model"):
        vocabulary_of(twice, two.target_vocabulary, two.config)
