"""`dragoman model ...`: from parallel text to a bundle, and to and from other formats."""

from __future__ import annotations

import json
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.cli.model.options import AsJson, PairOption, Threads, languages
from dragoman.cli.model.quality import app as quality

if TYPE_CHECKING:
    from dragoman.models.data.batches import TrainingData

app = typer.Typer(
    no_args_is_help=True,
    help="Build models: from parallel text to a bundle.",
    epilog="Example: dragoman model evaluate --pair de-en --data dev.tsv --json",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.add_typer(quality)

VALIDATION_SENTENCES = 600


class ExportFormat(StrEnum):
    """What `export` writes."""

    BUNDLE = "bundle"
    MARIAN = "marian"


Folder = Annotated[Path, typer.Option(help="Folder of the training run.")]


@app.command()
def prepare(
    recipe: Annotated[Path, typer.Argument(help="TOML recipe, for example recipes/en-de.toml")],
    data: Annotated[Path, typer.Option(help="Data folder with train/manifest.tsv.")],
    output: Annotated[Path, typer.Option(help="Where the prepared data goes.")],
    vocabulary: Annotated[
        Path | None, typer.Option(help="Take this one, as a model has it that is to go on.")
    ] = None,
) -> None:
    """Clean, weigh, tokenize and align parallel text; report.md there says what was dropped.

    Example: dragoman model prepare recipes/en-de.toml --data ../data --output build/prepared
    """
    from dragoman.models.data.prepare import prepare as run
    from dragoman.models.data.recipe import read_recipe

    report = run(
        read_recipe(recipe), data, output, lambda line: typer.echo(line, err=True), vocabulary
    )
    typer.echo(json.dumps(report))


@app.command()
def train(
    prepared: Annotated[
        Path, typer.Argument(help="What `prepare` wrote; or, with --vocabulary, a TSV.")
    ],
    pair: PairOption,
    run: Folder,
    validation: Annotated[
        Path, typer.Option(help="TSV to validate on, columns named by language.")
    ],
    steps: Annotated[int, typer.Option(help="Updates in all.")] = 12_000,
    cooldown: Annotated[int, typer.Option(help="Last updates, with a falling rate.")] = 3_000,
    batch_pieces: Annotated[int, typer.Option(help="Padded pieces a batch.")] = 2_500,
    batch_sentences: Annotated[
        int, typer.Option(help="Pairs a batch, in place of pieces; 0: by pieces.")
    ] = 0,
    bucket_width: Annotated[
        int, typer.Option(help="Batches of length buckets so wide; 0: of sorted windows.")
    ] = 0,
    accumulate: Annotated[int, typer.Option(help="Batches an update.")] = 1,
    rate: Annotated[float, typer.Option(help="Highest learning rate.")] = 2e-3,
    warm_up: Annotated[int, typer.Option(help="Updates until the highest rate.")] = 1_000,
    smoothing: Annotated[float, typer.Option(help="Label smoothing.")] = 0.1,
    guide_weight: Annotated[float, typer.Option(help="Weight of guided alignment.")] = 0.2,
    clip: Annotated[float, typer.Option(help="Largest gradient norm.")] = 1.0,
    dropout: Annotated[float, typer.Option(help="Of embeddings and sub-layers.")] = 0.0,
    dropout_attention: Annotated[float, typer.Option(help="Of attention weights.")] = 0.0,
    dropout_inner: Annotated[float, typer.Option(help="Inside feed-forward layers.")] = 0.0,
    average: Annotated[float, typer.Option(help="Decay of the averaged parameters.")] = 0.999,
    validate_every: Annotated[int, typer.Option(help="Updates between validations.")] = 500,
    patience: Annotated[
        int, typer.Option(help="End after so many validations without a better chrF; 0: never.")
    ] = 0,
    save_every: Annotated[int, typer.Option(help="Updates between checkpoints.")] = 250,
    log_every: Annotated[int, typer.Option(help="Updates a row of the log.")] = 50,
    minutes: Annotated[
        float | None, typer.Option(help="Save and end after so much time; run again to go on.")
    ] = None,
    bfloat16: Annotated[
        bool, typer.Option("--bfloat16/--float32", help="Numbers to compute in.")
    ] = True,
    dimension: Annotated[int, typer.Option(help="Size of the model's vectors.")] = 256,
    feed_forward: Annotated[int, typer.Option(help="Size of the feed-forward layers.")] = 1536,
    heads: Annotated[int, typer.Option(help="Attention heads.")] = 8,
    encoder_layers: Annotated[int, typer.Option(help="Layers of the encoder.")] = 6,
    decoder_layers: Annotated[int, typer.Option(help="Layers of the decoder.")] = 2,
    encoder: Annotated[
        str, typer.Option(help="transformer, recurrent or convolutional.")
    ] = "transformer",
    decoder: Annotated[str, typer.Option(help="ssru or attention.")] = "ssru",
    width: Annotated[int, typer.Option(help="Pieces that a convolution sees, odd.")] = 3,
    vocabulary: Annotated[
        Path | None, typer.Option(help="SentencePiece model, to train from a TSV directly.")
    ] = None,
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = "cpu",
    optimizer: Annotated[
        str, typer.Option(help="adam, or muon: that for the matrices inside, adam for the rest.")
    ] = "adam",
    compiled: Annotated[
        bool,
        typer.Option("--compile", help="Compile the loss: faster, needs a C++ compiler."),
    ] = False,
    initial: Annotated[
        Path | None,
        typer.Option(help="A new run begins with this model: a bundle's folder, or RUN/best.pt."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the parameters and of the batches.")] = 1,
    threads: Threads = 0,
) -> None:
    """Train a student; goes on where an earlier run in the same folder ended.

    Ctrl+C and SIGTERM finish the step, save and end with exit code 0.

    Example: dragoman model train build/prepared --pair de-en --run build/de-en --validation dev.tsv
    """
    import torch

    from dragoman.models.data.corpus import read_tsv_columns
    from dragoman.models.data.prepared import open_prepared
    from dragoman.models.data.raw import RawData
    from dragoman.models.data.vocabulary import read_vocabulary
    from dragoman.models.export.initial import name_of, open_student
    from dragoman.models.training.host import stop_requests, use_allocator_settings
    from dragoman.models.training.reporting import display
    from dragoman.models.training.settings import TrainSettings
    from dragoman.models.training.train import Ending, Trainer
    from dragoman.student.architecture import Architecture

    use_allocator_settings()
    if threads:
        torch.set_num_threads(threads)
    source, target = languages(pair)
    settings = TrainSettings(
        steps=steps, cooldown=cooldown, batch_pieces=batch_pieces, rate=rate, warm_up=warm_up,
        smoothing=smoothing, guide_weight=guide_weight, clip=clip, average=average,
        validate_every=validate_every, save_every=save_every, log_every=log_every,
        bfloat16=bfloat16, seed=seed, batch_sentences=batch_sentences, bucket_width=bucket_width,
        accumulate=accumulate, dropout=dropout, dropout_attention=dropout_attention,
        dropout_inner=dropout_inner, patience=patience, optimizer=optimizer,
        compiled=compiled, initial=name_of(initial) if initial else "",
    )  # fmt: skip
    pieces = read_vocabulary(vocabulary or prepared / "vocabulary.spm")
    data: TrainingData
    if vocabulary:
        data = RawData(prepared, source, target, pieces)
    else:
        data = open_prepared(prepared, source, target)
    rows = read_tsv_columns(validation, source, target)[:VALIDATION_SENTENCES]
    sizes = Architecture(
        data.vocabulary_size, dimension, feed_forward, heads, encoder_layers, decoder_layers,
        encoder, decoder, width,
    )  # fmt: skip
    with stop_requests() as stop, display(typer.echo) as shown:
        begin = open_student(initial) if initial else None
        trainer = Trainer(run, data, pieces, rows, sizes, settings, device, begin)
        if trainer.progress.step:
            typer.echo(f"going on after step {trainer.progress.step:,}", err=True)
        ending = trainer.run(shown, stop, minutes)
    from dragoman.models.training.picture import draw_curve
    from dragoman.models.training.train import CURVE, LOG

    if trainer.progress.step and (run / LOG).exists():
        draw_curve(run / LOG, run / CURVE)
    message = f"{ending}: saved at step {trainer.progress.step:,} of {steps:,}"
    over = ending in (Ending.FINISHED, Ending.NO_BETTER)
    again = "" if over else "; the same command goes on from there"
    typer.echo(message + again, err=True)


@app.command("train-alignment")
def train_alignment_(
    model: Annotated[Path, typer.Argument(help="A trained model, such as RUN/best.pt.")],
    prepared: Annotated[Path, typer.Option(help="Prepared data of its vocabulary.")],
    pair: PairOption,
    output: Annotated[Path, typer.Option(help="The same model with its head, such as aligned.pt.")],
    check: Annotated[
        Path | None, typer.Option(help="TSV with hand-made links: its error is told on the way.")
    ] = None,
    steps: Annotated[int, typer.Option(help="Updates.")] = 1_500,
    size: Annotated[
        int, typer.Option(help="Of the head: a multiple of 8, at most the model's dimension.")
    ] = 64,
    batch_pieces: Annotated[int, typer.Option(help="Padded pieces a batch.")] = 2_500,
    rate: Annotated[float, typer.Option(help="Learning rate before it falls.")] = 2e-3,
    lower_case: Annotated[float, typer.Option(help="Share of pairs seen in lower case.")] = 0.5,
    seed: Annotated[int, typer.Option(help="Of the head and of the batches.")] = 1,
    threads: Threads = 0,
) -> None:
    """Teach a trained model exact links of words; its translations stay the same, to the bit.

    Takes minutes, for any checkpoint with prepared data of its vocabulary. Before `export`.

    Example: dragoman model train-alignment build/de-en/best.pt --prepared build/prepared
    --pair de-en --output build/de-en/aligned.pt
    """
    import torch

    from dragoman.models.alignment.alignment_error import read_aligned
    from dragoman.models.alignment.train_alignment import AlignmentSettings, train_alignment
    from dragoman.models.data.prepared import open_prepared
    from dragoman.models.data.vocabulary import read_vocabulary
    from dragoman.models.training.reporting import display

    if threads:
        torch.set_num_threads(threads)
    source, target = languages(pair)
    settings = AlignmentSettings(
        steps=steps, size=size, batch_pieces=batch_pieces, rate=rate, lower_case=lower_case,
        seed=seed,
    )  # fmt: skip
    data = open_prepared(prepared, source, target)
    pieces = read_vocabulary(prepared / "vocabulary.spm")
    checked = read_aligned(check, source, target) if check else ()
    with display(typer.echo) as shown:
        train_alignment(model, output, data, pieces, settings, checked, shown)
    typer.echo(str(output), err=True)


@app.command()
def curve(
    run: Annotated[Path, typer.Argument(help="Folder of a training run, under way or ended.")],
    output: Annotated[
        Path | None, typer.Option(help="The picture, SVG; else curve.svg in that folder.")
    ] = None,
) -> None:
    """Draw loss, BLEU and chrF over the updates.

    Example: dragoman model curve build/de-en
    """
    from dragoman.models.training.picture import draw_curve
    from dragoman.models.training.train import CURVE, LOG

    picture = output or run / CURVE
    draw_curve(run / LOG, picture)
    typer.echo(str(picture))


@app.command()
def export(
    model: Annotated[
        Path,
        typer.Argument(help="A trained model, such as RUN/aligned.pt; for Marian also a bundle."),
    ],
    output: Annotated[Path, typer.Option(help="Folder to write.")],
    prepared: Annotated[
        Path | None, typer.Option(help="Its prepared data: vocabulary and sources.")
    ] = None,
    pair: Annotated[str | None, typer.Option(help="Direction, for example de-en.")] = None,
    calibration: Annotated[Path | None, typer.Option(help="TSV of typical sentences.")] = None,
    format_: Annotated[
        ExportFormat, typer.Option("--format", help="A bundle, or files for Marian's engine.")
    ] = ExportFormat.BUNDLE,
    shortlist: Annotated[
        Path | None, typer.Option(help="With --format marian: a binary shortlist to put in.")
    ] = None,
    version: Annotated[str, typer.Option(help="Version of the bundle.")] = "0.1.0",
    precision: Annotated[str, typer.Option(help="int8 or float32.")] = "int8",
    scores: Annotated[
        list[Path] | None, typer.Option(help="Output of evaluate --json; may be repeated.")
    ] = None,
    manifest: Annotated[
        Path | None, typer.Option(help="The data's manifest.tsv, for licences.")
    ] = None,
    hardware: Annotated[
        str | None, typer.Option(help="Where it was trained, for the model card.")
    ] = None,
    weakness: Annotated[
        list[str] | None, typer.Option(help="For the model card; may be repeated.")
    ] = None,
) -> None:
    """Make a bundle of a trained model, with its model card; or files for Marian's engine.

    A bundle that is exported to Marian names all it needs itself.

    Example: dragoman model export build/de-en/aligned.pt --prepared build/prepared --pair de-en
    --calibration dev.tsv --output models/de-en
    """
    if format_ is ExportFormat.MARIAN and model.is_dir():
        from dragoman.models.marian.release import marian_from_bundle

        typer.echo(str(marian_from_bundle(model, output, shortlist).model))
        return
    if prepared is None or pair is None or calibration is None:
        raise typer.BadParameter("a trained model needs --prepared, --pair and --calibration")
    source, target = languages(pair)
    if format_ is ExportFormat.MARIAN:
        from dragoman.models.marian.release import marian_from_checkpoint

        files = marian_from_checkpoint(
            model, prepared, source, target, calibration, output, shortlist
        )
        typer.echo(str(files.model))
        return
    from dragoman.models.export.release import export_bundle

    written = export_bundle(
        model, prepared, source, target, calibration, output, version=version, precision=precision,
        scores=scores or (), manifest=manifest, hardware=hardware, weaknesses=weakness or (),
    )  # fmt: skip
    typer.echo(str(written))


@app.command("shortlist")
def shortlist_(
    prepared: Annotated[Path, typer.Argument(help="What `prepare` wrote.")],
    pair: PairOption,
    output: Annotated[Path, typer.Option(help="File to write, such as lex.50.50.deen.s2t.bin")],
    first: Annotated[int, typer.Option(min=0, help="Pieces that are always chosen.")] = 50,
    best: Annotated[int, typer.Option(min=1, help="Most targets of a source piece.")] = 50,
) -> None:
    """Make a lexical shortlist of the links of prepared data, in the published binary format.

    Example: dragoman model shortlist build/prepared --pair de-en
    --output build/lex.50.50.deen.s2t.bin
    """
    from dragoman.models.data.prepared import open_prepared
    from dragoman.models.export.shortlist import build_shortlist, linked_pieces, write_shortlist

    data = open_prepared(prepared, *languages(pair))
    built = build_shortlist(linked_pieces(data), data.vocabulary_size, first, best)
    output.write_bytes(write_shortlist(built))
    typer.echo(f"{output}: {built.sources:,} source pieces, {len(built.targets):,} targets")


@app.command("import")
def import_(
    model: Annotated[Path, typer.Argument(help="A Marian student, .bin or .npz.")],
    vocabulary: Annotated[Path, typer.Option(help="Its SentencePiece vocabulary (.spm).")],
    pair: PairOption,
    output: Annotated[Path, typer.Option(help="Folder of the bundle.")],
    target_vocabulary: Annotated[
        Path | None, typer.Option(help="Where source and target have vocabularies of their own.")
    ] = None,
    calibration: Annotated[
        Path | None, typer.Option(help="TSV of typical sentences, for a model without alphas.")
    ] = None,
    precision: Annotated[str, typer.Option(help="int8 or float32.")] = "int8",
    name: Annotated[str | None, typer.Option(help="Name of the bundle.")] = None,
    version: Annotated[str, typer.Option(help="Version of the bundle.")] = "0.1.0",
    licence: Annotated[str, typer.Option(help="Licence of its weights.")] = "not recorded",
    source_pieces: Annotated[int, typer.Option(min=2, help="Longest sentence, in pieces.")] = 128,
) -> None:
    """Make a bundle of a published browser model, or of another Marian student of that kind.

    Example: dragoman model import model.deen.intgemm.alphas.bin --vocabulary vocab.deen.spm
    --pair de-en --output models/de-en
    """
    from dragoman.models.marian.importer import ImportedFiles, import_marian

    source, target = languages(pair)
    files = ImportedFiles(model, vocabulary, target_vocabulary, calibration)
    written = import_marian(
        files, output, source=source, target=target, name=name, version=version, licence=licence,
        precision=precision, source_pieces=source_pieces,
    )  # fmt: skip
    typer.echo(str(written))


@app.command()
def card(
    bundle: Annotated[Path, typer.Argument(help="A bundle's folder.")],
) -> None:
    """Write MODEL_CARD.md again, of what the bundle's manifest says.

    Example: dragoman model card models/de-en
    """
    from dragoman.models.export.release import write_card

    typer.echo(str(write_card(bundle)))


@app.command()
def inspect(
    path: Annotated[
        Path, typer.Argument(help="A bundle's folder, an .onnx file, or Marian's .bin or .npz.")
    ],
    as_json: AsJson = False,
) -> None:
    """The tensors of a model, with types, shapes and sizes.

    Example: dragoman model inspect models/de-en
    """
    from dragoman.models.measures.tensors import inspect as run
    from dragoman.models.measures.tensors import table

    heading, facts = run(path)
    if as_json:
        typer.echo(json.dumps({"name": heading, "tensors": [asdict(fact) for fact in facts]}))
        return
    typer.echo(f"{heading}\n\n{table(facts)}")
