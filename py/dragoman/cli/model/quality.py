"""`dragoman model evaluate`, `robustness`, `align-error`: how good a model is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.cli.choices import beam_in_range
from dragoman.cli.console import extra
from dragoman.cli.model.options import (
    AsJson,
    PairOption,
    Prepared,
    Threads,
    languages,
    placed,
    tell,
)
from dragoman.errors import CorpusError

if TYPE_CHECKING:
    from dragoman.models.alignment.alignment_error import AlignedPair, AlignmentScore
    from dragoman.models.measures.evaluate import Evaluation

app = typer.Typer()

TARGET_THRESHOLDS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
SOURCE_THRESHOLDS = (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 1.01)  # the last: never


class Host(StrEnum):
    """A browser that can be asked to translate."""

    CHROMIUM = "chromium"
    FIREFOX = "firefox"


@app.command()
def evaluate(
    pair: PairOption,
    data: Annotated[
        list[Path], typer.Option(help="TSV whose header names languages; may be repeated.")
    ],
    models: Annotated[Path | None, typer.Option(help="Folder that holds bundles.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only so many sentences.")] = None,
    output: Annotated[Path | None, typer.Option(help="Write the translations here.")] = None,
    model: Annotated[
        Path | None,
        typer.Option(help="RUN/aligned.pt, for the AER of a bundle that is not int8."),
    ] = None,
    browser: Annotated[
        Host | None, typer.Option(help="Translate in this browser, not natively.")
    ] = None,
    web: Annotated[Path, typer.Option(help="The built site, for --browser.")] = Path("build/web"),
    anchors: Annotated[
        Path | None, typer.Option(help="Folder with scores of other systems (dev/anchors).")
    ] = None,
    table: Annotated[Path | None, typer.Option(help="Write tables, Markdown.")] = None,
    picture: Annotated[Path | None, typer.Option(help="Draw the BLEU scores, SVG.")] = None,
    beam: Annotated[
        int | None,
        typer.Option(callback=beam_in_range, help="Of the search. Default: the model's."),
    ] = None,
    ensemble: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="DIR",
            help="A bundle, or a folder of them; repeated: their probabilities are averaged.",
        ),
    ] = None,
    as_json: AsJson = False,
    threads: Threads = 0,
) -> None:
    """BLEU and chrF of a bundle, through the real pipeline.

    Example: dragoman model evaluate --pair de-en --data tatoeba-dev.en-de.tsv --json
    Example: dragoman model evaluate --pair de-en --data dev.tsv --browser chromium
    Example: dragoman model evaluate --pair de-en --data dev.tsv --limit 500 --beam 1
    Example: dragoman model evaluate --pair de-en --data dev.tsv --ensemble one --ensemble two
    """
    from dragoman.models.measures.bundle_alignment import bundle_alignment
    from dragoman.models.measures.evaluate import evaluate as run
    from dragoman.native.bundles import choose_bundle, open_bundle

    source, target = languages(pair)
    if ensemble and (models or browser):
        raise typer.BadParameter("--ensemble goes with neither --models nor --browser")
    places: list[list[Path] | None] = [[folder] for folder in ensemble or ()]
    places = places or [[models] if models else None]
    bundles = [choose_bundle(source, target, place) for place in places]
    evaluations: list[Evaluation] = []
    translations: list[str] = []
    with _host(bundles, threads, browser, web, beam) as translate_many:
        for path in data:
            scores, hypotheses = run(translate_many, path, source, target, limit)
            # An ensemble is no network that could be given a text.
            if _has_links(path) and len(bundles) == 1:
                rated = bundle_alignment(open_bundle(bundles[0]), path, model)
                scores = replace(
                    scores, aer=rated.aer, precision=rated.precision, recall=rated.recall
                )
            evaluations.append(scores)
            translations += hypotheses
            known = {name: value for name, value in asdict(scores).items() if value is not None}
            tell(known, as_json)
    if output:
        text = "".join(f"{line}\n" for line in translations)
        placed(output).write_text(text, encoding="utf-8")
    if table or picture:
        _show(evaluations, data, pair, anchors, limit, table, picture)


@app.command()
def reliability(
    pair: PairOption,
    data: Annotated[
        list[Path], typer.Option(help="TSV whose header names languages; may be repeated.")
    ],
    models: Annotated[Path | None, typer.Option(help="Folder that holds bundles.")] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Only so many sentences of each file.")
    ] = None,
    picture: Annotated[Path | None, typer.Option(help="Draw the diagram, SVG.")] = None,
    write: Annotated[
        bool, typer.Option("--write", help="Put the threshold into the bundle's manifest.")
    ] = False,
    as_json: AsJson = False,
    threads: Threads = 0,
) -> None:
    """From which score on the sentences of a model are mostly good.

    Example: dragoman model reliability --pair de-en --data flores-dev.tsv --data chat-dev.tsv
    """
    from dragoman.models.data.corpus import read_tsv_columns
    from dragoman.models.export.manifest import add_to_manifest
    from dragoman.models.measures.reliability import judge
    from dragoman.models.measures.reliability import reliability as run
    from dragoman.models.training.picture import draw_reliability
    from dragoman.native.bundles import choose_bundle, load_parts
    from dragoman.native.translator import Translator
    from dragoman.signing.bundles import SIGNATURE

    source, target = languages(pair)
    bundle = choose_bundle(source, target, [models] if models else None)
    rows = [row for path in data for row in read_tsv_columns(path, source, target)[:limit]]
    with Translator(load_parts(bundle, threads)) as translator:
        responses = list(translator.translate_many([text for text, _ in rows]))
    judged = [
        judge(min(sentence.score for sentence in response.sentences), response.text, reference)
        for response, (_, reference) in zip(responses, rows, strict=True)
        if response.sentences
    ]
    if not judged:
        raise CorpusError("there is no sentence to judge by")
    measured = run(judged)
    tell(asdict(measured), as_json)
    if picture:
        bins = [((item.start + item.end) / 2, item.good, item.sentences) for item in measured.bins]
        draw_reliability(
            bins, measured.good_from, f"{pair}: {measured.sentences:,} sentences", placed(picture)
        )
    if write:
        facts = {
            "good_from": measured.good_from,
            "share": measured.share,
            "marked": measured.marked,
        }
        names = [path.name for path in data]
        was_signed = (bundle / SIGNATURE).exists()
        add_to_manifest(bundle, "reliability", {**facts, "data": names})
        if was_signed:
            typer.echo("the signature was of the old manifest: sign the bundle again", err=True)


@contextmanager
def _host(
    bundles: Sequence[Path], threads: int, browser: Host | None, web: Path, beam: int | None = None
) -> Iterator[Callable[[Sequence[str]], Iterable[str]]]:
    """What translates many texts with a bundle, or an ensemble of them: this process, or a browser.

    An ensemble is natively only.
    """
    from dragoman.native.bundles import load_parts
    from dragoman.native.ensembles import load_ensemble
    from dragoman.native.translator import Translator
    from dragoman.types import AlignmentKind

    if browser is None:
        one = len(bundles) == 1
        parts = load_parts(bundles[0], threads) if one else load_ensemble(bundles, threads)
        with Translator(parts) as translator:
            yield lambda texts: (
                response.text
                for response in translator.translate_many(
                    texts, alignment=AlignmentKind.NONE, beam=beam
                )
            )
        return
    with extra("browser"):
        from dragoman.models.measures.in_browser import browser_translator
    with browser_translator(bundles[0], web, browser) as page:
        yield lambda texts: page.translate_many(texts, beam)


def _has_links(data: Path) -> bool:
    from dragoman.models.alignment.alignment_error import links_column
    from dragoman.models.data.corpus import read_rows

    return links_column(read_rows(data)[0]) is not None


def _show(
    evaluations: Sequence[Evaluation],
    data: Sequence[Path],
    pair: str,
    anchors: Path | None,
    limit: int | None,
    table: Path | None,
    picture: Path | None,
) -> None:
    """Tables and a picture of the scores, beside those of other systems on the same sentences."""
    from dragoman.models.data.corpus import read_tsv_columns
    from dragoman.models.measures.anchors import anchor_scores, score_tables

    beside: dict[str, dict[str, float]] = {}
    for evaluation, path in zip(evaluations, data, strict=True):
        if anchors and limit is None:  # of some of the sentences there is no published score
            references = [row[1] for row in read_tsv_columns(path, *languages(pair))]
            name = path.name.partition(".")[0]
            beside[evaluation.data] = anchor_scores(anchors, pair, name, references)
    if table:
        placed(table).write_text(score_tables(evaluations, beside), encoding="utf-8")
    if picture:
        from dragoman.models.training.picture import draw_scores

        bars = {
            evaluation.data.partition(".")[0]: {
                "this model": evaluation.bleu,
                **beside.get(evaluation.data, {}),
            }
            for evaluation in evaluations
        }
        draw_scores(bars, pair, placed(picture))


@app.command()
def robustness(
    pair: PairOption,
    cases: Annotated[Path, typer.Option(help="JSON lines; tests/robustness/cases.jsonl.")],
    models: Annotated[Path | None, typer.Option(help="Folder that holds bundles.")] = None,
    failures: Annotated[
        bool, typer.Option("--failures", help="Show each case that is not right.")
    ] = False,
    as_json: AsJson = False,
    threads: Threads = 0,
) -> None:
    """Share of odd and short inputs that come back unharmed, through the real pipeline.

    Example: dragoman model robustness --pair de-en --cases tests/robustness/cases.jsonl
    """
    from dragoman.models.measures.robustness import measure, read_cases, summary
    from dragoman.native.bundles import choose_bundle, load_parts
    from dragoman.native.translator import Translator

    source, target = languages(pair)
    listed = read_cases(cases)
    bundle = choose_bundle(source, target, [models] if models else None)
    with Translator(load_parts(bundle, threads)) as translator:
        findings = measure(translator, listed)
    for finding in findings:
        if failures and finding.broken:
            texts = f"{finding.case.text!r} -> {finding.translation!r}"
            typer.echo(f"{finding.case.id}: {', '.join(finding.broken)}: {texts}")
    tell(summary(findings), as_json)


@app.command("align-error")
def align_error(
    pair: PairOption,
    data: Annotated[Path, typer.Option(help="TSV with a column like sure_links_de-en_0based.")],
    model: Annotated[Path, typer.Option(help="A trained model, such as RUN/aligned.pt.")],
    prepared: Prepared,
    thresholds: Annotated[
        bool, typer.Option("--thresholds", help="A table over the thresholds of links.")
    ] = False,
    as_json: AsJson = False,
    threads: Threads = 0,
) -> None:
    """Alignment error rate of a trained model on hand-aligned sentences (teacher forcing).

    Example: dragoman model align-error --model build/de-en/aligned.pt --prepared build/prepared
    --pair de-en --data align/de-en-dev.tsv
    """
    import torch

    if threads:
        torch.set_num_threads(threads)
    source, target = languages(pair)
    try:
        vocabulary = (prepared / "vocabulary.spm").read_bytes()
    except OSError as error:
        raise CorpusError(f"{prepared} is not prepared data: {error}") from error
    if thresholds:
        _tell_thresholds(model, vocabulary, data, source, target)
        return
    tell(asdict(_alignment(model, vocabulary, data, source, target)), as_json)


def _alignment(
    model: Path, vocabulary: bytes, data: Path, source: str, target: str
) -> AlignmentScore:
    from dragoman.models.alignment.alignment_error import alignment_error

    return alignment_error(*_weights(model, vocabulary, data, source, target))


def _weights(
    model: Path, vocabulary: bytes, data: Path, source: str, target: str
) -> tuple[list[list[list[float]]], list[AlignedPair]]:
    from dragoman.models.alignment.alignment_error import read_aligned, word_weights
    from dragoman.models.network.checkpoint import load_model
    from dragoman.text.tokenizer import SentencePieceTokenizer

    pairs = read_aligned(data, source, target)
    return word_weights(load_model(model), SentencePieceTokenizer(vocabulary), pairs), pairs


def _tell_thresholds(model: Path, vocabulary: bytes, data: Path, source: str, target: str) -> None:
    from dragoman.models.alignment.alignment_error import threshold_table

    weights, pairs = _weights(model, vocabulary, data, source, target)
    table = threshold_table(weights, pairs, TARGET_THRESHOLDS, SOURCE_THRESHOLDS)
    typer.echo("AER by target threshold (rows) and source threshold (columns)")
    typer.echo("       " + "".join(f"{column:8.2f}" for column in SOURCE_THRESHOLDS))
    for row in TARGET_THRESHOLDS:
        cells = (f"{table[row, column].aer:8.4f}" for column in SOURCE_THRESHOLDS)
        typer.echo(f"{row:7.2f}" + "".join(cells))
    (rows, columns), best = min(table.items(), key=lambda item: item[1].aer)
    typer.echo(
        f"best: target {rows:g}, source {columns:g}: AER {best.aer}, "
        f"precision {best.precision}, recall {best.recall}"
    )
