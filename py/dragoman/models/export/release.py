"""Write a bundle: graph, vocabulary, manifest, model card."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from dragoman.engines.bundle import FORMAT, MANIFEST, MOST_BEAM, MOST_LENGTH, NAMES, SHORTLIST
from dragoman.errors import BundleError, CorpusError, ExportError, ModelFileError
from dragoman.marian.shortlist import EOS_ID, Shortlist, read_shortlist, write_shortlist
from dragoman.models.data.corpus import read_manifest, read_tsv_columns
from dragoman.models.data.prepared import read_meta_of
from dragoman.models.data.vocabulary import Vocabulary, read_vocabulary
from dragoman.models.export.calibrate import activation_ranges
from dragoman.models.export.manifest import write_manifest
from dragoman.models.network.checkpoint import load_model, load_scores
from dragoman.models.network.student import Architecture
from dragoman.models.training.reporting import read_log
from dragoman.student.exporter import MAX_POSITIONS, Exporter, Precision, translation_graph
from dragoman.text.terms.names import read_names
from dragoman.types import LengthReward

CALIBRATION_SENTENCES = 1_000
NAMES_FILE = "names.table"
SHORTLIST_FILE = "shortlist.bin"
PART_FILES = {NAMES: NAMES_FILE, SHORTLIST: SHORTLIST_FILE}
# The released models are trained on CC-BY-SA, CC-BY and GPL-family text; shared alike.
LICENCE = "CC-BY-SA-4.0"
# What of an evaluation goes into the manifest.
SCORES = (
    "bleu", "chrf", "aer", "sentences", "length_ratio", "token_ratio", "copied", "loops", "kept",
    "bleu_signature",
)  # fmt: skip


@dataclass(frozen=True)
class BundleFacts:
    """What a manifest says beyond files and sizes.

    Attributes:
        source_pieces: longest sentence that the model takes (what it was trained on).
        beam: hypotheses that a search follows where a request names no number.
        length: what a longer one of them is worth; None: nothing.
        scores: by data set, for example ``{"tatoeba-dev": {"bleu": 41.2}}``.
        sources: training sources: name, licence, pairs.
        training: hours, steps, hardware.
        reproduce: commands that make the bundle, for the card.
        weaknesses: what is known of this model, for the card.
    """

    name: str
    version: str
    source: str
    target: str
    licence: str
    source_pieces: int = 80
    target_factor: float = 2.0
    target_extra: int = 12
    precision: str = "int8"
    beam: int = 1
    length: LengthReward | None = None
    scores: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    sources: Sequence[Mapping[str, object]] = ()
    training: Mapping[str, object] = field(default_factory=dict)
    reproduce: Sequence[str] = ()
    weaknesses: Sequence[str] = ()

    @property
    def positions(self) -> int:
        """Longest row on either side, in pieces with EOS."""
        return max(
            self.source_pieces + 1, int(self.source_pieces * self.target_factor) + self.target_extra
        )


def export_bundle(
    model: Path,
    prepared: Path,
    source: str,
    target: str,
    calibration: Path,
    output: Path,
    *,
    version: str,
    precision: str,
    scores: Sequence[Path] = (),
    manifest: Path | None = None,
    hardware: str | None = None,
    weaknesses: Sequence[str] = (),
    licence: str = LICENCE,
    names: Path | None = None,
    shortlist: Path | None = None,
    beam: int = 1,
    length: LengthReward | None = None,
) -> Path:
    """A bundle of a trained model and its vocabulary; returns the manifest's path.

    Args:
        scores: what ``evaluate --json`` printed, for the manifest and the card.
        manifest: the data's manifest, for licences that the prepared data lack.
        hardware: what the model was trained on, where its file does not say.
        licence: of the weights, for the manifest and the card.
        names: a table of names (`models.data.names`) to put in.
        shortlist: of the model's pieces (`models.export.shortlist`), to put in; an int8 bundle's.
        beam: hypotheses that a search follows where a request names no number; browsers search
            with a beam in int8 graphs only.
        length: what a longer one of them is worth; None: nothing.

    Raises:
        ExportError: the precision is unknown, the beam or the reward cannot be, a file of scores
            cannot be read, or model, shortlist and prepared data do not fit.
        TrainingError: the model cannot be read.
        CorpusError: the calibration file or the prepared data cannot be read, or are of other
            languages.
    """
    try:
        kind = Precision(precision)
    except ValueError as error:
        known = ", ".join(Precision)
        raise ExportError(f"{precision!r} is no precision; known: {known}") from error
    most = MOST_BEAM if kind is Precision.INT8 else 1
    if not 1 <= beam <= most:
        raise ExportError(f"a bundle of {precision} has a beam of 1 to {most}, not {beam:,}")
    if length and beam == 1:
        raise ExportError("a reward for length chooses among hypotheses: it wants a beam above 1")
    if length and not (0 < length.reward <= MOST_LENGTH and 0 < length.ratio <= MOST_LENGTH):
        raise ExportError(
            f"a length's reward and ratio are above 0 and up to {MOST_LENGTH:g}, not "
            f"{length.reward:g} and {length.ratio:g}"
        )
    meta = read_meta_of(prepared, source, target)
    student = load_model(model)
    table = None if names is None else _read_names(names)
    lists = None if shortlist is None else _read_shortlist(shortlist, student.sizes, kind)
    vocabulary = prepared / "vocabulary.spm"
    processor = _read_vocabulary(vocabulary, student.sizes)
    facts = BundleFacts(
        name=f"{source}-{target}-tiny",
        version=version,
        source=source,
        target=target,
        licence=licence,
        source_pieces=int(meta.get("max_pieces", BundleFacts.source_pieces)),
        precision=kind.value,
        beam=beam,
        length=length,
        scores=read_scores(scores),
        sources=_licensed(meta, manifest, target),
        training=training_facts(model, hardware),
        reproduce=_commands(
            meta,
            model,
            source,
            target,
            calibration,
            version,
            kind,
            _search(beam, length),
            table,
            lists,
        ),
        weaknesses=weaknesses,
    )
    pairs = read_tsv_columns(calibration, source, target)[:CALIBRATION_SENTENCES]
    ranges = activation_ranges(student, processor, pairs) if kind is Precision.INT8 else {}
    exporter = Exporter(student, kind, ranges, max(MAX_POSITIONS, facts.positions))
    graph = translation_graph(exporter).SerializeToString()
    parts: dict[str, bytes] = {}
    if table is not None:
        parts[NAMES] = table
    if lists is not None:
        parts[SHORTLIST] = write_shortlist(lists)
    return write_bundle(output, graph, vocabulary, student.sizes, facts, parts)


def _read_shortlist(path: Path, sizes: Architecture, precision: Precision) -> Shortlist:
    if precision is not Precision.INT8:
        raise ExportError(f"a shortlist goes with int8, not with {precision}")
    try:
        lists = read_shortlist(path.read_bytes())
    except (OSError, ModelFileError) as error:
        raise ExportError(f"{path} is no shortlist: {error}") from error
    if lists.sources != sizes.vocabulary_size:
        raise ExportError(
            f"{path} is of {lists.sources:,} pieces, the model has {sizes.vocabulary_size:,}"
        )
    return lists


def _read_names(path: Path) -> bytes:
    try:
        content = path.read_bytes()
        read_names(content)
    except (OSError, BundleError) as error:
        raise ExportError(f"{path} is no table of names: {error}") from error
    return content


def _read_vocabulary(path: Path, sizes: Architecture) -> Vocabulary:
    try:
        processor = read_vocabulary(path)
    except CorpusError as error:
        raise ExportError(error.message) from error
    if processor.get_piece_size() != sizes.vocabulary_size:
        raise ExportError(
            f"{path} has {processor.get_piece_size()} pieces, the model {sizes.vocabulary_size}"
        )
    return processor


def read_scores(paths: Sequence[Path]) -> dict[str, dict[str, Any]]:
    """Scores by data set, from the last line of each file.

    Raises:
        ExportError: a file is missing, or does not end in a line of ``evaluate --json``.
    """
    scores: dict[str, dict[str, Any]] = {}
    for path in paths:
        try:
            row = json.loads(path.read_text(encoding="utf-8").splitlines()[-1])
            name = str(row["data"]).partition(".")[0]
            scores[name] = {key: row[key] for key in SCORES if row.get(key) is not None}
        except (OSError, ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
            raise ExportError(f"{path} is not the output of evaluate --json: {error!r}") from error
    return scores


def _licensed(
    meta: Mapping[str, Any], manifest: Path | None, target_language: str
) -> list[dict[str, object]]:
    """Sources that gave this direction a pair, with their licences; what a model made is no target.

    Raises:
        CorpusError: the manifest cannot be read, or does not know a source without a licence.
    """
    licensed = [
        {key: value for key, value in row.items() if key != "dropped"}
        for row in meta["sources"]
        if row["pairs"]
        and row.get("synthetic") != target_language
        and row.get("distilled") in (None, target_language)
    ]
    if manifest is None:
        return licensed
    pair = "-".join(meta["columns"])
    known = {row["name"]: row for row in read_manifest(manifest) if row["pair"] == pair}
    for row in licensed:
        if row.get("licence"):  # as those have that the recipe names itself, or a band of it
            continue
        if row["name"] == "augmented":
            row |= {"licence": "made from the others", "licence_class": "own"}
        elif row["name"] in known:
            entry = known[row["name"]]
            row |= {"licence": entry["licence"], "licence_class": entry["class"]}
        else:
            raise CorpusError(f"{manifest}: no source {row['name']!r} of {pair}")
    return licensed


def training_facts(model: Path, hardware: str | None = None) -> dict[str, Any]:
    """Steps, hours, hardware: from the model's file, else from the log that lies beside it."""
    noted = load_scores(model)
    step, seconds, pieces = (noted.get(key) for key in ("step", "seconds", "pieces"))
    log = model.with_name("log.jsonl")
    if seconds is None and step is not None and log.exists():
        times = [
            row["seconds"] for row in read_log(log) if "seconds" in row and row["step"] <= step
        ]
        seconds = times[-1] if times else None
    facts = {
        "began_with": (noted.get("settings") or {}).get("initial") or None,
        "steps": step,
        "hours": None if seconds is None else round(seconds / 3600, 2),
        "target_pieces": pieces,
        "hardware": hardware or noted.get("hardware"),
        "validation": {key: noted[key] for key in ("bleu", "chrf") if key in noted} or None,
        "settings": noted.get("settings"),
        "averaged": noted.get("averaged"),
        "alignment_head": noted.get("alignment"),
    }
    return {key: value for key, value in facts.items() if value is not None}


