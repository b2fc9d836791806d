"""The command `dragoman`: its subcommands and their options; `_console` says how each one ends."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dragoman import __version__
from dragoman.cli import bundles, carry, catalogue, native_host, store
from dragoman.cli.choices import Alternatives, Beam, Prefix, check_search
from dragoman.cli.console import echo, end, extra, reported, terminable
from dragoman.cli.corpus import Wanted, run_corpus
from dragoman.cli.desktop import open_app
from dragoman.cli.detect import detect_texts, found_source
from dragoman.cli.documents import (
    DocumentSettings,
    check_given,
    columns_of,
    documents_of,
    found_document_source,
    stream_output,
    translate_documents,
)
from dragoman.cli.glossary import GlossaryFiles, KeptWords, read_glossaries
from dragoman.cli.inputs import (
    Source,
    Target,
    TextGiven,
    inputs_of,
    known_encoding,
    one_encoding,
    one_language,
)
from dragoman.cli.memory import MemoryFiles, known_words
from dragoman.cli.options import EngineOptions, ModelFolders, Shortlist, Threads
from dragoman.cli.progress import progress_bar
from dragoman.cli.store import advice, fetch_missing
from dragoman.cli.translate import FileOptions, tell, tell_route, translate_files
from dragoman.corpus.shards import RowFormat
from dragoman.documents.charset import AUTO
from dragoman.errors import LanguagePairError
from dragoman.native.files import open_output, reason
from dragoman.native.installed import installed_page
from dragoman.native.machine import cores
from dragoman.native.sources import AUTO as AUTO_LANGUAGE
from dragoman.native.translator import Translator, share_interpreter
from dragoman.types import AlignmentKind, OverlongPolicy
from dragoman.wire.responses import RangeUnit

app = typer.Typer(
    name="dragoman",
    help="Translation of text and web pages that never leaves this machine.",
    epilog="Exit codes: 0 done, 1 wrong input or model, 2 wrong usage, 130 interrupted.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def main() -> None:
    """Entry point of the script."""
    share_interpreter()
    try:
        with terminable():
            app()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except OSError as error:  # of --help and --version, which no command answers
        echo(f"dragoman: {reason(error)}", err=True)
        raise SystemExit(1) from None


def _show_version(wanted: bool) -> None:
    if wanted:
        echo(f"dragoman {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="And exit.")
    ] = False,
) -> None:
    """Translation of text and web pages that never leaves this machine."""


# --- translate -------------------------------------------------------------------------------


def open_translator(
    source: str, target: str, models: list[Path] | None, engine: EngineOptions
) -> Translator:
    """The translator of the command; tests put another one here."""
    threads, shortlist = engine
    return Translator.load(source, target, models or None, threads, shortlist=shortlist)


def _at_hand(
    source: str,
    target: str,
    models: list[Path] | None,
    engine: EngineOptions,
    fetch: bool,
    quiet: bool,
) -> Translator:
    """The translator; models that are missing are fetched if the user said so, and never else."""
    try:
        return open_translator(source, target, models, engine)
    except LanguagePairError as error:
        if not fetch:
            if models:
                raise
            raise advice(error, source, target) from error
    store = fetch_missing(source, target, models, quiet)
    return open_translator(source, target, [*models, store] if models else None, engine)


@app.command()
def translate(
    source: Source,
    target: Target,
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE", help="Default, and -: standard input."),
    ] = None,
    text: TextGiven = None,
    lines: Annotated[
        bool,
        typer.Option(
            "--lines",
            help="Each line by itself, written as soon as it is read. Line breaks are kept in any "
            "case.",
        ),
    ] = False,
    html: Annotated[
        bool, typer.Option("--html", help="Each file is a page, or a fragment of one, in HTML.")
    ] = False,
    format_: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="NAME",
            help="What the files are: txt, md, html, docx, odt, pptx, epub, srt, vtt, po, xliff, "
            "json, csv, tsv, pdf (its text is written, as html). Default: their names say, or "
            "their content.",
        ),
    ] = None,
    columns: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help="Columns of csv and tsv to translate, with commas: names, whose row stays, or "
            "numbers from 1; all. With numbers or all alone the first row is translated too.",
        ),
    ] = "",
    json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="A JSON object a line of output, with ranges, scores and warnings: for each line "
            "of input (--lines), or each part of a long text.",
        ),
    ] = False,
    alignment: Annotated[
        AlignmentKind, typer.Option(help="What --json tells about words.")
    ] = AlignmentKind.HARD,
    ranges: Annotated[
        RangeUnit, typer.Option(help="What the ranges of --json count.")
    ] = RangeUnit.CODEPOINT,
    output: Annotated[  # no Path, which forgets the separator behind the name of a folder
        str | None,
        typer.Option("--output", "-o", metavar="PATH", help="Write here when all went well."),
    ] = None,
    encoding: Annotated[
        str,
        typer.Option(
            callback=known_encoding,
            help="Of the input; auto: what a page or a byte order mark says, else UTF-8. Standard "
            "output is UTF-8; with --output, UTF-16 and UTF-32 stay what they are.",
        ),
    ] = AUTO,
    refuse_long: Annotated[
        bool, typer.Option("--refuse-long", help="Fail on an over-long sentence, do not cut it.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No bar, no warnings.")] = False,
    fetch: Annotated[
        bool, typer.Option("--fetch", help="Fetch the published models that are missing, first.")
    ] = False,
    glossary: GlossaryFiles = None,
    keep: KeptWords = None,
    memory: MemoryFiles = None,
    beam: Beam = None,
    alternatives: Alternatives = 0,
    prefix: Prefix = None,
    models: ModelFolders = None,
    threads: Threads = 0,
    shortlist: Shortlist = None,
) -> None:
    """Translate files or standard input.

    \b
    Examples:
      dragoman translate --from de --to en --text "Guten Morgen!"
      dragoman translate --from auto --to en brief.txt
      dragoman translate --from de --to en brief.txt --output letter.txt
      dragoman translate --from de --to en --lines --json sentences.txt | jq .text
      dragoman translate --from de --to en brief.docx             (writes brief.en.docx)
      dragoman translate --from de --to en bericht.pdf            (its text, bericht.en.html)
      dragoman translate --from de --to en *.odt *.md --output translated/
      dragoman translate --from de --to en --columns Titel,Text artikel.csv
      dragoman translate --from de --to en --html seite.html --output page.html
      dragoman translate --from fr --to de --fetch lettre.txt
      dragoman translate --from de --to en --glossary firma.tsv --memory firma.tmx brief.txt
      dragoman translate --from de --to en --beam 4 --alternatives 3 --json brief.txt

    Text goes to standard output; it may be of any size, and compressed (.gz, .xz). Line breaks,
    tabs and white space between sentences stay as they are. Documents keep their layout, and are
    written beside the source, under a name of their own. Where there is no model for the two
    languages, it goes over English if both models for that are there. For large files and folders,
    see dragoman corpus.
    """
    with reported():
        if html and lines:
            raise typer.BadParameter("--html and --lines do not go together")
        if html and format_:
            raise typer.BadParameter("--html and --format do not go together")
        overlong = OverlongPolicy.REFUSE if refuse_long else OverlongPolicy.WRAP
        engine = EngineOptions(threads, shortlist)
        given = check_given(files, text, format_)
        streamed = html or lines or json or prefix is not None
        documents = [] if html else documents_of(given, format_, output, target, source, streamed)
        check_search(alternatives, prefix, json, html or bool(documents), lines)
        if documents:
            if lines:
                raise typer.BadParameter(
                    f"--lines is for plain text, and {documents[0].path} is {documents[0].kind}; "
                    "--format txt takes it as plain text"
                )
            cells = columns_of(columns, documents)
            settings = DocumentSettings(encoding, cells, overlong, json, quiet, beam=beam)
            if source == AUTO_LANGUAGE:
                source = found_document_source(documents, settings, target)
            settings = settings._replace(**known_words(glossary, keep, memory, source, target))
            with (
                _at_hand(source, target, models, engine, fetch, quiet) as translator,
                progress_bar(sum(file.size for file in documents), not quiet) as bar,
            ):
                if not quiet:
                    tell_route(translator)
                warnings = translate_documents(documents, settings, translator, bar)
            if not quiet:
                tell(warnings)
            return
        kind = alignment if json else AlignmentKind.NONE
        choices = beam, alternatives, prefix
        job = FileOptions(lines, html, json, kind, ranges, overlong, None, None, *choices)
        inputs = inputs_of(files, text, encoding, html, "" if json else "\n")
        columns_of(columns, documents)
        terminal = any(file.is_terminal for file in inputs)
        if terminal and not quiet:
            echo("dragoman: reading from the terminal; end with Ctrl-D", err=True)
        sizes = [file.size for file in inputs]
        total = None if None in sizes else sum(size or 0 for size in sizes)
        if source == AUTO_LANGUAGE:
            source = found_source(inputs, target, html, quiet)
        job = job._replace(**known_words(glossary, keep, memory, source, target))
        with (
            open_output(stream_output(output)) as sink,
            _at_hand(source, target, models, engine, fetch, quiet) as translator,
            progress_bar(total, wanted=not quiet and not terminal) as bar,
        ):
            if not quiet:
                tell_route(translator)
            warnings = translate_files(inputs, job, translator, sink, bar, output is None)
        if not quiet:
            tell(warnings)


app.command("detect")(detect_texts)
app.command("app")(open_app)


# --- corpus ----------------------------------------------------------------------------------


@app.command()
def corpus(
    sources: Annotated[
        list[Path], typer.Argument(metavar="SRC", help="Files and folders; also .gz and .xz.")
    ],
    source: Annotated[
        str,
        typer.Option("--from", metavar="LANG", callback=one_language, help="Such as de."),
    ],
    target: Target,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Folder of the translations.")
    ],
    rows: Annotated[
        RowFormat,
        typer.Option(
            "--format",
            help="lines: a line of translation for each line. tsv: source, translation, score, "
            "links. jsonl: everything, an object a line. nbest: what --beam found, best first.",
        ),
    ] = RowFormat.LINES,
    workers: Annotated[
        int, typer.Option(min=0, max=1024, help="Processes on this machine; 0: one a core.")
    ] = 0,
    dask: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Translate on a Dask cluster instead: its scheduler, such as tcp://10.0.0.5:8786. "
            "Each worker needs dragoman and the model.",
        ),
    ] = None,
    encoding: Annotated[
        str, typer.Option(callback=one_encoding, help="Of the input. The output is UTF-8.")
    ] = "utf-8",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No bar, no summary.")] = False,
    beam: Beam = None,
    glossary: GlossaryFiles = None,
    models: ModelFolders = None,
) -> None:
    """Translate large files and folders line by line, on all cores.

    \b
    Examples:
      dragoman corpus news.de.gz --from de --to en --output translated
      dragoman corpus texts/ more.txt --from de --to en -o translated --format jsonl
      dragoman corpus texts/ --from de --to en -o translated --dask tcp://10.0.0.5:8786
      dragoman corpus texts/ --from de --to en -o translated --glossary terms.tsv

    Interrupted in any way, the same command goes on where it was: no line is lost or doubled, and
    the output is the same as without the interruption. An input or a glossary that has changed
    meanwhile is refused. The files keep their names, without .gz and .xz, and with .tsv, .jsonl or
    .nbest. Links to folders or to nothing, and what cannot be read in a folder, are named; the exit
    code is 1.
    """
    with reported():
        terms = read_glossaries(glossary, None, source, target)
        wanted = Wanted(source, target, rows, encoding, models, beam, terms)
        run_corpus(sources, output, wanted, workers, dask, quiet)


# --- models ----------------------------------------------------------------------------------


models_app = typer.Typer(
    help="List the models on this machine; fetch, verify and carry published ones.",
    epilog="Examples: dragoman models; dragoman models --check --models /path/to/bundles; "
    "dragoman models available; dragoman models get fr-en.",
    invoke_without_command=True,
    rich_markup_mode=None,
)
bundles.add_to(models_app)
store.add_to(models_app)
carry.add_to(models_app)
catalogue.add_to(models_app)
app.add_typer(models_app, name="models")


# --- serve -----------------------------------------------------------------------------------


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="Address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any free one.")] = 8765,
    web: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Static files to serve, such as build/web. Default: the installed page.",
        ),
    ] = None,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ORIGIN",
            help="Other origin whose pages may use the server, such as https://example.org; "
            "may be repeated; * for all.",
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Other name of this machine; may be repeated."),
    ] = None,
    workers: Annotated[
        int,
        typer.Option(
            min=0,
            max=256,
            help="Processes that translate, for many clients on many cores; 1: the server's own; "
            "0: one a core.",
        ),
    ] = 1,
    models: ModelFolders = None,
    threads: Threads = 0,
    shortlist: Shortlist = None,
) -> None:
    """Serve the API and the demo to this machine.

    \b
    Examples:
      dragoman serve
      dragoman serve --web build/web
      dragoman serve --port 9000 --allow-origin https://example.org
      dragoman serve --workers 0
      curl -H 'Content-Type: application/json' http://127.0.0.1:8765/v1/translate \\
           -d '{"text": "Guten Morgen!", "source": "de", "target": "en"}'

    The page comes with the extra: pip install 'dragoman[page]'. The API's documentation is at
    /docs. Ctrl-C ends the server, with exit code 0.
    """
    with reported():
        with extra("server"):
            from dragoman.server.run import run
            from dragoman.server.settings import Settings
        try:
            settings = Settings(
                host=host,
                models=tuple(models) if models else None,
                web=web or installed_page(),
                allow_origins=tuple(allow_origin or ()),
                allow_hosts=tuple(allow_host or ()),
                threads=threads,
                shortlist=shortlist,
                workers=workers or cores(),
            )
        except ValueError as error:
            raise typer.BadParameter(str(error)) from error
        try:
            run(settings, port)
        except OSError as error:
            end(f"cannot listen at {host}, port {port}: {reason(error)}", 1)


native_host.add_to(app)

# --- model -----------------------------------------------------------------------------------


@app.command(
    "model",
    add_help_option=False,
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
)
def model(context: typer.Context) -> None:
    """Build models; needs pip install 'dragoman[models]'."""
    # Its packages are heavy (PyTorch): nothing of it is imported by the other commands.
    with reported(), extra("models"):
        from dragoman.cli.model.app import app as model_app

        typer.main.get_command(model_app)(args=context.args, prog_name="dragoman model")
