"""Models with a vocabulary a side."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
import sentencepiece

from dragoman.errors import ExportError, ModelFileError
from dragoman.marian.config import MarianConfig, write_config
from dragoman.marian.file import Item, Kind, read_bin, write_bin
from dragoman.marian.split import split_graph
from dragoman.marian.vocabulary import merge_vocabularies
from dragoman.models.data.vocabulary import train_vocabulary
from dragoman.models.marian.exporter import marian_model
from dragoman.models.marian.importer import ImportedFiles, import_marian
from dragoman.native.bundles import load_parts
from dragoman.native.translator import Translator
from dragoman.student.exporter import Exporter, Precision, translation_graph
from tests.support.workshop import ENGLISH, GERMAN, engine_sizes, quantized_student

SOURCE_SIZE, TARGET_SIZE = 278, 280


@pytest.fixture(scope="module")
def vocabularies(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("vocabularies")
    paths = (folder / "source.spm", folder / "target.spm")
    for path, words, size in zip(paths, (ENGLISH, GERMAN), (SOURCE_SIZE, TARGET_SIZE), strict=True):
        train_vocabulary((f"{a} {b}" for a in words for b in words), size, path)
    return paths


def processor(content: bytes) -> sentencepiece.SentencePieceProcessor:
    return sentencepiece.SentencePieceProcessor(model_proto=content)


def test_the_merged_one_encodes_as_the_source_and_decodes_the_target(
    vocabularies: tuple[Path, Path],
) -> None:
    source, target = (path.read_bytes() for path in vocabularies)
    merged = merge_vocabularies(source, target)
    both, first, second = map(processor, (merged.model, source, target))
    assert merged.ids is not None
    assert both.get_piece_size() == merged.size > SOURCE_SIZE
    for text in ("one two three", "fünf zwei eins", "Zoë 7 😀", "seven  null"):
        assert both.encode(text) == first.encode(text)
        ids = second.encode(text)
        assert both.decode([merged.ids[n] for n in ids]) == second.decode(ids)
    assert merged.ids[:2].tolist() == [0, 1]
    assert len(set(merged.ids)) == TARGET_SIZE


def test_vocabularies_that_cannot_be_merged(vocabularies: tuple[Path, Path]) -> None:
    with pytest.raises(ModelFileError, match="the target vocabulary is not a SentencePiece"):
        merge_vocabularies(vocabularies[0].read_bytes(), b"\xff\xff\xff")


def test_the_graph_looks_source_ids_up_in_their_own_table() -> None:
    """With the source table a copy of the target's, and ids turned round, the output is that."""
    student = quantized_student(engine_sizes(344))
    graph = translation_graph(Exporter(student.student(), Precision.INT8, student.ranges))
    plain = _run(graph)
    reversed_ids = np.arange(344, dtype=np.int32)[::-1].copy()
    reversed_ids[0], reversed_ids[343] = 0, 343
    split = split_graph(graph, student.matrices["embedding"], reversed_ids, 64)
    onnx.checker.check_model(split)
    assert _run(split) == reversed_ids[plain].tolist()
    with pytest.raises(ExportError, match="has 0 Gather of source_ids"):
        split_graph(onnx.ModelProto(), student.matrices["embedding"], reversed_ids, 64)


def _run(graph: onnx.ModelProto) -> list[list[int]]:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(graph.SerializeToString(), options)
    feed = {
        "source_ids": np.array([[5, 6, 7, 0], [9, 8, 0, 0]], np.int32),
        "lengths": np.array([4, 3], np.int32),
        "limits": np.array([9, 9], np.int32),
    }
    ids: list[list[int]] = session.run(["target_ids"], feed)[0].tolist()
    return ids


def test_a_split_model_is_imported_and_translates(
    vocabularies: tuple[Path, Path], tmp_path: Path
) -> None:
    student = quantized_student(engine_sizes(TARGET_SIZE))
    items = {item.name: item for item in read_bin(marian_model(student))}
    table, alpha = items.pop("Wemb"), items.pop("Wemb_QuantMultA")
    del items["none_QuantMultA"]
    rows = table.data[: SOURCE_SIZE * 64] + table.data[TARGET_SIZE * 64 :][:4]
    text = write_config(MarianConfig(student.sizes, SOURCE_SIZE, shared=False)).encode() + b"\0"
    content = write_bin(
        [
            *items.values(),
            Item("encoder_Wemb", Kind.INTGEMM8, (SOURCE_SIZE, 64), rows),
            Item("decoder_Wemb", Kind.INTGEMM8, table.shape, table.data),
            Item("decoder_Wemb_QuantMultA", Kind.FLOAT32, (1, 1), alpha.data),
        ]
    )
    items_ = [item for item in read_bin(content) if item.name != "special:model.yml"]
    path = tmp_path / "model.bin"
    path.write_bytes(write_bin([*items_, Item("special:model.yml", Kind.INT8, (len(text),), text)]))
    files = ImportedFiles(path, *vocabularies)
    with pytest.raises(ModelFileError, match="a vocabulary a side: the target's is needed"):
        import_marian(
            ImportedFiles(path, vocabularies[0]), tmp_path / "x", source="en", target="de"
        )
    for precision in ("int8", "float32"):
        folder = tmp_path / precision
        import_marian(files, folder, source="en", target="de", precision=precision)
        with Translator(load_parts(folder, threads=1)) as translator:
            response = translator.translate("one two three")
            assert translator.manifest.architecture.vocabulary_size > TARGET_SIZE
        assert response.text
