"""`dragoman model prepare` and `train`: from parallel text to a student, and how a run went."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.cli.model.options import PairOption, Threads, languages, option_a_field, placed
from dragoman.models.alignment.settings import AlignmentSettings
from dragoman.models.training.settings import TrainSettings
from dragoman.student.architecture import Architecture

if TYPE_CHECKING:
    from dragoman.models.data.batches import TrainingData

app = typer.Typer(add_completion=False, rich_markup_mode=None)

VALIDATION_SENTENCES = 600


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
@option_a_field
def train(
    prepared: Annotated[
        Path, typer.Argument(help="What `prepare` wrote; or, with --vocabulary, a TSV.")
    ],
    pair: PairOption,
    run: Annotated[Path, typer.Option(help="Folder of the training run.")],
    validation: Annotated[
        Path, typer.Option(help="TSV to validate on, columns named by language.")
    ],
    settings: TrainSettings,
    sizes: Architecture,
    minutes: Annotated[
        float | None, typer.Option(help="Save and end after so much time; run again to go on.")
    ] = None,
    vocabulary: Annotated[
        Path | None, typer.Option(help="SentencePiece model, to train from a TSV directly.")
    ] = None,
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = "cpu",
    initial: Annotated[
        Path | None,
        typer.Option(help="A new run begins with this model: a bundle's folder, or RUN/best.pt."),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(help="In an empty RUN: go on with what `slim` wrote on another machine."),
    ] = None,
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
    from dragoman.models.training.host import alone, stop_requests, use_environment
    from dragoman.models.training.reporting import display
    from dragoman.models.training.train import REWARM, Ending, Trainer

    use_environment()
    if threads:
        torch.set_num_threads(threads)
    source, target = languages(pair)
    if prepared.is_file() and not vocabulary:
        raise typer.BadParameter(f"{prepared} is a file: to train from it needs --vocabulary")
    pieces = read_vocabulary(vocabulary or prepared / "vocabulary.spm")
    data: TrainingData
    if vocabulary:
        data = RawData(prepared, source, target, pieces)
    else:
        data = open_prepared(prepared, source, target)
    rows = read_tsv_columns(validation, source, target)[:VALIDATION_SENTENCES]
    sizes = replace(sizes, vocabulary_size=data.vocabulary_size)
    settings = replace(settings, initial=name_of(initial) if initial else "")
    with alone(run), stop_requests() as stop, display(typer.echo) as shown:
        begin = open_student(initial) if initial else None
        trainer = Trainer(run, data, pieces, rows, sizes, settings, device, begin, resume)
        if trainer.restarted == trainer.progress.step:
            typer.echo(f"a new optimizer warms up over {REWARM} updates", err=True)
        if trainer.progress.step:
            typer.echo(f"going on after step {trainer.progress.step:,}", err=True)
        ending = trainer.run(shown, stop, minutes)
    from dragoman.models.training.picture import draw_curve
    from dragoman.models.training.train import CURVE, LOG

    if trainer.progress.step and (run / LOG).exists():
        draw_curve(run / LOG, run / CURVE)
    message = f"{ending}: saved at step {trainer.progress.step:,} of {settings.steps:,}"
    over = ending in (Ending.FINISHED, Ending.NO_BETTER)
    again = "" if over else "; the same command goes on from there"
    typer.echo(message + again, err=True)


@app.command("train-alignment")
@option_a_field
def train_alignment_(
    model: Annotated[Path, typer.Argument(help="A trained model, such as RUN/best.pt.")],
    prepared: Annotated[Path, typer.Option(help="Prepared data of its vocabulary.")],
    pair: PairOption,
    output: Annotated[Path, typer.Option(help="The same model with its head, such as aligned.pt.")],
    settings: AlignmentSettings,
    check: Annotated[
        Path | None, typer.Option(help="TSV with hand-made links: its error is told on the way.")
    ] = None,
    threads: Threads = 0,
) -> None:
    """Teach a trained model exact links of words; its translations stay the same, to the bit.

    Takes minutes, for any checkpoint with prepared data of its vocabulary. Before `export`.

    Example: dragoman model train-alignment build/de-en/best.pt --prepared build/prepared
    --pair de-en --output build/de-en/aligned.pt
    """
    import torch

    from dragoman.models.alignment.alignment_error import read_aligned
    from dragoman.models.alignment.train_alignment import train_alignment
    from dragoman.models.data.prepared import open_prepared
    from dragoman.models.data.vocabulary import read_vocabulary
    from dragoman.models.training.reporting import display

    if threads:
        torch.set_num_threads(threads)
    source, target = languages(pair)
    data = open_prepared(prepared, source, target)
    pieces = read_vocabulary(prepared / "vocabulary.spm")
    checked = read_aligned(check, source, target) if check else ()
    with display(typer.echo) as shown:
        train_alignment(model, output, data, pieces, settings, checked, shown)
    typer.echo(str(output), err=True)


@app.command()
def average(
    models: Annotated[
        list[Path], typer.Argument(help="Bundles' folders, or files such as RUN/best.pt.")
    ],
    output: Annotated[Path, typer.Option(help="File to write, such as averaged.pt.")],
    share: Annotated[
        list[float] | None,
        typer.Option(help="Of each model, in order; they sum to 1. Default: the same."),
    ] = None,
) -> None:
    """The mean of the weights of a model and of what was trained from it; often better than both.

    Before `train-alignment`, or with the head of the first model that has one.

    Example: dragoman model average models/de-en build/de-en/best.pt --share 0.5 --share 0.5
    --output build/de-en/averaged.pt
    """
    from dragoman.models.export.average import average_models

    average_models(models, share or (), placed(output))
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
    draw_curve(run / LOG, placed(picture))
    typer.echo(str(picture))
