"""Published models with their shortlists: to the bit what NumPy chooses among the same pieces."""

from __future__ import annotations

import dataclasses
from array import array
from dataclasses import replace

import numpy as np
import pytest

from dragoman.engines import kernel_model
from dragoman.engines.kernel import KernelEngine
from dragoman.engines.kernel_library import kernels
from dragoman.engines.onnx_file import read_onnx
from dragoman.errors import ModelFileError
from dragoman.marian.model import parse_marian
from dragoman.marian.shortlist import Shortlist, read_shortlist
from dragoman.types import MiniBatch, PrefixStep, Search, flat_prefixes
from tests.bench.published.kernel import mini_batch, targets
from tests.support.kernel.batches import GRAPH, SHAPES, batch_of
from tests.support.kernel.published import LIMIT, rows_of, student, vocabulary
from tests.support.published import SMALL, PublishedModel, make_model, with_extreme_weights
from tests.support.reference.kernel_order import KernelOrder

LARGE = replace(SMALL, vocabulary_size=4_000)
NOTHING = Shortlist(50, 50, np.zeros(4_001, np.uint64), np.zeros(0, np.uint32))


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that lists matter with small vocabularies."""
    monkeypatch.setattr(kernel_model, "LEAST_COLUMNS", 200)


def engine(made: PublishedModel, lists: Shortlist | None = None, **options: object) -> KernelEngine:
    found = read_shortlist(made.shortlist) if lists is None else lists
    return KernelEngine(student(made), shortlist=found, **options)  # type: ignore[arg-type]


def said(made: PublishedModel, rows: list[list[int]], **options: object) -> list[list[int]]:
    output = engine(made, **options).run_now(mini_batch(rows, LIMIT), False)  # type: ignore[arg-type]
    return list(targets(output, len(rows)))


def searched(batch: MiniBatch, beam: int) -> MiniBatch:
    return replace(batch, search=Search(beam=beam))


def copies_of(made: PublishedModel) -> list[int] | None:
    names = vocabulary(made).ids
    if names is None:
        return None
    target = {name: number for number, name in enumerate(names)}
    return [target.get(piece, -1) for piece in range(made.config.source_vocabulary_size)]


def expected_of(
    made: PublishedModel, rows: list[list[int]], copies: list[int] | None = None
) -> list[list[int]]:
    """Each row chooses among its own pieces."""
    lists, numpy_ = read_shortlist(made.shortlist), KernelOrder(parse_marian(made.model))
    expected = []
    for row in rows:
        chosen = lists.chosen(row, 4_000, least=200, copies=copies)
        assert 200 < len(chosen) < 2_000
        expected += numpy_.translate_all([row], LIMIT, chosen.tolist())
    return expected


@pytest.mark.parametrize("split", [None, 3_600])
def test_it_chooses_among_the_pieces_that_numpy_says(split: int | None) -> None:
    made = make_model(LARGE, source_pieces=split, seed=3)
    rows, names = rows_of(made, 12), vocabulary(made).ids
    expected = expected_of(made, rows, copies_of(made))
    if names is not None:
        expected = [[names[piece] for piece in ids] for ids in expected]
    answered = said(made, rows)
    assert answered == expected
    everything = KernelEngine(student(made)).run_now(mini_batch(rows, LIMIT), False)
    assert answered != list(targets(everything, len(rows)))


@pytest.mark.parametrize("path", kernels())
def test_columns_of_extreme_weights_are_the_same_side_by_side(path: str) -> None:
    made = with_extreme_weights(make_model(LARGE, seed=3), 3, LARGE.dimension)
    rows = rows_of(made, 12)
    assert said(made, rows, path=path) == expected_of(made, rows)


@pytest.mark.parametrize("beam", [1, 4])
def test_every_path_and_number_of_threads_gives_the_same_bytes(beam: int) -> None:
    made = make_model(replace(LARGE, dimension=96), seed=7)
    batch, outputs = searched(mini_batch(rows_of(made, 9), LIMIT), beam), set()
    for path in kernels():
        for threads in (1, 3):
            output = engine(made, path=path, threads=threads).run_now(batch, True)
            parts = (output.ids, output.log_probabilities, output.attention, output.scores)
            outputs.add(tuple(part.tobytes() for part in parts))
    assert len(outputs) == 1


@pytest.mark.parametrize("beam", [1, 4])
def test_a_row_becomes_the_same_whoever_its_companions_are(beam: int) -> None:
    """To the bit, also where the companions' lists are most of all pieces."""
    made = make_model(replace(LARGE, dimension=96), seed=7)
    rows = rows_of(made, 9)
    everything = [[*range(start, start + 50), 0] for start in range(0, 4_000, 50)]
    one = engine(made)
    for companions in ([], rows[1:], everything):
        output = one.run_now(searched(mini_batch([rows[0], *companions], LIMIT), beam), False)
        ids = output.ids[: output.steps].tolist()
        count = ids.index(0) + 1 if 0 in ids else len(ids)
        found = (
            output.ids[:count].tobytes(),
            output.log_probabilities[:count].tobytes(),
            output.scores[:1].tobytes(),
        )
        if not companions:
            alone = found
        assert found == alone


