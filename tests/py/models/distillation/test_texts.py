from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from dragoman.errors import CorpusError
from dragoman.models.data.vocabulary import read_vocabulary
from dragoman.models.distillation.texts import checksum, read_texts


def test_sentences_of_some_pieces_are_taken(toy_prepared: Path, tmp_path: Path) -> None:
    vocabulary = read_vocabulary(toy_prepared / "vocabulary.spm")
    good = "one two three four five six"
    plain, packed = tmp_path / "a.txt", tmp_path / "b.txt.xz"
    plain.write_text(f"{good}\n\none\n{'zero ' * 80}\n", encoding="utf-8")
    with lzma.open(packed, "wt", encoding="utf-8") as file:
        file.write(good + "\n")
    rows = read_texts([plain, packed, packed], vocabulary)
    assert [vocabulary.decode(rows.row(n).tolist()) for n in range(len(rows))] == 3 * [good]
    assert checksum(rows) != checksum(read_texts([plain], vocabulary))
    assert len(read_texts([], vocabulary)) == 0


def test_a_file_that_is_not_there(toy_prepared: Path, tmp_path: Path) -> None:
    vocabulary = read_vocabulary(toy_prepared / "vocabulary.spm")
    with pytest.raises(CorpusError, match="there is no such file"):
        read_texts([tmp_path / "none.txt"], vocabulary)
