"""`dragoman model pack`, `unpack`, `slim`: what a training takes to another machine, and back.

`window` works there for a while.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.console import echo
from dragoman.cli.model.options import PairOption, Threads, languages, option_a_field
from dragoman.models.distillation.settings import Stage, WindowSettings

app = typer.Typer(add_completion=False, rich_markup_mode=None)

MB = 1_000_000

PartsMb = Annotated[
    float, typer.Option(min=0, help="Files of at most so many MB each: FILE.01, ...; 0: one file.")
]


def bytes_of(megabytes: float) -> int:
    return int(megabytes * MB)


def texts_of(given: Sequence[str], known: tuple[str, str]) -> dict[str, list[Path]]:
    """Files by language, of LANGUAGE=FILE.

    Raises:
        typer.BadParameter: it is not that, or of another language.
    """
    files: dict[str, list[Path]] = {}
    for one in given:
        language, _, file = one.partition("=")
        if language not in known or not file:
            raise typer.BadParameter(f"{one!r}: write it as {known[0]}=FILE or {known[1]}=FILE")
        files.setdefault(language, []).append(Path(file))
    return files


@app.command()
def pack(
    prepared: Annotated[Path, typer.Argument(help="What `prepare` wrote.")],
    output: Annotated[Path, typer.Option(help="File to write, such as de-en.pack")],
    pair: Annotated[
        str | None,
        typer.Option(help="For this direction only, for example de-en. Default: for both."),
    ] = None,
    limit_mb: Annotated[float, typer.Option(min=0.01, help="Most MB, all parts together.")] = 30,
    parts_mb: PartsMb = 0,
    links: Annotated[
        bool, typer.Option(help="Links of words too, for guided alignment: a fifth more a pair.")
    ] = False,
    validation: Annotated[
        Path | None, typer.Option(help="TSV to validate on there, columns named by language.")
    ] = None,
) -> None:
    """Put prepared data into one small file: as many pairs as fit, by weight and by quality.

    The file serves both directions. What is in it is told: of each source how many pairs.

    Example: dragoman model pack build/prepared --validation dev.tsv --limit-mb 30
    --parts-mb 16 --output build/de-en.pack
    """
    from dragoman.models.data.corpus import read_tsv_columns
    from dragoman.models.data.prepared import read_meta
    from dragoman.models.packing.pack import VALIDATION_ROWS, Wish
    from dragoman.models.packing.pack import pack as run

    columns = read_meta(prepared)["columns"]
    rows = read_tsv_columns(validation, *columns)[:VALIDATION_ROWS] if validation else ()
    wish = Wish(bytes_of(limit_mb), links, languages(pair) if pair else None, rows)
    packed = run(prepared, output, wish, bytes_of(parts_mb), lambda line: echo(line, err=True))
    facts = asdict(packed) | {
        "files": [str(file) for file in packed.files],
        "bytes_a_pair": round(packed.bytes_a_pair, 2),
        "links": links,
    }
    echo(json.dumps(facts, ensure_ascii=False))


@app.command()
def unpack(
    file: Annotated[Path, typer.Argument(help="What `pack` wrote; of parts, without .01")],
    output: Annotated[Path, typer.Option(help="Folder for the prepared data.")],
) -> None:
    """Make prepared data of a pack again, as `train` reads them.

    Example: dragoman model unpack build/de-en.pack --output build/prepared
    """
    from dragoman.models.packing.pack import unpack as run

    opened = run(file, output)
    links = "with" if opened.meta["packed_links"] else "without"
    echo(f"{output}: {opened.meta['pairs']:,} pairs, {links} links of words")


@app.command()
def slim(
    run: Annotated[Path, typer.Argument(help="Folder of a training run.")],
    output: Annotated[Path, typer.Option(help="File to write, such as de-en.slim")],
    limit_mb: Annotated[float, typer.Option(min=0.001, help="Most MB, parts together.")] = 45,
    parts_mb: PartsMb = 0,
) -> None:
    """Make a checkpoint small enough to carry: half precision or less, without the optimizer.

    `train --resume FILE` goes on with it in an empty folder: same place in the data, a new
    optimizer, a short warm-up.

    Example: dragoman model slim build/de-en --parts-mb 16 --output build/de-en.slim
    """
    from dragoman.models.training.slim import slim as write
    from dragoman.models.training.train import CHECKPOINT, LOG

    made = write(run / CHECKPOINT, run / LOG, output, bytes_of(limit_mb), bytes_of(parts_mb))
    facts = asdict(made) | {"files": [str(file) for file in made.files]}
    echo(json.dumps(facts, ensure_ascii=False))


@app.command()
@option_a_field
def window(
    pack: Annotated[Path, typer.Argument(help="What `pack` wrote, with --validation.")],
    pair: PairOption,
    run: Annotated[Path, typer.Option(help="Folder of teacher, translations and student.")],
    settings: WindowSettings,
    minutes: Annotated[float, typer.Option(min=0.01, help="Work so long, then save.")] = 9,
    mono: Annotated[
        list[str] | None,
        typer.Option(help="LANGUAGE=FILE: texts in one language, a sentence a line; also .xz."),
    ] = None,
    initial: Annotated[
        Path | None,
        typer.Option(help="The student begins with this: a bundle's folder, or RUN/best.pt."),
    ] = None,
    stage: Annotated[
        Stage | None, typer.Option(help="Begin with this one. Default: where it stands.")
    ] = None,
    carry: Annotated[
        Path | None,
        typer.Option(help="Folder of what goes to the next machine: read first, written last."),
    ] = None,
    limit_mb: Annotated[float, typer.Option(min=0.001, help="Most MB of a checkpoint.")] = 45,
    parts_mb: PartsMb = 0,
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = "cpu",
    threads: Threads = 0,
) -> None:
    """Distil a student in windows of time: teacher, its translations, student on them.

    Does as much as fits, saves, and says what comes next; the same command goes on, here or on
    another machine that has the pack, the texts and CARRY, until BUDGET is spent.

    Example: dragoman model window de-en.pack --pair de-en --run build/de-en --carry build/carry
    --mono de=news.de.txt.xz --mono en=news.en.txt.xz --minutes 9 --parts-mb 16 --device cuda
    """
    import torch

    from dragoman.models.distillation.settings import Window
    from dragoman.models.distillation.window import work
    from dragoman.models.export.initial import name_of, open_student
    from dragoman.models.training.host import alone, stop_requests
    from dragoman.models.training.reporting import display

    if threads:
        torch.set_num_threads(threads)
    direction = languages(pair)
    settings = replace(settings, initial=name_of(initial) if initial else "")
    wish = Window(
        pack, run, direction, 60 * minutes, settings, texts_of(mono or (), direction),
        open_student(initial) if initial else None, stage, device, carry, bytes_of(limit_mb),
        bytes_of(parts_mb),
    )  # fmt: skip
    with alone(run), stop_requests() as stop, display(typer.echo) as shown:
        following = work(wish, shown, lambda line: echo(line, err=True), stop)
    same = "the same command" + (" without --stage" if stage not in (None, following) else "")
    echo(f"next: {following}; {same} goes on" if following else "the student is done", err=True)
