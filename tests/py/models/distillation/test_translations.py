from __future__ import annotations

from itertools import count
from pathlib import Path

import numpy as np
import pytest
import torch

from dragoman.errors import CorpusError
from dragoman.models.data.batches import Ragged
from dragoman.models.distillation import translations as module
from dragoman.models.distillation.translations import (
    Task,
    translate_shards,
    translated,
    translations,
)
from dragoman.models.network.teacher import Teacher, TeacherSizes

SIZES = TeacherSizes(9, 16, 32, 2, 1)
ROWS = [[2 + (n + m) % 7 for m in range(1 + n % 8)] for n in range(50)]
SOURCES = Ragged.of(ROWS, np.uint16)


@pytest.fixture(scope="module")
def teacher() -> Teacher:
    """Random, and of few pieces, so that many sentences end."""
    torch.manual_seed(1)
    model = Teacher(SIZES).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.7)
    return model


def _alone(teacher: Teacher, row: list[int]) -> list[int]:
    limit = int((len(row) + 2) * 1.6) + 10
    ids, lengths = torch.tensor([[SIZES.towards(0), *row, 0]]), torch.tensor([len(row) + 2])
    found = teacher.greedy(ids, lengths, torch.tensor([limit]))[0]
    made: list[int] = found[found != 0].tolist()
    return made if len(made) < limit else []


def test_translations_are_those_of_each_sentence_alone_by_number(teacher: Teacher) -> None:
    numbers = np.array([2, *range(49, -1, -1)])
    made = translated(teacher, SOURCES, numbers, SIZES.towards(0))
    assert made is not None
    alone = [_alone(teacher, ROWS[number]) for number in numbers]
    assert [made.row(n).tolist() for n in range(51)] == alone
    assert 0 < (made.lengths() > 0).sum() < 51  # the others do not end


def test_shards_are_whole_or_not_there(teacher: Teacher, tmp_path: Path) -> None:
    numbers = np.arange(0, 50, 2)
    task = Task("back.de", SOURCES, numbers, SIZES.towards(0))
    assert sorted(np.concatenate(task.shards(10)).tolist()) == numbers.tolist()
    asked = count()
    done = translate_shards(teacher, task, tmp_path, 10, lambda: next(asked) >= 1)
    assert done == (1, 3)
    assert [path.name for path in tmp_path.iterdir()] == ["back.de.000"]
    some = translations(task, tmp_path, 10)
    assert translate_shards(teacher, task, tmp_path, 10, lambda: False) == (3, 3)
    made = translations(task, tmp_path, 10)
    first = set(task.shards(10)[0].tolist())
    for number in range(50):
        wanted = _alone(teacher, ROWS[number]) if number % 2 == 0 else []
        assert made.row(number).tolist() == wanted
        assert some.row(number).tolist() == (wanted if number in first else [])


def test_memory_that_is_full_means_fewer_at_a_time(
    teacher: Teacher, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = translated(teacher, SOURCES, np.arange(50), SIZES.towards(0))
    greedy, seen = teacher.greedy, list[int]()

    def tight(source: torch.Tensor, *rest: torch.Tensor) -> torch.Tensor:
        seen.append(len(source))
        if len(source) > 10:
            raise torch.OutOfMemoryError("full")
        return greedy(source, *rest)

    monkeypatch.setattr(teacher, "greedy", tight)
    monkeypatch.setitem(module.ROOM, "cpu", 2_000)
    made = translated(teacher, SOURCES, np.arange(50), SIZES.towards(0))
    assert plain is not None
    assert made is not None
    assert made.flat.tolist() == plain.flat.tolist()
    assert seen[0] > 10


def test_a_shard_of_something_else_is_an_error(teacher: Teacher, tmp_path: Path) -> None:
    task = Task("pairs", SOURCES, np.arange(10), SIZES.towards(0))
    translate_shards(teacher, task, tmp_path, 10, lambda: False)
    other = Task("pairs", SOURCES, np.arange(9), SIZES.towards(0))
    with pytest.raises(CorpusError, match="has 10 translations, not 9"):
        translations(other, tmp_path, 10)
    (tmp_path / "pairs.000").write_bytes(b"\x01\x00")
    with pytest.raises(CorpusError, match=r"pairs\.000 cannot be read"):
        translations(task, tmp_path, 10)