def test_several_hypotheses_are_of_the_same_pieces() -> None:
    made = make_model(LARGE, seed=3)
    lists, rows = read_shortlist(made.shortlist), rows_of(made, 6)
    output = engine(made).run_now(searched(mini_batch(rows, LIMIT), 4), False)
    for row, pieces in zip(rows, targets(output, len(rows)), strict=True):
        assert set(pieces) <= {*lists.chosen(row, 4_000, least=200).tolist()}


def test_a_prefix_may_be_of_any_pieces() -> None:
    made = make_model(LARGE, seed=5)
    batch = searched(mini_batch([[3_901, 0]], LIMIT), 2)
    step = PrefixStep(3_333, (3_333,))
    prefixed = replace(batch, prefixes=array("i", flat_prefixes([(step,)])))
    assert engine(made, NOTHING).run_now(prefixed, False).ids[0] == 3_333


def test_one_short_sentence_has_frequent_pieces_to_choose_among() -> None:
    """No lists at all: the first 200 pieces, and the source's own."""
    made = make_model(LARGE, seed=5)
    (ids,) = said(made, [[3_901, 0]], lists=NOTHING)
    assert ids
    assert {piece for piece in ids if piece >= 200} <= {3_901}


def test_where_all_pieces_are_common_they_are_chosen_among(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_model, "LEAST_COLUMNS", SMALL.vocabulary_size)
    made = make_model(seed=8)
    rows = rows_of(made, 9)
    whole = KernelEngine(student(made)).run_now(mini_batch(rows, LIMIT), False)
    assert said(made, rows) == list(targets(whole, len(rows)))


def test_no_model_makes_a_row_say_what_it_has_no_column_for() -> None:
    """Whatever it computes: logits this small once led out of the memory."""
    graph = read_onnx(GRAPH.read_bytes())
    bias = graph.tensors["output.bias"]
    small = memoryview(np.full(8_000, -2e30, np.float32).tobytes())
    tensors = {**graph.tensors, "output.bias": replace(bias, content=small)}
    lists = read_shortlist((GRAPH.parent / "shortlist.bin").read_bytes())
    made = KernelEngine(replace(graph, tensors=tensors), shortlist=lists)
    output = made.run_now(searched(batch_of(SHAPES[-1]), 4), False)
    assert set(output.ids) == {0}


def test_damaged_lists_are_refused() -> None:
    made = make_model(LARGE, seed=5)
    lists = read_shortlist(made.shortlist)
    targets_ = lists.targets.copy()
    targets_[7] = 4_000
    offsets = lists.offsets.copy()
    offsets[3] = offsets[-1] + 1
    for broken in (
        dataclasses.replace(lists, targets=targets_),
        dataclasses.replace(lists, offsets=offsets),
    ):
        with pytest.raises(ModelFileError, match="pieces that the model does not have"):
            engine(made, broken)
    short = dataclasses.replace(lists, offsets=lists.offsets[:-1])
    with pytest.raises(ModelFileError, match=r"of 3,999 pieces, the model's source has 4,000"):
        engine(made, short)


def test_pieces_beyond_the_lists_first_are_no_error() -> None:
    made = make_model(LARGE, seed=5)
    lists = dataclasses.replace(read_shortlist(made.shortlist), first=2**40)
    assert len(said(made, [[7, 9, 0]], lists=lists)) <= LIMIT


@pytest.mark.parametrize("split", [400, 3_600])
def test_what_every_row_may_say_is_counted_in_the_targets_pieces(split: int) -> None:
    """Those beyond the number of the source's could not be said, but in a browser."""
    made = make_model(LARGE, source_pieces=split, seed=3)
    lists = dataclasses.replace(read_shortlist(made.shortlist), first=4_000)
    rows = rows_of(made, 12)
    whole = KernelEngine(student(made)).run_now(mini_batch(rows, LIMIT), False)
    assert said(made, rows, lists=lists) == list(targets(whole, len(rows)))