def _commands(
    meta: Mapping[str, Any],
    model: Path,
    source: str,
    target: str,
    calibration: Path,
    version: str,
    precision: Precision,
    search: Mapping[str, float],
    names: bytes | None,
    lists: Shortlist | None,
) -> list[str]:
    """Commands with this project's paths, and the settings of the training where they are known."""
    pair, dev = f"{source}-{target}", calibration.name
    recipe = f"recipes/{meta.get('recipe', 'RECIPE')}.toml"
    noted = load_scores(model)
    settings, head = noted.get("settings") or {}, noted.get("alignment")
    chosen = _options(
        settings,
        (
            "steps", "cooldown", "batch_pieces", "accumulate", "rate", "warm_up", "guide_weight",
            "optimizer", "seed",
        ),
    )  # fmt: skip
    begun = "-".join(str(settings.get("initial") or "").split())
    own = "VOCABULARY" if begun.endswith(".pt") else f"{begun}/vocabulary.spm"
    vocabulary = f" --vocabulary {own}" if begun else ""
    chosen += f" --initial {begun}" if begun else ""
    taught = "budget" in settings  # by `model window`, whose student has a folder of its own
    run = f"build/{pair}/student" if taught else f"build/{pair}"
    trained, aligned = f"{run}/best.pt", f"build/{pair}/aligned.pt"
    mixed = noted.get("averaged") or ()
    mix: list[str] = []
    if mixed:
        paths = ["-".join(str(one["model"]).split()) for one in mixed[:-1]]
        of = " ".join([*paths, trained, *(f"--share {one['share']:g}" for one in mixed)])
        trained = f"build/{pair}/averaged.pt"
        mix = [f"dragoman model average {of} --output {trained}"]
    teach = []
    if head:
        fields = ("steps", "size", "batch_pieces", "rate", "lower_case", "seed")
        teach = [
            f"dragoman model train-alignment {trained} --prepared build/prepared --pair {pair}"
            f"{_options(head, fields)} --output {aligned}"
        ]
    table = f"build/{pair}/{NAMES_FILE}"
    listed = f"build/{pair}/{SHORTLIST_FILE}"
    return [
        f"dragoman model prepare {recipe} --data DATA --output build/prepared{vocabulary}",
        *(
            _windows(pair, source, target, dev, settings, begun)
            if taught
            else [
                f"dragoman model train build/prepared --pair {pair} --run {run}"
                f" --validation DATA/dev/{dev}{chosen}"
            ]
        ),
        *mix,
        *teach,
        *_of_words(pair, recipe, names, table),
        *_of_lists(pair, lists, listed),
        f"dragoman model export {aligned if head else trained} --prepared build/prepared"
        f" --pair {pair}"
        f" --calibration DATA/dev/{dev} --precision {precision.value} --version {version}"
        f"{_options(search, tuple(search))}{f' --names {table}' if names else ''}"
        f"{f' --shortlist {listed}' if lists else ''}"
        f" --output models/{pair}",
    ]


