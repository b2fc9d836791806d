"""`dragoman model export ...`: trained models to bundles, and to and from other formats."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import asdict
from enum import StrEnum
from getpass import getpass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.cli.console import echo
from dragoman.cli.model.options import AsJson, PairOption, languages, placed

if TYPE_CHECKING:
    from dragoman.models.marian.release import MarianFiles

app = typer.Typer(add_completion=False, rich_markup_mode=None)

# Of our own models; what it gives and costs: docs/adr/0027-beams.md.
USUAL_BEAM = 4
USUAL_LENGTH_RATIO = 1.2  # docs/adr/0056-length.md


FirstsOption = Annotated[
    Path | None,
    typer.Option(help="What compounds begin with, in the same form; with --heads."),
]
HeadsOption = Annotated[
    Path | None, typer.Option(help="What they end in, beside the nouns of the list.")
]


class ExportFormat(StrEnum):
    """What `export` writes."""

    BUNDLE = "bundle"
    MARIAN = "marian"


@app.command()
def names(
    recipe: Annotated[Path, typer.Argument(help="TOML recipe, for example recipes/en-de.toml")],
    data: Annotated[Path, typer.Option(help="Data folder with train/manifest.tsv.")],
    pair: PairOption,
    output: Annotated[Path, typer.Option(help="File to write, such as build/de-en/names.table")],
    source_text: Annotated[
        list[Path] | None,
        typer.Option(help="Sentences of the source language, a line each; may be repeated."),
    ] = None,
    target_text: Annotated[
        list[Path] | None, typer.Option(help="Of the target language; may be repeated.")
    ] = None,
    lexicon: Annotated[
        Path | None, typer.Option(help="What `lexicon` wrote; it goes into the same file.")
    ] = None,
    firsts: FirstsOption = None,
    heads: HeadsOption = None,
    formulas: Annotated[
        Path | None,
        typer.Option(help="What is said in one way only, in the same form: greetings, signs."),
    ] = None,
    alone: Annotated[
        Path | None,
        typer.Option(help="What words are by themselves, in the same form, as in a dictionary."),
    ] = None,
) -> None:
    """Learn from parallel text which words are names, for `export --names`.

    Example: dragoman model names recipes/en-de.toml --data ../data --pair de-en
    --source-text ../data/mono/de/ud_gsd.txt.xz --target-text ../data/mono/en/ud_gum.txt.xz
    --output build/de-en/names.table
    """
    from dragoman.models.data import names as table
    from dragoman.models.data.corpus import read_lines
    from dragoman.models.data.lexicon import read_entries, without_none
    from dragoman.models.data.recipe import read_recipe

    source, target = languages(pair)
    files = {"lexicon": lexicon, "firsts": firsts, "heads": heads}
    files |= {"formulas": formulas, "alone": alone}
    tables = {name: read_entries([path] if path else []) for name, path in files.items()}
    tables["lexicon"], tables["wholes"] = without_none(tables["lexicon"])
    counts = table.count_words(table.recipe_pairs(data, read_recipe(recipe), source, target))
    texts = [
        table.text_words(line for path in paths or () for line in read_lines(path))
        for paths in (source_text, target_text)
    ]
    counts = table.with_common_names(counts, *texts)
    placed(output).write_bytes(table.names_file(counts, tables))
    entries = sum(len(entries) for name, entries in tables.items() if name != "wholes")
    known = f", with {entries:,} translations" if entries else ""
    typer.echo(f"{output}: learned from {len(counts):,} words{known}")


@app.command()
def lexicon(
    prepared: Annotated[Path, typer.Argument(help="What `prepare` wrote, with its links.")],
    pair: PairOption,
    output: Annotated[
        Path, typer.Option(help="File to write: a word, a tabulator, its translation a line.")
    ],
    text: Annotated[
        list[Path],
        typer.Option(
            help="Sentences of the source language, a line each; may be repeated. "
            "Words that none has are left out."
        ),
    ],
    entries: Annotated[
        list[Path] | None,
        typer.Option(
            help="A list in the same form, which counts before what the links say; may be repeated."
        ),
    ] = None,
    firsts: FirstsOption = None,
    heads: HeadsOption = None,
    most: Annotated[
        int, typer.Option(min=1, help="Most words; the most frequent of the text.")
    ] = 150_000,
) -> None:
    """What rare words are in the other language, by the links of the pairs, for `names --lexicon`.

    Example: dragoman model lexicon build/prepared --pair de-en --entries recipes/lexicon/de-en.tsv
    --text ../data/mono/de/wikipedia_klexikon.txt.xz --output build/de-en/lexicon.tsv
    """
    from itertools import chain

    if (firsts is None) is not (heads is None):
        raise typer.BadParameter("--firsts and --heads go together")
    from dragoman.models.data import lexicon as lists
    from dragoman.models.data.corpus import read_lines
    from dragoman.models.data.prepared import open_prepared
    from dragoman.models.data.vocabulary import read_vocabulary

    uses = lists.WordUses(read_vocabulary(prepared / "vocabulary.spm"))
    for shard in lists.shards_of(open_prepared(prepared, *languages(pair))):
        uses.add(shard)
    is_german = languages(pair)[0] == "de"
    linked = lists.sure(uses.words, uses.others, is_german)
    written = lists.read_entries(entries or ())
    found = lists.with_written(linked, written)
    chosen = lists.most_frequent(found, chain.from_iterable(map(read_lines, text)), most)
    if firsts and heads:
        parts = [lists.read_entries([path]) for path in (firsts, heads)]
        chosen = lists.without_compounds(chosen, *parts)
        chosen |= lists.no_compounds(uses.words, written, chosen, *parts)
    placed(output).write_text(
        "".join(f"{word}\t{translation}\n" for word, translation in chosen.items()),
        encoding="utf-8",
    )
    typer.echo(f"{output}: {len(chosen):,} words of {len(found):,}")


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
        Path | None, typer.Option(help="What `shortlist` wrote, to put in.")
    ] = None,
    version: Annotated[str, typer.Option(help="Version of the bundle.")] = "0.1.0",
    precision: Annotated[str, typer.Option(help="int8, float16 or float32.")] = "int8",
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
    licence: Annotated[
        str | None, typer.Option(help="Of the weights. Default: CC-BY-SA-4.0, as the released.")
    ] = None,
    names_: Annotated[
        Path | None, typer.Option("--names", help="What `names` wrote, to put into the bundle.")
    ] = None,
    beam: Annotated[
        int | None,
        typer.Option(help="Of a search that names none. Default: 4 for int8, 1 for others."),
    ] = None,
    length_reward: Annotated[
        float | None,
        typer.Option(help="Most that is added to a hypothesis' log-probability for its length."),
    ] = None,
    length_ratio: Annotated[
        float | None,
        typer.Option(
            help="Of its characters to the source's, from which on it gets all of that."
            f" Default: {USUAL_LENGTH_RATIO}."
        ),
    ] = None,
) -> None:
    """Make a bundle of a trained model, with its model card; or files for Marian's engine.

    A bundle that is exported to Marian names all it needs itself.

    Example: dragoman model export build/de-en/aligned.pt --prepared build/prepared --pair de-en
    --calibration dev.tsv --output models/de-en
    """
    if format_ is ExportFormat.MARIAN:
        of_bundles = {
            "--precision": precision != "int8", "--scores": scores, "--manifest": manifest,
            "--hardware": hardware, "--weakness": weakness, "--names": names_, "--beam": beam,
            "--length-reward": length_reward, "--length-ratio": length_ratio, "--licence": licence,
        }  # fmt: skip
        _refuse(of_bundles, "is for a bundle: files for Marian are int8, and have no place for it")
        if model.is_dir():
            from dragoman.models.marian.release import marian_from_bundle

            _tell(marian_from_bundle(model, output, shortlist))
            return
    else:
        if length_reward is None:
            _refuse({"--length-ratio": length_ratio}, "goes with --length-reward")
        if model.is_dir():
            raise typer.BadParameter(f"{model} is a folder: a bundle goes with --format marian")
    if prepared is None or pair is None or calibration is None:
        raise typer.BadParameter("a trained model needs --prepared, --pair and --calibration")
    source, target = languages(pair)
    if format_ is ExportFormat.MARIAN:
        from dragoman.models.marian.release import marian_from_checkpoint

        _tell(
            marian_from_checkpoint(model, prepared, source, target, calibration, output, shortlist)
        )
        return
    from dragoman.models.export.release import LICENCE, export_bundle
    from dragoman.types import LengthReward

    ratio = USUAL_LENGTH_RATIO if length_ratio is None else length_ratio
    usual = USUAL_BEAM if precision == "int8" else 1
    written = export_bundle(
        model, prepared, source, target, calibration, output, version=version, precision=precision,
        scores=scores or (), manifest=manifest, hardware=hardware, weaknesses=weakness or (),
        licence=licence or LICENCE, names=names_, shortlist=shortlist,
        beam=usual if beam is None else beam,
        length=None if length_reward is None else LengthReward(length_reward, ratio),
    )  # fmt: skip
    typer.echo(str(written))


def _refuse(options: Mapping[str, object], why: str) -> None:
    """What would have no effect is no option of this export."""
    for name, value in options.items():
        if value is not None and value is not False:
            raise typer.BadParameter(f"{name} {why}")


def _tell(files: MarianFiles) -> None:
    echo(str(files.model))
    if files.loss:
        echo(f"note: {files.loss}", err=True)


@app.command()
def sign(
    bundle: Annotated[Path, typer.Argument(help="A folder with a manifest, such as models/de-en")],
    key: Annotated[Path, typer.Option(metavar="FILE", help="A secret key of minisign.")],
) -> None:
    """Sign a bundle: write manifest.json.minisig, for `dragoman models verify` and minisign.

    \b
    Example:
      minisign -G -p publisher.pub -s publisher.key
      dragoman model sign models/de-en --key publisher.key

    A key that has a password is asked for it; a pipe may give it as its first line.
    """
    from dragoman.signing.bundles import sign_bundle
    from dragoman.signing.keys import needs_password, read_secret_key

    content = key.read_bytes()
    password = ""
    if needs_password(content):
        typed = sys.stdin.isatty()
        password = getpass("Password of the key: ") if typed else sys.stdin.readline().rstrip("\n")
    typer.echo(str(sign_bundle(bundle, read_secret_key(content, password))))


@app.command("shortlist")
def shortlist_(
    prepared: Annotated[Path, typer.Argument(help="What `prepare` wrote.")],
    pair: PairOption,
    output: Annotated[Path, typer.Option(help="File to write, such as lex.50.50.deen.s2t.bin")],
    first: Annotated[int, typer.Option(min=0, help="Pieces that are always chosen.")] = 50,
    best: Annotated[int, typer.Option(min=1, help="Most targets of a source piece.")] = 50,
    common: Annotated[
        int, typer.Option(min=0, help="Most frequent pieces that are always chosen besides.")
    ] = 0,
) -> None:
    """Make a lexical shortlist of the links of prepared data, in the published binary format.

    Example: dragoman model shortlist build/prepared --pair de-en
    --output build/lex.50.50.deen.s2t.bin

    The released models have --first 0 --common 2500 --best 12: in a vocabulary of both
    languages the first pieces are not the most frequent ones of the target.
    """
    from dragoman.marian.shortlist import write_shortlist
    from dragoman.models.data.prepared import open_prepared
    from dragoman.models.export.shortlist import build_shortlist, linked_pieces

    data = open_prepared(prepared, *languages(pair))
    built = build_shortlist(linked_pieces(data), data.vocabulary_size, first, best, common)
    placed(output).write_bytes(write_shortlist(built))
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
    from dragoman.models.export.manifest import write_card

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
