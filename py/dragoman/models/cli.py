"""`dragoman model ...`: prepare, train, evaluate, export."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    no_args_is_help=True,
    help="Build models: from parallel text to a bundle.",
    epilog="Example: dragoman model evaluate --pair de-en --data dev.tsv --json",
)

Folder = Annotated[Path, typer.Option(help="Folder of the training run.")]


@app.command()
def prepare(
    recipe: Annotated[Path, typer.Argument(help="TOML recipe, for example recipes/en-de.toml")],
    data: Annotated[Path, typer.Option(help="Data folder with train/manifest.tsv.")],
    output: Annotated[Path, typer.Option(help="Where the prepared data goes.")],
) -> None:
    """Clean, weigh, tokenize and align parallel text.

    Example: dragoman model prepare recipes/en-de.toml --data ../data --output build/prepared
    """
    from dragoman.models.prepare import prepare as run
    from dragoman.models.recipe import read_recipe

    report = run(read_recipe(recipe), data, output, lambda line: typer.echo(line, err=True))
    typer.echo(json.dumps(report))


@app.command()
def train(
    prepared: Annotated[Path, typer.Argument(help="What `prepare` wrote.")],
    pair: Annotated[str, typer.Option(help="Direction, for example de-en.")],
    run: Folder,
    validation: Annotated[
        Path, typer.Option(help="TSV to validate on, columns named by language.")
    ],
    steps: Annotated[int, typer.Option(help="Updates in all.")] = 12_000,
    cooldown: Annotated[int, typer.Option(help="Last updates, with a falling rate.")] = 3_000,
    batch_pieces: Annotated[int, typer.Option(help="Padded pieces a batch.")] = 2_500,
    validate_every: Annotated[int, typer.Option(help="Updates between validations.")] = 500,
    threads: Annotated[int, typer.Option(help="Processor cores; 0: all.")] = 0,
) -> None:
    """Train a tiny student; goes on where an earlier run in the same folder ended.

    Example: dragoman model train build/prepared --pair de-en --run build/de-en --validation dev.tsv
    """
    import sentencepiece
    import torch

    from dragoman.models.corpus import read_tsv_columns
    from dragoman.models.network import Architecture
    from dragoman.models.prepared import load_prepared
    from dragoman.models.train import Trainer, TrainSettings, use_allocator_settings

    use_allocator_settings()
    if threads:
        torch.set_num_threads(threads)
    source, target = _languages(pair)
    data = load_prepared(prepared, source, target)
    vocabulary = sentencepiece.SentencePieceProcessor(model_file=str(prepared / "vocabulary.spm"))
    settings = TrainSettings(
        steps=steps, cooldown=cooldown, batch_pieces=batch_pieces, validate_every=validate_every
    )
    rows = read_tsv_columns(validation, source, target)[:600]
    sizes = Architecture(vocabulary_size=data.vocabulary_size)
    Trainer(run, data, vocabulary, rows, sizes, settings).run(typer.echo)


@app.command()
def export(
    model: Annotated[Path, typer.Argument(help="A trained model, such as RUN/best.pt.")],
    prepared: Annotated[Path, typer.Option(help="Its prepared data: vocabulary and sources.")],
    pair: Annotated[str, typer.Option(help="Direction, for example de-en.")],
    calibration: Annotated[Path, typer.Option(help="TSV of typical sentences.")],
    output: Annotated[Path, typer.Option(help="Folder of the bundle.")],
    version: Annotated[str, typer.Option(help="Version of the bundle.")] = "0.1.0",
    precision: Annotated[str, typer.Option(help="int8 or float32.")] = "int8",
) -> None:
    """Make a bundle of a trained model.

    Example: dragoman model export build/de-en/best.pt --prepared build/prepared --pair de-en
    --calibration dev.tsv --output models/de-en
    """
    from dragoman.models.release import export_bundle

    source, target = _languages(pair)
    manifest = export_bundle(
        model, prepared, source, target, calibration, output, version=version, precision=precision
    )
    typer.echo(str(manifest))


@app.command()
def evaluate(
    pair: Annotated[str, typer.Option(help="Direction, for example de-en.")],
    data: Annotated[Path, typer.Option(help="TSV whose header names languages.")],
    models: Annotated[Path | None, typer.Option(help="Folder that holds bundles.")] = None,
    limit: Annotated[int | None, typer.Option(help="Only so many sentences.")] = None,
    output: Annotated[Path | None, typer.Option(help="Write the translations here.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One line of JSON.")] = False,
    threads: Annotated[int, typer.Option(help="Processor cores; 0: all.")] = 0,
) -> None:
    """BLEU and chrF of a bundle, through the real pipeline.

    Example: dragoman model evaluate --pair de-en --data tatoeba-dev.en-de.tsv --json
    """
    from dragoman.models.evaluate import evaluate as run
    from dragoman.native import Translator

    source, target = _languages(pair)
    folders = [models] if models else None
    with Translator.load(source, target, folders=folders, threads=threads) as translator:
        scores, hypotheses = run(translator, data, limit)
    if output:
        output.write_text("".join(f"{line}\n" for line in hypotheses), encoding="utf-8")
    if as_json:
        typer.echo(json.dumps(asdict(scores)))
        return
    for name, value in asdict(scores).items():
        typer.echo(f"{name:18} {value}")


def _languages(pair: str) -> tuple[str, str]:
    source, _, target = pair.partition("-")
    if not source or not target:
        raise typer.BadParameter(f"{pair!r} is no pair; write it as de-en")
    return source, target
