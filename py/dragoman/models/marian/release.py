"""A folder with a model in Marian's format, named as the published browser models are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import yaml

from dragoman.errors import ExportError
from dragoman.marian.shortlist import Shortlist, read_shortlist, write_shortlist
from dragoman.models.data.corpus import read_tsv_columns
from dragoman.models.data.prepared import read_meta_of
from dragoman.models.export.calibrate import activation_ranges
from dragoman.models.export.quantized import QuantizedStudent, of_graph, of_model
from dragoman.models.export.release import CALIBRATION_SENTENCES, BundleFacts, _read_vocabulary
from dragoman.models.marian.exporter import marian_model
from dragoman.models.network.checkpoint import load_model
from dragoman.native.bundles import open_bundle
from dragoman.student.architecture import read_architecture
from dragoman.text.openings import openings_of

CONFIG = "config.yml"


@dataclass(frozen=True)
class MarianFiles:
    """What was written.

    Attributes:
        shortlist: None where there is none.
        openings: marks that the model wants apart from the words behind them (`text.openings`),
            which the reference engine does not do; "": none.
    """

    model: Path
    vocabulary: Path
    shortlist: Path | None
    config: Path
    openings: str = ""

    @property
    def loss(self) -> str | None:
        """What the engine makes worse than this program does, for whoever uses it; None: nothing.

        It cannot be undone in these files: SentencePiece's own rules see neither what stands before
        a mark nor what is behind it, and are not asked when a translation is put together.
        """
        if not self.openings:
            return None
        return (
            f"the model wants a space behind marks that open ( {' '.join(self.openings)} ), which "
            "bergamot-translator neither puts in nor takes out: words behind them are translated "
            "worse, and translations may have that space (docs/adr/0055-openings.md)"
        )


def marian_from_bundle(bundle: Path, output: Path, shortlist: Path | None = None) -> MarianFiles:
    """Export the int8 weights of a bundle as they are: nothing is quantized again.

    Raises:
        BundleError: the bundle cannot be used.
        ExportError: it is not int8, or the reference engine has no kernels for its sizes.
        ModelFileError: the shortlist cannot be read.
    """
    opened = open_bundle(bundle)
    manifest = opened.manifest
    sizes = read_architecture(manifest.data["architecture"])
    student = of_graph(opened.graph, sizes)
    pair = f"{manifest.source}{manifest.target}"
    longest = manifest.limits.source_pieces
    return write_marian(output, pair, student, opened.vocabulary, _read(shortlist), longest)


def marian_from_checkpoint(
    model: Path,
    prepared: Path,
    source: str,
    target: str,
    calibration: Path,
    output: Path,
    shortlist: Path | None = None,
) -> MarianFiles:
    """Quantize a trained model and export it.

    Raises:
        TrainingError: the model cannot be read.
        CorpusError: the calibration file or the prepared data cannot be read, or are of other
            languages.
        ExportError: model and vocabulary do not fit, or the sizes do not suit the engine.
        ModelFileError: the shortlist cannot be read.
    """
    longest = read_meta_of(prepared, source, target).get("max_pieces", BundleFacts.source_pieces)
    student = load_model(model)
    vocabulary = prepared / "vocabulary.spm"
    processor = _read_vocabulary(vocabulary, student.sizes)
    pairs = read_tsv_columns(calibration, source, target)[:CALIBRATION_SENTENCES]
    quantized = of_model(student, activation_ranges(student, processor, pairs))
    return write_marian(
        output,
        f"{source}{target}",
        quantized,
        vocabulary.read_bytes(),
        _read(shortlist),
        int(longest),
    )


def write_marian(
    folder: Path,
    pair: str,
    student: QuantizedStudent,
    vocabulary: bytes,
    shortlist: Shortlist | None,
    longest: int = BundleFacts.source_pieces,
) -> MarianFiles:
    """Write model, vocabulary, shortlist and the engine's settings.

    Args:
        pair: as in "deen".
        longest: sentence that the model was trained on, in pieces; the engine breaks longer ones.
    """
    content = marian_model(student)
    marks = openings_of(vocabulary)
    if shortlist and shortlist.sources != student.sizes.vocabulary_size:
        raise ExportError(
            f"the shortlist has {shortlist.sources:,} source pieces, "
            f"the model {student.sizes.vocabulary_size:,}"
        )
    folder.mkdir(parents=True, exist_ok=True)
    files = MarianFiles(
        folder / f"model.{pair}.intgemm.alphas.bin",
        folder / f"vocab.{pair}.spm",
        _shortlist_path(folder, pair, shortlist),
        folder / CONFIG,
        marks.marks if marks else "",
    )
    files.model.write_bytes(content)
    files.vocabulary.write_bytes(vocabulary)
    if shortlist and files.shortlist:
        files.shortlist.write_bytes(write_shortlist(shortlist))
    files.config.write_text(_settings(files, longest), encoding="utf-8")
    return files


def _shortlist_path(folder: Path, pair: str, shortlist: Shortlist | None) -> Path | None:
    if shortlist is None:
        return None
    return folder / f"lex.{shortlist.first}.{shortlist.best}.{pair}.s2t.bin"


def _settings(files: MarianFiles, longest: int) -> str:
    """For the native engine; the browser's has them built in."""
    settings: dict[str, object] = {
        "relative-paths": True,
        "models": [files.model.name],
        "vocabs": [files.vocabulary.name, files.vocabulary.name],
        "beam-size": 1,
        "normalize": 1.0,
        "word-penalty": 0,
        "max-length-break": longest,
        "mini-batch-words": 1024,
        "max-length-factor": 2.0,
        "skip-cost": True,
        "gemm-precision": "int8shiftAlphaAll",
        "alignment": "soft",
    }
    if files.shortlist:
        settings["shortlist"] = [files.shortlist.name, False]
    told = f"# {files.loss}\n" if files.loss else ""
    return told + str(yaml.safe_dump(settings, sort_keys=False))


def _read(shortlist: Path | None) -> Shortlist | None:
    if shortlist is None:
        return None
    try:
        return read_shortlist(shortlist.read_bytes())
    except OSError as error:
        raise ExportError(f"{shortlist}: {error.strerror or error}") from error
