"""Import of Marian students; the round trip through the embedded model's own bundle."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sentencepiece
from typer.testing import CliRunner, Result

from dragoman.cli.model.app import app
from dragoman.errors import ExportError, ModelFileError
from dragoman.marian.file import read_bin
from dragoman.models.export.calibrate import activation_ranges
from dragoman.models.export.quantized import of_graph
from dragoman.models.marian import importer
from dragoman.models.marian.exporter import marian_model
from dragoman.models.marian.importer import ImportedFiles, import_marian
from dragoman.native.bundles import load_parts, open_bundle
from dragoman.native.translator import Translator
from dragoman.student.architecture import read_architecture
from dragoman.text.openings import with_openings
from tests.support.paths import MODELS
from tests.support.workshop import archive, engine_sizes, quantized_student

EMBEDDED = MODELS / "de-en"
TEXT = (
    "Guten Morgen! Ich habe gestern ein Buch gelesen. Das Wetter ist heute sehr schön.\n"
    "Wo ist der Bahnhof? Tom will nach Boston fahren. Sie wohnt in einem kleinen Haus."
)


def dragoman(*arguments: Any) -> Result:
    given = [str(argument) for argument in arguments]
    return CliRunner().invoke(app, given, catch_exceptions=False)


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("marian")
    dragoman("export", EMBEDDED, "--format", "marian", "--output", folder)
    return folder


@pytest.fixture
def toy(toy_prepared: Path, tmp_path: Path) -> ImportedFiles:
    """A random student that fits the toy vocabulary, with activation scales."""
    sizes = engine_sizes(340)
    path = tmp_path / "model.bin"
    # The engine would refuse 340 pieces; the format does not.
    content = _unchecked(sizes)
    path.write_bytes(content)
    return ImportedFiles(path, toy_prepared / "vocabulary.spm")


def _unchecked(sizes: Any) -> bytes:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dragoman.models.marian.exporter.check_sizes", lambda _: None)
        return marian_model(quantized_student(sizes))


def test_export_and_import_give_the_same_model(exported: Path, tmp_path: Path) -> None:
    bundle = tmp_path / "models" / "de-en"
    result = dragoman(
        "import", exported / "model.deen.intgemm.alphas.bin", "--vocabulary",
        exported / "vocab.deen.spm", "--pair", "de-en", "--output", bundle,
        "--licence", "CC-BY-SA-4.0", "--source-pieces", 80,
    )  # fmt: skip
    assert result.stdout.strip() == str(bundle / "manifest.json")
    before, after = open_bundle(EMBEDDED), open_bundle(bundle)
    assert after.vocabulary == before.vocabulary
    assert after.manifest.data["licence"] == "CC-BY-SA-4.0"
    assert "imported from" in json.dumps(after.manifest.data["training"])
    own = of_graph(before.graph, read_architecture(before.manifest.data["architecture"]))
    quantized = of_graph(after.graph, read_architecture(after.manifest.data["architecture"]))
    head = {"alignment.key", "alignment.query"}  # for which Marian's format has no place
    assert quantized.matrices.keys() == own.matrices.keys() - head
    for name, matrix in quantized.matrices.items():
        np.testing.assert_array_equal(matrix.values, own.matrices[name].values, err_msg=name)
    ranges = {name: value for name, value in own.ranges.items() if name not in head}
    assert quantized.ranges == pytest.approx(ranges, rel=1e-5)
    texts = []
    for folder in (EMBEDDED, bundle):
        with Translator(load_parts(folder, threads=1)) as translator:
            texts.append(translator.translate(TEXT).text)
    assert texts[0] == texts[1]


def test_float32_of_an_archive(toy: ImportedFiles, tmp_path: Path) -> None:
    """An .npz without activation scales becomes float32, or int8 with sentences to measure on."""
    items = [i for i in read_bin(toy.model.read_bytes()) if not i.name.endswith("_QuantMultA")]
    path = tmp_path / "model.npz"
    path.write_bytes(archive(items))
    files = ImportedFiles(path, toy.vocabulary)
    with pytest.raises(ExportError, match="no activation scales"):
        import_marian(files, tmp_path / "int8", source="en", target="de")
    assert not (tmp_path / "int8").exists()
    import_marian(files, tmp_path / "plain", source="en", target="de", precision="float32")
    sentences = tmp_path / "dev.tsv"
    sentences.write_text("en\tde\none two\tzwei eins\nthree\tdrei\n", encoding="utf-8")
    calibrated = ImportedFiles(path, toy.vocabulary, calibration=sentences)
    import_marian(calibrated, tmp_path / "int8", source="en", target="de")
    assert open_bundle(tmp_path / "int8").manifest.data["precision"] == "int8"
    with Translator(load_parts(tmp_path / "plain", threads=1)) as translator:
        assert translator.translate("one two three").sentences[0].target.end > 0


def test_sentences_to_measure_on_are_cut_as_the_vocabulary_wants(
    toy: ImportedFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model of this program that was trained on by others comes back with marks that open."""
    items = [i for i in read_bin(toy.model.read_bytes()) if not i.name.endswith("_QuantMultA")]
    path, marks = tmp_path / "model.npz", tmp_path / "vocab.spm"
    path.write_bytes(archive(items))
    marks.write_bytes(with_openings(toy.vocabulary.read_bytes(), '"'))
    sentences = tmp_path / "dev.tsv"
    sentences.write_text('en\tde\n"one" two\tzwei "eins"\n', encoding="utf-8")
    cut: list[bool] = []

    def measured(model: Any, vocabulary: Any, pairs: Any) -> dict[str, float]:
        cut.append(vocabulary.encode('"one') == vocabulary.encode('" one'))
        return activation_ranges(model, vocabulary, pairs)

    monkeypatch.setattr(importer, "activation_ranges", measured)
    files = ImportedFiles(path, marks, calibration=sentences)
    import_marian(files, tmp_path / "int8", source="en", target="de")
    assert cut == [True]


def test_what_does_not_fit(toy: ImportedFiles, tmp_path: Path) -> None:
    def run(files: ImportedFiles, **options: Any) -> None:
        import_marian(files, tmp_path / "out", source="en", target="de", **options)

    small = tmp_path / "small.bin"
    small.write_bytes(marian_model(quantized_student()))
    with pytest.raises(ModelFileError, match="has 340 pieces, the model 344"):
        run(ImportedFiles(small, toy.vocabulary))
    with pytest.raises(ModelFileError, match="one vocabulary for both languages"):
        run(ImportedFiles(toy.model, toy.vocabulary, toy.vocabulary))
    with pytest.raises(ModelFileError, match=r"model\.bin is not a SentencePiece model"):
        run(ImportedFiles(toy.model, toy.model))
    with pytest.raises(ModelFileError, match=r"none\.spm: No such file"):
        run(ImportedFiles(toy.model, tmp_path / "none.spm"))
    with pytest.raises(ExportError, match="'int4' is no precision"):
        run(toy, precision="int4")
    bos = tmp_path / "bos.spm"
    with bos.open("wb") as file:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(["ab cd ef gh"] * 9), model_writer=file, vocab_size=340,
            hard_vocab_limit=False, byte_fallback=True, minloglevel=2,
        )  # fmt: skip
    size = sentencepiece.SentencePieceProcessor(model_file=str(bos)).get_piece_size()
    other = tmp_path / "other.bin"
    other.write_bytes(_unchecked(engine_sizes(size)))
    with pytest.raises(ModelFileError, match="</s> must be piece 0 and <unk> piece 1"):
        run(ImportedFiles(other, bos))
    assert not (tmp_path / "out").exists()
