from __future__ import annotations

import random

import numpy as np
import pytest
import sentencepiece
from hypothesis import given
from hypothesis import strategies as st

from dragoman.models.alignment.recase import lowered, partly_lowered
from dragoman.models.data.batches import Batch, make_batch
from tests.support.paths import MODELS
from tests.support.workshop import made_data

VOCABULARY = sentencepiece.SentencePieceProcessor(
    model_file=str(MODELS / "de-en" / "vocabulary.spm")
)


def ids(pieces: str) -> list[int]:
    return [VOCABULARY.piece_to_id(piece) for piece in pieces.split()]


def pieces(found: list[int]) -> str:
    return " ".join(VOCABULARY.id_to_piece(piece) for piece in found)


def row(values: np.ndarray, mask: np.ndarray, number: int) -> str:
    return pieces(values[number][mask[number]].tolist()[:-1])


def one_pair(source: str, target: str, links: list[tuple[int, int]]) -> Batch:
    return make_batch(made_data([(ids(source), ids(target), links)]), np.array([0]))


def test_each_new_piece_follows_the_old_ones_whose_characters_it_has() -> None:
    old = VOCABULARY.encode("Der Hund LIEF")
    assert pieces(old) == "▁Der ▁Hund ▁L IE F"
    lower = lowered(VOCABULARY, old)
    assert lower is not None
    assert pieces(lower.ids) == "▁der ▁h und ▁lief"
    assert lower.successors == [[0], [1, 2], [3], [3], [3]]


@pytest.mark.parametrize("text", ["\u4f60", "\u0130stanbul"])
def test_what_cannot_be_followed_is_left(text: str) -> None:
    """A character in bytes; a capital whose small letter is two characters."""
    assert lowered(VOCABULARY, VOCABULARY.encode(f"Das {text}")) is None


def test_links_go_to_all_pieces_that_their_old_ones_became() -> None:
    batch = one_pair("▁Der ▁Hund", "▁The ▁dog", [(0, 0), (1, 1)])
    lower = partly_lowered(batch, VOCABULARY, 1.0, random.Random(1))
    assert row(lower.source, lower.source_mask, 0) == "▁der ▁h und"
    assert row(lower.target, lower.target_mask, 0) == "▁the ▁dog"
    assert lower.guide[0].tolist() == [
        [1, 0, 0, 0],
        [0, 0.5, 0.5, 0],
        [0, 0, 0, 1],
    ]


def test_about_the_share_is_lowered_and_the_rest_is_as_it_was() -> None:
    rows = [(ids("▁Der ▁Mann"), ids("▁The ▁man"), [(0, 0), (1, 1)])] * 400
    batch = make_batch(made_data(rows), np.arange(400))
    lower = partly_lowered(batch, VOCABULARY, 0.25, random.Random(1))
    texts = [row(lower.source, lower.source_mask, number) for number in range(400)]
    assert 70 < texts.count("▁der ▁man n") < 130
    assert texts.count("▁der ▁man n") + texts.count("▁Der ▁Mann") == 400
    untouched = partly_lowered(batch, VOCABULARY, 0.0, random.Random(1))
    for before, after in zip(vars(batch).values(), vars(untouched).values(), strict=True):
        np.testing.assert_array_equal(before, after)


@given(st.text(alphabet="aAbBzZäÄßẞ .,'-9", max_size=30))
def test_any_text_is_that_text_in_lower_case(text: str) -> None:
    old = VOCABULARY.encode(text)
    lower = lowered(VOCABULARY, old)
    if lower is None:
        return
    assert VOCABULARY.decode(lower.ids) == VOCABULARY.decode(old).lower()
    assert len(lower.successors) == len(old)
    reached = [successor for each in lower.successors for successor in each]
    assert reached == sorted(reached)
    assert set(reached) == set(range(len(lower.ids)))
