"""The command `dragoman`.

Exit codes, of every command: 0 all went well (also when the reader of a pipe has had enough, as
with ``| head``), 1 something is wrong with the input or the model, 2 wrong usage, 130 interrupted.
Messages go to standard error, one line each; `DRAGOMAN_DEBUG=1` adds the traceback.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated, BinaryIO, NamedTuple, NoReturn

try:
    import typer
except ModuleNotFoundError as missing:  # the core alone is installed, as for Pyodide
    raise SystemExit(
        f"dragoman: the command needs {missing.name!r}: pip install 'dragoman[native]'"
    ) from missing

from dragoman import __version__
from dragoman._files import (
    STANDARD,
    InputFile,
    Unit,
    check_encoding,
    line_units,
    open_output,
    reason,
    text_units,
)
from dragoman._progress import Bar, NoBar, progress_bar, share
from dragoman.errors import DragomanError
from dragoman.native import (
    BrokenBundle,
    FoundBundle,
    Translator,
    find_bundles,
    load_parts,
    search_path,
)
from dragoman.service import ProgressListener
from dragoman.types import AlignmentKind, OverlongPolicy, TranslationResponse
from dragoman.wire import RangeUnit, json_bytes, length, response_data

app = typer.Typer(
    name="dragoman",
    help="Translation of text and web pages that never leaves this machine.",
    epilog="Exit codes: 0 done, 1 wrong input or model, 2 wrong usage, 130 interrupted.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

ModelFolders = Annotated[
    list[Path] | None,
    typer.Option(
        "--models",
        metavar="DIR",
        help="A model bundle, or a folder of them; may be repeated. Default: the folders of "
        "$DRAGOMAN_MODELS, the repository's models/, the user's data folder.",
    ),
]
Threads = Annotated[
    int, typer.Option(min=0, max=1024, help="Processor cores to use; 0: onnxruntime chooses.")
]


def main() -> None:
    """Entry point of the script."""
    try:
        app()
    except KeyboardInterrupt:
        raise SystemExit(130) from None


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"dragoman {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="And exit.")
    ] = False,
) -> None:
    """Translation of text and web pages that never leaves this machine."""


# --- errors ----------------------------------------------------------------------------------


@contextmanager
def reported() -> Iterator[None]:
    """Every error becomes one line on standard error and the documented exit code."""
    try:
        yield
    except KeyboardInterrupt:
        _end("interrupted", 130)
    except BrokenPipeError:
        _silence_output()
        raise typer.Exit(0) from None
    except DragomanError as error:
        _debug()
        _end(error.message, 1)
    except (typer.Exit, typer.Abort, typer.BadParameter):
        raise
    except OSError as error:  # a disk that is full, a folder that may not be read
        _debug()
        _end(f"{error.filename}: {reason(error)}" if error.filename else reason(error), 1)
    except Exception as error:
        _debug()
        _end(f"internal error: {type(error).__name__}: {error}", 1)


def _end(message: str, code: int) -> NoReturn:
    typer.echo(f"dragoman: {' '.join(message.split())}", err=True)
    raise typer.Exit(code) from None


def _debug() -> None:
    if os.environ.get("DRAGOMAN_DEBUG"):
        import traceback

        traceback.print_exc()


def _silence_output() -> None:
    """What the interpreter flushes at its end has no reader either: let it go nowhere."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # the stream of a test has no descriptor
        return


