from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dragoman.errors import TrainingError
from dragoman.models.data.batches import NO_TAG, Ragged
from dragoman.models.distillation.material import Material, in_proportion
from dragoman.models.network.teacher import TeacherSizes
from dragoman.models.packing.choice import Pairs
from dragoman.models.packing.pack import write_prepared
from dragoman.models.packing.streams import no_links, rows_as_bytes

SIZES = TeacherSizes(100, 16, 32, 2, 1)
TAG = 3
# People wrote the first; a language model the second; a program the third; a model translated the
# German of the fourth into English.
FIRST = [[11, 12, 13], [14, 15], [16], [17, 18]]
SECOND = [[21, 22, 23], [24, 25], [26], [27, 28]]
SOURCES = [
    {"name": "people", "weight": 1.0},
    {"name": "words", "weight": 2.0, "author": "a model"},
    {"name": "augmented", "weight": 0.5},
    {"name": "back", "weight": 0.25, "synthetic": "en"},
]


@pytest.fixture
def prepared(tmp_path: Path) -> Path:
    first, second = (Ragged.of(rows, np.uint16) for rows in (FIRST, SECOND))
    meta = {
        "columns": ["en", "de"], "vocabulary_size": 100, "pairs": 4, "sources": SOURCES, "tag": TAG,
    }  # fmt: skip
    write_prepared(tmp_path / "p", Pairs(first, second, no_links(4), np.arange(4)), meta, b"")
    return tmp_path / "p"


def _material(prepared: Path, **texts: list[list[int]]) -> Material:
    rows = {language: Ragged.of(some, np.uint16) for language, some in texts.items()}
    folder = prepared.with_name("translations")
    return Material(prepared, ("en", "de"), SIZES, folder, 10, rows)


def _write(material: Material, name: str, rows: list[list[int]]) -> None:
    """Translations in the order of a task's only shard."""
    (task,) = [one for one in (*material.back(), *material.for_student()) if one.name == name]
    (shard,) = task.shards(10)
    by_number = dict(zip(task.numbers.tolist(), rows, strict=True))
    content = rows_as_bytes(Ragged.of([by_number[n] for n in shard.tolist()], np.uint16))
    material.folder.mkdir(exist_ok=True)
    (material.folder / f"{name}.000").write_bytes(content)


def _examples(material: Material, student: bool = False) -> list[tuple[list[int], ...]]:
    """Tags, source, target, hundredths of the weight of all that has some."""
    mix = material.mix_for_student() if student else material.for_teacher(with_back=True)
    return [
        (
            [tag for tag in mix.tags[n].tolist() if tag != NO_TAG],
            mix.pieces[s : s + mix.source.lengths[n]].tolist(),
            mix.pieces[t : t + mix.target.lengths[n]].tolist(),
            [round(100 * float(mix.weights[n]))],
        )
        for n, (s, t) in enumerate(zip(mix.source.starts, mix.target.starts, strict=True))
        if mix.weights[n] > 0
    ]


def test_a_teacher_learns_both_directions_and_what_was_translated_back(prepared: Path) -> None:
    material = _material(prepared, de=[[31, 32, 33, 34]])
    to_de, to_en, made = 101, 100, 102
    pairs = [
        ([to_de], [11, 12, 13], [21, 22, 23], [100]), ([to_de], [14, 15], [24, 25], [200]),
        ([to_de], [16], [26], [50]), ([to_de, made], [17, 18], [27, 28], [25]),
        ([to_en], [21, 22, 23], [11, 12, 13], [100]), ([to_en], [24, 25], [14, 15], [200]),
        ([to_en], [26], [16], [50]),
    ]  # fmt: skip
    assert _examples(material) == pairs
    _write(material, "back.de", [[41, 42, 43]])
    assert material.back()[0].tag == to_en
    back = ([to_de, made], [41, 42, 43], [31, 32, 33, 34], [120])
    assert _examples(material) == [*pairs, back]


def test_a_student_learns_the_teachers_targets_of_what_people_wrote(prepared: Path) -> None:
    material = _material(
        prepared, de=[[31, 32, 33, 34]], en=[[14, 15], [51, 52, 53, 54], [61, 62, 63, 64]]
    )
    pairs, texts = material.for_student()
    assert pairs.numbers.tolist() == [0]
    assert texts.numbers.tolist() == [1, 2]  # another author translated the first
    with pytest.raises(TrainingError, match="has no translations: make them first"):
        material.mix_for_student()
    _write(material, "pairs", [[71, 72]])
    _write(material, "texts", [[81, 82, 83], 20 * [84]])
    _write(material, "back.de", [[41, 42, 43]])
    assert _examples(material, student=True) == [
        ([], [11, 12, 13], [21, 22, 23], [30]), ([], [14, 15], [24, 25], [200]),
        ([], [16], [26], [50]), ([TAG], [17, 18], [27, 28], [25]),
        ([], [11, 12, 13], [71, 72], [70]),
        ([], [51, 52, 53, 54], [81, 82, 83], [100]),  # the other one is out of proportion
        ([TAG], [41, 42, 43], [31, 32, 33, 34], [60]),
    ]  # fmt: skip


def test_what_is_not_translated_yet_keeps_its_weight(prepared: Path) -> None:
    material = _material(prepared)
    _write(material, "pairs", [[]])
    assert _examples(material, student=True)[0] == ([], [11, 12, 13], [21, 22, 23], [100])


def test_a_translation_is_half_to_twice_as_long_as_its_source() -> None:
    sources, made = (
        Ragged.of([[5] * n for n in lengths], np.uint16)
        for lengths in ([4, 4, 4, 4, 4], [0, 2, 3, 10, 11])
    )
    assert in_proportion(sources, made).tolist() == [0, 0, 1, 1, 0]
    assert in_proportion(sources, made, least=1).tolist() == [0, 1, 1, 1, 0]


def test_too_many_pieces(prepared: Path) -> None:
    with pytest.raises(TrainingError, match="32,766 pieces are too many"):
        Material(prepared, ("en", "de"), TeacherSizes(32_766), prepared, 10, {})