def _search(beam: int, length: LengthReward | None) -> dict[str, float]:
    """As a manifest has it."""
    if length is None:
        return {"beam": beam}
    return {"beam": beam, "length_reward": length.reward, "length_ratio": length.ratio}


def _windows(
    pair: str, source: str, target: str, dev: str, settings: Mapping[str, object], begun: str
) -> list[str]:
    """What teaches a student in windows."""
    pack = f"build/{pair}.pack"
    return [
        f"dragoman model pack build/prepared --validation DATA/dev/{dev} --output {pack}",
        f"dragoman model window {pack} --pair {pair} --run build/{pair} --mono {source}=TEXTS"
        f" --mono {target}=TEXTS{_options(settings, ('budget', 'rate', 'rows', 'seed'))}"
        + (f" --initial {begun}" if begun else "")
        + " --device cuda",
    ]


def _of_words(pair: str, recipe: str, names: bytes | None, table: str) -> list[str]:
    """What makes the table of names, and the word list in it, where there is one."""
    if names is None:
        return []
    known = read_names(names)
    lexicon, written = f"build/{pair}/lexicon.tsv", f"recipes/lexicon/{pair}"
    make = f"dragoman model names {recipe} --data DATA --pair {pair}"
    make += f" --formulas {written}.formulas.tsv" if known.formulas else ""
    if not known.lexicon:
        return [f"{make} --output {table}"]
    parts = f" --firsts {written}.firsts.tsv --heads {written}.heads.tsv"
    compounds = parts if known.firsts else ""
    return [
        f"dragoman model lexicon build/prepared --pair {pair} --text TEXT"
        f" --entries {written}.tsv{compounds} --output {lexicon}",
        f"{make} --lexicon {lexicon}{compounds} --output {table}",
    ]