@contextmanager
def _extra(name: str) -> Iterator[None]:
    """Say what to install when a package of an optional extra is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("dragoman"):
            _end(f"this installation has no {error.name}", 1)
        _end(f"this command needs {error.name!r}: pip install 'dragoman[{name}]'", 1)


# --- translate -------------------------------------------------------------------------------


class _Job(NamedTuple):
    """What `translate` was asked to do with each file."""

    lines: bool
    json: bool
    alignment: AlignmentKind
    ranges: RangeUnit
    overlong: OverlongPolicy


def open_translator(
    source: str, target: str, models: list[Path] | None, threads: int
) -> Translator:
    """The translator of the command; tests put another one here."""
    return Translator.load(source, target, models or None, threads)


def _encoding(value: str) -> str:
    try:
        return check_encoding(value)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


@app.command()
def translate(
    source: Annotated[str, typer.Option("--from", metavar="LANG", help="Such as de.")],
    target: Annotated[str, typer.Option("--to", metavar="LANG", help="Such as en.")],
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE", help="Default, and -: standard input."),
    ] = None,
    lines: Annotated[
        bool,
        typer.Option(
            "--lines/--text",
            help="Each line by itself, written as soon as it is read; or as text (default). "
            "Both keep the line breaks.",
        ),
    ] = False,
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
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write here when all went well.")
    ] = None,
    encoding: Annotated[
        str, typer.Option(callback=_encoding, help="Of the input. The output is UTF-8.")
    ] = "utf-8",
    refuse_long: Annotated[
        bool, typer.Option("--refuse-long", help="Fail on an over-long sentence, do not cut it.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No bar, no warnings.")] = False,
    models: ModelFolders = None,
    threads: Threads = 0,
) -> None:
    """Translate files or standard input.

    \b
    Examples:
      echo "Guten Morgen!" | dragoman translate --from de --to en
      dragoman translate --from de --to en brief.txt --output letter.txt
      dragoman translate --from de --to en --lines --json sentences.txt | jq .text

    A file may be of any size. Line breaks and white space stay as they are. Where there is no model
    for the two languages, it goes over English if both models for that are there.
    """
    with reported():
        job = _Job(
            lines,
            json,
            alignment if json else AlignmentKind.NONE,
            ranges,
            OverlongPolicy.REFUSE if refuse_long else OverlongPolicy.WRAP,
        )
        inputs = [InputFile(path, encoding) for path in files or [STANDARD]]
        terminal = any(file.is_terminal for file in inputs)
        if terminal and not quiet:
            typer.echo("dragoman: reading from the terminal; end with Ctrl-D", err=True)
        sizes = [file.size for file in inputs]
        total = None if None in sizes else sum(size or 0 for size in sizes)
        with (
            open_output(output) as sink,
            open_translator(source, target, models, threads) as translator,
            progress_bar(total, wanted=not quiet and not terminal) as bar,
        ):
            if not quiet:
                _tell_route(translator)
            warnings = Counter[str]()
            before = 0
            for file in inputs:
                writer = _Writer(file, job, sink, bar if output is None else NoBar())
                _translate_file(file, job, translator, writer, _Shown(bar, before))
                before += file.read
                warnings += writer.warnings
        if not quiet:
            _tell(warnings)


class _Shown:
    """Progress of one file on the bar of all files."""

    def __init__(self, bar: Bar, before: int) -> None:
        self.bar, self.before = bar, before

    def at(self, read: float) -> None:
        self.bar.advance(self.before + read)

    def between(self, start: int, end: int) -> ProgressListener:
        """Progress of the bytes from `start` to `end`."""
        return lambda progress: self.at(start + (end - start) * share(progress))


def _tell_route(translator: Translator) -> None:
    """A translation over a pivot is not what was asked for word by word: say so."""
    if len(translator.legs) > 1:
        legs = ", then ".join(f"{leg.source} to {leg.target}" for leg in translator.legs)
        typer.echo(
            f"dragoman: no model from {translator.source} to {translator.target}: "
            f"translating {legs}",
            err=True,
        )


def _translate_file(
    file: InputFile, job: _Job, translator: Translator, writer: _Writer, shown: _Shown
) -> None:
    cut = line_units if job.lines else text_units
    translated = 0
    for units in cut(file.texts(), translator.source):
        reached = file.read
        responses = translator.translate_many(
            [unit.text for unit in units],
            alignment=job.alignment,
            overlong=job.overlong,
            on_progress=shown.between(translated, reached),
        )
        with closing(responses):
            for unit in units:
                with _placed(file, unit):
                    response = next(responses)
                writer.write(unit, response)
        writer.flush()
        translated = reached
        shown.at(translated)


@contextmanager
def _placed(file: InputFile, unit: Unit) -> Iterator[None]:
    """Say in which file, and from which line on, a request went wrong."""
    try:
        yield
    except DragomanError as error:
        error.message = f"{file.name}, from line {unit.line}: {error.message}"
        raise


class _Writer:
    """Writes the responses of one file, as text or as JSON lines."""

    def __init__(self, file: InputFile, job: _Job, sink: BinaryIO, bar: Bar) -> None:
        self._file, self._job, self._sink, self._bar = file, job, sink, bar
        self._offset = 0
        self.warnings = Counter[str]()

    def write(self, unit: Unit, response: TranslationResponse) -> None:
        self.warnings.update(warning.code for warning in response.warnings)
        content = self._json(unit, response) if self._job.json else self._text(unit, response)
        with self._bar.hidden():
            self._sink.write(content)
            if self._job.lines and self._file.is_terminal:
                self._sink.flush()

    def flush(self) -> None:
        with self._bar.hidden():
            self._sink.flush()

    def _text(self, unit: Unit, response: TranslationResponse) -> bytes:
        # A line stays one line, whatever the model makes of it.
        text = response.text.replace("\n", " ") if self._job.lines else response.text
        return (text + unit.ending).encode("utf-8", "replace")

    def _json(self, unit: Unit, response: TranslationResponse) -> bytes:
        place = {
            "file": self._file.path,
            "line": unit.line,
            "offset": self._offset,
            "source": unit.text,
        }
        self._offset += length(unit.text + unit.ending, self._job.ranges)
        return json_bytes(place | response_data(response, self._job.ranges)) + b"\n"


_WARNINGS = {
    "sentence-copied": "copied unchanged: no letters of the source language",
    "sentence-wrapped": "over-long and cut into parts",
    "translation-cut": "translated only in part: the length limit was reached",
}


def _tell(warnings: Counter[str]) -> None:
    for code, count in sorted(warnings.items()):
        noun = "sentence" if count == 1 else "sentences"
        typer.echo(f"dragoman: warning: {count} {noun} {_WARNINGS.get(code, code)}", err=True)


# --- models ----------------------------------------------------------------------------------


@app.command()
def models(
    folders: ModelFolders = None,
    json: Annotated[bool, typer.Option("--json", help="A JSON object a line.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Load each model, with all checks of its files.")
    ] = False,
) -> None:
    """List the models on this machine.

    \b
    Examples:
      dragoman models
      dragoman models --check --models /path/to/bundles
    """
    with reported():
        bundles = find_bundles(folders or None)
        sound = [_list(bundle, json, check) for bundle in bundles]
        if not bundles:
            places = ", ".join(str(place) for place in folders or search_path())
            typer.echo(f"dragoman: no models in {places or 'any of the usual folders'}", err=True)
        if not all(sound):
            raise typer.Exit(1)


def _list(bundle: FoundBundle | BrokenBundle, json: bool, check: bool) -> bool:
    """Write one bundle; False when it cannot be used."""
    try:
        if isinstance(bundle, BrokenBundle):
            raise bundle.error
        if check:
            load_parts(bundle.folder, threads=1)
    except DragomanError as error:
        message = " ".join(error.message.split())
        typer.echo(f"dragoman: {bundle.folder}: {message}", err=True)
        return False
    manifest = bundle.manifest
    scores = manifest.data.get("scores") or {}
    if json:
        data = {
            "name": manifest.name,
            "version": manifest.version,
            "source": manifest.source,
            "target": manifest.target,
            "bytes": bundle.bytes,
            "scores": scores,
            "path": str(bundle.folder),
        }
        typer.echo(json_bytes(data).decode())
        return True
    size = f"{bundle.bytes / 1e6:.1f} MB"
    pair = f"{manifest.source} to {manifest.target}"
    named = f"{manifest.name} {manifest.version}"
    typer.echo("  ".join([f"{named:24}", pair, size, _scores(scores), str(bundle.folder)]))
    return True


def _scores(scores: object) -> str:
    if not isinstance(scores, dict) or not scores:
        return "no scores"
    return ", ".join(f"{name} {value}" for name, value in scores.items())


# --- serve -----------------------------------------------------------------------------------


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="Address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any free one.")] = 8765,
    web: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Static files to serve, such as build/web.")
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
    models: ModelFolders = None,
    threads: Threads = 0,
) -> None:
    """Serve the API and the demo to this machine.

    \b
    Examples:
      dragoman serve --web build/web
      dragoman serve --port 9000 --allow-origin https://example.org
      curl -H 'Content-Type: application/json' http://127.0.0.1:8765/v1/translate \\
           -d '{"text": "Guten Morgen!", "source": "de", "target": "en"}'

    The API's documentation is at /docs. Ctrl-C ends the server, with exit code 0.
    """
    with reported():
        with _extra("server"):
            from dragoman.server.run import run
            from dragoman.server.settings import Settings
        try:
            settings = Settings(
                host=host,
                models=tuple(models) if models else None,
                web=web,
                allow_origins=tuple(allow_origin or ()),
                allow_hosts=tuple(allow_host or ()),
                threads=threads,
            )
        except ValueError as error:
            raise typer.BadParameter(str(error)) from error
        try:
            run(settings, port)
        except OSError as error:
            _end(f"cannot listen at {host}, port {port}: {reason(error)}", 1)


# --- model -----------------------------------------------------------------------------------


@app.command(
    "model",
    add_help_option=False,
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
)
def model(context: typer.Context) -> None:
    """Build models; see dragoman model --help."""
    # Its packages are heavy (PyTorch): nothing of it is imported by the other commands.
    with reported(), _extra("models"):
        from dragoman.models.cli import app as model_app

        typer.main.get_command(model_app)(args=context.args, prog_name="dragoman model")


if __name__ == "__main__":
    main()