def _of_lists(pair: str, lists: Shortlist | None, path: str) -> list[str]:
    """What makes the shortlist."""
    if lists is None:
        return []
    return [
        f"dragoman model shortlist build/prepared --pair {pair} --first {lists.first}"
        f" --common {len(lists.of(EOS_ID))} --best {lists.best} --output {path}"
    ]


def _options(settings: Mapping[str, object], names: Sequence[str]) -> str:
    """Those of the settings that are known, as options of a command."""
    return "".join(
        f" --{name.replace('_', '-')} {settings[name]}" for name in names if name in settings
    )


def write_bundle(
    folder: Path,
    graph: bytes,
    vocabulary: Path,
    sizes: Architecture,
    facts: BundleFacts,
    parts: Mapping[str, bytes] = MappingProxyType({}),
) -> Path:
    """Write the files, the manifest that names them, the card; returns the manifest's path.

    Args:
        parts: by their roles in the manifest, what a bundle may have besides graph and vocabulary.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(graph)
    shutil.copyfile(vocabulary, folder / "vocabulary.spm")
    files = {"graph": "model.onnx", "vocabulary": "vocabulary.spm"}
    for role, content in parts.items():
        files[role] = PART_FILES[role]
        (folder / files[role]).write_bytes(content)
    manifest = {
        "format": FORMAT,
        "name": facts.name,
        "version": facts.version,
        "source": facts.source,
        "target": facts.target,
        "files": {role: _entry(folder / name) for role, name in files.items()},
        "architecture": asdict(sizes),
        "precision": facts.precision,
        "limits": {
            "source_pieces": facts.source_pieces,
            "target_factor": facts.target_factor,
            "target_extra": facts.target_extra,
        },
        "search": _search(facts.beam, facts.length),
        "licence": facts.licence,
        "scores": facts.scores,
        "training": facts.training,
        "sources": list(facts.sources),
        "weaknesses": list(facts.weaknesses),
        "reproduce": list(facts.reproduce),
    }
    write_manifest(folder, manifest)
    return folder / MANIFEST


def _entry(path: Path) -> dict[str, object]:
    content = path.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    return {"path": path.name, "bytes": len(content), "sha256": digest}
